//! Reading the store.

pub(super) mod history;
mod selection;

pub use selection::{Key, Selection};

use super::{Access, Store, StoreError, error::Doing};
use duckdb::{ToSql, params_from_iter};

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
        let connection = self.open(Access::Read)?;
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
        drop(statement);
        connection.close().map_err(|(_, error)| error).doing(self.path())?;
        Ok(answer)
    }

    /// How many results a selection means.
    pub fn count(&self, selection: &Selection) -> Result<u64, StoreError> {
        let (condition, parameters) = selection.condition();
        let rows = self.bound(&format!("SELECT count(*) FROM results WHERE {condition}"), &parameters)?;
        let count = rows.rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        count.ok_or_else(|| StoreError::Query { message: "the count is no number".to_owned() })
    }

    /// The results of a selection, newest first.
    pub fn listed(&self, selection: &Selection) -> Result<Rows, StoreError> {
        let (condition, parameters) = selection.condition();
        let sql = format!(
            "SELECT strftime(started_at, '%Y-%m-%d %H:%M:%S') AS started, suite, size, test, test_name, label, round, tier,
                    status, round(wall_ns / 1e6, 3) AS wall_ms, round(rate, 1) AS rate, p50_ns, p99_ns
             FROM results WHERE {condition} ORDER BY started_at DESC, test"
        );
        self.bound(&sql, &parameters)
    }

    /// For each value of a key: results, runs, sessions, and the medians.
    pub fn grouped(&self, selection: &Selection, key: &Key) -> Result<Rows, StoreError> {
        let (condition, of_condition) = selection.condition();
        let mut parameters = Vec::new();
        let value = key.sql(&mut parameters);
        parameters.extend(of_condition);
        let word = key.word();
        let sql = format!(
            "SELECT key AS \"{word}\", count(*) AS results, count(DISTINCT run_id) AS runs,
                    count(DISTINCT session_id) AS sessions, round(median(wall_ns) / 1e6, 3) AS median_wall_ms
             FROM (SELECT {value} AS key, * FROM results WHERE {condition})
             GROUP BY key ORDER BY TRY_CAST(key AS DOUBLE), key"
        );
        self.bound(&sql, &parameters)
    }

    fn bound(&self, sql: &str, parameters: &[String]) -> Result<Rows, StoreError> {
        let parameters: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
        self.query(sql, &parameters)
    }
}
