//! Tests that LMDB's counters are what it did.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::{
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    ordered::{OrderedStore, OrderedWrite, Tree},
    settings::Settings,
    suite::KvStatements,
};
use dbdyno_lmdb::{Lmdb, LmdbStore, describe};
use std::{collections::BTreeMap, path::Path};

fn settings() -> Settings {
    Settings::resolve(&describe(), &BTreeMap::from([("sync".to_owned(), "nosync".to_owned())])).unwrap()
}

fn open<'o>(folder: &'o Path, settings: &'o Settings) -> Open<'o> {
    Open { folder, settings, schema: &[], data_bytes: 0 }
}

/// Returns what LMDB counts during some work, by name.
fn counted<S: KvSession>(session: &mut S, work: impl FnOnce(&mut S)) -> BTreeMap<&'static str, u64> {
    let before = session.counters();
    work(session);
    session.counters().since(&before).values().collect()
}

fn put<S: KvSession>(session: &mut S, key: &str, value: &[u8]) {
    let mut transaction = session.write().unwrap();
    transaction.table().unwrap().put(key.as_bytes(), value).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn commits_pages_and_the_growth_of_the_map_are_counted() {
    let (folder, settings, statements) = (tempfile::tempdir().unwrap(), settings(), KvStatements::default());
    let mut engine = Lmdb::open(open(folder.path(), &settings)).unwrap();
    let mut session = engine.session(&statements).unwrap();
    let ten = counted(&mut session, |session| (0..10).for_each(|key| put(session, &key.to_string(), b"short")));
    assert_eq!((ten["commits"], ten["map_growth_bytes"]), (10, 0));
    assert!((1..=10).contains(&ten["pages_added"]), "most commits use a free page again: {ten:?}");

    let nothing = counted(&mut session, |session| {
        assert_eq!(session.read().unwrap().get(b"1", <[u8]>::len).unwrap(), Some(5));
        session.write().unwrap().commit().unwrap();
    });
    assert!(nothing.values().all(|count| *count == 0), "neither reads nor empty transactions count: {nothing:?}");

    // More than half of the 256 MiB that the map has at least.
    let (bytes, page) = (140 << 20, 4096);
    let long = counted(&mut session, |session| put(session, "long", &vec![0; bytes]));
    assert!((long["commits"], long["map_growth_bytes"]) == (1, 0) && long["pages_added"] > (bytes / page) as u64);
    let next = counted(&mut session, |session| put(session, "next", b"short"));
    assert_eq!((next["commits"], next["map_growth_bytes"]), (1, 256 << 20));
    engine.close().unwrap();
}

#[test]
fn a_store_of_tables_counts_its_commits_beside_an_open_transaction() {
    let (folder, settings) = (tempfile::tempdir().unwrap(), settings());
    let store = LmdbStore::open(open(folder.path(), &settings), 2).unwrap();
    let before = store.counters();
    for key in [b"a", b"b", b"c"] {
        let mut write = store.write().unwrap();
        write.put(Tree(1), key, b"value").unwrap();
        write.commit().unwrap();
    }
    let held = store.read().unwrap();
    let counted: BTreeMap<_, _> = store.counters().since(&before).values().collect();
    assert_eq!(counted["commits"], 3);
    let described = describe().counters;
    assert!(counted.keys().all(|name| described.contains_key(*name)), "{counted:?}");
    drop(held);
    store.close().unwrap();
}
