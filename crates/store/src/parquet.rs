//! A table of values as a Parquet file.

use super::{Reach, StoreError, memory};
use duckdb::{params_from_iter, types::Value};
use std::path::Path;

/// A value of a flat table.
#[derive(Debug, Clone, PartialEq)]
pub enum FlatValue {
    Text(String),
    Count(u64),
    Number(f64),
    Missing,
}

/// The type of a flat table's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    Text,
    Count,
    Number,
}

/// Writes a table to a file, which must be one of ours: it is replaced. `columns`: names and types.
///
/// # Errors
/// The message of DuckDB or the system.
pub fn write_parquet(columns: &[(&str, CellKind)], rows: &[Vec<FlatValue>], file: &Path) -> Result<(), StoreError> {
    let failed = |message: String| StoreError::Other { path: file.to_owned(), message };
    let file = std::path::absolute(file).map_err(|error| failed(error.to_string()))?;
    copy(columns, rows, &file).map_err(|error| failed(error.to_string()))
}

fn copy(columns: &[(&str, CellKind)], rows: &[Vec<FlatValue>], file: &Path) -> duckdb::Result<()> {
    let connection = memory(&Reach::Files(vec![file.to_owned()]))?;
    let definition: Vec<String> = columns.iter().map(|(name, kind)| format!("{name} {}", sql_type(*kind))).collect();
    connection.execute_batch(&format!("CREATE TABLE flat ({})", definition.join(", ")))?;
    let places = vec!["?"; columns.len()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO flat VALUES ({places})"))?;
    for row in rows {
        insert.execute(params_from_iter(row.iter().map(value)))?;
    }
    drop(insert);
    connection.execute("SET VARIABLE file = ?", [file.to_string_lossy()])?;
    // The file is a temporary one already.
    connection
        .execute_batch("COPY flat TO (getvariable('file')) (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)")
}

fn sql_type(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Text => "VARCHAR",
        CellKind::Count => "UBIGINT",
        CellKind::Number => "DOUBLE",
    }
}

fn value(cell: &FlatValue) -> Value {
    match cell {
        FlatValue::Text(text) => Value::Text(text.clone()),
        FlatValue::Count(number) => Value::UBigInt(*number),
        FlatValue::Number(number) => Value::Double(*number),
        FlatValue::Missing => Value::Null,
    }
}
