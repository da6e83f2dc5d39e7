//! SQL suites on SQLite's own B-tree.

use super::{connection, copy, driver::Driver, engine::Sqlite};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    engine::Open,
    prepared::{PreparedStatement, SqlStatement, query_plan},
    sql::{SqlEngine, SqlRow, SqlSession, SqlThreads, SqlValue, SqlValueRef, TableSchema},
    suite::{Begin, CopySpec, DirectPlan, IndexSpec, StatementSpec, TableSpec},
};
use std::{collections::BTreeMap, ops::ControlFlow, sync::Mutex};

impl<D: Driver> SqlEngine for Sqlite<D> {
    type Session<'e>
        = SqliteSession<'e, D>
    where
        Self: 'e;

    fn open(open: Open<'_>, _: &[TableSpec], _: &[IndexSpec]) -> Result<Self, EngineError> {
        Self::new(open)
    }

    fn reopens(&self) -> bool {
        self.reopens
    }

    fn session<'e>(&'e mut self) -> Result<SqliteSession<'e, D>, EngineError> {
        let (begin, text) = (self.begins.write, self.text);
        Ok(SqliteSession { connection: self.own(), begin, text })
    }
}

impl<D: Driver> SqlThreads for Sqlite<D> {
    fn another(&self) -> Result<Self, EngineError> {
        let connection = self.connect()?;
        connection::check_threads(&connection)?;
        Ok(Self {
            connection: Mutex::new(connection),
            folder: self.folder.clone(),
            settings: self.settings.clone(),
            begins: self.begins,
            text: self.text,
            reopens: self.reopens,
        })
    }
}

type RowOf<'e, 'r, D> = <<D as Driver>::Statement<'e> as PreparedStatement<'e>>::Row<'r>;

#[derive(Debug)]
pub struct SqliteSession<'e, D: Driver> {
    connection: &'e D,
    begin: &'static str,
    text: bool,
}

impl<D: Driver> Drop for SqliteSession<'_, D> {
    fn drop(&mut self) {
        if !self.connection.is_autocommit() {
            // The original error is the one to report.
            let _ = self.connection.batch("ROLLBACK");
        }
    }
}

impl<D: Driver> SqliteSession<'_, D> {
    /// Returns the column `name` of every row that a pragma of a table or an index returns. A pragma instead of `pragma_table_info(...)`,
    /// because those functions are newer than the SQLite versions that have been ported to other storage backends.
    fn names(&self, pragma: &str, of: &str) -> Result<Vec<String>, EngineError> {
        let mut names = Vec::new();
        let column = if pragma == "index_info" { 2 } else { 1 };
        let sql = format!("PRAGMA {pragma}('{of}')");
        SqlStatement::<D::Statement<'_>>::new(self.connection, &sql, false)?.query(&[], |row| {
            if let SqlValueRef::Text(bytes) = row.value(column) {
                names.push(String::from_utf8_lossy(bytes).into_owned());
            }
        })?;
        Ok(names)
    }
}

impl<'e, D: Driver> SqlSession<'e> for SqliteSession<'e, D> {
    type Statement = SqlStatement<'e, D::Statement<'e>>;
    type Row<'r> = RowOf<'e, 'r, D>;

    fn counters(&mut self) -> EngineCounters {
        D::Statement::counters(self.connection)
    }

    fn plan(&mut self, statement: &StatementSpec, _: &[SqlValue]) -> Result<Vec<String>, EngineError> {
        query_plan::<D::Statement<'_>>(self.connection, &statement.sql)
    }

    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.connection.batch(&table.create_sql())
    }

    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError> {
        self.connection.batch(&index.create_sql())
    }

    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        self.connection.batch(&format!("DROP TABLE {}", table.name))
    }

    fn schema(&mut self, table: &TableSpec) -> Result<Option<TableSchema>, EngineError> {
        let columns = self.names("table_info", &table.name)?;
        let mut indexes = BTreeMap::new();
        for index in self.names("index_list", &table.name)? {
            let of_index = self.names("index_info", &index)?.join(",");
            indexes.insert(index, of_index);
        }
        // SQLite returns no columns for a table that does not exist.
        Ok((!columns.is_empty()).then_some(TableSchema { columns, indexes }))
    }

    fn copy_database(&mut self, copy: &'e CopySpec) -> Result<u64, EngineError> {
        copy::to_fresh_database(self.connection, copy)
    }

    fn begin(&mut self, kind: Begin) -> Result<(), EngineError> {
        self.connection.batch(match kind {
            Begin::Engine => self.begin,
            Begin::Deferred => "BEGIN DEFERRED",
            Begin::Immediate => "BEGIN IMMEDIATE",
            Begin::Exclusive => "BEGIN EXCLUSIVE",
            Begin::Concurrent => "BEGIN CONCURRENT",
        })
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        self.connection.batch("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), EngineError> {
        self.connection.batch("ROLLBACK")
    }

    fn run(&mut self, sql: &'e str, _: Option<&'e DirectPlan>) -> Result<(), EngineError> {
        self.connection.batch(sql)
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
        visit: impl FnMut(&RowOf<'e, '_, D>),
    ) -> Result<(), EngineError> {
        statement.query(values, visit)
    }

    fn query_while(
        &mut self,
        statement: &mut Self::Statement,
        values: &[SqlValue],
        visit: impl FnMut(&RowOf<'e, '_, D>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        statement.query_while(values, visit)
    }
}
