//! Listings as CSV, JSON or Parquet, written by `dbdyno export` or `dbdyno results --columns all`. They have the columns of the view
//! `results`. Every value is a text, a number, or an object or list; in CSV, objects and lists are JSON.

use super::{
    super::{
        connect::{Reach, memory},
        select::{TypedColumn, column_names, columns_of},
    },
    ImportError, ImportKind, absolute,
    merge::INCOMING,
};
use dbdyno_foundation::{
    base::{csv::unescaped, input},
    metric::Metric,
};
use duckdb::{Connection, appender_params_from_iter};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

/// A note for users about the limits of such an import.
pub(super) const LIMITS: &str =
    "a listing has no histograms, timelines, warnings, notes or end times of runs: `dbdyno copy` keeps them";

/// A column of a listing: its name, the type that its texts must parse as, and whether each row needs a value.
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

/// A listing without times is not one of results.
const WALL: &str = "wall_ns";

/// Required columns.
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
/// Optional columns, in addition to those of the figures.
const TAKEN: [ListingColumn; 24] = [
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
    open("ordinal", "INTEGER"),
    open("twin_of", "VARCHAR"),
    open("tier_evidence", "VARCHAR"),
    open("option_details", ARRAY),
    open("session_facts", OBJECT),
];
/// Names and values, written as JSON.
const MAP: &str = "MAP(VARCHAR, VARCHAR)";
/// JSON whose known parts are imported.
const ARRAY: &str = "ARRAY";
const OBJECT: &str = "OBJECT";

/// Columns whose value is the same in all rows of a run.
const OF_RUN: [&str; 14] = [
    "session_id",
    "ordinal",
    "round",
    "started_at",
    "run_status",
    "engine",
    "engine_version",
    "label",
    "twin_of",
    "suite",
    "size",
    "seed",
    "tier",
    "options",
];
/// Long columns, which only one row of a session or run needs to have.
const ONCE: [&str; 2] = ["session_facts", "option_details"];
/// Columns whose value is the same in all rows of a session.
const OF_SESSION: [&str; 6] = ["host_id", "host", "cpu", "disk", "preset", "source"];

fn columns() -> impl Iterator<Item = ListingColumn> {
    let figures = Metric::stored().map(Metric::name).filter(|name| *name != WALL);
    NEEDED.into_iter().chain(TAKEN).chain(figures.map(|name| open(name, "UBIGINT")))
}

/// Returns SQL for the figures of a listed result. Listings of dbdyno 0.1 have only the sum of user and system time.
fn figures() -> String {
    let figure = |metric: Metric| match metric {
        Metric::User => "coalesce(user_ns, cpu_ns) AS user_ns".to_owned(),
        Metric::System => "coalesce(system_ns, CASE WHEN cpu_ns IS NOT NULL THEN '0' END) AS system_ns".to_owned(),
        metric => metric.name().to_owned(),
    };
    Metric::stored().map(figure).collect::<Vec<_>>().join(", ")
}

/// The rows, each with an optional value for every column.
#[derive(Debug)]
pub(super) struct Listing {
    rows: Vec<Vec<Option<String>>>,
    /// The file, if each row has a line of its own.
    csv: Option<PathBuf>,
}

/// Reads a listing. A listing that was written for people is refused, and the error names the missing columns.
pub(super) fn read(path: &Path, kind: ImportKind) -> Result<Listing, ImportError> {
    let broken = |message: String| ImportError::Broken { path: path.to_owned(), message };
    let (names, objects) = match kind {
        ImportKind::Json => json(path).map_err(broken)?,
        ImportKind::ParquetListing => parquet(&absolute(path)?).map_err(|error| broken(error.to_string()))?,
        _ => csv(&absolute(path)?).map_err(|error| broken(error.to_string()))?,
    };
    let has = |name: &str| names.iter().any(|known| known == name);
    let missing: Vec<&'static str> = NEEDED.iter().map(|column| column.name).filter(|name| !has(name)).collect();
    if !missing.is_empty() {
        return Err(ImportError::Listing { path: path.to_owned(), missing });
    }
    let row = |mut object: Object| columns().map(|column| object.remove(column.name).flatten()).collect();
    let csv = (kind == ImportKind::Csv).then(|| path.to_owned());
    Ok(Listing { rows: objects.into_iter().map(row).collect(), csv })
}

/// Returns the line, from 1, in which each of `rows` rows of CSV begins. Empty if the text does not have a header and that number of
/// rows.
fn lines_of(text: &str, rows: usize) -> Vec<usize> {
    let (mut starts, mut is_quoted, mut is_new) = (Vec::new(), false, true);
    for (line, text) in text.lines().enumerate() {
        if is_new && !text.is_empty() {
            starts.push(line + 1);
        }
        is_quoted ^= text.matches('"').count() % 2 == 1;
        is_new = !is_quoted;
    }
    if starts.len() == rows + 1 { starts.split_off(1) } else { Vec::new() }
}

type Object = BTreeMap<String, Option<String>>;

fn json(path: &Path) -> Result<(Vec<String>, Vec<Object>), String> {
    let text = input::read_text(path).map_err(|error| error.to_string())?;
    let rows: Vec<BTreeMap<String, serde_json::Value>> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    let value = |(column, value): (String, serde_json::Value)| match value {
        serde_json::Value::String(text) => (column, Some(text)),
        serde_json::Value::Null => (column, None),
        // Numbers, and objects and lists, which the columns of those kinds read as JSON.
        other => (column, Some(other.to_string())),
    };
    let objects: Vec<Object> = rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect();
    // An empty list lacks no column.
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

/// Reads Parquet as texts: its values have types, but a listing's values are text, with maps and lists as JSON.
fn parquet(path: &Path) -> duckdb::Result<(Vec<String>, Vec<Object>)> {
    let connection = memory(&Reach::Files(vec![path.to_owned()]))?;
    let file = path.to_string_lossy();
    // DuckDB would otherwise take a column's values from the name of a folder above, if that folder has the same name.
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

/// Returns the rows of a query of a file, with values as texts in the order of these names.
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
    /// Puts the rows into the staged tables. The error names a value that its column cannot hold, or rows that contradict each other.
    pub(super) fn stage(&self, connection: &Connection) -> Result<(), String> {
        self.append(connection).map_err(|error| error.to_string())?;
        if let Some((row, wrong)) = first_wrong(connection).map_err(|error| error.to_string())? {
            return Err(format!("{}, {wrong}", self.place(row)));
        }
        self.contradiction().map_or(Ok(()), Err)?;
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

    /// Describes where a row is, by its place from 0: `line 5: row 3`.
    fn place(&self, row: usize) -> String {
        let text = self.csv.as_ref().and_then(|path| input::read_text(path).ok());
        let line = text.and_then(|text| lines_of(&text, self.rows.len()).get(row).copied());
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{line}row {}", row + 1)
    }

    /// Describes the first two rows that contradict each other about a session, run or test.
    fn contradiction(&self) -> Option<String> {
        let names: Vec<&'static str> = columns().map(|column| column.name).collect();
        let at = |name: &str| names.iter().position(|known| *known == name);
        let places = |of: &[&str]| of.iter().filter_map(|name| at(name)).collect::<Vec<_>>();
        let all: Vec<usize> = (0..names.len()).filter(|place| !ONCE.contains(&names[*place])).collect();
        let kinds = [
            ("session", places(&["session_id"]), places(&OF_SESSION)),
            ("run", places(&["run_id"]), places(&OF_RUN)),
            ("run and test", places(&["run_id", "test", "actor"]), all),
        ];
        for (kind, key, alike) in &kinds {
            let mut known: HashMap<[&str; 3], usize> = HashMap::new();
            for (row, values) in self.rows.iter().enumerate() {
                let part = |at: usize| key.get(at).and_then(|place| values[*place].as_deref()).unwrap_or_default();
                let first = *known.entry([part(0), part(1), part(2)]).or_insert(row);
                if let Some(place) = alike.iter().find(|place| self.rows[first][**place] != values[**place]) {
                    let said =
                        |row: usize| self.rows[row][*place].as_ref().map_or("nothing".to_owned(), |v| format!("`{v}`"));
                    let (one, other, name) = (self.place(first), self.place(row), names[*place]);
                    let (before, after) = (said(first), said(row));
                    return Some(format!(
                        "{one} and {other} contradict each other: they belong to the same {kind}, but {name} is {before}, then {after}"
                    ));
                }
            }
        }
        None
    }
}

/// Returns the place, from 0, of the first staged row with a value that is missing or not of its column's type, and what is wrong.
fn first_wrong(connection: &Connection) -> duckdb::Result<Option<(usize, String)>> {
    let of_column = |column: ListingColumn| {
        let ListingColumn { name, sql_type, filled } = column;
        let is_right = match sql_type {
            "VARCHAR" => "true".to_owned(),
            MAP | "VARCHAR[]" => format!("TRY_CAST(TRY_CAST({name} AS JSON) AS {sql_type}) IS NOT NULL"),
            ARRAY | OBJECT => format!("coalesce(json_type(TRY_CAST({name} AS JSON)) = '{sql_type}', false)"),
            "BOOLEAN" => format!("{name} IN ('true', 'false')"),
            "UUID" | "TIMESTAMP" => format!("TRY_CAST({name} AS {sql_type}) IS NOT NULL"),
            // DuckDB would round 1.5 and accept 0x10.
            _ => format!("regexp_full_match({name}, '[0-9]+') AND TRY_CAST({name} AS {sql_type}) IS NOT NULL"),
        };
        let missing = if filled { format!("{name} IS NULL OR ") } else { String::new() };
        format!(
            "SELECT rowid AS place, '{name}' AS name, '{sql_type}' AS kind, {name} AS found FROM {INCOMING}.main.listed \
             WHERE {missing}{name} IS NOT NULL AND NOT ({is_right})"
        )
    };
    let each = columns().map(of_column).collect::<Vec<_>>().join(" UNION ALL ");
    let mut statement = connection.prepare(&format!("FROM ({each}) ORDER BY place, name LIMIT 1"))?;
    let wrong = statement.query_map([], |row| {
        let (place, name, kind, found): (i64, String, String, Option<String>) = row.try_into()?;
        let expected = match kind.as_str() {
            "VARCHAR" => "text",
            "UUID" => "a UUID",
            "TIMESTAMP" => "a time",
            "BOOLEAN" => "true or false",
            MAP => "an object of strings",
            "VARCHAR[]" => "a list of strings",
            ARRAY => "a list of objects",
            OBJECT => "an object",
            _ => "a whole number",
        };
        let range = match kind.as_str() {
            "UTINYINT" => " (0 to 255)",
            "INTEGER" => " (0 to 2147483647)",
            "UBIGINT" => " (0 to 18446744073709551615)",
            _ => "",
        };
        let found = found.map_or("nothing".to_owned(), |text| format!("`{text}`"));
        Ok((place.unsigned_abs() as usize, format!("column {name}: expected {expected}{range}, found {found}")))
    })?;
    wrong.into_iter().next().transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_csv_begin_in_their_lines() {
        let text = "a,b\n1,\"x\ny\"\"\n\"\n\n2,z\n";
        assert_eq!(lines_of(text, 2), [2, 6]);
        assert_eq!(lines_of(text, 3), [0; 0], "other rows than these");
        assert_eq!(lines_of("a\r\n1\r\n", 1), [2]);
    }
}
