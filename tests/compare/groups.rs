//! Groups the configurations of a session by the facts that must be equal for a comparison.

use super::fixture::{Bench, Variant, spec};
use crate::support::Place;
use dbdyno::{
    catalog::Difference,
    compare::{Grouped, Options, by_configuration, compare_groups, grouped},
    stats::Verdict,
    store::Store,
};
use dbdyno_engine::durability::Tier;
use std::collections::BTreeSet;

/// A session of eight rounds in which each of these takes a millisecond longer than the previous one.
fn session(variants: &[Variant]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        for (variant, place) in variants.iter().zip(1..) {
            bench.run(&session, round, variant, &[place * 1_000_000 + u64::from(round)]);
        }
    }
    bench
}

/// Two tiers with two configurations each, and between them a tier with one.
fn five() -> Bench {
    let fast = |engine| Variant { tier: Tier::ProcessSafe, ..spec(engine) };
    session(&[fast("a"), spec("b"), Variant { tier: Tier::Consistent, ..spec("c") }, fast("d"), spec("e")])
}

fn names(grouped: &Grouped) -> (Vec<(String, Vec<String>)>, Vec<String>) {
    let name = |side: &dbdyno::compare::Side| side.runs[0].label.to_string();
    let group = |group: &dbdyno::compare::ReferenceGroup| {
        (name(&group.reference), group.candidates.iter().map(name).collect::<Vec<_>>())
    };
    (grouped.groups.iter().map(group).collect(), grouped.alone.iter().map(name).collect())
}

fn of(bench: &Bench, references: &[&str], allowed: &[Difference]) -> Grouped {
    let references: BTreeSet<String> = references.iter().map(|label| (*label).to_owned()).collect();
    grouped(
        by_configuration(&bench.stored().side("suite=kv")),
        &references,
        &allowed.iter().copied().collect::<BTreeSet<_>>(),
    )
}

fn owned(groups: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let text = |text: &&str| (*text).to_owned();
    groups.iter().map(|(reference, others)| ((*reference).to_owned(), others.iter().map(text).collect())).collect()
}

#[test]
fn each_tier_has_a_reference_of_its_own() {
    let bench = five();
    let (groups, alone) = names(&of(&bench, &[], &[]));
    assert_eq!(groups, owned(&[("a", &["d"]), ("b", &["e"])]));
    assert_eq!(alone, ["c"]);
    let (groups, _) = names(&of(&bench, &["e"], &[]));
    assert_eq!(groups, owned(&[("a", &["d"]), ("e", &["b"])]));
    let (groups, _) = names(&of(&bench, &["e"], &[Difference::Tiers]));
    assert_eq!(groups, owned(&[("e", &["a", "b", "c", "d"])]), "one was asked for, and tiers may differ");
}

#[test]
fn those_alone_in_their_tiers_are_put_together_where_tiers_may_differ() {
    let bench = session(&[
        Variant { tier: Tier::ProcessSafe, ..spec("a") },
        Variant { tier: Tier::Consistent, ..spec("b") },
        spec("c"),
        spec("d"),
    ]);
    let (groups, alone) = names(&of(&bench, &[], &[Difference::Tiers]));
    assert_eq!((groups, alone), (owned(&[("a", &["b"]), ("c", &["d"])]), Vec::new()));
    // If no two are equal, all are compared with the first, and the lines show the differences.
    let two = session(&[Variant { tier: Tier::Consistent, ..spec("a") }, spec("b")]);
    assert_eq!(names(&of(&two, &[], &[])).0, owned(&[("a", &["b"])]));
}

#[test]
fn options_of_the_suite_part_groups_too() {
    let readers = |engine, readers| Variant {
        label: format!("{engine}[readers={readers}]"),
        suite_options: vec![("readers", readers)],
        ..spec(engine)
    };
    let bench = session(&[readers("a", "1"), readers("b", "1"), readers("a", "2"), readers("b", "2")]);
    let grouped = of(&bench, &[], &[]);
    let expected = [("a[readers=1]", &["b[readers=1]"][..]), ("a[readers=2]", &["b[readers=2]"])];
    assert_eq!(names(&grouped).0, owned(&expected));
    let all = compare_groups(&grouped.groups, &Options::default());
    assert!(all.iter().all(|side| side.compared == 2), "one family");
    assert!(all.iter().all(|side| side.lines[0].found.as_ref().unwrap().verdict == Verdict::Slower));
}

#[test]
fn the_command_shows_each_group_and_says_what_is_alone() {
    let place = Place::new();
    Store::new(place.store()).write(&five().batch).unwrap();
    let all = place.run(&["compare", "--reference", "session=last"]);
    let (table, said) = (all.stdout, all.stderr);
    assert!(table.contains("a is 4.0x faster than d in Writes (4.0-4.0)."), "{table}");
    assert!(table.contains("b is 2.5x faster than e in Writes (2.5-2.5)."), "{table}");
    assert!(
        table.contains("\nagainst a\n") && table.contains("\nagainst b\n") && !table.contains("not comparable"),
        "{table}"
    );
    assert!(said.contains("c is not compared: no other configuration has tier 2"), "{said}");
    let markdown = place.ok(&["compare", "--reference", "session=last", "--format", "markdown"]);
    assert!(markdown.contains("| test | size | a | d |") && markdown.contains("| test | size | b | e |"), "{markdown}");
    let html = place.ok(&["compare", "--reference", "session=last", "--format", "html"]);
    assert!(html.contains("<h1>d against a; e against b</h1>") && html.contains("<h2>against b</h2>"), "{html}");
    let allowed = place.ok(&["compare", "--reference", "engine=a", "--allow-tiers", "--format", "csv"]);
    assert_eq!(allowed.lines().count(), 5, "{allowed}");
}
