//! The order of a list's rows, and how many of them are returned.

use super::{super::StoreError, TextRows, TypedColumn};

/// A column that rows are sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// The list's word for it.
    pub column: String,
    /// Greatest first.
    pub descending: bool,
}

impl SortKey {
    /// Reads `COLUMN`, `COLUMN:asc` or `COLUMN:desc`.
    ///
    /// # Errors
    /// The text names no column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (column, descending) = match text.trim().rsplit_once(':') {
            Some((column, "desc")) => (column, true),
            Some((column, "asc")) => (column, false),
            // A name may contain colons.
            _ => (text.trim(), false),
        };
        match column.is_empty() {
            true => Err(format!("`{text}`: expected COLUMN, or COLUMN:desc for descending order")),
            false => Ok(Self { column: column.to_owned(), descending }),
        }
    }

    /// Returns the ORDER BY clause of these SQL expressions; rows without a value come last in either direction.
    pub(super) fn clause(&self, expressions: &[String]) -> String {
        let direction = if self.descending { "DESC" } else { "ASC" };
        let each = expressions.iter().map(|expression| format!("{expression} {direction} NULLS LAST"));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// The order of a list, and its maximum length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListOrder {
    /// Sorts before the list's default order.
    pub sort: Option<SortKey>,
    /// Maximum number of rows; none: all.
    pub limit: Option<u64>,
}

/// The rows of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedRows {
    pub rows: TextRows,
    /// Number of rows beyond the limit.
    pub beyond: u64,
}

/// Returns at most `limit` rows of a query. `ask` answers a query with the parameters of this one.
pub(super) fn limited(
    sql: &str,
    limit: Option<u64>,
    ask: impl Fn(&str) -> Result<TextRows, StoreError>,
) -> Result<ListedRows, StoreError> {
    let Some(limit) = limit else { return Ok(ListedRows { rows: ask(sql)?, beyond: 0 }) };
    let rows = ask(&format!("{sql} LIMIT {limit}"))?;
    if (rows.rows.len() as u64) < limit {
        return Ok(ListedRows { rows, beyond: 0 });
    }
    let counted = ask(&format!("SELECT count(*) AS rows FROM ({sql})"))?.rows;
    let all = counted.get(0).and_then(|row| row.get(0)?.parse::<u64>().ok()).unwrap_or(limit);
    Ok(ListedRows { rows, beyond: all.saturating_sub(limit) })
}

/// Returns SQL for sorting by a column whose value is this SQL: numbers as numbers, even in texts, and the parts of sizes and versions
/// separately.
pub(super) fn by_value(column: &TypedColumn, value: &str) -> Vec<String> {
    match (column.name.as_str(), column.sql_type.as_str()) {
        ("size", _) => parts(value, ","),
        ("engine_version" | "version", _) => parts(value, "."),
        (_, "VARCHAR") => vec![format!("TRY_CAST({value} AS DOUBLE)"), value.to_owned()],
        _ => vec![value.to_owned()],
    }
}

fn parts(value: &str, between: &str) -> Vec<String> {
    vec![format!("[TRY_CAST(part AS DOUBLE) FOR part IN string_split({value}, '{between}')]"), value.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_have_a_direction_and_colons_of_its_own() {
        let key = |column: &str, descending| Ok(SortKey { column: column.to_owned(), descending });
        assert_eq!(SortKey::parse("wall_ns"), key("wall_ns", false));
        assert_eq!(SortKey::parse(" wall_ns:desc "), key("wall_ns", true));
        assert_eq!(SortKey::parse("a:b:asc"), key("a:b", false));
        assert_eq!(SortKey::parse("a:b"), key("a:b", false));
        assert!(SortKey::parse(":desc").unwrap_err().contains("COLUMN:desc"));
        assert!(SortKey::parse(" ").is_err());
    }
}
