//! Listings as CSV, JSON or Parquet, of `dbdyno export` or `dbdyno results --columns all`: the columns of the view `results`, every
//! value a text, a number, or an object or list, as JSON in CSV.

use super::{
    super::{
        connect::{Reach, memory},
        select::{TypedColumn, column_names, columns_of},
    },
    ImportError, ImportKind, absolute,
    merge::INCOMING,
};
use crate::{
    base::{csv::unescaped, input},
    metric::Metric,
};
use duckdb::{Connection, appender_params_from_iter};
use std::{collections::BTreeMap, path::Path};

/// What a reader should know of such an import.
pub(super) const LIMITS: &str = "a listing has no histograms, timelines, warnings or notes, and no time at which a run \
                                 ended: `dbdyno copy` keeps them";

/// A column of a listing: its name, the type that its texts have to be, and whether each row needs a value.
struct ListingColumn {
    name: &'static str,
    sql_type: &'static str,
    filled: bool,
}

const fn filled(name: &'static str, sql_type: &'static str) -> ListingColumn {
    ListingColumn { name, sql_type, filled: true }
}

const fn open(name: &'static str, sql_type: &'static str) -> ListingColumn {
    ListingColumn { name, sql_type, filled: false }
}

/// A list without times is none of results.
const WALL: &str = "wall_ns";

/// Columns without which there is no result.
const NEEDED: [ListingColumn; 14] = [
    filled("session_id", "UUID"),
    filled("run_id", "UUID"),
    filled("round", "INTEGER"),
    filled("suite", "VARCHAR"),
    filled("test", "INTEGER"),
    filled("test_name", "VARCHAR"),
    filled("size", "VARCHAR"),
    filled("engine", "VARCHAR"),
    filled("engine_version", "VARCHAR"),
    filled("label", "VARCHAR"),
    open("options", MAP),
    filled("status", "VARCHAR"),
    filled("run_status", "VARCHAR"),
    open(WALL, "UBIGINT"),
];
/// Columns that are taken where they are there, beside those of the figures.
const TAKEN: [ListingColumn; 19] = [
    open("actor", "VARCHAR"),
    open("started_at", "TIMESTAMP"),
    open("host", "VARCHAR"),
    open("tier", "UTINYINT"),
    open("cpu_ns", "UBIGINT"),
    open("verification", "VARCHAR"),
    open("verified", "VARCHAR"),
    open("preset", "VARCHAR"),
    open("seed", "UBIGINT"),
    open("host_id", "VARCHAR"),
    open("failure", "VARCHAR"),
    open("cpu", "VARCHAR"),
    open("disk", "VARCHAR"),
    open("source", "VARCHAR"),
    open("memory_limit_bytes", "UBIGINT"),
    open("data_bytes", "UBIGINT"),
    open("cache", "VARCHAR"),
    open("keys", MAP),
    open("tags", "VARCHAR[]"),
];
/// Names and values, written as JSON.
const MAP: &str = "MAP(VARCHAR, VARCHAR)";

fn columns() -> impl Iterator<Item = ListingColumn> {
    let figures = Metric::stored().map(Metric::name).filter(|name| *name != WALL);
    NEEDED.into_iter().chain(TAKEN).chain(figures.map(|name| open(name, "UBIGINT")))
}

/// SQL for the figures of a listed result. Listings of dbdyno 0.1 have only the sum of user and system time.
fn figures() -> String {
    let figure = |metric: Metric| match metric {
        Metric::User => "coalesce(user_ns, cpu_ns) AS user_ns".to_owned(),
        Metric::System => "coalesce(system_ns, CASE WHEN cpu_ns IS NOT NULL THEN '0' END) AS system_ns".to_owned(),
        metric => metric.name().to_owned(),
    };
    Metric::stored().map(figure).collect::<Vec<_>>().join(", ")
}

/// The rows, each with a value or none for every column.
#[derive(Debug)]
pub(super) struct Listing {
    rows: Vec<Vec<Option<String>>>,
}

/// Reads a listing. One that was made to be read is refused with the columns that it lacks.
pub(super) fn read(path: &Path, kind: ImportKind) -> Result<Listing, ImportError> {
    let broken = |message: String| ImportError::Broken { path: path.to_owned(), message };
    let (names, objects) = match kind {
        ImportKind::Json => json(path).map_err(broken)?,
        ImportKind::ParquetListing => parquet(&absolute(path)?).map_err(|error| broken(error.to_string()))?,
        _ => csv(&absolute(path)?).map_err(|error| broken(error.to_string()))?,
    };
    let is_missing = |needed: &&'static str| !names.iter().any(|name| name == needed);
    let missing: Vec<&'static str> = NEEDED.iter().map(|column| column.name).filter(is_missing).collect();
    if !missing.is_empty() {
        return Err(ImportError::Listing { path: path.to_owned(), missing });
    }
    let row = |mut object: Object| columns().map(|column| object.remove(column.name).flatten()).collect();
    Ok(Listing { rows: objects.into_iter().map(row).collect() })
}

type Object = BTreeMap<String, Option<String>>;

fn json(path: &Path) -> Result<(Vec<String>, Vec<Object>), String> {
    let text = input::read_text(path).map_err(|error| error.to_string())?;
    let rows: Vec<BTreeMap<String, serde_json::Value>> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    let value = |(column, value): (String, serde_json::Value)| match value {
        serde_json::Value::String(text) => (column, Some(text)),
        serde_json::Value::Null => (column, None),
        // Numbers, and objects and lists, which columns of their kinds read as JSON.
        other => (column, Some(other.to_string())),
    };
    let objects: Vec<Object> = rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect();
    // An empty list lacks nothing.
    let empty = || NEEDED.map(|column| column.name.to_owned()).to_vec();
    Ok((objects.first().map_or_else(empty, |first| first.keys().cloned().collect()), objects))
}

fn csv(path: &Path) -> duckdb::Result<(Vec<String>, Vec<Object>)> {
    let connection = memory(&Reach::Files(vec![path.to_owned()]))?;
    let file = path.to_string_lossy();
    let rows = "read_csv(?, header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', nullstr = '')";
    let names = column_names(&connection, rows, &[&file])?;
    let plain = (0..names.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
    let sql = format!("SELECT * FROM {rows} AS listing ({plain})");
    let objects = objects(&connection, &sql, &file, &names, unescaped)?;
    Ok((names, objects))
}

/// Values have types of their own here; those of a listing are text, maps and lists as JSON.
fn parquet(path: &Path) -> duckdb::Result<(Vec<String>, Vec<Object>)> {
    let connection = memory(&Reach::Files(vec![path.to_owned()]))?;
    let file = path.to_string_lossy();
    // A column whose name is also that of a folder above would be taken from there.
    let rows = "read_parquet(?, hive_partitioning = false)";
    let columns = columns_of(&connection, rows, &[&file])?;
    let text = |(at, column): (usize, &TypedColumn)| match column.is_nested() {
        true => format!("to_json(c{at})::VARCHAR"),
        false => format!("c{at}::VARCHAR"),
    };
    let texts = columns.iter().enumerate().map(text).collect::<Vec<_>>().join(", ");
    let plain = (0..columns.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
    let names: Vec<String> = columns.into_iter().map(|column| column.name).collect();
    let sql = format!("SELECT {texts} FROM {rows} AS listing ({plain})");
    let objects = objects(&connection, &sql, &file, &names, |text| text)?;
    Ok((names, objects))
}

/// The rows of a query of a file, whose values are texts in the order of these names.
fn objects(
    connection: &Connection,
    sql: &str,
    file: &str,
    names: &[String],
    text: impl Fn(String) -> String,
) -> duckdb::Result<Vec<Object>> {
    let mut statement = connection.prepare(sql)?;
    let objects = statement.query_map([file], |row| {
        let value = |(at, name): (usize, &String)| Ok((name.clone(), row.get::<_, Option<String>>(at)?.map(&text)));
        names.iter().enumerate().map(value).collect::<duckdb::Result<Object>>()
    })?;
    objects.collect()
}

impl Listing {
    /// Puts the rows into the staged tables. A value that its column cannot hold is named.
    pub(super) fn stage(&self, connection: &Connection) -> Result<(), String> {
        self.append(connection).map_err(|error| error.to_string())?;
        if let Some(wrong) = first_wrong(connection).map_err(|error| error.to_string())? {
            return Err(wrong);
        }
        let sql = include_str!("listing.sql").replace("incoming.", &format!("{INCOMING}.main."));
        let sql = sql.replace("{figures}", &figures());
        connection.execute_batch(&sql).map_err(|error| error.to_string())
    }

    fn append(&self, connection: &Connection) -> duckdb::Result<()> {
        let definition = columns().map(|column| format!("{} VARCHAR", column.name)).collect::<Vec<_>>().join(", ");
        connection.execute_batch(&format!("CREATE TABLE {INCOMING}.main.listed ({definition})"))?;
        let mut appender = connection.appender_to_catalog_and_db("listed", INCOMING, "main")?;
        for row in &self.rows {
            appender.append_row(appender_params_from_iter(row))?;
        }
        appender.flush()
    }
}

/// The first value of the staged rows that is missing or not of its column's type, in words.
fn first_wrong(connection: &Connection) -> duckdb::Result<Option<String>> {
    let of_column = |column: ListingColumn| {
        let ListingColumn { name, sql_type, filled } = column;
        let converted = match sql_type {
            MAP | "VARCHAR[]" => format!("TRY_CAST(TRY_CAST({name} AS JSON) AS {sql_type})"),
            _ => format!("TRY_CAST({name} AS {sql_type})"),
        };
        let missing = if filled { format!("{name} IS NULL OR ") } else { String::new() };
        format!(
            "SELECT rowid + 1 AS place, '{name}' AS name, '{sql_type}' AS kind, {name} AS found FROM {INCOMING}.main.listed \
             WHERE {missing}{name} IS NOT NULL AND {converted} IS NULL"
        )
    };
    let each = columns().map(of_column).collect::<Vec<_>>().join(" UNION ALL ");
    let mut statement = connection.prepare(&format!("FROM ({each}) ORDER BY place, name LIMIT 1"))?;
    let wrong = statement.query_map([], |row| {
        let (place, name, kind, found): (i64, String, String, Option<String>) = row.try_into()?;
        let expected = match kind.as_str() {
            "VARCHAR" => "a text",
            "UUID" => "a UUID",
            "TIMESTAMP" => "a time",
            MAP => "an object of texts",
            "VARCHAR[]" => "a list of texts",
            _ => "a whole number",
        };
        let found = found.map_or("nothing".to_owned(), |text| format!("`{text}`"));
        Ok(format!("row {place}, column {name}: expected {expected}, found {found}"))
    })?;
    wrong.into_iter().next().transpose()
}
