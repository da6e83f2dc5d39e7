//! Answers of many rows, read column by column: a chunk of rows holds each column as an array of its own type.

use super::super::StoreError;
use duckdb::{
    Connection, ToSql,
    arrow::{
        array::{
            Array, ArrowPrimitiveType, AsArray, BinaryArray, BooleanArray, PrimitiveArray, RecordBatch, StringArray,
        },
        buffer::NullBuffer,
        datatypes::DataType,
    },
    params_from_iter,
};

/// Passes the rows of one of this program's queries to `take`, one chunk at a time; the chunks are not kept.
pub(super) fn each_chunk(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    mut take: impl FnMut(&Chunk) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    let mut statement = connection.prepare(sql).map_err(wrong)?;
    for batch in statement.stream_arrow(params_from_iter(parameters)).map_err(wrong)? {
        take(&Chunk(batch.map_err(wrong)?))?;
    }
    Ok(())
}

/// A chunk of rows.
#[derive(Debug)]
pub(super) struct Chunk(RecordBatch);

impl Chunk {
    pub(super) fn rows(&self) -> std::ops::Range<usize> {
        0..self.0.num_rows()
    }

    /// Returns a column of numbers of one type.
    pub(super) fn numbers<T: ArrowPrimitiveType>(&self, name: &str) -> Result<&PrimitiveArray<T>, StoreError> {
        self.column(name, |column| column.as_primitive_opt(), &T::DATA_TYPE)
    }

    pub(super) fn texts(&self, name: &str) -> Result<&StringArray, StoreError> {
        self.column(name, |column| column.as_string_opt(), &DataType::Utf8)
    }

    pub(super) fn flags(&self, name: &str) -> Result<&BooleanArray, StoreError> {
        self.column(name, |column| column.as_boolean_opt(), &DataType::Boolean)
    }

    pub(super) fn bytes(&self, name: &str) -> Result<&BinaryArray, StoreError> {
        self.column(name, |column| column.as_binary_opt(), &DataType::Binary)
    }

    fn column<'c, T>(
        &'c self,
        name: &str,
        read: impl Fn(&'c dyn Array) -> Option<&'c T>,
        expected: &DataType,
    ) -> Result<&'c T, StoreError> {
        let unread = |found: &str| StoreError::Query {
            message: format!("stored rows cannot be read: column `{name}`: expected {expected}, found {found}"),
        };
        let column = self.0.column_by_name(name).ok_or_else(|| unread("no such column"))?;
        read(column.as_ref()).ok_or_else(|| unread(&column.data_type().to_string()))
    }
}

/// Returns a value, or `None` if the column has NULL.
#[inline]
pub(super) fn number<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    has(column.nulls(), row).then(|| column.value(row))
}

/// Returns a text, or `None` if the column has NULL.
#[inline]
pub(super) fn text(column: &StringArray, row: usize) -> Option<&str> {
    has(column.nulls(), row).then(|| column.value(row))
}

/// Returns a flag, or `None` if the column has NULL.
#[inline]
pub(super) fn flag(column: &BooleanArray, row: usize) -> Option<bool> {
    has(column.nulls(), row).then(|| column.value(row))
}

/// Returns bytes, or `None` if the column has NULL.
#[inline]
pub(super) fn bytes(column: &BinaryArray, row: usize) -> Option<&[u8]> {
    has(column.nulls(), row).then(|| column.value(row))
}

/// Whether the row has a value. Most columns have no NULL at all.
#[inline]
fn has(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_none_or(|nulls| nulls.is_valid(row))
}
