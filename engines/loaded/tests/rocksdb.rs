//! Tests of RocksDB, if a librocksdb is present: the store behaves like a map of maps, and tables on it like SQLite's. Transactions see
//! their own writes, and lose no updates to others.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stderr, reason = "what is not checked is said to whoever runs the tests")]

#[path = "../../../tests/ordered/model.rs"]
mod model;
#[path = "../../tables/src/tests/stores/mod.rs"]
mod stores;

use dbdyno_engine::{
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvHandle, KvRead, KvSession, KvThreads, KvTransaction, KvWrite},
    settings::Settings,
    suite::KvStatements,
};
use dbdyno_loaded::rocksdb::{PROGRAM, Rocks, RocksStore, describe};
use std::{collections::BTreeMap, path::Path, thread};

fn settings(asked: &[(&str, &str)]) -> Settings {
    let asked: BTreeMap<_, _> = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::resolve(&describe(), &asked).unwrap()
}

/// Returns whether there is a librocksdb; if tools are required, a missing one fails the test.
fn is_there() -> bool {
    match PROGRAM.probe.unwrap()(&settings(&[])) {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "{error}");
            eprintln!("not checked: {error}");
            false
        }
    }
}

#[test]
fn it_is_an_ordered_store() {
    if is_there() {
        model::behaves::<RocksStore>(&describe(), &[]);
        model::behaves::<RocksStore>(&describe(), &[("wal", "off"), ("memtable_size", "64KiB"), ("bloom_bits", "10")]);
    }
}

fn store(rowsum: &str) -> stores::TestStore {
    stores::TestStore::new(&describe(), &[("rowsum", rowsum)])
}

#[test]
fn random_scripts_give_the_answers_of_plain_sqlite() {
    if is_there() {
        stores::scripts::agree::<RocksStore>(100, store);
    }
}

#[test]
fn logic_tests_give_the_answers_of_plain_sqlite() {
    if is_there() {
        stores::logic::agree::<RocksStore>(|| store("off"));
    }
}

fn opened(folder: &Path, asked: &[(&str, &str)]) -> Rocks {
    KvEngine::open(Open { folder, settings: &settings(asked), schema: &[], data_bytes: 0 }).unwrap()
}

fn no_statements() -> KvStatements {
    KvStatements::default()
}

fn rows(read: &mut impl KvRead) -> Vec<(String, String)> {
    let (mut rows, text) = (Vec::new(), |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap());
    read.scan(|key, value| rows.push((text(key), text(value)))).unwrap();
    rows
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_transaction_sees_its_own_writes_and_nobody_else_does_before_it_is_committed() {
    if !is_there() {
        return;
    }
    for asked in [&[][..], &[("read_transaction", "held")], &[("wal", "off")], &[("sync", "on")]] {
        let (folder, statements) = (tempfile::tempdir().unwrap(), no_statements());
        let mut engine = opened(folder.path(), asked);
        let mut session = engine.session(&statements).unwrap();
        for (key, value) in [("a", "1"), ("b", "2"), ("c", "3")] {
            let mut write = session.write().unwrap();
            write.table().unwrap().put(key.as_bytes(), value.as_bytes()).unwrap();
            write.commit().unwrap();
        }
        let mut snapshot = session.snapshot().unwrap();
        let mut write = session.write().unwrap();
        {
            let table = write.table().unwrap();
            assert!(table.delete(b"a").unwrap() && !table.delete(b"a").unwrap() && !table.exists(b"a").unwrap());
            table.put(b"b", b"two").unwrap();
            table.put(b"d", b"").unwrap();
            assert!(!table.delete(b"e").unwrap() && table.delete(b"d").unwrap() && !table.exists(b"d").unwrap());
            table.put(b"d", b"").unwrap();
            assert_eq!(table.get(b"d", <[u8]>::len).unwrap(), Some(0));
            assert_eq!(rows(table), pairs(&[("b", "two"), ("c", "3"), ("d", "")]));
            let mut some = Vec::new();
            table.range(b"bb", 1, |key, _| some.push(key.to_vec())).unwrap();
            assert_eq!(some, [b"c"]);
            assert_eq!(rows(&mut snapshot), pairs(&[("a", "1"), ("b", "2"), ("c", "3")]));
        }
        drop(write);
        let before = pairs(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(rows(&mut session.read().unwrap()), before, "dropped, it is rolled back");
        let mut write = session.write().unwrap();
        assert!(write.table().unwrap().delete(b"c").unwrap());
        write.commit().unwrap();
        assert_eq!(rows(&mut snapshot), before, "a snapshot stays as it is");
        drop(snapshot);
        drop(session);
        engine.check().unwrap();
        engine.close().unwrap();
        let mut again = opened(folder.path(), asked);
        let mut session = again.session(&statements).unwrap();
        assert_eq!(rows(&mut session.read().unwrap()), pairs(&[("a", "1"), ("b", "2")]), "{asked:?}");
    }
}

#[test]
fn of_threads_that_read_and_write_none_overwrites_what_another_wrote() {
    const EACH: u64 = 400;
    if !is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let engine = opened(folder.path(), &[]);
    let work = |thread: u64| {
        let (mut handle, statements) = (engine.handle().unwrap(), no_statements());
        let mut session = handle.session(&statements).unwrap();
        for turn in 0..EACH {
            let mut write = session.write().unwrap();
            let table = write.table().unwrap();
            // Half of the threads write without reading.
            let key: &[u8] = if thread.is_multiple_of(2) { b"count" } else { &thread.to_be_bytes() };
            let found = if key == b"count" {
                table.get(key, |value| u64::from_be_bytes(value.try_into().unwrap())).unwrap().unwrap_or(0)
            } else {
                turn
            };
            table.put(key, &(found + 1).to_be_bytes()).unwrap();
            write.commit().unwrap();
        }
    };
    thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    let (mut handle, statements) = (engine.handle().unwrap(), no_statements());
    let mut session = handle.session(&statements).unwrap();
    let mut read = session.read().unwrap();
    let mut number =
        |key: &[u8]| read.get(key, |value| u64::from_be_bytes(value.try_into().unwrap())).unwrap().unwrap();
    assert_eq!(number(b"count"), 2 * EACH);
    assert_eq!((number(&1_u64.to_be_bytes()), number(&3_u64.to_be_bytes())), (EACH, EACH));
}

#[test]
fn what_is_damaged_is_found_by_the_check() {
    if !is_there() {
        return;
    }
    // Without a log the rows are in a table once the database is closed.
    let (folder, statements) = (tempfile::tempdir().unwrap(), no_statements());
    let mut engine = opened(folder.path(), &[("wal", "off"), ("compression", "none")]);
    let mut session = engine.session(&statements).unwrap();
    let mut write = session.write().unwrap();
    for key in 0..1000_u32 {
        write.table().unwrap().put(&key.to_be_bytes(), &[b'v'; 100]).unwrap();
    }
    write.commit().unwrap();
    drop(session);
    engine.close().unwrap();
    let table = std::fs::read_dir(folder.path().join("rocksdb")).unwrap().map(|entry| entry.unwrap().path());
    let table = table.into_iter().find(|path| path.extension().is_some_and(|name| name == "sst")).unwrap();
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[50_000] ^= 1;
    std::fs::write(&table, bytes).unwrap();
    let error = opened(folder.path(), &[]).check().unwrap_err();
    assert!(error.message.contains("Corruption") && !error.database_usable, "{error:?}");
}

fn put_two(session: &mut impl KvSession, key: u8) {
    let mut transaction = session.write().unwrap();
    let mut table = transaction.table().unwrap();
    table.put(&[key], b"value").unwrap();
    table.put(&[key, key], b"value").unwrap();
    drop(table);
    transaction.commit().unwrap();
}

#[test]
fn writes_and_the_work_in_the_background_are_counted() {
    if !is_there() {
        return;
    }
    let (folder, statements) = (tempfile::tempdir().unwrap(), no_statements());
    let mut engine = opened(folder.path(), &[("sync", "on")]);
    let mut session = engine.session(&statements).unwrap();
    let before = session.counters();
    (0..10).for_each(|key| put_two(&mut session, key));
    let ten: BTreeMap<_, _> = session.counters().since(&before).values().collect();
    let of_ten = ["keys_written", "log_syncs", "flushes", "compactions"].map(|name| ten[name]);
    assert_eq!(of_ten, [20, 10, 0, 0], "ten commits of two rows, in memory and log");
    assert!(ten.keys().all(|name| describe().counters.contains_key(*name)), "{ten:?}");

    drop(session);
    let compacted = |engine: Rocks| {
        engine.compact(Open { folder: folder.path(), settings: &settings(&[]), schema: &[], data_bytes: 0 }).unwrap()
    };
    let mut engine = compacted(engine);
    put_two(&mut engine.session(&statements).unwrap(), 0);
    let mut engine = compacted(engine);
    let all: BTreeMap<_, _> = engine.session(&statements).unwrap().counters().since(&before).values().collect();
    assert_eq!(all["flushes"], 2, "compacting writes out the memtable first: {all:?}");
    assert!(all["compactions"] > 0, "the second table was merged with the first one: {all:?}");
    assert_eq!(all["write_stall_ns"], 0, "nothing had to wait: {all:?}");
}
