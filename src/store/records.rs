//! Records read back as they were written.

use super::{Store, StoreError, record::Record};
use duckdb::ToSql;
use serde::de::DeserializeOwned;

impl Store {
    /// The records of a table that meet a condition of SQL with `?` for its parameters, in the order of an expression.
    pub(super) fn records<R: Record + DeserializeOwned>(
        &self,
        condition: &str,
        order: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<R>, StoreError> {
        let table = R::TABLE;
        let types = "SELECT column_name, data_type FROM duckdb_columns() WHERE NOT internal AND table_name = ?";
        let types = self.query(types, &[&table])?.rows;
        let type_of = |column: &str| {
            let row = types.iter().find(|row| row.first().is_some_and(|name| name.as_deref() == Some(column)));
            row.and_then(|row| row.get(1)?.as_deref()).unwrap_or_default()
        };
        let columns: Vec<String> = R::COLUMNS.iter().map(|column| as_json(column, type_of(column))).collect();
        let sql = format!(
            "SELECT to_json(r) FROM (SELECT {}, {order} AS place FROM {table} WHERE {condition}) r ORDER BY r.place",
            columns.join(", ")
        );
        let unreadable =
            |error: serde_json::Error| StoreError::Query { message: format!("a row of the table {table}: {error}") };
        let rows = self.query(&sql, parameters)?.rows;
        rows.into_iter().flatten().flatten().map(|text| serde_json::from_str(&text).map_err(unreadable)).collect()
    }
}

/// A column as its record has it in JSON.
fn as_json(column: &str, data_type: &str) -> String {
    let value = match data_type {
        "TIMESTAMP" => format!("strftime({column}, '%Y-%m-%dT%H:%M:%S.%fZ')"),
        "BLOB" => format!("base64({column})"),
        "UUID" | "JSON" => format!("{column}::VARCHAR"),
        _ => column.to_owned(),
    };
    format!("{value} AS {column}")
}
