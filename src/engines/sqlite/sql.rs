//! SQL suites on SQLite's own B-tree.

use super::{connection, copy};
use dbdyno_engine::{
    EngineError,
    kv::Open,
    recorder::MonotonicClock,
    sql::{SqlEngine, SqlSession, Value},
    sqlite::{Row, Sql, failed},
    suite::{Begin, CopySpec, IndexSpec, Plan, Statement, TableSpec},
};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// An open database.
#[derive(Debug)]
pub struct SqliteSql {
    connection: Connection,
    begin: &'static str,
    text: bool,
    reopens: bool,
}

impl SqlEngine for SqliteSql {
    const MAIN_FILE: &'static str = "sqlite.db";
    type Clock = MonotonicClock;
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>, _: &[TableSpec], _: &[IndexSpec]) -> Result<Self, EngineError> {
        let settings = open.settings;
        Ok(Self {
            connection: connection::open(open, Self::MAIN_FILE)?,
            begin: connection::begin(settings)?,
            text: settings.text("statements")? == "text",
            reopens: settings.flag("reopen")?,
        })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.connection)
    }

    fn reopens(&self) -> bool {
        self.reopens
    }

    fn session<'e>(&'e mut self) -> Result<Session<'e>, EngineError> {
        Ok(Session { connection: &self.connection, begin: self.begin, text: self.text })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(&self.connection)
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.close().map_err(|(_, error)| failed(error))
    }
}

/// A test's session.
#[derive(Debug)]
pub struct Session<'e> {
    connection: &'e Connection,
    begin: &'static str,
    text: bool,
}

impl Session<'_> {
    fn batch(&self, sql: &str) -> Result<(), EngineError> {
        self.connection.execute_batch(sql).map_err(EngineError::doing(sql))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.connection.is_autocommit() {
            // The error that led here is the one to report.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

impl<'e> SqlSession<'e> for Session<'e> {
    type Statement = Sql<'e>;
    type Row<'r> = Row<'r>;

    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.batch(&table.create_sql())
    }

    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError> {
        self.batch(&index.create_sql())
    }

    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.batch(&format!("DROP TABLE {}", table.name))
    }

    fn copy_database(&mut self, copy: &'e CopySpec) -> Result<u64, EngineError> {
        copy::to_fresh_database(self.connection, copy)
    }

    fn begin(&mut self, kind: Begin) -> Result<(), EngineError> {
        self.batch(match kind {
            Begin::Engine => self.begin,
            Begin::Deferred => "BEGIN DEFERRED",
            Begin::Immediate => "BEGIN IMMEDIATE",
            Begin::Exclusive => "BEGIN EXCLUSIVE",
        })
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        self.batch("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), EngineError> {
        self.batch("ROLLBACK")
    }

    fn run(&mut self, sql: &'e str, _: Option<&'e Plan>) -> Result<(), EngineError> {
        self.batch(sql)
    }

    fn prepare(&mut self, statement: &'e Statement) -> Result<Sql<'e>, EngineError> {
        Sql::new(self.connection, &statement.sql, self.text)
    }

    #[inline]
    fn execute(&mut self, statement: &mut Sql<'e>, values: &[Value]) -> Result<u64, EngineError> {
        statement.execute(values)
    }

    #[inline]
    fn query(
        &mut self,
        statement: &mut Sql<'e>,
        values: &[Value],
        visit: impl FnMut(&Row<'_>),
    ) -> Result<(), EngineError> {
        statement.query(values, visit)
    }
}
