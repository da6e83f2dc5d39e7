//! Pages: a window of the rows that a selection means, in an order, with how many there are. Reading one takes tens of
//! milliseconds with a hundred thousand results, and what is not shown is never in memory.

mod narrow;
mod rows;

pub use rows::{GroupRow, PageRows, ResultRow};

use super::{
    super::{Selection, SelectionKey, Store, StoreError},
    rows as read,
};
use duckdb::{Connection, params_from_iter};
pub(in crate::store) use narrow::Narrow;

/// What a page has rows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageListing {
    /// Tests of runs; a run without a test has one row.
    Results(Order<ResultColumn>),
    /// Groups of them by a key; a run with several tags is in several groups.
    Groups(SelectionKey, Order<GroupColumn>),
}

/// An order of rows. What has no value comes last in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order<C> {
    pub column: C,
    /// The greatest first.
    pub descending: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultColumn {
    /// When the run began.
    Started,
    Suite,
    /// The size, as a number.
    Size,
    /// The test, by its number.
    Test,
    /// The label of the configuration.
    Engine,
    Wall,
    /// Operations a second.
    Rate,
    /// Median latency.
    P50,
    /// 99th percentile of latency.
    P99,
    /// Whether the figures count.
    Status,
    /// Durability tier.
    Tier,
    Round,
    /// Version of the engine's library.
    Version,
    Host,
    Tags,
}

impl ResultColumn {
    /// SQL for the value that orders rows; a constant.
    fn sql(self) -> &'static str {
        match self {
            Self::Started => "started_at",
            Self::Suite => "suite",
            Self::Size => "TRY_CAST(split_part(size, ',', 1) AS DOUBLE)",
            Self::Test => "test",
            Self::Engine => "label",
            Self::Wall => "wall_ns",
            Self::Rate => "rate",
            Self::P50 => "p50_ns",
            Self::P99 => "p99_ns",
            Self::Status => "coalesce(status, run_status)",
            Self::Tier => "tier",
            Self::Round => "round",
            Self::Version => "engine_version",
            Self::Host => "host",
            Self::Tags => "nullif(array_to_string(tags, ' '), '')",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupColumn {
    /// The key's value.
    Value,
    /// Tests of runs.
    Results,
    Runs,
    Sessions,
    /// Median of the wall times.
    Median,
    /// The least wall time.
    Least,
    /// The greatest wall time.
    Most,
}

impl GroupColumn {
    /// SQL for the values that order groups; constants.
    fn sql(self) -> &'static [&'static str] {
        match self {
            Self::Value => &["TRY_CAST(value AS DOUBLE)", "value"],
            Self::Results => &["results"],
            Self::Runs => &["runs"],
            Self::Sessions => &["sessions"],
            Self::Median => &["median_ns"],
            Self::Least => &["least_ns"],
            Self::Most => &["most_ns"],
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Tests of runs in the store, whatever the selection.
    pub stored: u64,
    /// Tests of runs that the selection means.
    pub results: u64,
    /// Runs without a test that it means.
    pub without: u64,
    /// Rows that there are: of the page's kind, before and after it too.
    pub length: u64,
    /// Rows before the first of the page.
    pub offset: u64,
    pub rows: PageRows,
}

impl Store {
    /// At most `rows` rows from `offset` on; where there are fewer before the end, the page begins earlier. A store that is
    /// not there yet has an empty page.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn page(
        &self,
        selection: &Selection,
        listing: &PageListing,
        offset: u64,
        rows: u64,
    ) -> Result<Page, StoreError> {
        if !self.exists() {
            return Ok(Page { stored: 0, results: 0, without: 0, length: 0, offset: 0, rows: PageRows::none(listing) });
        }
        self.reading(|connection| page(connection, selection, listing, offset, rows))
    }

    /// The names of all options and kept keys that stored runs have.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT name FROM run_option UNION SELECT key FROM run_key ORDER BY 1";
        Ok(self.rows::<(String,)>(sql, &[])?.into_iter().map(|(name,)| name).collect())
    }
}

fn page(
    connection: &Connection,
    selection: &Selection,
    listing: &PageListing,
    offset: u64,
    rows: u64,
) -> Result<Page, StoreError> {
    let key = match listing {
        PageListing::Results(_) => None,
        PageListing::Groups(key, _) => Some(key),
    };
    let narrow = Narrow::with_names(selection.names().chain(key.and_then(SelectionKey::option)));
    let (condition, of_condition) = selection.condition();
    let mut parameters = Vec::new();
    let matched = match listing {
        PageListing::Results(order) => format!("run_id, test, started_at, {} AS place", order.column.sql()),
        PageListing::Groups(key, _) => rows::grouped_columns(key, &mut parameters),
    };
    let sql = format!("CREATE TEMP TABLE matched AS SELECT {matched} FROM ({}) WHERE {condition}", narrow.sql);
    parameters.extend(narrow.parameters.iter().cloned().chain(of_condition));
    execute(connection, &sql, &parameters)?;
    let listed = match key {
        None => "matched",
        Some(key) => {
            execute(connection, &format!("CREATE TEMP TABLE grouped AS {}", rows::groups(key)), &[])?;
            "grouped"
        }
    };
    let sql = format!(
        "SELECT (SELECT count(*) FROM result) + (SELECT count(*) FROM actor_result), count(test), count(*) - count(test), (SELECT count(*) FROM {listed})
         FROM matched"
    );
    let counts: Vec<(u64, u64, u64, u64)> = read(connection, &sql, &[])?;
    let (stored, results, without, length) = counts.first().copied().unwrap_or_default();
    let offset = offset.min(length.saturating_sub(rows));
    let window = format!("LIMIT {rows} OFFSET {offset}");
    let rows = match listing {
        PageListing::Results(order) => PageRows::Results(rows::results(connection, *order, &window)?),
        PageListing::Groups(_, order) => PageRows::Groups(rows::grouped(connection, *order, &window)?),
    };
    Ok(Page { stored, results, without, length, offset, rows })
}

fn execute(connection: &Connection, sql: &str, parameters: &[String]) -> Result<(), StoreError> {
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    connection.execute(sql, params_from_iter(parameters)).map_err(wrong).map(drop)
}
