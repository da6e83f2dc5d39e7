//! Tests that redb's counters are what it asked of its file.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::{
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    settings::Settings,
    suite::KvStatements,
};
use dbdyno_redb::{Redb, describe};
use std::{collections::BTreeMap, path::Path};

fn open(folder: &Path) -> Redb {
    let settings = Settings::resolve(&describe(), &BTreeMap::new()).unwrap();
    Redb::open(Open { folder, settings: &settings, schema: &[], data_bytes: 0 }).unwrap()
}

/// Returns what redb counts during some work, by name.
fn counted<S: KvSession>(session: &mut S, work: impl FnOnce(&mut S)) -> BTreeMap<&'static str, u64> {
    let before = session.counters();
    work(session);
    session.counters().since(&before).values().collect()
}

/// Writes a value of this many bytes.
fn put<S: KvSession>(session: &mut S, bytes: usize) {
    let mut transaction = session.write().unwrap();
    transaction.table().unwrap().put(b"key", &vec![7; bytes]).unwrap();
    transaction.commit().unwrap();
}

fn get<S: KvSession>(session: &mut S) -> Option<usize> {
    session.read().unwrap().get(b"key", <[u8]>::len).unwrap()
}

#[test]
fn a_page_is_missed_once_in_an_empty_cache_and_found_the_second_time() {
    let (folder, statements) = (tempfile::tempdir().unwrap(), KvStatements::default());
    let mut engine = open(folder.path());
    put(&mut engine.session(&statements).unwrap(), 5);
    engine.close().unwrap();

    // Opening reads the page that lists the tables. The page with the row remains.
    let mut engine = open(folder.path());
    let mut session = engine.session(&statements).unwrap();
    let first = counted(&mut session, |session| assert_eq!(get(session), Some(5)));
    let second = counted(&mut session, |session| assert_eq!(get(session), Some(5)));
    assert_eq!((first["cache_misses"], second["cache_misses"]), (1, 0));
    assert_eq!((first["cache_writes"], first["file_resizes"]), (0, 0), "reading writes nothing");
    let described = describe().counters;
    assert!(first.keys().all(|name| described.contains_key(*name)), "{first:?}");
}

#[test]
fn writes_and_the_growth_of_the_file_are_counted() {
    let (folder, statements) = (tempfile::tempdir().unwrap(), KvStatements::default());
    let mut engine = open(folder.path());
    let mut session = engine.session(&statements).unwrap();
    let one = counted(&mut session, |session| put(session, 5));
    let ten = counted(&mut session, |session| (0..10).for_each(|_| put(session, 5)));
    assert!(one["cache_writes"] >= 2, "a page with the row, and a header: {one:?}");
    assert!(ten["cache_writes"] >= 20 && ten["cache_misses"] == 0, "all pages are in the cache: {ten:?}");
    let long = counted(&mut session, |session| put(session, 16 << 20));
    assert!(long["file_resizes"] > 0, "the file is far shorter: {long:?}");
}
