//! Listings of `dbdyno results --columns all` as CSV or JSON: the columns of the view `results`, every value a text.

use super::{ImportError, Kind, merge::INCOMING};
use crate::{base::input, report::csv::unescaped};
use duckdb::{Connection, appender_params_from_iter};
use std::{collections::BTreeMap, path::Path};

/// What a reader should know of such an import.
pub(super) const LIMITS: &str = "a listing has no histograms, timelines, warnings or notes, and no time at which a run \
                                 ended: `dbdyno copy` keeps them";

/// Columns without which there is no result.
const NEEDED: [&str; 14] = [
    "session_id",
    "run_id",
    "round",
    "suite",
    "test",
    "test_name",
    "size",
    "engine",
    "engine_version",
    "label",
    "options",
    "status",
    "run_status",
    "wall_ns",
];
/// Columns that are taken where they are there.
const TAKEN: [&str; 26] = [
    "started_at",
    "host",
    "tier",
    "cpu_ns",
    "operations",
    "rows",
    "p50_ns",
    "p90_ns",
    "p99_ns",
    "p999_ns",
    "database_bytes",
    "side_bytes",
    "syncs",
    "written_bytes",
    "read_bytes",
    "peak_rss_bytes",
    "verification",
    "preset",
    "seed",
    "host_id",
    "failure",
    "cpu",
    "disk",
    "source",
    "keys",
    "tags",
];

/// The rows, each with a value or none for every column.
#[derive(Debug)]
pub(super) struct Listing {
    rows: Vec<Vec<Option<String>>>,
}

/// Reads a listing. One that was made to be read is refused with the columns that it lacks.
pub(super) fn read(path: &Path, kind: Kind) -> Result<Listing, ImportError> {
    let broken = |message: String| ImportError::Broken { path: path.to_owned(), message };
    let (columns, objects) = match kind {
        Kind::Json => json(path).map_err(broken)?,
        _ => csv(path).map_err(|error| broken(error.to_string()))?,
    };
    let missing: Vec<&'static str> =
        NEEDED.into_iter().filter(|needed| !columns.iter().any(|column| column == needed)).collect();
    if !missing.is_empty() {
        return Err(ImportError::Listing { path: path.to_owned(), missing });
    }
    let row =
        |mut object: Object| NEEDED.into_iter().chain(TAKEN).map(|column| object.remove(column).flatten()).collect();
    Ok(Listing { rows: objects.into_iter().map(row).collect() })
}

type Object = BTreeMap<String, Option<String>>;

fn json(path: &Path) -> Result<(Vec<String>, Vec<Object>), String> {
    let text = input::read_text(path).map_err(|error| error.to_string())?;
    let objects: Vec<Object> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    // An empty list lacks nothing.
    let empty = || NEEDED.map(str::to_owned).to_vec();
    Ok((objects.first().map_or_else(empty, |first| first.keys().cloned().collect()), objects))
}

fn csv(path: &Path) -> duckdb::Result<(Vec<String>, Vec<Object>)> {
    let connection = Connection::open_in_memory()?;
    let mut statement = connection.prepare(
        "SELECT * FROM read_csv(?, header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', nullstr = '')",
    )?;
    let mut rows = statement.query([path.to_string_lossy()])?;
    let mut values: Vec<Vec<Option<String>>> = Vec::new();
    while let Some(row) = rows.next()? {
        let width = row.as_ref().column_count();
        values.push((0..width).map(|at| row.get(at)).collect::<duckdb::Result<_>>()?);
    }
    drop(rows);
    let columns = statement.column_names();
    let values = values.into_iter().map(|row| row.into_iter().map(|cell| cell.map(unescaped)));
    let objects = values.map(|row| columns.iter().cloned().zip(row).collect()).collect();
    Ok((columns, objects))
}

impl Listing {
    /// Puts the rows into the staged tables. A value that its column cannot hold fails.
    pub(super) fn stage(&self, connection: &Connection) -> duckdb::Result<()> {
        let columns: Vec<&str> = NEEDED.into_iter().chain(TAKEN).collect();
        let definition = columns.iter().map(|column| format!("{column} VARCHAR")).collect::<Vec<_>>().join(", ");
        connection.execute_batch(&format!("CREATE TABLE {INCOMING}.main.listed ({definition})"))?;
        let mut appender = connection.appender_to_catalog_and_db("listed", INCOMING, "main")?;
        for row in &self.rows {
            appender.append_row(appender_params_from_iter(row))?;
        }
        appender.flush()?;
        drop(appender);
        connection.execute_batch(&include_str!("listing.sql").replace("incoming.", &format!("{INCOMING}.main.")))
    }
}
