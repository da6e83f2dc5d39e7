//! Past differences from plain SQLite, each in a few statements.

use super::{LayeredSession, MemoryStore, SqlValue, execute, in_memory, numbers, query, row};
use crate::sqlite::SqliteStatement;
use dbdyno_engine::{
    prepared::SqlStatement,
    sql::{SqlEngine, SqlSession},
    suite::Begin,
};
use rusqlite::Connection;

/// Returns the rows of the last statement, on plain SQLite and on the layer with every index; `None` for an error.
fn both(statements: &[&str], last: &str) -> [Option<Vec<Vec<SqlValue>>>; 2] {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    let plain = Connection::open_in_memory().unwrap();
    for table in &store.tables {
        session.create_table(table).unwrap();
        plain.execute_batch(&table.create_sql()).unwrap();
    }
    store.indexes.iter().for_each(|index| session.create_index(index).unwrap());
    for sql in statements {
        let changed = SqlStatement::<SqliteStatement<'_>>::new(&plain, sql, false).and_then(|mut one| one.execute(&[]));
        assert_eq!(execute(&mut session, sql, &[]).ok(), changed.ok(), "{sql}");
    }
    let mut rows = Vec::new();
    let expected = SqlStatement::<SqliteStatement<'_>>::new(&plain, last, false)
        .and_then(|mut ready| ready.query(&[], |found| rows.push(row(found))));
    [expected.ok().map(|()| rows), query(&mut session, last, &[]).ok()]
}

fn agree(statements: &[&str], last: &str) {
    let [expected, found] = both(statements, last);
    // Compared as text, so that the sign of a zero counts.
    assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{last}");
}

#[test]
fn a_negative_zero_is_stored_as_sqlite_stores_it() {
    agree(&["INSERT INTO t(a, r, x) VALUES (-0.0, -0.0, -0.0)"], "SELECT a, r, x, typeof(x) FROM t");
    agree(&["INSERT INTO t(x) VALUES (-0.0)", "UPDATE t SET r = x, a = x"], "SELECT a, r, x FROM t");
    agree(&["INSERT INTO t(x) VALUES (-0.0)"], "SELECT x FROM t ORDER BY x");
}

#[test]
fn text_beside_a_column_of_numbers_is_narrowed_no_further_than_it_may_be() {
    let rows =
        ["INSERT INTO n(a) VALUES ('!'), (5), ('a'), ('~')", "INSERT INTO t(c) VALUES ('13'), (' 2'), ('a'), ('b')"];
    for sign in ["<", "<=", ">", ">=", "="] {
        agree(&rows, &format!("SELECT n.a, t.c FROM n CROSS JOIN t ON n.a {sign} t.c ORDER BY 1, 2"));
    }
}

#[test]
fn a_pattern_finds_a_blob_in_a_column_of_text() {
    let rows = ["INSERT INTO t(c) VALUES ('a'), ('ab'), ('b'), (x'6162'), (x'62')"];
    for pattern in ["GLOB 'a*'", "LIKE 'a%'", "LIKE 'A%'", "GLOB 'ab'"] {
        agree(&rows, &format!("SELECT c FROM t WHERE c {pattern} ORDER BY rowid"));
        let copied = [rows[0], "UPDATE t SET a = c, r = c, x = c"];
        for column in ["a", "r", "x"] {
            agree(&copied, &format!("SELECT {column} FROM t WHERE {column} {pattern} ORDER BY rowid"));
        }
    }
}

#[test]
fn a_list_of_numbers_finds_text_that_is_one() {
    let rows = ["INSERT INTO n(a) VALUES (-7), (5)", "INSERT INTO t(c, x) VALUES ('-7', '-7'), ('05', 5), (' 5', '5')"];
    for column in ["c", "x"] {
        agree(&rows, &format!("SELECT {column} FROM t WHERE {column} IN (SELECT a FROM n) ORDER BY rowid"));
        agree(&rows, &format!("SELECT {column} FROM t WHERE {column} IN (-7, 5, '5') ORDER BY rowid"));
    }
}

#[test]
fn a_clause_about_a_taken_row_number_does_what_it_does_in_sqlite() {
    let rows = "INSERT INTO t(a) VALUES (1), (2), (3)";
    for clause in ["IGNORE", "REPLACE", "FAIL", "ABORT", "ROLLBACK"] {
        let insert = format!("INSERT OR {clause} INTO t(rowid, a) VALUES (7, 7), (2, 20), (8, 8)");
        agree(&[rows, &insert], "SELECT rowid, a FROM t ORDER BY rowid");
        let update = format!("UPDATE OR {clause} t SET rowid = 3 WHERE rowid = 9");
        agree(&[rows, &update], "SELECT rowid, a FROM t ORDER BY rowid");
    }
    for clause in ["IGNORE", "FAIL", "ABORT", "ROLLBACK"] {
        let update = format!("UPDATE OR {clause} t SET rowid = 2 WHERE a = 1");
        agree(&[rows, &update], "SELECT rowid, a FROM t ORDER BY rowid");
    }
    for rowid in ["'5'", "5.0", "' 5 '", "NULL", "'x'", "5.5", "x'35'"] {
        agree(
            &[rows, &format!("INSERT INTO t(rowid, a) VALUES ({rowid}, 9)")],
            "SELECT rowid, a FROM t ORDER BY rowid",
        );
        agree(&[rows, &format!("UPDATE t SET rowid = {rowid} WHERE a = 3")], "SELECT rowid, a FROM t ORDER BY rowid");
    }
}

/// Creates a session with one row in `t`, and returns the message of a rejected statement.
fn refusal(name: &str, tried: impl FnOnce(&mut LayeredSession<'_, MemoryStore>) -> String) -> String {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, "INSERT INTO t(a) VALUES (1)", &[]).unwrap();
    let said = tried(&mut session);
    assert_eq!(numbers(&mut session, "SELECT count(*) FROM t"), [1], "{name}: nothing was changed");
    said
}

#[test]
fn a_savepoint_is_refused() {
    for sql in ["SAVEPOINT s", "/* a */ ROLLBACK TO s", "RELEASE s"] {
        let said = refusal(sql, |session| {
            session.begin(Begin::Engine).unwrap();
            session.run(sql, None).unwrap_err().message
        });
        assert!(said.contains(sql) && said.contains("savepoints are not supported on a key-value engine"), "{said}");
    }
}

#[test]
fn what_would_be_done_to_sqlites_own_database_is_refused() {
    for sql in [
        "CREATE TABLE u(a)",
        "CREATE TEMP TABLE u(a)",
        "CREATE VIEW u AS SELECT a FROM t",
        "DROP TABLE t",
        "DROP TABLE IF EXISTS t",
        "ALTER TABLE t RENAME TO u",
        "SELECT 1; DROP TABLE t",
    ] {
        let said = refusal(sql, |session| session.run(sql, None).unwrap_err().message);
        assert!(said.contains(sql) && said.contains("SQLite's own database in memory"), "{said}");
        if !sql.starts_with("SELECT") {
            let said = refusal(sql, |session| execute(session, sql, &[]).unwrap_err().message);
            assert!(said.contains("SQLite's own database in memory"), "{said}");
        }
    }
    let attach = "ATTACH 'other.db' AS o";
    assert!(refusal(attach, |session| session.run(attach, None).unwrap_err().message).contains("':memory:'"));
    let like = "PRAGMA case_sensitive_like = on";
    assert!(refusal(like, |session| session.run(like, None).unwrap_err().message).contains("LIKE would miss rows"));
}

#[test]
fn what_is_attached_in_memory_is_free() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    for sql in ["ATTACH ':memory:' AS o", "CREATE TABLE o.u(a)", "DROP TABLE o.u", "DETACH o", "PRAGMA user_version"] {
        session.run(sql, None).unwrap();
    }
}

#[test]
fn a_change_that_gives_rows_is_refused() {
    for sql in
        ["INSERT INTO t(a) VALUES (2) RETURNING rowid", "UPDATE t SET a = 3 RETURNING a", "DELETE FROM t RETURNING a"]
    {
        let said = refusal(sql, |session| query(session, sql, &[]).unwrap_err().message);
        assert!(said.contains("RETURNING"), "{said}");
    }
}

#[test]
fn behind_the_greatest_row_number_another_is_found() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    execute(&mut session, "INSERT INTO t(rowid, a) VALUES (9223372036854775806, 1)", &[]).unwrap();
    execute(&mut session, "INSERT INTO t(a) VALUES (2), (3), (4)", &[]).unwrap();
    execute(&mut session, "INSERT INTO t(a) SELECT a FROM t", &[]).unwrap();
    assert_eq!(numbers(&mut session, "SELECT rowid FROM t WHERE a = 2 ORDER BY 1 DESC LIMIT 1"), [i64::MAX]);
    assert_eq!(numbers(&mut session, "SELECT count(*) FROM t"), [8]);
    let others = "SELECT count(*) FROM t WHERE rowid BETWEEN 1 AND 4611686018427387904";
    assert_eq!(numbers(&mut session, others), [6], "from 1 to 2^62, as SQLite draws them");
}
