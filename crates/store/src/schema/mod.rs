//! The schema: created in an empty file, migrated in an older one.

mod views;

pub(super) use views::{TESTS, columns_of_view, is_read_from, make_views, make_views_of, narrow, narrow_of_runs};

use super::{
    connect::{catalog, own_functions_first},
    tables::TABLES,
};
use duckdb::Connection;
use include_dir::{Dir, include_dir};
use std::collections::{BTreeMap, BTreeSet};

/// The schema in its newest version.
const SCHEMA: &str = include_str!("schema.sql");

/// The oldest version that can be migrated: that of dbdyno 0.2.
pub(super) const OLDEST_VERSION: i64 = 12;

/// Migrations: `N.sql` brings a store from version N - 1 to N.
const MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/src/schema/migrations");

/// One line for each table, with its columns, as the statements above create them: running those to find out takes a fifth of a second.
const EXPECTED: &str = include_str!("columns.txt");

/// The version of the schema that this program writes: the last migration's.
pub const SCHEMA_VERSION: i64 = OLDEST_VERSION + MIGRATIONS.entries().len() as i64;

/// The schema of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileSchema {
    /// No tables.
    Empty,
    /// A store with this schema version.
    Version(i64),
    /// Tables of another program.
    Foreign,
    /// Views, with these names, where a store has tables.
    Views(String),
}

/// Returns the version of the store that this connection has open, outside of a transaction. `None` if [`found`] must check more closely;
/// that loads the whole catalog, which takes longer than most queries.
pub(super) fn version(connection: &Connection) -> Option<i64> {
    // DuckDB samples tables only: if one of these names is a view, this query does not run the view.
    let sample = |name| format!("SELECT 1 FROM duckdb_table_sample('{name}') WHERE false");
    let samples = names().map(sample).collect::<Vec<_>>().join(" UNION ALL ");
    let sql = format!("{} WHERE NOT EXISTS ({samples})", newest("schema_version"));
    connection.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0)).ok().flatten()
}

fn newest(table: &str) -> String {
    format!("SELECT max(version)::BIGINT FROM {table}")
}

/// Returns the names of the tables that commands read.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.name).chain(["journal", "schema_version"])
}

/// Returns the schema of this connection's database `catalog`.
pub(super) fn found(connection: &Connection, catalog: &str) -> duckdb::Result<FileSchema> {
    let sql = "SELECT string_agg(view_name, ', ' ORDER BY view_name) FROM duckdb_views()
               WHERE database_name = ? AND schema_name = 'main' AND list_contains(string_split(?, ' '), lower(view_name))";
    let ours = names().collect::<Vec<_>>().join(" ");
    if let Some(views) = connection.query_row(sql, [catalog, &ours], |row| row.get(0))? {
        return Ok(FileSchema::Views(views));
    }
    let count = |sql: &str| connection.query_row(sql, [catalog], |row| row.get::<_, i64>(0));
    if count("SELECT count(*) FROM duckdb_tables() WHERE NOT internal AND database_name = ?")? == 0 {
        return Ok(FileSchema::Empty);
    }
    let ours = "SELECT count(*) FROM duckdb_columns() WHERE database_name = ? AND schema_name = 'main' \
                AND table_name = 'schema_version' AND column_name = 'version'";
    if count(ours)? == 0 {
        return Ok(FileSchema::Foreign);
    }
    let sql = newest(&format!("{}.main.schema_version", identifier(catalog)));
    let version = connection.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(version.map_or(FileSchema::Foreign, FileSchema::Version))
}

/// Returns what this store lacks compared with this version: a sentence for each table, or its columns.
pub(super) fn missing(connection: &Connection) -> duckdb::Result<Vec<String>> {
    let found = columns_by_name(connection).or_else(|_| columns(connection))?;
    let gone = |(table, columns): (&str, &str)| match found.get(table) {
        None => Some(is_missing(table)),
        Some(found) => {
            let gone: Vec<&str> = columns.split_whitespace().filter(|column| !found.contains(*column)).collect();
            (!gone.is_empty()).then(|| format!("table `{table}` has no column `{}`", gone.join("`, `")))
        }
    };
    Ok(expected().filter_map(gone).collect())
}

/// Returns the message about a missing table.
pub(super) fn is_missing(table: &str) -> String {
    format!("table `{table}` is missing")
}

/// Tables with their columns.
type ColumnsByTable = BTreeMap<String, BTreeSet<String>>;

/// Returns the required tables with their columns, or an error if one is missing. DuckDB's list of all columns takes nine times as long,
/// because it reads all of its own views.
fn columns_by_name(connection: &Connection) -> duckdb::Result<ColumnsByTable> {
    let of_table = |table: &str| format!("SELECT '{table}', name FROM pragma_table_info('{table}')");
    let tables: Vec<String> = expected().map(|(table, _)| of_table(table)).collect();
    table_columns(connection, &tables.join(" UNION ALL "), &[])
}

/// Returns the required tables, each with its columns, separated by spaces.
fn expected() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXPECTED.lines().filter_map(|line| line.split_once(':'))
}

/// Returns the tables of the file that a connection has open, with their columns.
fn columns(connection: &Connection) -> duckdb::Result<ColumnsByTable> {
    let sql = "SELECT table_name, column_name FROM duckdb_columns() JOIN duckdb_tables() USING (table_oid, table_name)
               WHERE duckdb_tables.database_name = ? AND duckdb_columns.database_name = ?
               AND duckdb_tables.schema_name = 'main'";
    let catalog = catalog(connection)?;
    table_columns(connection, sql, &[&catalog, &catalog])
}

/// Returns the rows of a query of table names and column names.
fn table_columns(connection: &Connection, sql: &str, parameters: &[&str]) -> duckdb::Result<ColumnsByTable> {
    let mut statement = connection.prepare(sql)?;
    let mut tables = ColumnsByTable::new();
    for row in statement.query_map(duckdb::params_from_iter(parameters), |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (table, column) = row?;
        tables.entry(table).or_default().insert(column);
    }
    Ok(tables)
}

/// Creates the schema in an empty file.
pub(super) fn create(connection: &mut Connection) -> duckdb::Result<()> {
    apply(connection, std::iter::once(SCHEMA))
}

/// Migrates a store of an older version, all or nothing.
pub(super) fn upgrade(connection: &mut Connection, from: i64) -> duckdb::Result<()> {
    apply(connection, migrations(from))
}

/// Returns the migrations from this version to the newest.
fn migrations(from: i64) -> impl Iterator<Item = &'static str> {
    (from + 1..=SCHEMA_VERSION).filter_map(|version| MIGRATIONS.get_file(format!("{version}.sql"))?.contents_utf8())
}

fn apply(connection: &mut Connection, steps: impl Iterator<Item = &'static str>) -> duckdb::Result<()> {
    // Tables are created in the first schema of the path.
    connection.execute_batch("RESET search_path")?;
    let transaction = connection.transaction()?;
    for step in steps {
        transaction.execute_batch(step)?;
    }
    transaction.execute_batch(&views::definitions())?;
    own_functions_first(&transaction)?;
    transaction.execute(
        "INSERT INTO schema_version VALUES (?, ?, now()::TIMESTAMP)",
        duckdb::params![SCHEMA_VERSION, env!("CARGO_PKG_VERSION")],
    )?;
    transaction.commit()
}

/// Quotes a name for SQL, whatever its characters.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_columns_are_those_that_are_made() {
        let mut new = Connection::open_in_memory().unwrap();
        create(&mut new).unwrap();
        let line = |(table, columns): (String, BTreeSet<String>)| {
            format!("{table}: {}\n", columns.into_iter().collect::<Vec<_>>().join(" "))
        };
        let all = columns(&new).unwrap();
        assert_eq!(columns_by_name(&new).unwrap(), all);
        let made: String = all.into_iter().map(line).collect();
        assert_eq!(EXPECTED, made, "columns.txt has to be:\n{made}");
    }

    #[test]
    fn columns_of_views_are_those_that_are_made() {
        let mut new = Connection::open_in_memory().unwrap();
        create(&mut new).unwrap();
        make_views(&new, |_| true).unwrap();
        let of_view = |view: &str| {
            let columns = crate::select::columns_of(&new, view, &[]).unwrap();
            columns.iter().map(|column| format!("{view} {} {}\n", column.name, column.sql_type)).collect::<String>()
        };
        let made = ["results", "runs"].map(of_view).concat();
        assert_eq!(views::COLUMNS, made, "view_columns.txt has to be:\n{made}");
    }

    #[test]
    fn every_version_after_the_oldest_has_its_migration() {
        assert_eq!(migrations(OLDEST_VERSION).count() as i64, SCHEMA_VERSION - OLDEST_VERSION);
    }
}
