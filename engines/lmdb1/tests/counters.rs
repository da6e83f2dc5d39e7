//! Tests that LMDB's counters are what it did.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use dbdyno_engine::{
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    suite::KvStatements,
};
use dbdyno_engine_lmdb1::{Lmdb1, describe};
use std::collections::BTreeMap;
use support::open;

/// Returns what LMDB counts during some work, by name.
fn counted<S: KvSession>(session: &mut S, work: impl FnOnce(&mut S)) -> BTreeMap<&'static str, u64> {
    let before = session.counters();
    work(session);
    session.counters().since(&before).values().collect()
}

fn put<S: KvSession>(session: &mut S, key: &str) {
    let mut transaction = session.write().unwrap();
    transaction.table().unwrap().put(key.as_bytes(), b"value").unwrap();
    transaction.commit().unwrap();
}

/// Opens a database of a single page of rows, and returns what ten commits and then two reads in a transaction count.
fn ten_commits_and_two_reads(option: &str) -> [BTreeMap<&'static str, u64>; 2] {
    let (folder, statements) = (tempfile::tempdir().unwrap(), KvStatements::default());
    let mut engine: Lmdb1 = open(folder.path(), option).unwrap();
    let mut session = engine.session(&statements).unwrap();
    let ten = counted(&mut session, |session| (0..10).for_each(|key| put(session, &key.to_string())));
    let two = counted(&mut session, |session| {
        let mut read = session.read().unwrap();
        for key in [b"1", b"2"] {
            assert_eq!(read.get(key, <[u8]>::len).unwrap(), Some(5));
        }
    });
    [ten, two]
}

#[test]
fn commits_are_counted() {
    let [ten, two] = ten_commits_and_two_reads("checksum=off");
    assert_eq!((ten["commits"], two["commits"], ten["map_growth_bytes"]), (10, 0, 0));
    assert!((1..=10).contains(&ten["pages_added"]), "most commits use a free page again: {ten:?}");
    let described = describe().counters;
    assert!(ten.keys().all(|name| described.contains_key(*name)) && ten.len() == 3, "{ten:?}");
}

#[test]
fn pages_that_are_encrypted_and_decrypted_are_counted() {
    let [ten, two] = ten_commits_and_two_reads("encrypt=chacha20poly1305");
    assert!(ten["pages_encrypted"] > 10, "each commit writes rows and free pages: {ten:?}");
    assert_eq!((two["pages_encrypted"], two["pages_decrypted"]), (0, 1), "both rows are on one page");
    let described = describe().counters;
    assert!(ten.keys().all(|name| described.contains_key(*name)), "{ten:?}");
}

#[test]
fn checksums_of_pages_are_counted() {
    let [ten, two] = ten_commits_and_two_reads("checksum=on");
    assert!(ten["page_checksums"] > 10, "each commit writes rows and free pages: {ten:?}");
    assert_eq!(two["page_checksums"], 1, "both rows are on one page");
    let described = describe().counters;
    assert!(ten.keys().all(|name| described.contains_key(*name)), "{ten:?}");
}
