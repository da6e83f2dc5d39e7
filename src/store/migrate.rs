//! The schema: made in an empty file, brought up to date in an older one.

use super::{connect::own_functions_first, tables::TABLES, views::VIEWS};
use duckdb::Connection;

/// The schema's version that this program writes.
pub const SCHEMA_VERSION: i64 = 5;

const SCHEMA: &str = include_str!("schema.sql");
/// What brings version `n + 1` to `n + 2`, for each place `n`.
const MIGRATIONS: [&str; SCHEMA_VERSION as usize - 1] = [
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
];

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// No tables.
    Empty,
    /// A store with this schema version.
    Version(i64),
    /// Tables of something else.
    Foreign,
    /// Views, of these names, where a store has tables.
    Views(String),
}

/// The version of the store that this connection has open, outside of a transaction; none where [`found`] has to look
/// closer. That loads the whole catalog, which takes longer than most queries.
pub(super) fn version(connection: &Connection) -> Option<i64> {
    // DuckDB has samples of tables only: with a view under one of these names, nothing of this is run.
    let samples = names().map(|name| format!("duckdb_table_sample('{name}')")).collect::<Vec<_>>().join(", ");
    let sql = format!("{} WHERE NOT EXISTS (SELECT 1 FROM {samples} WHERE false)", newest("schema_version"));
    connection.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0)).ok().flatten()
}

fn newest(table: &str) -> String {
    format!("SELECT max(version)::BIGINT FROM {table}")
}

/// The names of the store's tables.
fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.name).chain(["schema_version"])
}

/// What the database `catalog` of this connection holds.
pub(super) fn found(connection: &Connection, catalog: &str) -> duckdb::Result<Found> {
    let sql = "SELECT string_agg(view_name, ', ' ORDER BY view_name) FROM duckdb_views()
               WHERE database_name = ? AND schema_name = 'main' AND list_contains(string_split(?, ' '), lower(view_name))";
    let ours = names().collect::<Vec<_>>().join(" ");
    if let Some(views) = connection.query_row(sql, [catalog, &ours], |row| row.get(0))? {
        return Ok(Found::Views(views));
    }
    let count = |sql: &str| connection.query_row(sql, [catalog], |row| row.get::<_, i64>(0));
    if count("SELECT count(*) FROM duckdb_tables() WHERE NOT internal AND database_name = ?")? == 0 {
        return Ok(Found::Empty);
    }
    let ours = "SELECT count(*) FROM duckdb_columns() WHERE database_name = ? AND schema_name = 'main' \
                AND table_name = 'schema_version' AND column_name = 'version'";
    if count(ours)? == 0 {
        return Ok(Found::Foreign);
    }
    let sql = newest(&format!("{}.main.schema_version", identifier(catalog)));
    let version = connection.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(version.map_or(Found::Foreign, Found::Version))
}

/// Makes the schema in an empty file.
pub(super) fn create(connection: &mut Connection) -> duckdb::Result<()> {
    apply(connection, &[SCHEMA])
}

/// Brings a store of an older version up to date, all or nothing.
pub(super) fn upgrade(connection: &mut Connection, from: i64) -> duckdb::Result<()> {
    let done = usize::try_from(from - 1).unwrap_or(0).min(MIGRATIONS.len());
    apply(connection, &MIGRATIONS[done..])
}

fn apply(connection: &mut Connection, steps: &[&str]) -> duckdb::Result<()> {
    // Tables are made where the first name of the path points.
    connection.execute_batch("RESET search_path")?;
    let transaction = connection.transaction()?;
    for step in steps {
        transaction.execute_batch(step)?;
    }
    transaction.execute_batch(VIEWS)?;
    own_functions_first(&transaction)?;
    transaction.execute(
        "INSERT INTO schema_version VALUES (?, ?, now()::TIMESTAMP)",
        duckdb::params![SCHEMA_VERSION, env!("CARGO_PKG_VERSION")],
    )?;
    transaction.commit()
}

/// A name as SQL writes it, whatever its characters.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
