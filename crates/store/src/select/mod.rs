//! Reading the store.

mod amount;
mod answer;
mod cells;
mod groups;
mod key;
mod list;
mod matching;
mod moments;
mod order;
mod selection;
mod sessions;
mod statement;
mod term;
mod terms;
mod texts;
mod unmatched;
mod values;
mod whole;

pub use answer::{AnswerOrder, AnswerPart, PartialAnswer};
pub use cells::{TextCells, TextRow};
pub use key::SelectionKey;
pub use list::ListKind;
pub use matching::SelectableRow;
pub use order::{ListOrder, ListedRows, SortKey};
pub use selection::Selection;
pub use sessions::{SessionFigures, SessionOrder, SessionOrigin, TestFigures};
pub use texts::{ColumnKind, TextRows};
pub(super) use texts::{TypedColumn, column_names, columns_of};
pub use values::literal;
pub use whole::{WholeForm, WholeRow};

use super::{Store, StoreError, read::Narrow, schema};
use duckdb::{Connection, ToSql, params_from_iter};
use statement::ReadStatement;

impl Store {
    /// Runs a user's query on the store, opened to read. A text that is not exactly one query is not run.
    ///
    /// # Errors
    /// [`StoreError::Query`] if the text is not one query or DuckDB refuses it; otherwise a store that cannot be read.
    pub fn ask(&self, sql: &str) -> Result<TextRows, StoreError> {
        self.reading(|connection| answer(connection, sql))
    }

    /// Runs one of this program's queries on the store, opened to read. Values from outside are bound to `?`, never pasted into the SQL.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn query(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<TextRows, StoreError> {
        self.reading(|connection| rows_of(connection, sql, parameters))
    }

    /// Counts the results of a selection.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn count(&self, selection: &Selection) -> Result<u64, StoreError> {
        let counts: Vec<(u64,)> = self.selected_rows(selection, "SELECT count(*) FROM selected", &[])?;
        Ok(counts.first().map_or(0, |(count,)| *count))
    }

    /// Returns the answer of a query that sees the store's views restricted to a selection's runs.
    fn of_chosen(&self, selection: &Selection, sql: &str, parameters: &[String]) -> Result<TextRows, StoreError> {
        self.reading(|connection| {
            choose(connection, selection)?;
            schema::make_views_of(connection, |name| schema::is_read_from(sql, name), OF_CHOSEN).map_err(wrong)?;
            let bound: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
            texts::of(connection, &format!("({sql}\n)"), &bound).map_err(wrong)
        })
    }

    pub(super) fn bound(&self, sql: &str, parameters: &[String]) -> Result<TextRows, StoreError> {
        self.reading(|connection| bound(connection, sql, parameters))
    }
}

/// Restricts views to the runs of the table `chosen`.
const OF_CHOSEN: &str = "WHERE run_id IN (SELECT run_id FROM chosen)";

/// Creates the table `chosen` of a selection's runs, numbered from 0 in the order in which they ran.
fn choose(connection: &Connection, selection: &Selection) -> Result<(), StoreError> {
    let rows = Narrow::selected(selection, std::iter::empty());
    let sql = format!(
        "CREATE TEMP TABLE chosen AS SELECT run_id, (row_number() OVER (ORDER BY min(started_at), run_id) - 1)::UBIGINT AS place
         FROM ({}) GROUP BY run_id",
        rows.sql
    );
    connection.execute(&sql, params_from_iter(&rows.parameters)).map_err(wrong).map(drop)
}

/// Returns the answer of one of this program's queries, every value as text.
fn rows_of(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> Result<TextRows, StoreError> {
    schema::make_views(connection, |name| schema::is_read_from(sql, name)).map_err(wrong)?;
    texts::of(connection, &format!("({sql}\n)"), parameters).map_err(wrong)
}

/// Classifies a user's text, and creates the views that it may name.
fn asked<'s>(connection: &Connection, sql: &'s str) -> Result<ReadStatement<'s>, StoreError> {
    let asked = statement::asked(connection, sql).map_err(|message| StoreError::Query { message })?;
    let text = sql.to_lowercase();
    schema::make_views(connection, |name| text.contains(name)).map_err(wrong)?;
    Ok(asked)
}

/// Returns the answer of a user's query, every value as text.
fn answer(connection: &Connection, sql: &str) -> Result<TextRows, StoreError> {
    let sql = match asked(connection, sql)? {
        ReadStatement::Query(sql) => sql,
        ReadStatement::Plan(sql) => return texts::plan(connection, sql).map_err(wrong),
    };
    // The error of the query itself is the helpful one; preparing a single statement does not run it.
    texts::of(connection, &format!("({sql}\n)"), &[])
        .map_err(|error| wrong(connection.prepare(sql).err().unwrap_or(error)))
}

fn wrong(error: duckdb::Error) -> StoreError {
    StoreError::Query { message: error.to_string() }
}

/// Does the same with text bound.
fn bound(connection: &Connection, sql: &str, parameters: &[String]) -> Result<TextRows, StoreError> {
    let parameters: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
    rows_of(connection, sql, &parameters)
}
