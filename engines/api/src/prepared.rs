//! Statements of a library that speaks SQL, in the mode of the option `statements`: prepared once a test, or parsed again for each
//! execution.

use crate::{
    EngineError,
    counters::EngineCounters,
    sql::{SqlRow, SqlValue, SqlValueRef},
};
use std::{iter, ops::ControlFlow};

/// A statement that a library has parsed.
pub trait PreparedStatement<'c>: Sized {
    /// The connection that parses the statement.
    type Connection: 'c;
    type Row<'r>: SqlRow;

    /// Parses one statement.
    fn prepare(connection: &'c Self::Connection, sql: &str) -> Result<Self, EngineError>;

    /// Runs it to its end with values bound from the first parameter on. Returns the number of rows inserted, changed or deleted.
    fn execute<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> Result<u64, EngineError>;

    /// Runs it with values bound from the first parameter on, and passes its rows to `visit` until that breaks. The statement can then
    /// run again.
    fn query<'v>(
        &mut self,
        values: impl Iterator<Item = SqlValueRef<'v>>,
        visit: impl FnMut(&Self::Row<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError>;

    /// Returns what the library counted for a connection so far.
    fn counters(connection: &Self::Connection) -> EngineCounters {
        let _ = connection;
        EngineCounters::default()
    }
}

/// Returns the plan of a statement, a step a line, as SQLite's `EXPLAIN QUERY PLAN` prints it. Nothing is executed.
///
/// # Errors
/// The library cannot prepare the statement.
pub fn query_plan<'c, P: PreparedStatement<'c>>(
    connection: &'c P::Connection,
    sql: &str,
) -> Result<Vec<String>, EngineError> {
    let mut steps = Vec::new();
    P::prepare(connection, &format!("EXPLAIN QUERY PLAN {sql}"))?.query(iter::empty(), |row| {
        if let SqlValueRef::Text(step) = row.value(STEP) {
            steps.push(String::from_utf8_lossy(step).into_owned());
        }
        ControlFlow::Continue(())
    })?;
    Ok(steps)
}

/// The column of `EXPLAIN QUERY PLAN` that describes a step.
const STEP: usize = 3;

/// A statement that is ready to run.
pub enum SqlStatement<'c, P: PreparedStatement<'c>> {
    /// Parsed once.
    Prepared(P),
    /// Text, with the connection that parses it for each execution.
    Text(&'c P::Connection, &'c str),
}

impl<'c, P: PreparedStatement<'c>> SqlStatement<'c, P> {
    /// Prepares a statement. With `text`, each execution parses it again.
    pub fn new(connection: &'c P::Connection, sql: &'c str, text: bool) -> Result<Self, EngineError> {
        if text {
            return Ok(Self::Text(connection, sql));
        }
        P::prepare(connection, sql).map(Self::Prepared).map_err(EngineError::doing(sql))
    }

    /// Runs a closure with the parsed statement.
    #[inline]
    pub(crate) fn with<R>(&mut self, run: impl FnOnce(&mut P) -> Result<R, EngineError>) -> Result<R, EngineError> {
        match self {
            Self::Prepared(statement) => run(statement),
            Self::Text(connection, sql) => run(&mut P::prepare(connection, sql)?),
        }
    }

    /// Runs it to its end with bound values. Returns the number of rows inserted, changed or deleted.
    #[inline]
    pub fn execute(&mut self, values: &[SqlValue]) -> Result<u64, EngineError> {
        self.with(|statement| statement.execute(values.iter().map(SqlValue::as_ref)))
    }

    /// Runs it with bound values, and passes every row to `visit`.
    #[inline]
    pub fn query(&mut self, values: &[SqlValue], mut visit: impl FnMut(&P::Row<'_>)) -> Result<(), EngineError> {
        self.query_while(values, |row| {
            visit(row);
            ControlFlow::Continue(())
        })
    }

    /// Runs it with bound values, and passes rows to `visit` until that breaks.
    #[inline]
    pub fn query_while(
        &mut self,
        values: &[SqlValue],
        visit: impl FnMut(&P::Row<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        self.with(|statement| statement.query(values.iter().map(SqlValue::as_ref), visit))
    }
}
