//! Rows of the store as structs for the other modules.

mod columns;
mod followed;
mod history;
mod matrix;
mod offers;
mod page;
mod parts;
mod recorded;
mod records;
mod repeats;
mod row;
mod run;
mod side;

use super::{Selection, Store, StoreError, schema};
use duckdb::{Connection, ToSql, params_from_iter};
pub use followed::FollowedTest;
pub use history::StoreHistory;
pub use matrix::TestTime;
pub use offers::Offer;
pub(crate) use page::{ALIKE, Narrow};
pub use page::{
    ConfigurationColumn, ConfigurationRow, GroupColumn, GroupRow, OptionValues, Order, Page, PageListing, PageRows,
    ResultColumn, ResultRow, RunColumn, RunRow,
};
pub use parts::{ExplainedRun, PlannedStatement, SplitRun};
pub use recorded::{RecordedRun, UsualTime};
pub use repeats::RepeatedTest;
pub use run::{StoredFact, StoredOption, StoredRun, StoredSlot, StoredTest};
use serde::de::DeserializeOwned;
pub use side::{
    ComparedTest, Latencies, NOT_UPHELD, RunConfiguration, RunTests, SelectedRuns, SessionConditions, SessionFacts,
    SessionHost, SessionWarning, tier_words,
};

impl Store {
    /// Returns the rows of one of this program's queries. Values from outside are bound to `?`, never pasted into the SQL. A missing
    /// store has no rows.
    pub(super) fn rows<T: DeserializeOwned>(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<Vec<T>, StoreError> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        self.reading(|connection| rows(connection, sql, parameters))
    }

    /// Does the same with texts bound.
    pub(super) fn rows_bound<T: DeserializeOwned>(&self, sql: &str, texts: &[String]) -> Result<Vec<T>, StoreError> {
        let bound: Vec<&dyn ToSql> = texts.iter().map(|text| text as &dyn ToSql).collect();
        self.rows(sql, &bound)
    }

    /// Returns the rows of a query that sees the results of a selection as the table `selected`, with the columns of pages. `sql` is a
    /// SELECT, or begins with a comma and further tables of the WITH clause.
    pub(super) fn selected_rows<T: DeserializeOwned>(
        &self,
        selection: &Selection,
        sql: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<T>, StoreError> {
        let rows = Narrow::selected(selection, std::iter::empty());
        let mut bound: Vec<&dyn ToSql> = rows.parameters.iter().map(|value| value as &dyn ToSql).collect();
        bound.extend(parameters);
        self.rows(&format!("WITH selected AS (FROM ({}) WHERE test IS NOT NULL) {sql}", rows.sql), &bound)
    }
}

/// Returns the rows of one of this program's queries.
pub(super) fn rows<T: DeserializeOwned>(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
) -> Result<Vec<T>, StoreError> {
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    schema::make_views(connection, |name| schema::is_read_from(sql, name)).map_err(wrong)?;
    let mut statement = connection.prepare(sql).map_err(wrong)?;
    let mut answer = statement.query(params_from_iter(parameters)).map_err(wrong)?;
    let columns = answer.as_ref().map_or_else(Vec::new, |statement| statement.column_names());
    let mut all = Vec::new();
    while let Some(row) = answer.next().map_err(wrong)? {
        let read = row::read(row, &columns);
        all.push(read.map_err(|error| StoreError::Query { message: format!("a stored row cannot be read: {error}") })?);
    }
    Ok(all)
}
