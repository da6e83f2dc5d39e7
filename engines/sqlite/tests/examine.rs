//! Which builds of SQLite have SQLite's tiers. A single test, because it counts the sync calls of the whole process.

use dbdyno_engine::{
    describe::{Library, Probed},
    durability::Tier,
    settings::Settings,
};
use dbdyno_sqlite::{describe, examine, tiers};
use rusqlite::Connection;
use std::collections::BTreeMap;

fn examined(change: impl FnOnce(&mut Library)) -> Probed {
    let description = describe();
    let settings = Settings::resolve(&description, &BTreeMap::new()).expect("SQLite's defaults");
    let mut library = description.library();
    change(&mut library);
    let folder = tempfile::tempdir().expect("a folder");
    examine::<Connection>(folder.path(), &settings, library).expect("a library that opens a database")
}

#[test]
fn a_plain_sqlite_has_the_tiers_of_sqlite_and_what_is_something_else_has_no_known_tier() {
    let found = examined(|_| {});
    assert_eq!((found.tiers, found.lacking), (Some(tiers()), BTreeMap::new()));
    let marked = examined(|library| library.build.push("HAS_CODEC".to_owned()));
    let elsewhere = examined(|library| library.source = Some("LumoSQL 2026".to_owned()));
    for (found, why) in [(marked, "it was built with HAS_CODEC"), (elsewhere, "its source id is `LumoSQL 2026`")] {
        let [rule] = &found.tiers.expect("tiers")[..] else { panic!("one rule for all settings") };
        assert!(rule.tier == Tier::Unknown && rule.when.is_empty() && rule.reason.contains(why), "{rule:?}");
    }
}
