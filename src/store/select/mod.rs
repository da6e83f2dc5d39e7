//! Reading the store.

mod list;
mod moments;
mod selection;
mod statement;
mod terms;
mod values;
mod whole;

pub use list::Listed;
pub use selection::{Selection, SelectionKey};
pub use values::literal;
pub use whole::{WholeForm, WholeRow};

use super::{Store, StoreError, read::Narrow, schema};
use duckdb::{Connection, ToSql, params_from_iter};
use statement::ReadStatement;

/// The answer of a query, every value as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextRows {
    pub columns: Vec<String>,
    /// The rows; none is SQL's NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Store {
    /// Runs a user's query on the store, opened to read. Nothing is run of what is not one query.
    ///
    /// # Errors
    /// [`StoreError::Query`] for what is not one query or that DuckDB refuses; else a store that cannot be read.
    pub fn ask(&self, sql: &str) -> Result<TextRows, StoreError> {
        self.reading(|connection| answer(connection, sql))
    }

    /// Runs one query of this program's on the store, opened to read. Values from outside are bound to `?`, never pasted into
    /// the SQL.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn query(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<TextRows, StoreError> {
        self.reading(|connection| rows_of(connection, sql, parameters))
    }

    /// How many results a selection means.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn count(&self, selection: &Selection) -> Result<u64, StoreError> {
        let counts: Vec<(u64,)> = self.selected_rows(selection, "SELECT count(*) FROM selected", &[])?;
        Ok(counts.first().map_or(0, |(count,)| *count))
    }

    /// The answer of a query that sees the store's views kept to the runs that a selection means.
    fn of_chosen(&self, selection: &Selection, sql: &str, parameters: &[String]) -> Result<TextRows, StoreError> {
        self.reading(|connection| {
            choose(connection, selection)?;
            schema::make_views_of(connection, |name| sql.contains(name), OF_CHOSEN).map_err(wrong)?;
            let bound: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
            texts_of(connection, &as_texts(&format!("({sql}\n)")), &bound).map_err(wrong)
        })
    }

    pub(super) fn bound(&self, sql: &str, parameters: &[String]) -> Result<TextRows, StoreError> {
        self.reading(|connection| bound(connection, sql, parameters))
    }
}

/// Views kept to the runs of the table `chosen`.
const OF_CHOSEN: &str = "WHERE run_id IN (SELECT run_id FROM chosen)";

/// Makes the table `chosen` of the runs that a selection means, numbered from 0 in the order in which they were run.
fn choose(connection: &Connection, selection: &Selection) -> Result<(), StoreError> {
    let rows = Narrow::selected(selection, std::iter::empty());
    let sql = format!(
        "CREATE TEMP TABLE chosen AS SELECT run_id, (row_number() OVER (ORDER BY min(started_at), run_id) - 1)::UBIGINT AS place
         FROM ({}) GROUP BY run_id",
        rows.sql
    );
    connection.execute(&sql, params_from_iter(&rows.parameters)).map_err(wrong).map(drop)
}

/// The answer of a query of this program's, every value as text.
fn rows_of(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> Result<TextRows, StoreError> {
    schema::make_views(connection, |name| sql.contains(name)).map_err(wrong)?;
    texts_of(connection, &as_texts(&format!("({sql}\n)")), parameters).map_err(wrong)
}

/// The answer of a user's query, every value as text.
fn answer(connection: &Connection, sql: &str) -> Result<TextRows, StoreError> {
    let asked = statement::asked(connection, sql).map_err(|message| StoreError::Query { message })?;
    let text = sql.to_lowercase();
    schema::make_views(connection, |name| text.contains(name)).map_err(wrong)?;
    let sql = match asked {
        ReadStatement::Query(sql) => sql,
        ReadStatement::Plan(sql) => return texts_of(connection, sql, &[]).map_err(wrong),
    };
    let relation = format!("({sql}\n)");
    let columns = column_names(connection, &relation, &[]).map_err(|error| {
        // The error of the query itself is the one that helps; one statement is only prepared here.
        wrong(connection.prepare(sql).err().unwrap_or(error))
    })?;
    // Names may be any bytes where a file of somebody's has them; the answer has plain ones.
    let plain = (0..columns.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
    let rows = texts_of(connection, &as_texts(&format!("{relation} AS answer ({plain})")), &[]).map_err(wrong)?.rows;
    Ok(TextRows { columns, rows })
}

/// A query of a relation's values; the engine turns them into text, nested ones too.
fn as_texts(relation: &str) -> String {
    format!("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {relation}")
}

/// The names of a relation's columns. The driver panics at a result with a name that is not UTF-8; here DuckDB refuses it.
pub(super) fn column_names(
    connection: &Connection,
    relation: &str,
    parameters: &[&dyn ToSql],
) -> duckdb::Result<Vec<String>> {
    let sql = format!("SELECT column_name FROM (DESCRIBE SELECT * FROM {relation})");
    let mut statement = connection.prepare(&sql)?;
    let names = statement.query_map(params_from_iter(parameters), |row| row.get(0));
    names.and_then(Iterator::collect).map_err(|error| match error {
        duckdb::Error::DuckDBFailure(code, Some(message)) if message.contains("Invalid unicode") => {
            duckdb::Error::DuckDBFailure(code, Some("the name of a column is not UTF-8".to_owned()))
        }
        other => other,
    })
}

fn wrong(error: duckdb::Error) -> StoreError {
    StoreError::Query { message: error.to_string() }
}

/// The answer of a query whose values are text.
fn texts_of(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> duckdb::Result<TextRows> {
    let mut statement = connection.prepare(sql)?;
    let mut answer = TextRows::default();
    let mut rows = statement.query(params_from_iter(parameters))?;
    while let Some(row) = rows.next()? {
        let width = row.as_ref().column_count();
        answer.rows.push((0..width).map(|at| row.get::<_, Option<String>>(at)).collect::<duckdb::Result<_>>()?);
    }
    drop(rows);
    answer.columns = statement.column_names();
    Ok(answer)
}

/// The same with text bound.
fn bound(connection: &Connection, sql: &str, parameters: &[String]) -> Result<TextRows, StoreError> {
    let parameters: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
    rows_of(connection, sql, &parameters)
}
