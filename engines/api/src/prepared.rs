//! Statements of a library that speaks SQL, as the option `statements` wants them: prepared once a test, or parsed again
//! each time.

use crate::{
    EngineError,
    sql::{SqlRow, SqlValue, SqlValueRef},
};
use std::ops::ControlFlow;

/// A statement that a library has parsed.
pub trait PreparedStatement<'c>: Sized {
    /// What parses it.
    type Connection: 'c;
    type Row<'r>: SqlRow;

    /// Parses one statement.
    fn prepare(connection: &'c Self::Connection, sql: &str) -> Result<Self, EngineError>;

    /// Runs it to its end with values bound from the first parameter on; the number of rows inserted, changed or deleted.
    fn execute<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> Result<u64, EngineError>;

    /// Runs it with values bound from the first parameter on, and shows its rows until `visit` breaks; it can then
    /// be run again.
    fn query<'v>(
        &mut self,
        values: impl Iterator<Item = SqlValueRef<'v>>,
        visit: impl FnMut(&Self::Row<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError>;
}

/// A statement made ready.
pub enum SqlStatement<'c, P: PreparedStatement<'c>> {
    /// Parsed once.
    Prepared(P),
    /// Text, and what parses it each time.
    Text(&'c P::Connection, &'c str),
}

impl<'c, P: PreparedStatement<'c>> SqlStatement<'c, P> {
    /// A statement; `text`: it is parsed again each time.
    pub fn new(connection: &'c P::Connection, sql: &'c str, text: bool) -> Result<Self, EngineError> {
        if text {
            return Ok(Self::Text(connection, sql));
        }
        P::prepare(connection, sql).map(Self::Prepared).map_err(EngineError::doing(sql))
    }

    /// Does something with the parsed statement.
    #[inline]
    pub(crate) fn with<R>(&mut self, run: impl FnOnce(&mut P) -> Result<R, EngineError>) -> Result<R, EngineError> {
        match self {
            Self::Prepared(statement) => run(statement),
            Self::Text(connection, sql) => run(&mut P::prepare(connection, sql)?),
        }
    }

    /// Runs it to its end with values bound; the number of rows inserted, changed or deleted.
    #[inline]
    pub fn execute(&mut self, values: &[SqlValue]) -> Result<u64, EngineError> {
        self.with(|statement| statement.execute(values.iter().map(SqlValue::as_ref)))
    }

    /// Runs it with values bound, and shows every row.
    #[inline]
    pub fn query(&mut self, values: &[SqlValue], mut visit: impl FnMut(&P::Row<'_>)) -> Result<(), EngineError> {
        self.with(|statement| {
            statement.query(values.iter().map(SqlValue::as_ref), |row| {
                visit(row);
                ControlFlow::Continue(())
            })
        })
    }
}
