//! DuckDB's query plans, shortened to their operators.

use super::statement::DuckDbStatement;
use dbdyno_engine::{
    EngineError,
    prepared::PreparedStatement,
    sql::{SqlRow, SqlValue, SqlValueRef},
};
use duckdb::Connection;
use serde_json::Value;
use std::ops::ControlFlow;

/// Returns the operators of a statement's plan from the last to the first, each with its table. Empty if no operator reads a table.
/// DuckDB plans a statement only with values.
pub(super) fn steps(connection: &Connection, sql: &str, values: &[SqlValue]) -> Result<Vec<String>, EngineError> {
    let mut explained = String::new();
    let mut statement = DuckDbStatement::prepare(connection, &format!("EXPLAIN (FORMAT json) {sql}"))?;
    statement.query(values.iter().map(SqlValue::as_ref), |row| {
        if let SqlValueRef::Text(bytes) = row.value(1) {
            explained = String::from_utf8_lossy(bytes).into_owned();
        }
        ControlFlow::Break(())
    })?;
    let plan: Value = serde_json::from_str(&explained).map_err(EngineError::doing("reading a plan"))?;
    Ok(operators(&plan))
}

fn operators(plan: &Value) -> Vec<String> {
    let (mut steps, mut reads) = (Vec::new(), false);
    // A stack, because plans of foreign statements may be deep.
    let mut left: Vec<&Value> = plan.as_array().into_iter().flatten().rev().collect();
    while let Some(operator) = left.pop() {
        let name = operator["name"].as_str().unwrap_or_default().trim();
        let table = operator["extra_info"]["Table"].as_str().and_then(|table| table.rsplit('.').next());
        reads |= table.is_some();
        match table {
            Some(table) => steps.push(format!("{name} {table}")),
            // It finds no rows, and is in almost every plan.
            None if name == "PROJECTION" => {}
            None => steps.push(name.to_owned()),
        }
        left.extend(operator["children"].as_array().into_iter().flatten().rev());
    }
    if reads { steps } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_operators_with_their_tables() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t(a INTEGER, b INTEGER); CREATE TABLE u(a INTEGER)").unwrap();
        connection.execute_batch("INSERT INTO t SELECT i, i FROM range(1000) r(i)").unwrap();
        let steps = |sql: &str, values: &[SqlValue]| steps(&connection, sql, values).unwrap();
        assert_eq!(
            steps("SELECT count(*) FROM t WHERE a >= ?1", &[SqlValue::Integer(5)]),
            ["UNGROUPED_AGGREGATE", "SEQ_SCAN t"]
        );
        let update = steps("UPDATE t SET b = ?1 WHERE a = ?2", &[SqlValue::Integer(1), SqlValue::Integer(2)]);
        assert_eq!(update, ["UPDATE", "SEQ_SCAN t"]);
        let values = [SqlValue::Integer(1), SqlValue::Integer(2)];
        assert!(steps("INSERT INTO t VALUES (?1, ?2)", &values).is_empty(), "it finds no rows");
        assert!(super::steps(&connection, "SELECT * FROM missing", &[]).is_err());
    }
}
