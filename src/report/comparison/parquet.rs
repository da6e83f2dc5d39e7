//! A comparison as Parquet, written by DuckDB.

use super::flat::{COLUMNS, Cell, Kind, rows};
use crate::{
    compare::Comparison,
    report::format::WriteError,
    store::{Reach, memory},
};
use duckdb::{params_from_iter, types::Value};
use std::path::Path;

/// Writes the file, which must be one of ours: it is replaced.
pub(super) fn write(comparison: &Comparison, path: &Path) -> Result<(), WriteError> {
    let rows = rows(comparison)?;
    let path = std::path::absolute(path).map_err(|error| WriteError::Parquet(error.to_string()))?;
    copy(&rows, &path).map_err(|error| WriteError::Parquet(error.to_string()))
}

fn copy(rows: &[Vec<Cell>], path: &Path) -> duckdb::Result<()> {
    let connection = memory(&Reach::Files(vec![path.to_owned()]))?;
    let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("{name} {}", sql_type(*kind))).collect();
    connection.execute_batch(&format!("CREATE TABLE comparison ({})", columns.join(", ")))?;
    let places = vec!["?"; COLUMNS.len()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO comparison VALUES ({places})"))?;
    for row in rows {
        insert.execute(params_from_iter(row.iter().map(value)))?;
    }
    drop(insert);
    connection.execute("SET VARIABLE file = ?", [path.to_string_lossy()])?;
    // The file is a temporary one already.
    connection.execute_batch(
        "COPY comparison TO (getvariable('file')) (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)",
    )
}

fn sql_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "VARCHAR",
        Kind::Count => "UBIGINT",
        Kind::Number => "DOUBLE",
    }
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => Value::Text(text.clone()),
        Cell::Count(number) => Value::UBigInt(*number),
        Cell::Number(number) => Value::Double(*number),
        Cell::Missing => Value::Null,
    }
}
