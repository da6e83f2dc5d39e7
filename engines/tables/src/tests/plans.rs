//! The conditions that SQLite pushes down to the virtual table, as EXPLAIN QUERY PLAN shows them.

use super::{LayeredSession, MemoryStore, SqlValue, execute, in_memory, numbers, query};
use dbdyno_engine::{
    sql::{SqlEngine, SqlSession},
    suite::StatementSpec,
};
use serde_json::{Value, from_value, json};

fn plan(session: &mut LayeredSession<'_, MemoryStore>, sql: &str) -> String {
    let rows = query(session, &format!("EXPLAIN QUERY PLAN {sql}"), &[]).unwrap();
    let text = |row: Vec<SqlValue>| match row.into_iter().next_back() {
        Some(SqlValue::Text(text)) => text.split_once("INDEX ").map_or(text.clone(), |(_, plan)| plan.to_owned()),
        other => panic!("{other:?}"),
    };
    rows.into_iter()
        .map(text)
        .map(|plan| plan.split_once(':').map_or(plan.clone(), |(_, words)| words.to_owned()))
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn equality_ranges_and_order_are_pushed_down() {
    let store = in_memory(&[]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    for number in 0..1_000 {
        let values =
            [SqlValue::Integer(number % 100), SqlValue::Real(number as f64), SqlValue::Text(format!("{number:03}"))];
        execute(&mut session, "INSERT INTO t(a, r, c) VALUES (?1, ?2, ?3)", &values).unwrap();
    }
    assert_eq!(plan(&mut session, "SELECT * FROM t WHERE a = 5"), "rowid order");
    assert_eq!(numbers(&mut session, "SELECT count(*) FROM t WHERE a = 5"), [10]);
    for index in &store.indexes[..3] {
        session.create_index(index).unwrap();
    }
    let session = &mut session;
    for (sql, expected) in [
        ("SELECT * FROM t WHERE a = 5", "index ta (a=?)"),
        ("SELECT count(*), avg(a) FROM t WHERE a >= 5 AND a < 7", "covering index ta (a>=? AND a<?)"),
        ("SELECT rowid FROM t WHERE r > 5.5", "covering index tr (r>?)"),
        ("SELECT * FROM t WHERE c > 'x' AND c <= 'y'", "index tc (c>? AND c<=?)"),
        ("SELECT * FROM t WHERE rowid = 7", "rowid order (rowid=?)"),
        (
            "SELECT * FROM t WHERE rowid BETWEEN 7 AND 9 ORDER BY rowid DESC",
            "rowid order (rowid>=? AND rowid<=?) descending",
        ),
        ("SELECT a FROM t ORDER BY a DESC", "covering index ta descending"),
        ("UPDATE t SET c = 'z' WHERE a = 5", "index ta (a=?)"),
        ("DELETE FROM t WHERE a > 10 AND a < 20000", "covering index ta (a>? AND a<?)"),
        // An index orders text only by its bytes.
        ("SELECT count(*) FROM t WHERE c = 'x' COLLATE NOCASE", "covering index tc"),
    ] {
        assert_eq!(plan(session, sql), expected, "{sql}");
    }
    assert!(plan(session, "SELECT * FROM t WHERE x = 1 ORDER BY x").contains("USE TEMP B-TREE FOR ORDER BY"));
    assert_eq!(numbers(session, "SELECT count(*) FROM t WHERE a = 5"), [10], "planned again with the index");
    assert_eq!(numbers(session, "SELECT a FROM t WHERE r > 996.5 ORDER BY r DESC"), [99, 98, 97]);
    assert_eq!(numbers(session, "SELECT count(*) FROM t WHERE a = '5'"), [10], "a number given as text");
    assert_eq!(numbers(session, "SELECT count(*) FROM t WHERE c = 5"), [0], "text is `005`");
    assert_eq!(numbers(session, "SELECT count(*) FROM t WHERE rowid > 2.5 AND rowid < '5'"), [2]);
}

#[test]
fn under_rowsum_no_index_stands_in_for_rows_that_are_not_verified() {
    let store = in_memory(&[("rowsum", "crc32c")]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    session.create_index(&store.indexes[0]).unwrap();
    assert_eq!(plan(&mut session, "SELECT count(*), avg(a) FROM t WHERE a >= 5"), "index ta (a>=?)");
}

#[test]
fn a_direct_plan_says_whether_an_index_finds_its_rows() {
    let store = in_memory(&[("layer", "direct")]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    let steps = |session: &mut LayeredSession<'_, MemoryStore>, direct: Value| {
        let statement: StatementSpec = from_value(json!({ "sql": "", "direct": direct })).unwrap();
        session.plan(&statement, &[SqlValue::Integer(5)]).unwrap()
    };
    let equal = json!({ "equal": { "column": "a", "value": "?1" } });
    let read = json!({ "read": { "table": "t", "where": equal } });
    assert_eq!(steps(&mut session, read.clone()), ["full scan of t"]);
    session.create_index(&store.indexes[0]).unwrap();
    assert_eq!(steps(&mut session, read), ["search of index ta of t, then each row by its key"]);
    let delete = json!({ "delete": { "table": "t", "where": equal } });
    assert_eq!(steps(&mut session, delete), ["search of index ta of t"]);
    let average = |column: &str| json!({ "count_average": { "table": "t", "column": column, "where": equal } });
    assert_eq!(steps(&mut session, average("a")), ["search of index ta of t"]);
    assert_eq!(steps(&mut session, average("r")), ["search of index ta of t, then each row by its key"]);
    assert_eq!(steps(&mut session, json!({ "insert": { "table": "t" } })), Vec::<String>::new());
    let sql = in_memory(&[]);
    let mut engine = sql.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&sql.tables[0]).unwrap();
    let statement = StatementSpec { sql: "SELECT * FROM t WHERE a = ?1".to_owned(), ..StatementSpec::default() };
    assert_eq!(session.plan(&statement, &[]).unwrap(), ["SCAN t VIRTUAL TABLE INDEX 0:rowid order"]);
}
