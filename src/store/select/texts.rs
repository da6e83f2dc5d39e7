//! Answers of queries as texts, with what the texts of each column stand for.

use duckdb::{Connection, ToSql, params_from_iter};

/// The answer of a query, every value as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextRows {
    pub columns: Vec<String>,
    /// What the values of each column are, in their order; of columns beyond the last one they are texts.
    pub kinds: Vec<ColumnKind>,
    /// The rows; none is SQL's NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColumnKind {
    #[default]
    Text,
    /// Whole, decimal, or `nan` and `inf` with its signs.
    Number,
    /// `true` or `false`.
    Flag,
    /// A document of JSON.
    Json,
}

/// A relation's column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct TypedColumn {
    pub(in crate::store) name: String,
    /// DuckDB's word for its type.
    pub(in crate::store) sql_type: String,
}

impl TypedColumn {
    /// Whether its values have parts.
    pub(in crate::store) fn is_nested(&self) -> bool {
        let sql_type = &self.sql_type;
        sql_type.ends_with(']') || ["MAP(", "STRUCT("].iter().any(|begin| sql_type.starts_with(begin))
    }

    fn kind(&self) -> ColumnKind {
        match self.sql_type.as_str() {
            "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "HUGEINT" | "UTINYINT" | "USMALLINT" | "UINTEGER"
            | "UBIGINT" | "UHUGEINT" | "FLOAT" | "DOUBLE" => ColumnKind::Number,
            decimal if decimal.starts_with("DECIMAL(") && decimal.ends_with(')') => ColumnKind::Number,
            "BOOLEAN" => ColumnKind::Flag,
            "JSON" => ColumnKind::Json,
            _ => ColumnKind::Text,
        }
    }
}

/// A relation's columns. The driver panics at a result with a name that is not UTF-8; here DuckDB refuses it.
pub(in crate::store) fn columns_of(
    connection: &Connection,
    relation: &str,
    parameters: &[&dyn ToSql],
) -> duckdb::Result<Vec<TypedColumn>> {
    let sql = format!("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {relation})");
    let mut statement = connection.prepare(&sql)?;
    let columns = statement
        .query_map(params_from_iter(parameters), |row| Ok(TypedColumn { name: row.get(0)?, sql_type: row.get(1)? }));
    columns.and_then(Iterator::collect).map_err(|error| match error {
        duckdb::Error::DuckDBFailure(code, Some(message)) if message.contains("Invalid unicode") => {
            duckdb::Error::DuckDBFailure(code, Some("the name of a column is not UTF-8".to_owned()))
        }
        other => other,
    })
}

/// The names of a relation's columns.
pub(in crate::store) fn column_names(
    connection: &Connection,
    relation: &str,
    parameters: &[&dyn ToSql],
) -> duckdb::Result<Vec<String>> {
    Ok(columns_of(connection, relation, parameters)?.into_iter().map(|column| column.name).collect())
}

/// A query of a relation's values; the engine turns them into text, nested ones too.
pub(super) fn query(relation: &str) -> String {
    format!("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {relation}")
}

/// All of a relation, each value as the text that the engine makes of it.
pub(super) fn of(connection: &Connection, relation: &str, parameters: &[&dyn ToSql]) -> duckdb::Result<TextRows> {
    let columns = columns_of(connection, relation, parameters)?;
    let rows = read(connection, &query(&plainly_named(relation, columns.len())), parameters)?.rows;
    Ok(TextRows { rows, ..heads(columns) })
}

/// A relation whose columns are `c0`, `c1` and so on: names may be any bytes where a file of somebody's has them.
pub(super) fn plainly_named(relation: &str, columns: usize) -> String {
    let plain = (0..columns).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
    format!("{relation} AS answer ({plain})")
}

/// An answer with these columns, and no row yet.
pub(super) fn heads(columns: Vec<TypedColumn>) -> TextRows {
    let kinds = columns.iter().map(TypedColumn::kind).collect();
    TextRows { columns: columns.into_iter().map(|column| column.name).collect(), kinds, rows: Vec::new() }
}

/// The answer of a query whose values are text.
pub(super) fn read(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> duckdb::Result<TextRows> {
    let mut statement = connection.prepare(sql)?;
    let mut answer = TextRows::default();
    let mut rows = statement.query(params_from_iter(parameters))?;
    while let Some(row) = rows.next()? {
        let width = row.as_ref().column_count();
        answer.rows.push((0..width).map(|at| row.get::<_, Option<String>>(at)).collect::<duckdb::Result<_>>()?);
    }
    drop(rows);
    answer.columns = statement.column_names();
    Ok(answer)
}
