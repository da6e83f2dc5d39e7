//! Keys and values in a SQLite table, with the statements that the suite gives.

use super::{
    connection::{self, failed},
    statement::Sql,
};
use dbdyno_engine::{
    EngineError,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite, Open},
    recorder::MonotonicClock,
    suite::KvStatements,
};
use rusqlite::{Connection, types::ValueRef};
use std::collections::BTreeMap;

/// An open database.
#[derive(Debug)]
pub struct SqliteKv {
    connection: Connection,
    begin: &'static str,
    text: bool,
    held: bool,
}

impl KvEngine for SqliteKv {
    const MAIN_FILE: &'static str = "sqlite.db";
    type Clock = MonotonicClock;
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        let connection = connection::open(open, Self::MAIN_FILE)?;
        for statement in open.schema {
            connection.execute_batch(statement).map_err(EngineError::doing(statement))?;
        }
        Ok(Self {
            connection,
            begin: connection::begin(settings)?,
            text: settings.text("statements")? == "text",
            held: settings.text("read_transaction")? == "held",
        })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.connection)
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, sql: &'e KvStatements) -> Result<Session<'e>, EngineError> {
        let connection = &self.connection;
        let ready = |sql: &'e str| Sql::new(connection, sql, self.text);
        Ok(Session {
            held: self.held,
            begin_read: ready("BEGIN DEFERRED")?,
            begin_write: ready(self.begin)?,
            commit: ready("COMMIT")?,
            rollback: ready("ROLLBACK")?,
            get: ready(&sql.get)?,
            put: ready(&sql.put)?,
            delete: ready(&sql.delete)?,
            exists: ready(&sql.exists)?,
            scan: ready(&sql.scan)?,
        })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(&self.connection)
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.close().map_err(|(_, error)| failed(error))
    }
}

/// The statements of one test.
#[derive(Debug)]
pub struct Session<'e> {
    held: bool,
    begin_read: Sql<'e>,
    begin_write: Sql<'e>,
    commit: Sql<'e>,
    rollback: Sql<'e>,
    get: Sql<'e>,
    put: Sql<'e>,
    delete: Sql<'e>,
    exists: Sql<'e>,
    scan: Sql<'e>,
}

impl<'e> KvSession for Session<'e> {
    type Read<'s>
        = Read<'s, 'e>
    where
        Self: 's;
    type Write<'s>
        = Write<'s, 'e>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Read<'_, 'e>, EngineError> {
        if self.held {
            self.begin_read.execute()?;
        }
        Ok(Read(self))
    }

    fn write(&mut self) -> Result<Write<'_, 'e>, EngineError> {
        self.begin_write.execute()?;
        Ok(Write { session: self, committed: false })
    }
}

/// A read transaction: explicit when held, else each statement is its own.
#[derive(Debug)]
pub struct Read<'s, 'e>(&'s mut Session<'e>);

impl Drop for Read<'_, '_> {
    fn drop(&mut self) {
        if self.0.held {
            // Ending a read transaction has nothing to lose; a failure shows at the next begin.
            let _ = self.0.commit.execute();
        }
    }
}

impl KvRead for Read<'_, '_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.0.get_value(key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.0.has_key(key)
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.0.scan_rows(visit)
    }
}

/// A write transaction.
#[derive(Debug)]
pub struct Write<'s, 'e> {
    session: &'s mut Session<'e>,
    committed: bool,
}

impl<'e> KvTransaction for Write<'_, 'e> {
    type Table<'t>
        = Table<'t, 'e>
    where
        Self: 't;

    fn table(&mut self) -> Result<Table<'_, 'e>, EngineError> {
        Ok(Table(self.session))
    }

    fn commit(mut self) -> Result<(), EngineError> {
        self.session.commit.execute()?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Write<'_, '_> {
    fn drop(&mut self) {
        if !self.committed {
            // The error that led here is the one to report.
            let _ = self.session.rollback.execute();
        }
    }
}

/// The table inside a write transaction.
#[derive(Debug)]
pub struct Table<'t, 'e>(&'t mut Session<'e>);

impl KvRead for Table<'_, '_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.0.get_value(key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.0.has_key(key)
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.0.scan_rows(visit)
    }
}

impl KvWrite for Table<'_, '_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.0.put.with(|statement| statement.execute((key, value)))?;
        Ok(())
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.delete.with(|statement| statement.execute((key,)))? > 0)
    }
}

impl Session<'_> {
    #[inline]
    fn get_value<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.get.with(|statement| {
            let mut rows = statement.query((key,))?;
            match rows.next()? {
                Some(row) => Ok(Some(visit(bytes(row.get_ref(0)?)))),
                None => Ok(None),
            }
        })
    }

    #[inline]
    fn has_key(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.exists.with(|statement| Ok(statement.query((key,))?.next()?.is_some()))
    }

    fn scan_rows(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.scan.with(|statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                visit(bytes(row.get_ref(0)?), bytes(row.get_ref(1)?));
            }
            Ok(())
        })
    }
}

/// The bytes of a column; a number or NULL, which no kv suite stores, shows as empty and fails verification.
#[inline]
fn bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => &[],
    }
}
