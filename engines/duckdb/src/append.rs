//! Inserts through DuckDB's appender, which accepts rows without running a statement for each.

use super::{connection::failed, statement::DuckDbParameter};
use dbdyno_engine::{EngineError, describe::OptionSpec, sql::SqlValue, suite::SuiteKind};
use duckdb::{Appender, Connection, appender_params_from_iter};

/// Returns the option for the way of inserting: programs that load many rows into DuckDB use an appender, and a suite's statements cannot
/// express that.
pub(crate) fn insert() -> OptionSpec {
    OptionSpec::choice(
        "insert",
        &["statement", "appender"],
        "statement",
        "how a row is inserted: by its statement, or by DuckDB's appender, which is much faster and reports a wrong row when it commits",
    )
    .only_for(SuiteKind::Sql)
    .tune(&[])
}

/// A statement that inserts its parameters, in their order, as one row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RowInsert<'s> {
    table: &'s str,
    /// Empty: all columns of the table.
    columns: Vec<&'s str>,
}

impl<'s> RowInsert<'s> {
    /// Parses a statement; `None` if it does something else, which an appender cannot do.
    fn of(sql: &'s str) -> Option<Self> {
        let (place, values) = sql.strip_prefix("INSERT INTO ")?.split_once(" VALUES ")?;
        let mut values = listed(values)?.into_iter().zip(1..);
        let in_order = values.all(|(value, number)| value.strip_prefix('?').is_some_and(|of| of == number.to_string()));
        let (table, columns) = match place.find('(') {
            Some(at) => (place[..at].trim(), listed(&place[at..])?),
            None => (place.trim(), Vec::new()),
        };
        let is_name = |text: &&str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        (in_order && is_name(&table) && columns.iter().all(is_name)).then_some(Self { table, columns })
    }
}

/// Splits a bracketed list at its commas.
fn listed(text: &str) -> Option<Vec<&str>> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some(inside.split(',').map(str::trim).collect())
}

/// The appenders of a session. Rows wait in them, so they are written before any other statement runs.
#[derive(Debug)]
pub(crate) struct Appenders<'e> {
    connection: &'e Connection,
    /// Whether the option selects appenders.
    wanted: bool,
    each: Vec<(RowInsert<'e>, Option<Appender<'e>>)>,
}

impl<'e> Appenders<'e> {
    pub(crate) fn new(connection: &'e Connection, wanted: bool) -> Self {
        Self { connection, wanted, each: Vec::new() }
    }

    /// Returns the number of an appender for a statement, if the option selects appenders and one can execute it.
    pub(crate) fn number_for(&mut self, sql: &'e str) -> Option<usize> {
        let insert = self.wanted.then(|| RowInsert::of(sql))??;
        self.each.push((insert, None));
        Some(self.each.len() - 1)
    }

    #[inline]
    pub(crate) fn append(&mut self, number: usize, values: &[SqlValue]) -> Result<(), EngineError> {
        let (insert, appender) = &mut self.each[number];
        let appender = match appender {
            Some(appender) => appender,
            None => {
                let RowInsert { table, columns } = insert;
                let made = match columns.as_slice() {
                    [] => self.connection.appender(table),
                    columns => self.connection.appender_with_columns(table, columns),
                };
                appender.insert(made.map_err(failed)?)
            }
        };
        let values = values.iter().map(|value| DuckDbParameter(value.as_ref()));
        appender.append_row(appender_params_from_iter(values)).map_err(failed)
    }

    /// Writes the waiting rows, in the order in which their tables first received a row.
    #[inline]
    pub(crate) fn write(&mut self) -> Result<(), EngineError> {
        self.each
            .iter_mut()
            .filter_map(|(_, appender)| appender.as_mut())
            .try_for_each(|appender| appender.flush())
            .map_err(failed)
    }

    /// Writes the waiting rows, and ends the appenders: an appender knows its table only as it was when it began, and writes its rows when
    /// it is dropped.
    pub(crate) fn end(&mut self) -> Result<(), EngineError> {
        let written = self.write();
        self.each.iter_mut().for_each(|(_, appender)| *appender = None);
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_parameters_is_appended_and_nothing_else() {
        let of = |sql| RowInsert::of(sql).map(|insert| (insert.table, insert.columns));
        assert_eq!(of("INSERT INTO t1 VALUES (?1, ?2, ?3)"), Some(("t1", vec![])));
        assert_eq!(of("INSERT INTO users(id, email) VALUES (?1, ?2)"), Some(("users", vec!["id", "email"])));
        for other in [
            "INSERT INTO t VALUES (?2, ?1)",
            "INSERT INTO t VALUES (?1, 7)",
            "INSERT INTO t VALUES (?1, ?1 + ?2)",
            "INSERT INTO t VALUES (?1), (?2)",
            "INSERT INTO t VALUES (?1) ON CONFLICT DO NOTHING",
            "INSERT INTO other.t VALUES (?1)",
            "INSERT OR REPLACE INTO t VALUES (?1)",
            "INSERT INTO t SELECT * FROM s",
            "DELETE FROM t WHERE id = ?1",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
