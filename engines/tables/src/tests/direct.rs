//! Random direct plans compared with equivalent SQL on plain SQLite: results and counts must be equal.

use super::{MemoryStore, SqlValue, in_memory, owned, row, stores::scripts, stores::steps};
use crate::{LayeredSession, sqlite::SqliteStatement};
use dbdyno_engine::{
    EngineError,
    prepared::SqlStatement,
    sql::{SqlEngine, SqlSession},
    suite::StatementSpec,
};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, from_value, json};

/// The errors of direct plans for unsupported cases.
const REFUSED: [&str; 4] = [
    "a real number in it is not supported",
    "takes the average of numbers only",
    "multiplies numbers only",
    "expected one of text",
];

/// A statement with its plan, and the values bound to it.
#[derive(Debug, Clone)]
struct PlanStep {
    spec: StatementSpec,
    values: Vec<SqlValue>,
    reads: bool,
}

fn step(sql: String, direct: &Value, values: Vec<SqlValue>) -> PlanStep {
    let reads = sql.starts_with("SELECT");
    PlanStep { spec: from_value(json!({ "sql": sql, "direct": direct })).unwrap(), values, reads }
}

/// A condition on `?1` and `?2`, or on literal values, in both languages.
fn condition() -> impl Strategy<Value = (String, Value)> {
    let column = || prop::sample::select(vec!["a", "r", "c", "x"]);
    let written = prop::sample::select(vec![json!(5), json!(-3), json!("5"), json!("05"), json!("a"), json!("")]);
    let sql = |operand: &Value| match operand.as_str() {
        Some(text) if !text.starts_with('?') => format!("'{text}'"),
        Some(parameter) => parameter.to_owned(),
        None => operand.to_string(),
    };
    let operand = prop_oneof![Just(json!("?1")), written];
    prop_oneof![
        1 => Just(("1".to_owned(), json!({}))),
        4 => (column(), operand.clone()).prop_map(move |(column, value)| {
            (format!("{column} = {}", sql(&value)), json!({ "equal": { "column": column, "value": value } }))
        }),
        4 => (column(), operand).prop_map(move |(column, from)| {
            let written = format!("{column} >= {} AND {column} < ?2", sql(&from));
            (written, json!({ "range": { "column": column, "from": from, "below": "?2" } }))
        }),
        1 => (column(), prop::sample::select(vec!["%a%", "%B%", "%5%", "%%"])).prop_map(|(column, pattern)| {
            (format!("{column} LIKE '{pattern}'"), json!({ "like": { "column": column, "pattern": pattern } }))
        }),
    ]
}

/// Adds a condition to a plan, unless it is empty.
fn with(name: &str, mut plan: Value, condition: &Value) -> Value {
    if condition.as_object().is_some_and(|condition| !condition.is_empty()) {
        plan["where"] = condition.clone();
    }
    json!({ name: plan })
}

fn plan() -> impl Strategy<Value = PlanStep> {
    let about = || (condition(), steps::value(), steps::value());
    let column = prop::sample::select(vec!["a", "r", "c", "x"]);
    prop_oneof![
        6 => steps::columns().prop_map(|values| {
            step("INSERT INTO t VALUES (?1, ?2, ?3, ?4)".to_owned(), &json!({ "insert": { "table": "t" } }), values.into())
        }),
        6 => about().prop_map(|((sql, condition), one, two)| {
            let plan = with("read", json!({ "table": "t" }), &condition);
            step(format!("SELECT * FROM t WHERE {sql}"), &plan, vec![one, two])
        }),
        3 => (about(), column.clone()).prop_map(|(((sql, condition), one, two), column)| {
            let plan = with("count_average", json!({ "table": "t", "column": column }), &condition);
            step(format!("SELECT count(*), avg({column}) FROM t WHERE {sql}"), &plan, vec![one, two])
        }),
        2 => (about(), column.clone(), steps::value()).prop_map(|(((sql, condition), one, two), column, new)| {
            let plan = with("update", json!({ "table": "t", "set": { column: "?3" } }), &condition);
            step(format!("UPDATE t SET {column} = ?3 WHERE {sql}"), &plan, vec![one, two, new])
        }),
        1 => (about(), column).prop_map(|(((sql, condition), one, two), column)| {
            let plan = with("update", json!({ "table": "t", "set": { column: { "times": 3 } } }), &condition);
            step(format!("UPDATE t SET {column} = {column} * 3 WHERE {sql}"), &plan, vec![one, two])
        }),
        1 => about().prop_map(|((sql, condition), one, two)| {
            let plan = with("delete", json!({ "table": "t" }), &condition);
            step(format!("DELETE FROM t WHERE {sql}"), &plan, vec![one, two])
        }),
        1 => Just(step("INSERT INTO n SELECT * FROM t".to_owned(), &json!({ "copy": { "from": "t", "to": "n" } }), vec![])),
        1 => Just(step("SELECT * FROM n".to_owned(), &json!({ "read": { "table": "n" } }), vec![])),
    ]
}

/// Returns a statement's rows, sorted as text, or the number of changed rows.
fn plainly(plain: &Connection, step: &PlanStep) -> Result<Vec<String>, EngineError> {
    let mut ready = SqlStatement::<SqliteStatement<'_>>::new(plain, &step.spec.sql, false)?;
    // SQLite has no parameters beyond those that a statement names.
    let named = (1..=step.values.len()).rev().find(|place| step.spec.sql.contains(&format!("?{place}"))).unwrap_or(0);
    let mut rows = Vec::new();
    if step.reads {
        ready.query(&step.values[..named], |found| rows.push(format!("{:?}", row(found))))?;
    } else {
        rows.push(ready.execute(&step.values[..named])?.to_string());
    }
    rows.sort();
    Ok(rows)
}

fn directly(session: &mut LayeredSession<'_, MemoryStore>, step: &PlanStep) -> Result<Vec<String>, EngineError> {
    let mut ready = session.prepare(Box::leak(Box::new(step.spec.clone())))?;
    let mut rows = Vec::new();
    if step.reads {
        session.query(&mut ready, &step.values, |found| rows.push(format!("{:?}", row(found))))?;
    } else {
        rows.push(session.execute(&mut ready, &step.values)?.to_string());
    }
    rows.sort();
    Ok(rows)
}

#[test]
fn random_plans_do_what_their_sql_does() {
    let indexes = prop::sample::subsequence(vec![0_usize, 1, 2, 3], 0..=4);
    scripts::runner(1_000)
        .run(&(indexes, prop::collection::vec(plan(), 1..60)), |(indexes, steps)| {
            let store = in_memory(&[("layer", "direct")]);
            let mut engine = store.open::<MemoryStore>();
            let mut session = engine.session().unwrap();
            let plain = Connection::open_in_memory().unwrap();
            for table in &store.tables {
                session.create_table(table).unwrap();
                plain.execute_batch(&table.create_sql()).unwrap();
            }
            indexes.iter().for_each(|place| session.create_index(&store.indexes[*place]).unwrap());
            for step in &steps {
                let found = directly(&mut session, step);
                match found {
                    Err(error) => prop_assert!(
                        REFUSED.iter().any(|words| error.message.contains(words)),
                        "{} {:?}: {}",
                        step.spec.sql,
                        step.values,
                        error
                    ),
                    Ok(found) => {
                        let expected = plainly(&plain, step).unwrap();
                        prop_assert_eq!(found, expected, "{} {:?}", step.spec.sql, step.values);
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

/// Past differences.
#[test]
fn a_plan_compares_as_the_column_does() {
    let store = in_memory(&[("layer", "direct")]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.create_table(&store.tables[0]).unwrap();
    let insert = step("".to_owned(), &json!({ "insert": { "table": "t" } }), Vec::new());
    let five = [SqlValue::Integer(5), SqlValue::Integer(5), SqlValue::Integer(5), SqlValue::Integer(5)];
    directly(&mut session, &PlanStep { values: five.into(), ..insert }).unwrap();
    let mut equal = |column: &str, value: Value| {
        let plan = json!({ "count_average": { "table": "t", "column": "a", "where": { "equal": { "column": column, "value": value } } } });
        let mut ready =
            session.prepare(Box::leak(Box::new(step("SELECT".to_owned(), &plan, Vec::new()).spec))).unwrap();
        let mut count = SqlValue::Null;
        session.query(&mut ready, &[], |row| count = owned(dbdyno_engine::sql::SqlRow::value(row, 0))).unwrap();
        count == SqlValue::Integer(1)
    };
    assert!(equal("a", json!("5")) && equal("r", json!(" 5.0 ")) && equal("c", json!(5)) && equal("c", json!("5")));
    assert!(!equal("c", json!("05")) && !equal("x", json!("5")) && equal("x", json!(5)));
}

#[test]
fn sql_without_a_plan_is_refused_unless_it_means_nothing_without_sql() {
    let store = in_memory(&[("layer", "direct")]);
    let mut engine = store.open::<MemoryStore>();
    let mut session = engine.session().unwrap();
    session.run("pragma synchronous = off", None).unwrap();
    for sql in ["DROP TABLE t", "CREATE TABLE u(a)", "SAVEPOINT s", "ROLLBACK", "/* a */ DROP TABLE t"] {
        let error = session.run(sql, None).unwrap_err();
        assert!(error.message.starts_with(&format!("`{sql}` has no direct plan: expected one, or")), "{error}");
    }
}
