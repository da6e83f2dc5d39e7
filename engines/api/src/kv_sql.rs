//! Key-value suites on engines that speak SQL: sessions and transactions over the statements that the suite gives.

use crate::{
    EngineError,
    kv::{KvRead, KvSession, KvTransaction, KvWrite},
    suite::KvStatements,
};

/// A statement, ready to run: prepared once, or parsed again each time.
pub trait KvStatement {
    /// Runs it to its end with these values; the number of rows it changed.
    fn execute(&mut self, values: &[&[u8]]) -> Result<u64, EngineError>;

    /// Runs it with a key, and shows the first column of the first row to `visit`; a number shows as no bytes. `None` without
    /// a row.
    fn first<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError>;

    /// Runs it, and shows the first two columns of every row to `visit`.
    fn pairs(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError>;
}

/// The statements of one test.
#[derive(Debug)]
pub struct SqlKvSession<S> {
    held: bool,
    begin_read: S,
    begin_write: S,
    commit: S,
    rollback: S,
    get: S,
    put: S,
    delete: S,
    exists: S,
    scan: S,
}

/// How an engine begins its transactions.
#[derive(Debug, Clone, Copy)]
pub struct Begins {
    /// The statement that begins a read transaction.
    pub read: &'static str,
    /// The statement that begins a write transaction.
    pub write: &'static str,
    /// Whether one read transaction is held over all reads of a test.
    pub held: bool,
}

impl<S: KvStatement> SqlKvSession<S> {
    /// Has every statement of a test made ready by `ready`.
    pub fn new<'e>(
        sql: &'e KvStatements,
        begins: Begins,
        ready: impl Fn(&'e str) -> Result<S, EngineError>,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            held: begins.held,
            begin_read: ready(begins.read)?,
            begin_write: ready(begins.write)?,
            commit: ready("COMMIT")?,
            rollback: ready("ROLLBACK")?,
            get: ready(&sql.get)?,
            put: ready(&sql.put)?,
            delete: ready(&sql.delete)?,
            exists: ready(&sql.exists)?,
            scan: ready(&sql.scan)?,
        })
    }
}

impl<S: KvStatement> KvSession for SqlKvSession<S> {
    type Read<'s>
        = SqlKvRead<'s, S>
    where
        Self: 's;
    type Write<'s>
        = SqlKvWrite<'s, S>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<SqlKvRead<'_, S>, EngineError> {
        if self.held {
            self.begin_read.execute(&[])?;
        }
        Ok(SqlKvRead(self))
    }

    fn write(&mut self) -> Result<SqlKvWrite<'_, S>, EngineError> {
        self.begin_write.execute(&[])?;
        Ok(SqlKvWrite { session: self, committed: false })
    }
}

impl<S: KvStatement> KvRead for SqlKvSession<S> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.get.first(key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.exists.first(key, |_| ())?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.scan.pairs(visit)
    }
}

/// A read transaction: explicit when held, else each statement is its own.
#[derive(Debug)]
pub struct SqlKvRead<'s, S: KvStatement>(&'s mut SqlKvSession<S>);

impl<S: KvStatement> Drop for SqlKvRead<'_, S> {
    fn drop(&mut self) {
        if self.0.held {
            // Ending a read transaction has nothing to lose; a failure shows at the next begin.
            let _ = self.0.commit.execute(&[]);
        }
    }
}

impl<S: KvStatement> KvRead for SqlKvRead<'_, S> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.0.get(key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.0.exists(key)
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.0.scan(visit)
    }
}

/// A write transaction.
#[derive(Debug)]
pub struct SqlKvWrite<'s, S: KvStatement> {
    session: &'s mut SqlKvSession<S>,
    committed: bool,
}

impl<S: KvStatement> KvTransaction for SqlKvWrite<'_, S> {
    type Table<'t>
        = &'t mut SqlKvSession<S>
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut SqlKvSession<S>, EngineError> {
        Ok(self.session)
    }

    fn commit(mut self) -> Result<(), EngineError> {
        self.session.commit.execute(&[])?;
        self.committed = true;
        Ok(())
    }
}

impl<S: KvStatement> Drop for SqlKvWrite<'_, S> {
    fn drop(&mut self) {
        if !self.committed {
            // The error that led here is the one to report.
            let _ = self.session.rollback.execute(&[]);
        }
    }
}

impl<S: KvStatement> KvWrite for SqlKvSession<S> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.put.execute(&[key, value])?;
        Ok(())
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.delete.execute(&[key])? > 0)
    }
}
