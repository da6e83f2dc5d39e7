//! The two layers on a store in memory.

mod failures;
mod memory;
mod plans;
mod scripts;

use self::memory::MemoryStore;
use super::{Layered, LayeredSession, options};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    settings::Settings,
    sql::{SqlEngine, SqlRow, SqlSession, SqlValue, SqlValueRef},
    suite::{IndexSpec, StatementSpec, TableSpec},
};
use serde_json::{from_value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// One table with a column of each affinity, and an index that can be made over each.
fn declared() -> (Vec<TableSpec>, Vec<IndexSpec>) {
    let columns = json!([
        { "name": "a", "type": "INTEGER" },
        { "name": "r", "type": "REAL" },
        { "name": "c", "type": "VARCHAR(100)" },
        { "name": "x", "type": "" },
    ]);
    let indexes =
        ["a", "r", "c", "x"].map(|column| json!({ "name": format!("t{column}"), "table": "t", "column": column }));
    (from_value(json!([{ "name": "t", "columns": columns }])).unwrap(), from_value(json!(indexes)).unwrap())
}

/// A store of its own for a test.
struct TestStore {
    folder: PathBuf,
    settings: Settings,
    tables: Vec<TableSpec>,
    indexes: Vec<IndexSpec>,
}

impl TestStore {
    fn new(name: &str, asked: &[(&str, &str)]) -> Self {
        let asked: BTreeMap<String, String> =
            asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let settings = Settings::resolve_specs("the test", &options(), &asked).unwrap();
        let (tables, indexes) = declared();
        Self { folder: Path::new("/nowhere").join(name), settings, tables, indexes }
    }

    fn open(&self) -> Layered<MemoryStore> {
        let open = Open { folder: &self.folder, settings: &self.settings, schema: &[], data_bytes: 0 };
        Layered::open(open, &self.tables, &self.indexes).unwrap()
    }
}

fn statement(sql: &str) -> StatementSpec {
    StatementSpec { sql: sql.to_owned(), draw: BTreeMap::new(), bind: Vec::new(), direct: None }
}

fn owned(value: SqlValueRef<'_>) -> SqlValue {
    match value {
        SqlValueRef::Null => SqlValue::Null,
        SqlValueRef::Integer(number) => SqlValue::Integer(number),
        SqlValueRef::Real(number) => SqlValue::Real(number),
        SqlValueRef::Text(bytes) => SqlValue::Text(String::from_utf8(bytes.to_vec()).unwrap()),
        SqlValueRef::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
    }
}

fn row<R: SqlRow>(row: &R) -> Vec<SqlValue> {
    (0..row.columns()).map(|column| owned(row.value(column))).collect()
}

/// Runs a statement once. The statement is leaked, because a session borrows its suite for as long as it lives.
fn execute(session: &mut LayeredSession<'_, MemoryStore>, sql: &str, values: &[SqlValue]) -> Result<u64, EngineError> {
    let mut ready = session.prepare(Box::leak(Box::new(statement(sql))))?;
    session.execute(&mut ready, values)
}

fn query(
    session: &mut LayeredSession<'_, MemoryStore>,
    sql: &str,
    values: &[SqlValue],
) -> Result<Vec<Vec<SqlValue>>, EngineError> {
    let mut ready = session.prepare(Box::leak(Box::new(statement(sql))))?;
    let mut rows = Vec::new();
    session.query(&mut ready, values, |found| rows.push(row(found)))?;
    Ok(rows)
}

/// The first column as whole numbers.
fn numbers(session: &mut LayeredSession<'_, MemoryStore>, sql: &str) -> Vec<i64> {
    let number = |row: Vec<SqlValue>| match row[0] {
        SqlValue::Integer(number) => number,
        ref other => panic!("{other:?} is no whole number"),
    };
    query(session, sql, &[]).unwrap().into_iter().map(number).collect()
}
