//! Keys and values in a SQLite table, with the suite's statements.

use super::{connection, driver::Driver, engine::Sqlite};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    kv::{KvEngine, KvHandle, KvThreads},
    kv_sql::{Begins, SqlKvSession},
    prepared::SqlStatement,
    sql::{SqlRow, SqlValueRef},
    suite::KvStatements,
};

impl<D: Driver> KvEngine for Sqlite<D> {
    type Session<'e>
        = SqlKvSession<'e, D::Statement<'e>>
    where
        Self: 'e;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let mut sqlite = Self::new(open)?;
        let connection = sqlite.own();
        open.schema.iter().try_for_each(|statement| connection.batch(statement))?;
        Ok(sqlite)
    }

    fn holds_reads(&self) -> bool {
        self.begins.held
    }

    /// Runs VACUUM, then a checkpoint: in WAL mode VACUUM writes the smaller database to the log, and only a checkpoint shrinks the file.
    fn compact(mut self, _: Open<'_>) -> Result<Self, EngineError> {
        let connection = self.own();
        connection.batch("VACUUM")?;
        connection.first_value("PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(self)
    }

    fn session<'e>(&'e mut self, statements: &'e KvStatements) -> Result<Self::Session<'e>, EngineError> {
        let (begins, text) = (self.begins, self.text);
        SqlKvSession::new(self.own(), statements, begins, text)
    }
}

impl<D: Driver> KvThreads for Sqlite<D> {
    type Handle<'e>
        = SqliteHandle<D>
    where
        Self: 'e;

    fn handle(&self) -> Result<SqliteHandle<D>, EngineError> {
        let connection = self.connect()?;
        connection::check_threads(&connection)?;
        Ok(SqliteHandle { connection, begins: self.begins, text: self.text })
    }
}

/// A thread's own connection.
#[derive(Debug)]
pub struct SqliteHandle<D> {
    connection: D,
    begins: Begins,
    text: bool,
}

impl<D: Driver> KvHandle for SqliteHandle<D> {
    type Session<'h>
        = SqlKvSession<'h, D::Statement<'h>>
    where
        Self: 'h;

    fn session<'h>(&'h mut self, statements: &'h KvStatements) -> Result<Self::Session<'h>, EngineError> {
        SqlKvSession::new(&self.connection, statements, self.begins, self.text)
    }

    /// Returns the result of a passive checkpoint, which moves as much of the log into the database as other connections allow.
    fn readings(&mut self) -> Result<Vec<(&'static str, u64)>, EngineError> {
        let mut readings = Vec::new();
        let mut checkpoint =
            SqlStatement::<D::Statement<'_>>::new(&self.connection, "PRAGMA wal_checkpoint(PASSIVE)", false)?;
        checkpoint.query(&[], |row| {
            // Without a log, two of them are -1.
            let number = |column| match row.value(column) {
                SqlValueRef::Integer(number) => u64::try_from(number).ok(),
                _ => None,
            };
            let names = ["checkpoint_busy", "log_frames", "checkpointed_frames"];
            let columns = names.into_iter().enumerate();
            readings.extend(columns.filter_map(|(column, name)| Some((name, number(column)?))));
        })?;
        Ok(readings)
    }
}
