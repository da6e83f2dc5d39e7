//! Records, read back in the form in which they were written.

use super::super::{Store, StoreError, record::Record};
use duckdb::ToSql;
use serde::de::DeserializeOwned;

impl Store {
    /// Returns the records of a table that meet an SQL condition, with `?` for its parameters, in the order of an expression.
    pub(crate) fn records<R: Record + DeserializeOwned>(
        &self,
        condition: &str,
        order: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<R>, StoreError> {
        let (columns, table) = (R::columns().join(", "), R::TABLE);
        self.rows(&format!("SELECT {columns} FROM {table} WHERE {condition} ORDER BY {order}"), parameters)
    }
}
