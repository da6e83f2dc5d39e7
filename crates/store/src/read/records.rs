//! Records read back as they were written.

use super::super::{Store, StoreError, record::Record};
use duckdb::ToSql;
use serde::de::DeserializeOwned;

impl Store {
    /// The records of a table that meet a condition of SQL with `?` for its parameters, in the order of an expression.
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
