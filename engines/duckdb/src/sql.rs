//! SQL suites on DuckDB.

use super::{
    engine::DuckDb,
    statement::{DuckDbRow, DuckDbStatement},
};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    prepared::SqlStatement,
    sql::{SqlEngine, SqlSession, SqlValue},
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
        Ok(DuckDbSession { connection: &self.connection, text: self.text, begun: false })
    }
}

#[derive(Debug)]
pub struct DuckDbSession<'e> {
    connection: &'e Connection,
    text: bool,
    begun: bool,
}

impl DuckDbSession<'_> {
    fn batch(&self, sql: &str) -> Result<(), EngineError> {
        self.connection.execute_batch(sql).map_err(EngineError::doing(sql))
    }
}

impl Drop for DuckDbSession<'_> {
    fn drop(&mut self) {
        if self.begun {
            // The error that led here is the one to report.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

impl<'e> SqlSession<'e> for DuckDbSession<'e> {
    type Statement = SqlStatement<'e, DuckDbStatement<'e>>;
    type Row<'r> = DuckDbRow<'r>;

    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.batch(&table.create_sql())
    }

    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError> {
        self.batch(&index.create_sql())
    }

    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.batch(&format!("DROP TABLE {}", table.name))
    }

    /// DuckDB has one kind of transaction: a snapshot, whose conflicts show when they happen.
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
        self.begun = false;
        self.batch("ROLLBACK")
    }

    fn run(&mut self, sql: &'e str, _: Option<&'e DirectPlan>) -> Result<(), EngineError> {
        self.batch(sql)
    }

    fn prepare(&mut self, statement: &'e StatementSpec) -> Result<Self::Statement, EngineError> {
        SqlStatement::new(self.connection, &statement.sql, self.text)
    }

    #[inline]
    fn execute(&mut self, statement: &mut Self::Statement, values: &[SqlValue]) -> Result<u64, EngineError> {
        statement.execute(values)
    }

    #[inline]
    fn query(
        &mut self,
        statement: &mut Self::Statement,
        values: &[SqlValue],
        visit: impl FnMut(&DuckDbRow<'_>),
    ) -> Result<(), EngineError> {
        statement.query(values, visit)
    }
}
