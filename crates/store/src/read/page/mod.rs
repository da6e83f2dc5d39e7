//! Pages: a window of a selection's rows in an order, with the total number of rows. Reading one takes tens of milliseconds with a
//! hundred thousand results, and rows that are not shown are never in memory.

mod columns;
mod narrow;
mod options;
mod rows;
mod runs;

pub use columns::{ConfigurationColumn, GroupColumn, Order, ResultColumn, RunColumn};
pub use options::OptionValues;
pub use rows::{GroupRow, PageRows, ResultRow};
pub use runs::{ConfigurationRow, RunRow};

use super::{
    super::{Selection, SelectionKey, Store, StoreError},
    rows as read,
};
use duckdb::{Connection, params_from_iter};
pub(crate) use narrow::Narrow;
pub(crate) use rows::ALIKE;
use std::collections::BTreeMap;

/// The kind of rows that a page lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageListing {
    /// Configurations of sessions.
    Configurations(Order<ConfigurationColumn>),
    Runs(Order<RunColumn>),
    /// Tests of runs; a run without a test has one row.
    Results(Order<ResultColumn>),
    /// Groups of tests of runs by a key; a run with several tags is in several groups.
    Groups(SelectionKey, Order<GroupColumn>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Tests of runs in the store, independent of the selection.
    pub stored: u64,
    /// Tests of runs that the selection includes.
    pub results: u64,
    /// Runs without a test that the selection includes.
    pub without: u64,
    /// All rows of the page's kind, including those before and after the page.
    pub length: u64,
    /// Rows before the first of the page.
    pub offset: u64,
    pub rows: PageRows,
    /// The options and keys of the runs that the rows are about, by run; none for groups.
    pub options: BTreeMap<String, OptionValues>,
    /// Options in which configurations of one engine differ, among all runs of the selection.
    pub differing: Vec<String>,
}

impl Page {
    /// Returns an empty page of the listing's kind.
    fn none(listing: &PageListing) -> Self {
        Self {
            stored: 0,
            results: 0,
            without: 0,
            length: 0,
            offset: 0,
            rows: PageRows::none(listing),
            options: BTreeMap::new(),
            differing: Vec::new(),
        }
    }
}

impl Store {
    /// Returns at most `rows` rows from `offset` on. If fewer are left, the page begins earlier. A missing store has an empty page.
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
            return Ok(Page::none(listing));
        }
        self.reading(|connection| page(connection, selection, listing, offset, rows))
    }

    /// Returns the names of all options and keys of stored runs.
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
    let (stored, results, without, length) = list(connection, selection, listing)?;
    let offset = offset.min(length.saturating_sub(rows));
    let window = format!("LIMIT {rows} OFFSET {offset}");
    let rows = match listing {
        PageListing::Configurations(order) => {
            PageRows::Configurations(runs::configurations(connection, order, &window)?)
        }
        PageListing::Runs(order) => PageRows::Runs(runs::runs(connection, order, &window)?),
        PageListing::Results(order) => PageRows::Results(rows::results(connection, order, &window)?),
        PageListing::Groups(_, order) => PageRows::Groups(rows::grouped(connection, *order, &window)?),
    };
    let (options, differing) = match listing {
        PageListing::Groups(..) => (BTreeMap::new(), Vec::new()),
        _ => (options::of_shown(connection)?, options::differing(connection)?),
    };
    Ok(Page { stored, results, without, length, offset, rows, options, differing })
}

/// Creates the tables that a page is read from. Returns the number of stored results, of selected results, of selected runs without any,
/// and of rows.
fn list(
    connection: &Connection,
    selection: &Selection,
    listing: &PageListing,
) -> Result<(u64, u64, u64, u64), StoreError> {
    let (key, option) = match listing {
        PageListing::Configurations(_) => {
            runs::match_runs(connection, selection)?;
            runs::list_configurations(connection)?;
            return runs::counts(connection, "listed");
        }
        PageListing::Runs(_) => {
            runs::match_runs(connection, selection)?;
            runs::list_runs(connection)?;
            return runs::counts(connection, "listed");
        }
        PageListing::Results(order) => (None, order.column.option()),
        PageListing::Groups(key, _) => (Some(key), key.option()),
    };
    let narrow = Narrow::with_names(selection.names().chain(option));
    let (condition, of_condition) = selection.condition();
    let mut parameters = Vec::new();
    let matched = match listing {
        PageListing::Results(order) => {
            format!("run_id, test, actor, started_at, {} AS place", order.column.sql(&mut parameters))
        }
        _ => key.map_or_else(String::new, |key| rows::grouped_columns(key, &mut parameters)),
    };
    let sql = format!("CREATE TEMP TABLE matched AS SELECT {matched} FROM ({}) WHERE {condition}", narrow.sql);
    parameters.extend(narrow.parameters.iter().cloned().chain(of_condition));
    execute(connection, &sql, &parameters)?;
    let listed = match key {
        None => "matched",
        Some(key) => {
            if rows::is_of_labels(key) {
                options::tell(connection)?;
            }
            execute(connection, &format!("CREATE TEMP TABLE grouped AS {}", rows::groups(key)), &[])?;
            "grouped"
        }
    };
    let sql = format!(
        "SELECT (SELECT count(*) FROM result) + (SELECT count(*) FROM actor_result), count(test), count(*) - count(test), (SELECT count(*) FROM {listed})
         FROM matched"
    );
    let counts: Vec<(u64, u64, u64, u64)> = read(connection, &sql, &[])?;
    Ok(counts.first().copied().unwrap_or_default())
}

fn execute(connection: &Connection, sql: &str, parameters: &[String]) -> Result<(), StoreError> {
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    connection.execute(sql, params_from_iter(parameters)).map_err(wrong).map(drop)
}
