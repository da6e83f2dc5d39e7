//! Merging rows into the store: an existing row stays, unless the new row has more data.

use super::super::{
    hosts::adopt_former,
    schema::identifier,
    select::column_names,
    tables::{StoreTable, TABLES},
};
use duckdb::{Connection, ToSql, Transaction, params_from_iter};
use std::path::PathBuf;

/// The attached database that an import reads from.
pub(in super::super) const INCOMING: &str = "dbdyno_incoming";

/// The source of rows.
#[derive(Debug)]
pub(super) enum MergeSource {
    /// The tables of the attached database [`INCOMING`]: all rows, or those of the runs in the table `chosen`.
    Attached {
        /// Whether only the runs in the table `chosen` are merged.
        chosen: bool,
    },
    /// The same tables, filled by this program from a file of another kind.
    Staged,
    /// These Parquet files in a folder that has one subfolder for each table.
    Parquet {
        folder: PathBuf,
        /// Paths relative to the folder.
        files: Vec<String>,
    },
}

/// The number of rows of one kind, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Rows that are new here.
    pub new: u64,
    /// Existing rows that now have more data.
    pub completed: u64,
    /// Existing rows that are unchanged.
    pub known: u64,
}

/// The outcome of a merge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    pub sessions: Taken,
    pub runs: Taken,
    /// Results: one for each run and test.
    pub results: Taken,
}

/// Merges every table of the source, all or nothing. Merging twice gives the same result as merging once.
pub(super) fn merge(connection: &mut Connection, source: &MergeSource) -> duckdb::Result<Merged> {
    let there = attached_tables(connection)?;
    // A statement that fails ends DuckDB's transaction, and COMMIT then drops everything silently. So every error in here is returned.
    let transaction = connection.transaction()?;
    let mut merged = Merged::default();
    transaction.execute_batch("CREATE TEMP TABLE replaced (run_id UUID)")?;
    for table in &TABLES {
        let Some(rows) = source.rows(table, &there) else { continue };
        let taken = take(&transaction, table, &rows).map_err(|error| of_table(table, error))?;
        match table.name {
            "session" => merged.sessions = taken,
            "run" => merged.runs = taken,
            "result" => merged.results = taken,
            _ => {}
        }
    }
    adopt_former(&transaction)?;
    transaction.commit()?;
    Ok(merged)
}

/// Adds the name of the table to an error.
fn of_table(table: &StoreTable, error: duckdb::Error) -> duckdb::Error {
    match error {
        duckdb::Error::DuckDBFailure(code, Some(message)) => {
            duckdb::Error::DuckDBFailure(code, Some(format!("{}: {message}", table.name)))
        }
        other => other,
    }
}

/// A relation of SQL with its bound values.
struct BoundRelation {
    sql: String,
    bound: Vec<String>,
}

impl MergeSource {
    /// Returns the rows for a table, or `None` if the source has no such table, for example because its schema is older.
    fn rows(&self, table: &StoreTable, there: &[String]) -> Option<BoundRelation> {
        match self {
            Self::Attached { .. } | Self::Staged if !there.iter().any(|there| there == table.name) => None,
            Self::Attached { chosen } => {
                let name = |table: &str| format!("{INCOMING}.main.{table}");
                let condition =
                    if *chosen { table.owner.is_chosen(&name("run"), &name("session")) } else { "true".to_owned() };
                Some(BoundRelation {
                    sql: format!("(SELECT * FROM {} WHERE {condition})", name(table.name)),
                    bound: Vec::new(),
                })
            }
            Self::Staged => Some(BoundRelation { sql: format!("{INCOMING}.main.{}", table.name), bound: Vec::new() }),
            Self::Parquet { folder, files } => {
                let of_table =
                    |file: &&String| file.split('/').next() == Some(table.name) && file.ends_with(".parquet");
                let path = |file: &String| folder.join(file).to_string_lossy().into_owned();
                let paths: Vec<String> = files.iter().filter(of_table).map(path).collect();
                let sql = "(SELECT * FROM read_parquet(from_json(?, '[\"VARCHAR\"]'), hive_partitioning = false, \
                           union_by_name = true))";
                (!paths.is_empty())
                    .then(|| BoundRelation { sql: sql.to_owned(), bound: vec![serde_json::json!(paths).to_string()] })
            }
        }
    }
}

fn take(transaction: &Transaction<'_>, table: &StoreTable, rows: &BoundRelation) -> duckdb::Result<Taken> {
    let name = table.name;
    let theirs = columns(transaction, &rows.sql, &rows.bound)?;
    if let Some((column, expression)) = table.later.filter(|(column, _)| !theirs.iter().any(|name| name == column)) {
        let sql = format!("(SELECT *, {expression} AS {column} FROM {} n)", rows.sql);
        return take(transaction, table, &BoundRelation { sql, bound: rows.bound.clone() });
    }
    let ours = columns(transaction, name, &[])?;
    let common: Vec<&String> = ours.iter().filter(|column| theirs.contains(column)).collect();
    let same_row = table.key.iter().map(|key| format!("o.{key} = n.{key}")).collect::<Vec<_>>().join(" AND ");
    let has = |column: &str| common.iter().any(|common| *common == column);
    if !table.key.iter().all(|key| has(key)) {
        return Ok(Taken::default());
    }
    let mut taken = Taken::default();
    let all: u64 = transaction.query_row(
        &format!("SELECT count(*)::UBIGINT FROM (SELECT DISTINCT {} FROM {} n)", table.key.join(", "), rows.sql),
        params_from_iter(&rows.bound),
        |row| row.get(0),
    )?;
    if let Some(fuller) = table.fuller {
        let is_fuller = format!("{same_row} AND ({fuller})");
        if name == "run" {
            let sql = format!("INSERT INTO replaced SELECT o.run_id FROM run o, {} n WHERE {is_fuller}", rows.sql);
            transaction.execute(&sql, params_from_iter(&rows.bound))?;
        }
        let values: Vec<String> = common
            .iter()
            .filter(|column| !table.key.contains(&column.as_str()))
            .map(|column| format!("{0} = n.{0}", identifier(column)))
            .collect();
        let sql = format!("UPDATE {name} o SET {} FROM {} n WHERE {is_fuller}", values.join(", "), rows.sql);
        taken.completed = transaction.execute(&sql, params_from_iter(&rows.bound))? as u64;
    }
    let mut wanted = "true".to_owned();
    if table.whole {
        transaction.execute_batch(&format!("DELETE FROM {name} WHERE run_id IN (FROM replaced)"))?;
        wanted = format!("n.run_id NOT IN (SELECT run_id FROM {name})");
    }
    let names = common.iter().map(|column| identifier(column)).collect::<Vec<_>>().join(", ");
    let sql = format!("INSERT OR IGNORE INTO {name} ({names}) SELECT {names} FROM {} n WHERE {wanted}", rows.sql);
    taken.new = transaction.execute(&sql, params_from_iter(&rows.bound))? as u64;
    taken.known = all.saturating_sub(taken.new + taken.completed);
    Ok(taken)
}

/// Returns the names of a relation's columns.
fn columns(transaction: &Transaction<'_>, relation: &str, bound: &[String]) -> duckdb::Result<Vec<String>> {
    let bound: Vec<&dyn ToSql> = bound.iter().map(|value| value as &dyn ToSql).collect();
    column_names(transaction, relation, &bound)
}

/// Returns the names of the attached database's tables.
fn attached_tables(connection: &Connection) -> duckdb::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT table_name FROM duckdb_tables() WHERE database_name = ?")?;
    statement.query_map([INCOMING], |row| row.get(0))?.collect()
}
