//! Tests for every store, in memory and on disk. Each package with ordered stores uses them.

pub(crate) mod logic;
pub(crate) mod scripts;
pub(crate) mod steps;

use dbdyno_engine::{
    EngineError,
    describe::Description,
    engine::Open,
    ordered::OrderedStore,
    settings::Settings,
    sql::{SqlEngine, SqlRow, SqlSession, SqlValue, SqlValueRef},
    suite::{IndexSpec, StatementSpec, TableSpec},
};
use dbdyno_tables::{Layered, LayeredSession};
use serde_json::{from_value, json};
use tempfile::TempDir;

/// Returns two tables with a column of each affinity, and an index that can be created on each column.
fn declared() -> (Vec<TableSpec>, Vec<IndexSpec>) {
    let columns = json!([
        { "name": "a", "type": "INTEGER" },
        { "name": "r", "type": "REAL" },
        { "name": "c", "type": "VARCHAR(100)" },
        { "name": "x", "type": "" },
    ]);
    let indexes = ["t", "n"].iter().flat_map(|table| {
        ["a", "r", "c", "x"]
            .map(|column| json!({ "name": format!("{table}{column}"), "table": table, "column": column }))
    });
    let indexes: Vec<_> = indexes.collect();
    let tables = json!([{ "name": "t", "columns": columns }, { "name": "n", "columns": columns }]);
    (from_value(tables).unwrap(), from_value(json!(indexes)).unwrap())
}

/// A separate store for one test.
pub(crate) struct TestStore {
    pub(crate) folder: TempDir,
    pub(crate) settings: Settings,
    pub(crate) tables: Vec<TableSpec>,
    pub(crate) indexes: Vec<IndexSpec>,
}

impl TestStore {
    /// Creates a store in a separate folder, with these engine options.
    pub(crate) fn new(description: &Description, asked: &[(&str, &str)]) -> Self {
        let asked = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let settings = Settings::resolve(description, &asked).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (tables, indexes) = declared();
        Self { folder, settings, tables, indexes }
    }

    pub(crate) fn open<S: OrderedStore>(&self) -> Layered<S> {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open<S: OrderedStore>(&self) -> Result<Layered<S>, EngineError> {
        let open = Open { folder: self.folder.path(), settings: &self.settings, schema: &[], data_bytes: 1 << 20 };
        Layered::open(open, &self.tables, &self.indexes)
    }
}

pub(crate) fn statement(sql: &str) -> StatementSpec {
    StatementSpec { sql: sql.to_owned(), ..StatementSpec::default() }
}

pub(crate) fn owned(value: SqlValueRef<'_>) -> SqlValue {
    match value {
        SqlValueRef::Null => SqlValue::Null,
        SqlValueRef::Integer(number) => SqlValue::Integer(number),
        SqlValueRef::Real(number) => SqlValue::Real(number),
        SqlValueRef::Text(bytes) => SqlValue::Text(String::from_utf8(bytes.to_vec()).unwrap()),
        SqlValueRef::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
    }
}

pub(crate) fn row<R: SqlRow>(row: &R) -> Vec<SqlValue> {
    (0..row.columns()).map(|column| owned(row.value(column))).collect()
}

/// Runs a statement once. Leaks the statement, because a session borrows its suite for its whole life.
pub(crate) fn execute<S: OrderedStore>(
    session: &mut LayeredSession<'_, S>,
    sql: &str,
    values: &[SqlValue],
) -> Result<u64, EngineError> {
    let mut ready = session.prepare(Box::leak(Box::new(statement(sql))))?;
    session.execute(&mut ready, values)
}

pub(crate) fn query<S: OrderedStore>(
    session: &mut LayeredSession<'_, S>,
    sql: &str,
    values: &[SqlValue],
) -> Result<Vec<Vec<SqlValue>>, EngineError> {
    let mut ready = session.prepare(Box::leak(Box::new(statement(sql))))?;
    let mut rows = Vec::new();
    session.query(&mut ready, values, |found| rows.push(row(found)))?;
    Ok(rows)
}
