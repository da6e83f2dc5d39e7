//! How SQLite finds the rows of recorded statements.

use crate::{FingerprintSummary, RecordingSummary, StatementKind};
use dbdyno_foundation::base::{sql_tokens::words, sqlite::distrust};
use dbdyno_recording::{RecordingError, RecordingFolder};
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// The steps of a statement's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueryPlan {
    /// As EXPLAIN QUERY PLAN prints them.
    pub steps: Vec<String>,
}

impl QueryPlan {
    /// Returns the tables that are read from beginning to end.
    pub fn scanned(&self) -> Vec<&str> {
        self.steps.iter().filter_map(|step| scanned(step)).collect()
    }
}

/// Returns the table that a step reads from beginning to end, if it does.
fn scanned(step: &str) -> Option<&str> {
    let rest = step.strip_prefix("SCAN ")?;
    let is_table = !(rest.contains(" USING ") || rest.starts_with("CONSTANT ") || rest.starts_with('('));
    rest.split(' ').next().filter(|_| is_table)
}

/// Returns the plans of the first `most` statements that read or write, by their place in the summary. SQLite makes them on a copy of the
/// database as it was at the beginning, or on the recorded schema if there was none. Nothing is executed but the statements of the schema,
/// in memory.
///
/// # Errors
/// The files of the recording cannot be listed.
pub fn plans(
    folder: &Path,
    summary: &RecordingSummary,
    most: usize,
) -> Result<BTreeMap<usize, QueryPlan>, RecordingError> {
    let files = RecordingFolder::open(folder)?;
    let mut opened: HashMap<Option<String>, Option<Connection>> = HashMap::new();
    let mut plans = BTreeMap::new();
    let has_plan = |one: &FingerprintSummary| matches!(one.kind, StatementKind::Read | StatementKind::Write);
    let statements = summary.fingerprints.iter().enumerate().filter(|(_, one)| has_plan(one)).take(most);
    for (place, one) in statements {
        let connection = opened.entry(one.copy.clone()).or_insert_with(|| {
            let path = one.copy.as_deref().and_then(|copy| files.database(copy));
            schema(path.as_deref(), &summary.schema).ok()
        });
        if let Some(plan) = connection.as_ref().and_then(|connection| plan(connection, &one.example).ok()) {
            plans.insert(place, plan);
        }
    }
    Ok(plans)
}

/// Opens a copy for reading, or an empty database with the statements of a schema.
fn schema(copy: Option<&Path>, statements: &[String]) -> rusqlite::Result<Connection> {
    let connection = match copy {
        Some(path) => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        None => Connection::open_in_memory()?,
    };
    distrust(&connection)?;
    if copy.is_none() {
        for statement in statements.iter().filter(|sql| is_empty_schema(sql)) {
            // A statement that cannot be done again, such as one of a table that another database has, is not part of the plan.
            let _ = connection.execute(statement, []);
        }
    }
    Ok(connection)
}

/// Whether a statement only creates or alters tables and indexes. A query in it could run for ever.
fn is_empty_schema(sql: &str) -> bool {
    let has_query =
        words(sql).iter().any(|word| word.eq_ignore_ascii_case("SELECT") || word.eq_ignore_ascii_case("VALUES"));
    StatementKind::of(sql) == StatementKind::Schema && !has_query
}

fn plan(connection: &Connection, sql: &str) -> rusqlite::Result<QueryPlan> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        steps.push(row.get(3)?);
    }
    Ok(QueryPlan { steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_an_index_is_scanned() {
        let connection =
            schema(None, &["CREATE TABLE t(a, b)".to_owned(), "CREATE INDEX i ON t(a)".to_owned()]).unwrap();
        let scanned = |sql: &str| {
            let plan = plan(&connection, sql).unwrap();
            plan.scanned().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(scanned("SELECT * FROM t WHERE b = ?"), ["t"]);
        assert_eq!(scanned("SELECT a FROM t"), Vec::<String>::new(), "a covering index");
        assert_eq!(scanned("SELECT * FROM t WHERE a = ?1"), Vec::<String>::new());
        assert_eq!(scanned("SELECT 1"), Vec::<String>::new());
    }

    #[test]
    fn nothing_of_the_schema_but_its_statements_is_executed() {
        let connection = schema(None, &["PRAGMA user_version = 7".to_owned(), "ATTACH 'x' AS y".to_owned()]).unwrap();
        let endless =
            "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
        assert!(schema(None, &[endless.to_owned()]).is_ok(), "it ends");
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, 0);
    }
}
