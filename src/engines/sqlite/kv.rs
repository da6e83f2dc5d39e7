//! Keys and values in a SQLite table, with the statements that the suite gives.

use super::{
    connection::{self, failed},
    statement::Sql,
};
use dbdyno_engine::{
    EngineError,
    kv::{KvEngine, Open},
    kv_sql::{Begins, KvStatement, SqlKvSession},
    recorder::MonotonicClock,
    suite::KvStatements,
};
use rusqlite::{Connection, types::ValueRef};
use std::collections::BTreeMap;

/// An open database.
#[derive(Debug)]
pub struct SqliteKv {
    connection: Connection,
    begins: Begins,
    text: bool,
}

impl KvEngine for SqliteKv {
    const MAIN_FILE: &'static str = "sqlite.db";
    type Clock = MonotonicClock;
    type Session<'e> = SqlKvSession<Sql<'e>>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        let connection = connection::open(open, Self::MAIN_FILE)?;
        for statement in open.schema {
            connection.execute_batch(statement).map_err(EngineError::doing(statement))?;
        }
        Ok(Self {
            connection,
            begins: Begins {
                read: "BEGIN DEFERRED",
                write: connection::begin(settings)?,
                held: settings.text("read_transaction")? == "held",
            },
            text: settings.text("statements")? == "text",
        })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.connection)
    }

    fn holds_reads(&self) -> bool {
        self.begins.held
    }

    fn session<'e>(&'e mut self, sql: &'e KvStatements) -> Result<SqlKvSession<Sql<'e>>, EngineError> {
        SqlKvSession::new(sql, self.begins, |sql| Sql::new(&self.connection, sql, self.text))
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(&self.connection)
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.close().map_err(|(_, error)| failed(error))
    }
}

impl KvStatement for Sql<'_> {
    #[inline]
    fn execute(&mut self, values: &[&[u8]]) -> Result<u64, EngineError> {
        let changed = self.with(|statement| {
            for (place, value) in values.iter().enumerate() {
                statement.raw_bind_parameter(place + 1, value)?;
            }
            statement.raw_execute()
        })?;
        Ok(changed as u64)
    }

    #[inline]
    fn first<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.with(|statement| {
            let mut rows = statement.query((key,))?;
            match rows.next()? {
                Some(row) => Ok(Some(visit(bytes(row.get_ref(0)?)))),
                None => Ok(None),
            }
        })
    }

    fn pairs(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.with(|statement| {
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
