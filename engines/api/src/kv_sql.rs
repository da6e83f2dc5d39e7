//! Key-value suites on engines that speak SQL: state and transactions built from the suite's statements.

use crate::{
    EngineError,
    counters::EngineCounters,
    kv::{KvRead, KvSession, KvTransaction, KvWrite},
    prepared::{PreparedStatement, SqlStatement},
    sql::{SqlRow, SqlValueRef},
    suite::KvStatements,
};
use std::{iter, ops::ControlFlow};

/// The statements of one test.
pub struct SqlKvSession<'c, P: PreparedStatement<'c>> {
    connection: &'c P::Connection,
    held: bool,
    begin_read: SqlStatement<'c, P>,
    begin_write: SqlStatement<'c, P>,
    commit: SqlStatement<'c, P>,
    rollback: SqlStatement<'c, P>,
    get: SqlStatement<'c, P>,
    put: SqlStatement<'c, P>,
    delete: SqlStatement<'c, P>,
    exists: SqlStatement<'c, P>,
    scan: SqlStatement<'c, P>,
    /// `None` if the suite has no such statement.
    range: Option<SqlStatement<'c, P>>,
}

/// The statements that begin an engine's transactions.
#[derive(Debug, Clone, Copy)]
pub struct Begins {
    pub read: &'static str,
    pub write: &'static str,
    /// Whether one read transaction is held over all reads of a test.
    pub held: bool,
}

impl<'c, P: PreparedStatement<'c>> SqlKvSession<'c, P> {
    /// Prepares every statement of a test. With `text`, each execution parses its statement again.
    pub fn new(
        connection: &'c P::Connection,
        statements: &'c KvStatements,
        begins: Begins,
        text: bool,
    ) -> Result<Self, EngineError> {
        let ready = |sql| SqlStatement::new(connection, sql, text);
        Ok(Self {
            connection,
            held: begins.held,
            begin_read: ready(begins.read)?,
            begin_write: ready(begins.write)?,
            commit: ready("COMMIT")?,
            rollback: ready("ROLLBACK")?,
            get: ready(&statements.get)?,
            put: ready(&statements.put)?,
            delete: ready(&statements.delete)?,
            exists: ready(&statements.exists)?,
            scan: ready(&statements.scan)?,
            range: (!statements.range.is_empty()).then(|| ready(&statements.range)).transpose()?,
        })
    }
}

/// Runs a statement with keys and values. Returns the number of rows that it changed.
#[inline]
fn execute<'c, P: PreparedStatement<'c>>(
    statement: &mut SqlStatement<'c, P>,
    values: &[&[u8]],
) -> Result<u64, EngineError> {
    statement.with(|statement| statement.execute(values.iter().map(|bytes| SqlValueRef::Blob(bytes))))
}

/// Runs a statement with a key, and passes the first column of the first row to `visit`. Returns `None` without a row.
#[inline]
fn first<'c, P: PreparedStatement<'c>, R>(
    statement: &mut SqlStatement<'c, P>,
    key: &[u8],
    visit: impl FnOnce(&[u8]) -> R,
) -> Result<Option<R>, EngineError> {
    let (mut visit, mut first) = (Some(visit), None);
    statement.with(|statement| {
        statement.query(iter::once(SqlValueRef::Blob(key)), |row| {
            first = visit.take().map(|visit| visit(bytes(row, 0)));
            ControlFlow::Break(())
        })
    })?;
    Ok(first)
}

/// Returns the bytes of a column. A number or NULL, which no kv suite stores, reads as empty and fails verification.
#[inline]
fn bytes<R: SqlRow>(row: &R, column: usize) -> &[u8] {
    match row.value(column) {
        SqlValueRef::Text(bytes) | SqlValueRef::Blob(bytes) => bytes,
        SqlValueRef::Null | SqlValueRef::Integer(_) | SqlValueRef::Real(_) => &[],
    }
}

impl<'c, P: PreparedStatement<'c>> KvSession for SqlKvSession<'c, P> {
    type Read<'s>
        = SqlKvRead<'s, 'c, P>
    where
        Self: 's;
    type Write<'s>
        = SqlKvWrite<'s, 'c, P>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<SqlKvRead<'_, 'c, P>, EngineError> {
        if self.held { self.snapshot() } else { Ok(SqlKvRead { session: self, is_transaction: false }) }
    }

    fn snapshot(&mut self) -> Result<SqlKvRead<'_, 'c, P>, EngineError> {
        execute(&mut self.begin_read, &[])?;
        Ok(SqlKvRead { session: self, is_transaction: true })
    }

    fn counters(&mut self) -> EngineCounters {
        P::counters(self.connection)
    }

    fn write(&mut self) -> Result<SqlKvWrite<'_, 'c, P>, EngineError> {
        execute(&mut self.begin_write, &[])?;
        Ok(SqlKvWrite { session: self, committed: false })
    }
}

impl<'c, P: PreparedStatement<'c>> KvRead for SqlKvSession<'c, P> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        first(&mut self.get, key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(first(&mut self.exists, key, |_| ())?.is_some())
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.scan.query(&[], |row| visit(bytes(row, 0), bytes(row, 1)))
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let Some(range) = &mut self.range else {
            return Err(EngineError::new("the suite has no statement `range`"));
        };
        let values = [SqlValueRef::Blob(from), SqlValueRef::Integer(most.min(i64::MAX as u64) as i64)];
        range.with(|statement| {
            statement.query(values.into_iter(), |row| {
                visit(bytes(row, 0), bytes(row, 1));
                ControlFlow::Continue(())
            })
        })
    }
}

/// A read transaction. It is explicit if it is held; otherwise each statement is its own transaction.
pub struct SqlKvRead<'s, 'c, P: PreparedStatement<'c>> {
    session: &'s mut SqlKvSession<'c, P>,
    is_transaction: bool,
}

impl<'c, P: PreparedStatement<'c>> Drop for SqlKvRead<'_, 'c, P> {
    fn drop(&mut self) {
        if self.is_transaction {
            // Ending a read transaction cannot lose data, and the next begin reports a failure.
            let _ = execute(&mut self.session.commit, &[]);
        }
    }
}

impl<'c, P: PreparedStatement<'c>> KvRead for SqlKvRead<'_, 'c, P> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.session.get(key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.session.exists(key)
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.session.scan(visit)
    }

    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.session.range(from, most, visit)
    }
}

/// A write transaction; dropping it rolls it back.
pub struct SqlKvWrite<'s, 'c, P: PreparedStatement<'c>> {
    session: &'s mut SqlKvSession<'c, P>,
    committed: bool,
}

impl<'c, P: PreparedStatement<'c>> KvTransaction for SqlKvWrite<'_, 'c, P> {
    type Table<'t>
        = &'t mut SqlKvSession<'c, P>
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut SqlKvSession<'c, P>, EngineError> {
        Ok(self.session)
    }

    fn commit(mut self) -> Result<(), EngineError> {
        execute(&mut self.session.commit, &[])?;
        self.committed = true;
        Ok(())
    }
}

impl<'c, P: PreparedStatement<'c>> Drop for SqlKvWrite<'_, 'c, P> {
    fn drop(&mut self) {
        if !self.committed {
            // The error that led here is the one to report.
            let _ = execute(&mut self.session.rollback, &[]);
        }
    }
}

impl<'c, P: PreparedStatement<'c>> KvWrite for SqlKvSession<'c, P> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        execute(&mut self.put, &[key, value])?;
        Ok(())
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(execute(&mut self.delete, &[key])? > 0)
    }
}
