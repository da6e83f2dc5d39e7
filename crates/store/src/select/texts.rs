//! Answers of queries as texts, with the kind of each column.

use super::cells::TextCells;
use duckdb::{
    Connection, ToSql,
    arrow::array::{Array, AsArray, RecordBatch, StringArray},
    params_from_iter,
};
use std::ops::ControlFlow;

/// The answer of a query, every value as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextRows {
    pub columns: Vec<String>,
    /// The kind of each column, in order; columns beyond the last entry are texts.
    pub kinds: Vec<ColumnKind>,
    pub rows: TextCells,
}

impl TextRows {
    /// Rows of these columns.
    pub fn new<T: AsRef<str>>(
        columns: Vec<String>,
        kinds: Vec<ColumnKind>,
        rows: impl IntoIterator<Item = impl IntoIterator<Item = Option<T>>>,
    ) -> Self {
        let mut cells = TextCells::new(columns.len());
        for row in rows {
            cells.push(row);
        }
        Self { columns, kinds, rows: cells }
    }
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColumnKind {
    #[default]
    Text,
    /// An integer, a decimal, or `nan` and `inf` with a sign.
    Number,
    /// `true` or `false`.
    Flag,
    /// A JSON document.
    Json,
}

/// A relation's column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedColumn {
    pub(crate) name: String,
    /// DuckDB's name of its type.
    pub(crate) sql_type: String,
}

impl TypedColumn {
    /// Whether its values have parts.
    pub(crate) fn is_nested(&self) -> bool {
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

/// Returns a relation's columns. The driver panics at a result with a name that is not UTF-8; here DuckDB refuses it.
pub(crate) fn columns_of(
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

/// Returns the names of a relation's columns.
pub(crate) fn column_names(
    connection: &Connection,
    relation: &str,
    parameters: &[&dyn ToSql],
) -> duckdb::Result<Vec<String>> {
    Ok(columns_of(connection, relation, parameters)?.into_iter().map(|column| column.name).collect())
}

/// Returns a query of a relation's values; DuckDB converts them to text, including nested ones.
pub(super) fn query(relation: &str) -> String {
    format!("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {relation}")
}

/// Returns all rows of a relation, each value as the text that DuckDB converts it to.
pub(super) fn of(connection: &Connection, relation: &str, parameters: &[&dyn ToSql]) -> duckdb::Result<TextRows> {
    let mut answer = heads(columns_of(connection, relation, parameters)?);
    let sql = query(&plainly_named(relation, answer.columns.len()));
    stream(connection, &sql, parameters, |row| {
        answer.rows.push(row.iter().copied());
        ControlFlow::Continue(())
    })?;
    Ok(answer)
}

/// Returns a relation whose columns are `c0`, `c1` and so on, because names in files of other users may be any bytes.
pub(super) fn plainly_named(relation: &str, columns: usize) -> String {
    let plain = (0..columns).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
    format!("{relation} AS answer ({plain})")
}

/// Returns an answer with these columns, and no rows yet.
pub(super) fn heads(columns: Vec<TypedColumn>) -> TextRows {
    let kinds = columns.iter().map(TypedColumn::kind).collect();
    let columns: Vec<String> = columns.into_iter().map(|column| column.name).collect();
    TextRows { rows: TextCells::new(columns.len()), columns, kinds }
}

/// Returns the plan of a query.
pub(super) fn plan(connection: &Connection, sql: &str) -> duckdb::Result<TextRows> {
    let mut statement = connection.prepare(sql)?;
    let mut lines: Vec<Vec<Option<String>>> = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let width = row.as_ref().column_count();
        lines.push((0..width).map(|at| row.get(at)).collect::<duckdb::Result<_>>()?);
    }
    drop(rows);
    Ok(TextRows::new(statement.column_names(), Vec::new(), lines))
}

/// Passes the rows of a query whose values are text to `take`, with only some of them in memory at a time.
pub(super) fn stream(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    mut take: impl FnMut(&[Option<&str>]) -> ControlFlow<()>,
) -> duckdb::Result<()> {
    let mut statement = connection.prepare(sql)?;
    for batch in statement.stream_arrow(params_from_iter(parameters))? {
        let batch: RecordBatch = batch?;
        let columns: Vec<Option<&StringArray>> =
            batch.columns().iter().map(|column| column.as_string_opt::<i32>()).collect();
        for at in 0..batch.num_rows() {
            let row: Vec<Option<&str>> = columns.iter().map(|column| text_at(*column, at)).collect();
            if take(&row).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn text_at(texts: Option<&StringArray>, at: usize) -> Option<&str> {
    texts.filter(|texts| texts.is_valid(at)).map(|texts| texts.value(at))
}
