//! SQL suites on DuckDB.

use super::{
    append::Appenders,
    engine::DuckDb,
    plan,
    statement::{DuckDbRow, DuckDbStatement},
};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    prepared::SqlStatement,
    sql::{SqlEngine, SqlRow, SqlSession, SqlThreads, SqlValue, SqlValueRef, TableSchema},
    suite::{Begin, DirectPlan, IndexSpec, StatementSpec, TableSpec},
};
use duckdb::Connection;

impl SqlEngine for DuckDb {
    type Session<'e> = DuckDbSession<'e>;

    fn open(open: Open<'_>, _: &[TableSpec], _: &[IndexSpec]) -> Result<Self, EngineError> {
        Self::new(open)
    }

    fn reopens(&self) -> bool {
        self.reopens
    }

    fn session<'e>(&'e mut self) -> Result<DuckDbSession<'e>, EngineError> {
        let (text, append) = (self.text, self.append);
        let connection: &Connection = self.own();
        Ok(DuckDbSession { connection, text, appenders: Appenders::new(connection, append), begun: false })
    }
}

impl SqlThreads for DuckDb {
    /// Opens a connection to the open instance: DuckDB opens a file only once in a process.
    fn another(&self) -> Result<Self, EngineError> {
        Ok(self.through(self.connect()?))
    }
}

#[derive(Debug)]
pub struct DuckDbSession<'e> {
    connection: &'e Connection,
    text: bool,
    appenders: Appenders<'e>,
    begun: bool,
}

/// A prepared statement, or an appender in its place.
#[expect(clippy::large_enum_variant, reason = "a test has a few of them, and each execution would follow a pointer")]
pub enum DuckDbReady<'e> {
    Statement(SqlStatement<'e, DuckDbStatement<'e>>),
    /// The number of an appender.
    Append(usize),
}

impl DuckDbSession<'_> {
    /// Runs statements that may change tables, and ends all appenders first.
    fn batch(&mut self, sql: &str) -> Result<(), EngineError> {
        self.appenders.end()?;
        self.connection.execute_batch(sql).map_err(EngineError::doing(sql))
    }

    /// Returns the first two columns of every row, as text.
    fn pairs(&self, sql: &str) -> Result<Vec<(String, String)>, EngineError> {
        let mut pairs = Vec::new();
        SqlStatement::<DuckDbStatement<'_>>::new(self.connection, sql, false)?.query(&[], |row| {
            let text = |column| match row.value(column) {
                SqlValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                _ => String::new(),
            };
            pairs.push((text(0), text(1)));
        })?;
        Ok(pairs)
    }
}

impl Drop for DuckDbSession<'_> {
    fn drop(&mut self) {
        if self.begun {
            // The original error is the one to report. Rows that wait in an appender belong to the transaction that is rolled back.
            let _ = self.appenders.end();
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

impl<'e> SqlSession<'e> for DuckDbSession<'e> {
    type Statement = DuckDbReady<'e>;
    type Row<'r> = DuckDbRow<'r>;

    fn plan(&mut self, statement: &StatementSpec, values: &[SqlValue]) -> Result<Vec<String>, EngineError> {
        self.appenders.write()?;
        plan::steps(self.connection, &statement.sql, values)
    }

    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.batch(&table.create_sql())
    }

    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError> {
        self.batch(&index.create_sql())
    }

    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.batch(&format!("DROP TABLE {}", table.name))
    }

    fn schema(&mut self, table: &TableSpec) -> Result<Option<TableSchema>, EngineError> {
        let of_table = format!("WHERE database_name = current_database() AND table_name = '{}'", table.name);
        let columns =
            self.pairs(&format!("SELECT column_name, '' FROM duckdb_columns() {of_table} ORDER BY column_index"))?;
        // DuckDB lists an index's columns as one text in brackets.
        let listed = "SELECT index_name, replace(trim(expressions, '[]'), '\"', '') FROM duckdb_indexes()";
        let indexes = self.pairs(&format!("{listed} {of_table}"))?.into_iter().collect();
        let columns: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
        Ok((!columns.is_empty()).then_some(TableSchema { columns, indexes }))
    }

    /// Begins a snapshot transaction, DuckDB's only kind; its conflicts show when they happen.
    fn begin(&mut self, _: Begin) -> Result<(), EngineError> {
        self.batch("BEGIN TRANSACTION")?;
        self.begun = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        self.batch("COMMIT")?;
        self.begun = false;
        Ok(())
    }

    fn rollback(&mut self) -> Result<(), EngineError> {
        let rolled_back = self.batch("ROLLBACK");
        self.begun = false;
        rolled_back
    }

    fn run(&mut self, sql: &'e str, _: Option<&'e DirectPlan>) -> Result<(), EngineError> {
        self.batch(sql)
    }

    fn prepare(&mut self, statement: &'e StatementSpec) -> Result<Self::Statement, EngineError> {
        match self.appenders.number_for(&statement.sql) {
            Some(number) => Ok(DuckDbReady::Append(number)),
            None => SqlStatement::new(self.connection, &statement.sql, self.text).map(DuckDbReady::Statement),
        }
    }

    #[inline]
    fn execute(&mut self, statement: &mut Self::Statement, values: &[SqlValue]) -> Result<u64, EngineError> {
        match statement {
            DuckDbReady::Statement(statement) => {
                self.appenders.write()?;
                statement.execute(values)
            }
            DuckDbReady::Append(number) => {
                self.appenders.append(*number, values)?;
                if !self.begun {
                    self.appenders.write()?;
                }
                Ok(1)
            }
        }
    }

    #[inline]
    fn query(
        &mut self,
        statement: &mut Self::Statement,
        values: &[SqlValue],
        visit: impl FnMut(&DuckDbRow<'_>),
    ) -> Result<(), EngineError> {
        self.appenders.write()?;
        match statement {
            DuckDbReady::Statement(statement) => statement.query(values, visit),
            DuckDbReady::Append(_) => {
                Err(EngineError::new("an insert has no rows to read, but the suite runs it as a read"))
            }
        }
    }
}
