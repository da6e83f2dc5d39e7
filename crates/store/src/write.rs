//! Writing records into tables.

use super::{Batch, hosts::adopt_former, import::INCOMING, record::Record, tables::TABLES};
use duckdb::{Connection, Transaction, appender_params_from_iter};
use std::collections::HashMap;

/// Runs an action with the records of every table of a batch.
macro_rules! every_table {
    ($batch:expr, $records:ident => $action:expr) => {{
        let Batch {
            hosts, sessions, runs, options, keys, results, actors, timelines, slots, readings, slices, counters, plans, explained, spent,
            harness, warnings, trials, choices, evidence,
        } = $batch;
        every_table!(
            @ $records $action;
            hosts sessions runs options keys results actors timelines slots readings slices counters plans explained spent harness
            warnings trials choices evidence
        );
    }};
    (@ $records:ident $action:expr; $($table:ident)*) => {
        $({
            let $records = $table;
            $action
        })*
    };
}

/// Writes a batch's rows, replacing those with the same keys.
pub(super) fn write_batch(transaction: &Transaction<'_>, batch: &Batch) -> duckdb::Result<()> {
    every_table!(batch, records => upsert(transaction, records)?);
    if batch.hosts.is_empty() { Ok(()) } else { adopt_former(transaction) }
}

/// Appends records to their staged table.
pub(super) fn stage<'r, R: Record + 'r>(
    connection: &Connection,
    records: impl IntoIterator<Item = &'r R>,
) -> duckdb::Result<()> {
    append(connection, INCOMING, R::TABLE, records)
}

fn upsert<R: Record>(transaction: &Transaction<'_>, records: &[R]) -> duckdb::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let (table, columns) = (R::TABLE, R::columns().join(", "));
    // An appender, which needs a table without a key, is much faster than single statements.
    let staged = format!("staged_{table}");
    transaction.execute_batch(&format!("CREATE TEMP TABLE {staged} AS SELECT {columns} FROM {table} LIMIT 0"))?;
    append(transaction, "temp", &staged, last_of_each_key(records))?;
    transaction.execute_batch(&format!(
        "INSERT OR REPLACE INTO {table} ({columns}) SELECT {columns} FROM {staged}; DROP TABLE {staged}"
    ))
}

/// Returns the last record of each key: one statement must not contain a key twice.
fn last_of_each_key<R: Record>(records: &[R]) -> impl Iterator<Item = &R> {
    let key: &[&str] = TABLES.iter().find(|table| table.name == R::TABLE).map_or(&[], |table| table.key);
    let is_key: Vec<bool> = R::columns().iter().map(|column| key.contains(column)).collect();
    let mut last: HashMap<String, &R> = HashMap::new();
    for record in records {
        let values = record.values().into_iter().zip(&is_key).filter(|(_, is_key)| **is_key);
        last.insert(values.map(|(value, _)| format!("{value:?}\0")).collect(), record);
    }
    last.into_values()
}

/// Appends records to a table that has their columns.
fn append<'r, R: Record + 'r>(
    connection: &Connection,
    database: &str,
    table: &str,
    records: impl IntoIterator<Item = &'r R>,
) -> duckdb::Result<()> {
    let columns = R::columns();
    let mut appender = connection.appender_with_columns_to_catalog_and_db(table, database, "main", &columns)?;
    for record in records {
        appender.append_row(appender_params_from_iter(record.values()))?;
    }
    appender.flush()
}
