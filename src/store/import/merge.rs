//! Taking rows into the store: what is there already stays, unless the new row says more.

use super::{
    super::{
        migrate::identifier,
        tables::{TABLES, Table},
    },
    ImportError,
};
use crate::base::input;
use duckdb::{Connection, Transaction, params_from_iter};
use std::path::{Path, PathBuf};

/// The attached database that an import reads from.
pub(super) const INCOMING: &str = "dbdyno_incoming";

/// Where rows come from.
#[derive(Debug)]
pub(super) enum Source {
    /// The tables of the attached database [`INCOMING`]: all rows, or those of the runs in the table `chosen`.
    Attached {
        /// Whether the table `chosen` says which.
        chosen: bool,
    },
    /// A folder with one folder of Parquet files a table.
    Parquet(PathBuf),
}

/// What became of the rows of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Rows that are new here.
    pub new: u64,
    /// Rows that were here and now say more.
    pub completed: u64,
    /// Rows that were here as they are.
    pub known: u64,
}

/// What a merge took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    /// Sessions.
    pub sessions: Taken,
    /// Runs.
    pub runs: Taken,
    /// Results: one for each run and test.
    pub results: Taken,
}

/// Takes in every table of the source, all or nothing. Doing it twice is the same as once.
pub(super) fn merge(connection: &mut Connection, source: &Source) -> duckdb::Result<Merged> {
    let there = attached_tables(connection)?;
    // A statement that fails ends DuckDB's transaction, and COMMIT then drops everything without a word: every error in
    // here is passed on.
    let transaction = connection.transaction()?;
    let mut merged = Merged::default();
    transaction.execute_batch("CREATE TEMP TABLE replaced (run_id UUID)")?;
    for table in &TABLES {
        let taken = match source.rows(table, &there) {
            Some(rows) => take(&transaction, table, &rows)?,
            None => Taken::default(),
        };
        match table.name {
            "session" => merged.sessions = taken,
            "run" => merged.runs = taken,
            "result" => merged.results = taken,
            _ => {}
        }
    }
    transaction.commit()?;
    Ok(merged)
}

/// A relation of SQL with what is bound to it.
struct Rows {
    sql: String,
    bound: Vec<String>,
}

impl Source {
    /// The rows for a table; none when the source has no such table, as an older schema.
    fn rows(&self, table: &Table, there: &[String]) -> Option<Rows> {
        match self {
            Self::Attached { .. } if !there.iter().any(|there| there == table.name) => None,
            Self::Attached { chosen } => {
                let name = |table: &str| format!("{INCOMING}.main.{table}");
                let condition =
                    if *chosen { table.owner.is_chosen(&name("run"), &name("session")) } else { "true".to_owned() };
                Some(Rows { sql: format!("(SELECT * FROM {} WHERE {condition})", name(table.name)), bound: Vec::new() })
            }
            Self::Parquet(folder) => {
                let files = parquet_files(&folder.join(table.name))?;
                let sql = "(SELECT * FROM read_parquet(?, hive_partitioning = false, union_by_name = true))".to_owned();
                Some(Rows { sql, bound: vec![files] })
            }
        }
    }
}

/// The pattern of a table's files, where there are any. The folder's own name is taken literally.
fn parquet_files(folder: &Path) -> Option<String> {
    let has_files = |folder: &Path| walk(folder).any(|path| is_parquet(&path));
    let literal = |c: char| if "*?[".contains(c) { format!("[{c}]") } else { c.to_string() };
    has_files(folder).then(|| folder.to_string_lossy().chars().map(literal).collect::<String>() + "/**/*.parquet")
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "parquet")
}

/// That all files of a folder of Parquet are plain files: reading another would wait or never end.
pub(super) fn check_files(folder: &Path) -> Result<(), ImportError> {
    let broken = |path: PathBuf| move |error: std::io::Error| ImportError::Broken { path, message: error.to_string() };
    walk(folder).filter(|path| is_parquet(path)).try_for_each(|path| input::check(&path).map_err(broken(path)))
}

fn walk(folder: &Path) -> Box<dyn Iterator<Item = PathBuf>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    Box::new(entries.flat_map(|entry| {
        let path = entry.path();
        if path.is_dir() { walk(&path) } else { Box::new(std::iter::once(path)) }
    }))
}

fn take(transaction: &Transaction<'_>, table: &Table, rows: &Rows) -> duckdb::Result<Taken> {
    let name = table.name;
    let theirs = columns(transaction, &rows.sql, &rows.bound)?;
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

/// The names of a relation's columns.
fn columns(transaction: &Transaction<'_>, relation: &str, bound: &[String]) -> duckdb::Result<Vec<String>> {
    let mut statement = transaction.prepare(&format!("SELECT * FROM {relation} LIMIT 0"))?;
    drop(statement.query(params_from_iter(bound))?);
    Ok(statement.column_names())
}

/// The names of the attached database's tables.
fn attached_tables(connection: &Connection) -> duckdb::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT table_name FROM duckdb_tables() WHERE database_name = ?")?;
    statement.query_map([INCOMING], |row| row.get(0))?.collect()
}
