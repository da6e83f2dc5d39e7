//! Tests that fjall's counters are what it did.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::{
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvSession, KvTransaction, KvWrite},
    settings::Settings,
    suite::KvStatements,
};
use dbdyno_fjall::{Fjall, describe};
use std::collections::BTreeMap;

#[test]
fn memtables_tables_and_compactions_are_counted() {
    let (folder, statements) = (tempfile::tempdir().unwrap(), KvStatements::default());
    let settings = Settings::resolve(&describe(), &BTreeMap::new()).unwrap();
    let mut engine =
        Fjall::open(Open { folder: folder.path(), settings: &settings, schema: &[], data_bytes: 0 }).unwrap();
    let keyspace = engine.table().1.inner().clone();
    let mut session = engine.session(&statements).unwrap();
    let before = session.counters();
    for key in 0..3_u8 {
        let mut transaction = session.write().unwrap();
        transaction.table().unwrap().put(&[key], b"value").unwrap();
        transaction.commit().unwrap();
        keyspace.rotate_memtable_and_wait().unwrap();
    }
    let flushed: BTreeMap<_, _> = session.counters().since(&before).values().collect();
    assert_eq!((flushed["memtables_filled"], flushed["tables_written"]), (3, 3), "a table of each memtable");

    let before = session.counters();
    keyspace.major_compact().unwrap();
    let compacted: BTreeMap<_, _> = session.counters().since(&before).values().collect();
    assert_eq!((compacted["memtables_filled"], compacted["tables_written"]), (0, 1), "a table of all three");
    // Each takes 1 ms at least.
    let [compactions, ns] = ["compactions", "compaction_ns"].map(|name| flushed[name] + compacted[name]);
    assert!(compactions > 0 && ns >= compactions * 1_000_000, "{flushed:?} {compacted:?}");
    let described = describe().counters;
    assert!(flushed.keys().all(|name| described.contains_key(*name)), "{flushed:?}");
    drop((session, keyspace));
    engine.close().unwrap();
}
