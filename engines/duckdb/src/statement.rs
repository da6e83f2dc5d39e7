//! Statements of DuckDB with their values and rows.

use super::connection::failed;
use dbdyno_engine::{
    EngineError,
    prepared::PreparedStatement,
    sql::{SqlRow, SqlValueRef},
};
use duckdb::{Connection, Statement, ToSql, types};
use std::ops::ControlFlow;

pub struct DuckDbStatement<'c>(Statement<'c>);

impl DuckDbStatement<'_> {
    #[inline]
    fn bind_and_run<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> duckdb::Result<usize> {
        for (place, value) in values.enumerate() {
            self.0.raw_bind_parameter(place + 1, DuckDbParameter(value))?;
        }
        self.0.raw_execute()
    }
}

impl<'c> PreparedStatement<'c> for DuckDbStatement<'c> {
    type Connection = Connection;
    type Row<'r> = DuckDbRow<'r>;

    #[inline]
    fn prepare(connection: &'c Connection, sql: &str) -> Result<Self, EngineError> {
        connection.prepare(sql).map(Self).map_err(failed)
    }

    #[inline]
    fn execute<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> Result<u64, EngineError> {
        self.bind_and_run(values).map(|changed| changed as u64).map_err(failed)
    }

    #[inline]
    fn query<'v>(
        &mut self,
        values: impl Iterator<Item = SqlValueRef<'v>>,
        mut visit: impl FnMut(&DuckDbRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        self.bind_and_run(values).map_err(failed)?;
        let mut rows = self.0.raw_query();
        while let Some(row) = rows.next().map_err(failed)? {
            if visit(&DuckDbRow(row)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A value that DuckDB can bind and append.
pub(crate) struct DuckDbParameter<'v>(pub(crate) SqlValueRef<'v>);

impl ToSql for DuckDbParameter<'_> {
    #[inline]
    fn to_sql(&self) -> duckdb::Result<types::ToSqlOutput<'_>> {
        Ok(types::ToSqlOutput::Borrowed(match self.0 {
            SqlValueRef::Null => types::ValueRef::Null,
            SqlValueRef::Integer(number) => types::ValueRef::BigInt(number),
            SqlValueRef::Real(number) => types::ValueRef::Double(number),
            SqlValueRef::Text(bytes) => types::ValueRef::Text(bytes),
            SqlValueRef::Blob(bytes) => types::ValueRef::Blob(bytes),
        }))
    }
}

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
            Ok(types::ValueRef::Boolean(is_so)) => SqlValueRef::Integer(i64::from(is_so)),
            Ok(types::ValueRef::TinyInt(number)) => SqlValueRef::Integer(i64::from(number)),
            Ok(types::ValueRef::SmallInt(number)) => SqlValueRef::Integer(i64::from(number)),
            Ok(types::ValueRef::UTinyInt(number)) => SqlValueRef::Integer(i64::from(number)),
            Ok(types::ValueRef::USmallInt(number)) => SqlValueRef::Integer(i64::from(number)),
            Ok(types::ValueRef::UInt(number)) => SqlValueRef::Integer(i64::from(number)),
            Ok(types::ValueRef::Float(number)) => SqlValueRef::Real(f64::from(number)),
            // NULL in the place of other types makes verification fail.
            Ok(_) | Err(_) => SqlValueRef::Null,
        }
    }
}
