//! What both layers count of the same statements.

use super::{MemoryStore, SqlValue, in_memory};
use dbdyno_engine::{
    sql::{SqlEngine, SqlSession},
    suite::StatementSpec,
};
use serde_json::{Value, from_value, json};
use std::collections::BTreeMap;

fn statement(sql: &str, direct: &Value) -> StatementSpec {
    from_value(json!({ "sql": sql, "direct": direct })).unwrap()
}

/// Returns what a layer counts of the rows where a column is 5, in a table of 100 rows with an index on `a`, the number of their tens.
fn counted(layer: &str, column: &str) -> BTreeMap<&'static str, u64> {
    let store = in_memory(&[("layer", layer)]);
    let insert = statement("INSERT INTO t VALUES (?1, ?2, ?3, ?4)", &json!({ "insert": { "table": "t" } }));
    let equal = json!({ "read": { "table": "t", "where": { "equal": { "column": column, "value": 5 } } } });
    let read = statement(&format!("SELECT * FROM t WHERE {column} = 5"), &equal);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    session.create_index(&store.indexes[0]).unwrap();
    let mut insert = session.prepare(&insert).unwrap();
    for number in 0..100 {
        let [tens, one] = [number / 10, number].map(SqlValue::Integer);
        session.execute(&mut insert, &[tens, one, SqlValue::Null, SqlValue::Null]).unwrap();
    }
    let mut read = session.prepare(&read).unwrap();
    let before = session.counters();
    let mut rows = 0;
    session.query(&mut read, &[], |_| rows += 1).unwrap();
    assert_eq!(rows, if column == "a" { 10 } else { 1 });
    session.counters().since(&before).values().collect()
}

#[test]
fn both_layers_count_scans_searches_and_the_rows_that_they_read() {
    for layer in ["sql", "direct"] {
        let (indexed, other) = (counted(layer, "a"), counted(layer, "r"));
        let of_layer =
            |counted: &BTreeMap<_, u64>| ["full_scans", "searches", "rows_visited"].map(|name| counted[name]);
        assert_eq!(of_layer(&indexed), [0, 1, 20], "{layer}: ten entries and their rows");
        assert_eq!(of_layer(&other), [1, 0, 100], "{layer}: no index on the column");
        assert_eq!(indexed.get("vm_steps").is_some_and(|steps| *steps > 10), layer == "sql", "{indexed:?}");
        let described = crate::counters();
        assert!(indexed.keys().all(|name| described.contains_key(*name)), "{indexed:?}");
    }
}
