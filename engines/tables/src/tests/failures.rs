//! Failing statements and changed bytes, and the data that remains after them.

use super::{super::key, MemoryStore, SqlValue, execute, in_memory, memory, memory::LONGEST_KEY, numbers, query};
use dbdyno_engine::{
    engine::EngineInstance,
    sql::{SqlEngine, SqlSession},
    suite::{Begin, StatementSpec},
};
use serde_json::{from_value, json};

const FIVE_ROWS: &str = "INSERT INTO t(a) VALUES (1), (2), (3), (4), (5)";

#[test]
fn a_statement_that_fails_half_way_leaves_nothing_of_itself() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, FIVE_ROWS, &[]).unwrap();
    // The third row overflows.
    let half = "INSERT INTO t(a) SELECT abs(CASE a WHEN 3 THEN -9223372036854775807 - 1 ELSE a END) FROM t";
    let error = execute(&mut session, half, &[]).unwrap_err();
    assert!(error.message.contains("overflow"), "{error}");
    assert_eq!(numbers(&mut session, "SELECT count(*) FROM t"), [5]);
    // The second row's number already exists.
    let error = execute(&mut session, "INSERT INTO t(rowid, a) VALUES (6, 6), (5, 7)", &[]).unwrap_err();
    assert!(error.message.contains("table `t` already has a row 5"), "{error}");
    assert_eq!(numbers(&mut session, "SELECT a FROM t"), [1, 2, 3, 4, 5]);
}

#[test]
fn a_failing_statement_fails_its_whole_transaction() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, FIVE_ROWS, &[]).unwrap();
    for failing in [
        "INSERT INTO t(rowid, a) VALUES (100, 100), (1, 7)",
        "UPDATE t SET a = abs(CASE a WHEN 4 THEN -9223372036854775807 - 1 ELSE a END)",
    ] {
        session.begin(Begin::Deferred).unwrap();
        execute(&mut session, "DELETE FROM t WHERE a = 1", &[]).unwrap();
        session.create_index(&store.indexes[0]).unwrap();
        execute(&mut session, "INSERT INTO t(rowid, a) VALUES (1, 10)", &[]).unwrap();
        assert!(execute(&mut session, failing, &[]).is_err(), "{failing}");
        assert!(session.commit().is_err(), "there is no transaction any more");
        assert_eq!(numbers(&mut session, "SELECT a FROM t"), [1, 2, 3, 4, 5], "{failing}");
    }
    session.create_index(&store.indexes[0]).unwrap();
    assert_eq!(
        numbers(&mut session, "SELECT count(*) FROM t WHERE a > 0"),
        [5],
        "the index is made for the first time"
    );
}

#[test]
fn a_rollback_takes_rows_tables_and_indexes_back() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.begin(Begin::Immediate).unwrap();
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, FIVE_ROWS, &[]).unwrap();
    session.rollback().unwrap();
    assert!(query(&mut session, "SELECT * FROM t", &[]).is_err(), "there is no table");
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, FIVE_ROWS, &[]).unwrap();
    session.begin(Begin::Deferred).unwrap();
    session.drop_table(&store.tables[0]).unwrap();
    drop(session);
    let mut session = engine.session().unwrap();
    assert_eq!(
        numbers(&mut session, "SELECT a FROM t"),
        [1, 2, 3, 4, 5],
        "a session that ends in the middle rolls back"
    );
}

#[test]
fn tables_rows_and_indexes_are_there_after_a_reopening() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    session.create_index(&store.indexes[0]).unwrap();
    execute(&mut session, FIVE_ROWS, &[]).unwrap();
    drop(session);
    engine.close().unwrap();
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    assert_eq!(numbers(&mut session, "SELECT a FROM t WHERE a >= 4 ORDER BY a DESC"), [5, 4]);
    session.drop_table(&store.tables[0]).unwrap();
    session.create_table(&store.tables[0]).unwrap();
    assert_eq!(numbers(&mut session, "SELECT count(*) FROM t"), [0], "a dropped table's tree is empty");
}

#[test]
fn a_flipped_byte_of_a_row_is_reported_and_never_returned() {
    for layer in ["sql", "direct"] {
        for rowsum in ["crc32c", "xxh3", "blake3", "sha3-256"] {
            let store = in_memory(&[("rowsum", rowsum), ("layer", layer)]);
            let mut engine = store.open::<MemoryStore>();
            let mut session = engine.session().unwrap();
            session.create_table(&store.tables[0]).unwrap();
            session.create_index(&store.indexes[0]).unwrap();
            let insert: StatementSpec = from_value(json!({
                "sql": "INSERT INTO t VALUES (?1, ?2, ?3, ?4)", "direct": { "insert": { "table": "t" } }
            }))
            .unwrap();
            let insert = Box::leak(Box::new(insert));
            let mut ready = session.prepare(insert).unwrap();
            for number in 1..=5 {
                let text = SqlValue::Text(format!("row {number}"));
                session
                    .execute(&mut ready, &[SqlValue::Integer(number), SqlValue::Null, text, SqlValue::Null])
                    .unwrap();
            }
            let reads: [StatementSpec; 3] = from_value(json!([
                { "sql": "SELECT * FROM t", "direct": { "read": { "table": "t" } } },
                { "sql": "SELECT count(*), avg(a) FROM t WHERE a >= 3 AND a < 4",
                  "direct": { "count_average": { "table": "t", "column": "a", "where": { "range": { "column": "a", "from": 3, "below": 4 } } } } },
                { "sql": "UPDATE t SET c = 'new' WHERE a = 3",
                  "direct": { "update": { "table": "t", "set": { "c": "new" }, "where": { "equal": { "column": "a", "value": 3 } } } } },
            ]))
            .unwrap();
            let reads: &[StatementSpec; 3] = Box::leak(Box::new(reads));
            memory::tamper(store.folder.path(), |trees| {
                let row = trees.iter_mut().find_map(|tree| tree.get_mut(&key::of_rowid(3)[..])).unwrap();
                row[6] ^= 0x20;
            });
            for (at, read) in reads.iter().enumerate() {
                let mut ready = session.prepare(read).unwrap();
                let mut seen = Vec::new();
                let done = if at == 2 {
                    session.execute(&mut ready, &[]).map(drop)
                } else {
                    session.query(&mut ready, &[], |row| seen.push(super::row(row)))
                };
                let error = done.unwrap_err();
                let expected = "the row 3 of table `t` does not match its checksum";
                assert!(error.message.contains(expected), "{layer} {rowsum}: {error}");
                assert!(seen.len() <= 2, "{layer} {rowsum}: rows before the changed one at most: {seen:?}");
            }
        }
    }
}

#[test]
fn a_store_that_panics_while_sqlite_calls_it_ends_in_an_error_with_its_words() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, FIVE_ROWS, &[]).unwrap();
    memory::tamper(store.folder.path(), |trees| {
        let rows = trees.iter_mut().find(|tree| tree.contains_key(&key::of_rowid(3)[..])).unwrap();
        rows.insert(vec![255; LONGEST_KEY + 1], Vec::new());
    });
    let words = format!("the engine panicked: a key of {} bytes was stored", LONGEST_KEY + 1);
    for sql in ["SELECT * FROM t", "SELECT * FROM t ORDER BY rowid DESC"] {
        let error = query(&mut session, sql, &[]).unwrap_err();
        assert!(error.message.contains(&words), "{error}");
    }
    for sql in ["INSERT INTO t(a) VALUES (6)", "UPDATE t SET a = 7"] {
        let error = execute(&mut session, sql, &[]).unwrap_err();
        assert!(error.message.contains(&words), "{error}");
    }
    assert_eq!(numbers(&mut session, "SELECT a FROM t WHERE rowid = 3"), [3], "nothing of a failing statement is kept");
}

#[test]
fn a_value_too_long_for_an_index_is_refused_with_both_lengths() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    session.create_index(&store.indexes[2]).unwrap();
    let fits = "x".repeat(LONGEST_KEY - 11);
    execute(&mut session, "INSERT INTO t(c) VALUES (?1)", &[SqlValue::Text(fits.clone())]).unwrap();
    let error =
        execute(&mut session, "INSERT INTO t(c) VALUES (?1)", &[SqlValue::Text(format!("{fits}x"))]).unwrap_err();
    assert!(error.message.contains("an entry of 512 bytes; the engine takes keys of 511"), "{error}");
    for bound in [fits.clone(), format!("{fits}x"), "x".repeat(5_000)] {
        let count = query(&mut session, "SELECT count(*) FROM t WHERE c <= ?1", &[SqlValue::Text(bound)]).unwrap();
        assert_eq!(count, [[SqlValue::Integer(1)]]);
    }
}

#[test]
fn what_the_layer_does_not_keep_is_refused() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    let table = from_value(json!({ "name": "n", "columns": [{ "name": "a", "type": "INTEGER NOT NULL" }] })).unwrap();
    let error = session.create_table(Box::leak(Box::new(table))).unwrap_err();
    assert!(error.message.contains("column `a`: `NOT` in its type is a constraint"), "{error}");
    session.create_table(&store.tables[0]).unwrap();
    let error = execute(&mut session, "INSERT INTO t(c) VALUES (0.5)", &[]).unwrap_err();
    assert!(error.message.contains("column `c` of table `t` holds text"), "{error}");
    let error = session.create_table(&store.tables[0]).unwrap_err();
    assert!(error.message.contains("table `t` already exists"), "{error}");
}
