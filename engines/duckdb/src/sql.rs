//! SQL suites on DuckDB.

use super::{engine::DuckDb, statement::Sql};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    sql::{SqlEngine, SqlRow, SqlSession, SqlValue, SqlValueRef},
    suite::{Begin, DirectPlan, IndexSpec, StatementSpec, TableSpec},
};
use duckdb::{Connection, ToSql, types};

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

/// A test's session.
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
    type Statement = Sql<'e>;
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

    fn prepare(&mut self, statement: &'e StatementSpec) -> Result<Sql<'e>, EngineError> {
        Sql::new(self.connection, &statement.sql, self.text)
    }

    #[inline]
    fn execute(&mut self, statement: &mut Sql<'e>, values: &[SqlValue]) -> Result<u64, EngineError> {
        let changed = statement.with(|statement| {
            bind(statement, values)?;
            statement.raw_execute()
        })?;
        Ok(changed as u64)
    }

    #[inline]
    fn query(
        &mut self,
        statement: &mut Sql<'e>,
        values: &[SqlValue],
        mut visit: impl FnMut(&DuckDbRow<'_>),
    ) -> Result<(), EngineError> {
        statement.with(|statement| {
            bind(statement, values)?;
            statement.raw_execute()?;
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                visit(&DuckDbRow(row));
            }
            Ok(())
        })
    }
}

#[inline]
fn bind(statement: &mut duckdb::Statement<'_>, values: &[SqlValue]) -> duckdb::Result<()> {
    for (place, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(place + 1, DuckDbParameter(value))?;
    }
    Ok(())
}

/// A value on its way into a statement.
struct DuckDbParameter<'v>(&'v SqlValue);

impl ToSql for DuckDbParameter<'_> {
    #[inline]
    fn to_sql(&self) -> duckdb::Result<types::ToSqlOutput<'_>> {
        Ok(types::ToSqlOutput::Borrowed(match self.0 {
            SqlValue::Null => types::ValueRef::Null,
            SqlValue::Integer(number) => types::ValueRef::BigInt(*number),
            SqlValue::Real(number) => types::ValueRef::Double(*number),
            SqlValue::Text(text) => types::ValueRef::Text(text.as_bytes()),
            SqlValue::Blob(bytes) => types::ValueRef::Blob(bytes),
        }))
    }
}

/// A row of an answer.
pub struct DuckDbRow<'r>(&'r duckdb::Row<'r>);

impl SqlRow for DuckDbRow<'_> {
    #[inline]
    fn columns(&self) -> usize {
        self.0.as_ref().column_count()
    }

    #[inline]
    fn value(&self, column: usize) -> SqlValueRef<'_> {
        match self.0.get_ref(column) {
            Ok(types::ValueRef::BigInt(number)) => SqlValueRef::Integer(number),
            Ok(types::ValueRef::Int(number)) => SqlValueRef::Integer(i64::from(number)),
            Ok(types::ValueRef::Double(number)) => SqlValueRef::Real(number),
            Ok(types::ValueRef::Text(bytes)) => SqlValueRef::Text(bytes),
            Ok(types::ValueRef::Blob(bytes)) => SqlValueRef::Blob(bytes),
            Ok(types::ValueRef::HugeInt(number)) => {
                i64::try_from(number).map_or(SqlValueRef::Null, SqlValueRef::Integer)
            }
            // No suite has values of other types; what is not understood fails verification.
            Ok(_) | Err(_) => SqlValueRef::Null,
        }
    }
}
