//! Answers of users' queries of any size: as much as is shown, or row by row for a file. Memory use does not grow with the answer.

use super::{
    super::{Store, StoreError},
    ReadStatement, TextCells, TextRows, asked, texts, wrong,
};
use duckdb::Connection;
use std::ops::ControlFlow;

/// Maximum bytes of text that are read of an answer, because single values may be large.
const MOST_BYTES: usize = 32 << 20;

/// The requested part of an answer, and its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerPart {
    pub most_rows: usize,
    /// None: in the query's own order.
    pub order: Option<AnswerOrder>,
}

/// The order of an answer by one of its columns; unknown values come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerOrder {
    /// From 0.
    pub column: usize,
    pub descending: bool,
}

/// The first rows of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialAnswer {
    pub rows: TextRows,
    /// Number of rows of the whole answer.
    pub total: u64,
    /// Whether it is a plan, which cannot be ordered.
    pub is_plan: bool,
}

impl Store {
    /// Runs a user's query as [`Store::ask`] does, and holds no more of its answer than requested.
    ///
    /// # Errors
    /// The same as those of [`Store::ask`].
    pub fn ask_part(&self, sql: &str, part: AnswerPart) -> Result<PartialAnswer, StoreError> {
        self.reading(|connection| match asked(connection, sql)? {
            ReadStatement::Query(sql) => first_rows(connection, sql, part),
            ReadStatement::Plan(sql) => {
                let rows = texts::plan(connection, sql).map_err(wrong)?;
                Ok(PartialAnswer { total: rows.rows.len() as u64, rows, is_plan: true })
            }
        })
    }

    /// Runs a user's query and passes its answer to `take`: first the columns without rows, then each row.
    ///
    /// # Errors
    /// The same as those of [`Store::ask`], and errors that `take` returns.
    pub fn ask_whole<E: From<StoreError>>(
        &self,
        sql: &str,
        order: Option<AnswerOrder>,
        mut take: impl FnMut(&TextRows, Option<&[Option<&str>]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        let mut taken = |heads: &TextRows, row: Option<&[Option<&str>]>| match take(heads, row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let read = self.reading(|connection| match asked(connection, sql)? {
            ReadStatement::Query(sql) => {
                let query = UserQuery::of(connection, sql)?;
                if taken(&query.heads, None).is_continue() {
                    query.each(connection, order, None, |row| taken(&query.heads, Some(row)))?;
                }
                Ok(())
            }
            ReadStatement::Plan(sql) => {
                let plan = texts::plan(connection, sql).map_err(wrong)?;
                let rows = plan.rows.iter().map(|row| row.iter().collect::<Vec<_>>());
                let _ = taken(&plan, None).is_continue()
                    && rows.map(|row| taken(&plan, Some(&row))).all(|flow| flow.is_continue());
                Ok(())
            }
        });
        // Return the error of `take`, not the interruption that it caused.
        failed.map_or_else(|| read.map_err(E::from), Err)
    }
}

fn first_rows(connection: &Connection, sql: &str, part: AnswerPart) -> Result<PartialAnswer, StoreError> {
    let query = UserQuery::of(connection, sql)?;
    let mut rows = TextCells::new(query.heads.columns.len());
    let mut bytes = 0;
    let mut is_cut = false;
    // One more row shows whether there are more.
    query.each(connection, part.order, Some(part.most_rows + 1), |row| {
        is_cut = rows.len() == part.most_rows || bytes > MOST_BYTES;
        if is_cut {
            return ControlFlow::Break(());
        }
        bytes += row.iter().flatten().map(|text| text.len()).sum::<usize>();
        rows.push(row.iter().copied());
        ControlFlow::Continue(())
    })?;
    let total = if is_cut { query.count(connection)? } else { rows.len() as u64 };
    Ok(PartialAnswer { rows: TextRows { rows, ..query.heads }, total, is_plan: false })
}

/// A user's query as a relation for other queries.
struct UserQuery<'s> {
    sql: &'s str,
    /// The query in brackets, on its own lines: see [`in_own_lines`].
    relation: String,
    /// The columns of its answer.
    heads: TextRows,
}

impl<'s> UserQuery<'s> {
    fn of(connection: &Connection, sql: &'s str) -> Result<Self, StoreError> {
        let relation = format!("(\n{sql}\n)");
        let columns = texts::columns_of(connection, &relation, &[]).map_err(|error| found(connection, sql, error))?;
        Ok(Self { sql, relation, heads: texts::heads(columns) })
    }

    /// Passes rows of the answer to `take` until it stops.
    fn each(
        &self,
        connection: &Connection,
        order: Option<AnswerOrder>,
        most_rows: Option<usize>,
        take: impl FnMut(&[Option<&str>]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let named = texts::plainly_named(&self.relation, self.heads.columns.len());
        let order = order.map_or_else(String::new, |AnswerOrder { column, descending }| {
            format!(" ORDER BY c{column} {} NULLS LAST", if descending { "DESC" } else { "ASC" })
        });
        let limit = most_rows.map_or_else(String::new, |rows| format!(" LIMIT {rows}"));
        let sql = texts::query(&format!("(FROM {named}{order}{limit})"));
        texts::stream(connection, &sql, &[], take).map_err(|error| found(connection, self.sql, error))
    }

    fn count(&self, connection: &Connection) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*)::UBIGINT FROM {}", self.relation);
        connection.query_row(&sql, [], |row| row.get(0)).map_err(|error| found(connection, self.sql, error))
    }
}

/// Returns the error of the query itself if it has one; otherwise that of the query around it, with the user's line numbers.
fn found(connection: &Connection, sql: &str, error: duckdb::Error) -> StoreError {
    match connection.prepare(sql).err() {
        Some(own) => wrong(own),
        None => StoreError::Query { message: in_own_lines(&error.to_string()) },
    }
}

/// Converts a message about a query that is below one line of ours to one about the query alone.
fn in_own_lines(message: &str) -> String {
    let shifted = || {
        let (what, place) = message.split_once("\n\nLINE ")?;
        let (number, excerpt) = place.split_once(':')?;
        let own = number.parse::<usize>().ok()?.checked_sub(1).filter(|own| *own > 0)?.to_string();
        // Keep the sign below its position when the number becomes shorter.
        let shorter = number.len() - own.len();
        let (line, sign) = excerpt.split_once('\n').unwrap_or((excerpt, ""));
        Some(format!("{what}\n\nLINE {own}:{line}\n{}", sign.get(shorter..).unwrap_or_default()))
    };
    shifted().unwrap_or_else(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::connect::{Reach, memory},
        *,
    };

    fn part(sql: &str, most_rows: usize, order: Option<AnswerOrder>) -> PartialAnswer {
        first_rows(&memory(&Reach::Nothing).unwrap(), sql, AnswerPart { most_rows, order }).unwrap()
    }

    #[test]
    fn no_more_is_kept_than_is_wanted_and_all_is_counted() {
        let all = part("SELECT i FROM range(5) t(i)", 5, None);
        assert_eq!((all.rows.rows.len(), all.total), (5, 5));
        let cut = part("SELECT i FROM range(1000000) t(i) -- many", 5, None);
        assert_eq!((cut.rows.rows.len(), cut.total), (5, 1_000_000));
        let large = part("SELECT repeat('x', 1000000) FROM range(100)", 100, None);
        assert!(large.rows.rows.len() < 50 && large.total == 100, "{}", large.rows.rows.len());
    }

    #[test]
    fn the_whole_answer_is_ordered_by_values_and_not_by_texts() {
        let order = |descending| Some(AnswerOrder { column: 1, descending });
        let sql = "SELECT 'x', nullif(i, 3) FROM range(200) t(i)";
        let values = |answer: PartialAnswer| -> Vec<Option<String>> {
            answer.rows.rows.iter().map(|row| row.get(1).map(str::to_owned)).collect()
        };
        assert_eq!(values(part(sql, 2, order(true))), [Some("199".to_owned()), Some("198".to_owned())]);
        assert_eq!(values(part(sql, 200, order(false))).last(), Some(&None), "what is not known comes last");
    }

    #[test]
    fn an_error_while_it_runs_names_the_line_that_the_user_wrote() {
        let connection = memory(&Reach::Nothing).unwrap();
        let sql = "SELECT i,\n  CAST('x' || i AS INTEGER)\nFROM range(3) t(i)";
        let wrong = AnswerPart { most_rows: 9, order: None };
        let message = first_rows(&connection, sql, wrong).unwrap_err().to_string();
        assert!(!message.contains("COLUMNS(*)"), "{message}");
        let text = "Bad\n\nLINE 10: nope\n         ^";
        assert_eq!(in_own_lines(text), "Bad\n\nLINE 9: nope\n        ^");
        assert_eq!(in_own_lines("Bad\n\nLINE 1: x"), "Bad\n\nLINE 1: x");
    }
}
