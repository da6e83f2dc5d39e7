//! Reading the store.

mod fields;
pub(super) mod history;
mod list;
mod matrix;
mod page;
mod run;
mod selection;
mod terms;
mod values;
mod whole;

pub use list::Listed;
pub use matrix::TestTime;
pub use page::{GroupColumn, GroupRow, Listing, Order, Page, PageRows, ResultColumn, ResultRow};
pub use run::{StoredFact, StoredOption, StoredRun, StoredSlot, StoredTest};
pub use selection::{Key, Selection};
pub use values::literal;

use super::{Store, StoreError};
use duckdb::{Connection, ToSql, params_from_iter};

/// The answer of a query, every value as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows; none is SQL's NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Store {
    /// Runs one query on the store, opened to read. Values from outside are bound to `?`, never pasted into the SQL.
    pub fn query(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<Rows, StoreError> {
        self.reading(|connection| rows_of(connection, sql, parameters))
    }

    /// How many results a selection means.
    pub fn count(&self, selection: &Selection) -> Result<u64, StoreError> {
        let (condition, parameters) = selection.condition();
        let rows = self.bound(&format!("SELECT count(*) FROM results WHERE {condition}"), &parameters)?;
        let count = rows.rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        count.ok_or_else(|| StoreError::Query { message: "the count is no number".to_owned() })
    }

    /// Runs a query that sees the results of a selection as the table `selected`, with the columns of the view
    /// `results`. `sql` is a SELECT, or begins with a comma and further tables of the WITH clause.
    pub fn query_selected(
        &self,
        selection: &Selection,
        sql: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Rows, StoreError> {
        let (condition, of_condition) = selection.condition();
        let mut bound: Vec<&dyn ToSql> = of_condition.iter().map(|value| value as &dyn ToSql).collect();
        bound.extend(parameters);
        self.query(&format!("WITH selected AS (SELECT * FROM results WHERE {condition}) {sql}"), &bound)
    }

    pub(super) fn bound(&self, sql: &str, parameters: &[String]) -> Result<Rows, StoreError> {
        self.reading(|connection| bound(connection, sql, parameters))
    }
}

/// The answer of a query, every value as text.
fn rows_of(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> Result<Rows, StoreError> {
    let sql = sql.trim().trim_end_matches(';');
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    // The engine turns its own values into text, nested ones too.
    let as_text = format!("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({sql}\n)");
    let mut statement = match connection.prepare(&as_text) {
        Ok(statement) => statement,
        // The error of the query itself is the one that helps.
        Err(wrapped) => return Err(wrong(connection.prepare(sql).err().unwrap_or(wrapped))),
    };
    let mut answer = Rows::default();
    let mut rows = statement.query(params_from_iter(parameters)).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        let width = row.as_ref().column_count();
        let values = (0..width).map(|at| row.get::<_, Option<String>>(at)).collect::<duckdb::Result<_>>();
        answer.rows.push(values.map_err(wrong)?);
    }
    drop(rows);
    answer.columns = statement.column_names();
    Ok(answer)
}

/// The same with text bound.
fn bound(connection: &Connection, sql: &str, parameters: &[String]) -> Result<Rows, StoreError> {
    let parameters: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
    rows_of(connection, sql, &parameters)
}
