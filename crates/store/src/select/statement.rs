//! Classification of a user's SQL text by DuckDB's parser, before any of it is prepared: preparing several statements runs all but the
//! last.

use duckdb::Connection;
use serde::Deserialize;

/// A text that only reads, without anything after its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadStatement<'s> {
    /// One query, which can be used in the FROM clause of another.
    Query(&'s str),
    Plan(&'s str),
}

/// Classifies a text; the error says what is wrong with it and what to do.
pub(super) fn asked<'s>(connection: &Connection, sql: &'s str) -> Result<ReadStatement<'s>, String> {
    let query = match queries(connection, sql)? {
        Some(0) => return Err(format!("no statement found: expected a query, {EXPECTED}")),
        Some(1) => Ok(ReadStatement::Query(bare(connection, sql))),
        Some(several) => return Err(format!("expected one query, found {several}: none of them was run")),
        None => Err(format!(
            "this is not one query, and was not run: only queries are allowed here, {EXPECTED} (a PIVOT must name its \
             values: PIVOT ... ON column IN (...))"
        )),
    };
    let is_plan = explained(sql).is_some_and(|of| queries(connection, of).is_ok_and(|count| count == Some(1)));
    if is_plan { Ok(ReadStatement::Plan(bare(connection, sql))) } else { query }
}

const EXPECTED: &str = "such as SELECT, WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN";

/// The answer of DuckDB's parser.
#[derive(Deserialize)]
struct Parsed {
    error: bool,
    #[serde(default)]
    error_type: String,
    #[serde(default)]
    error_message: String,
    /// Position of the mistake: bytes from the beginning.
    #[serde(default)]
    position: Option<String>,
    #[serde(default)]
    statements: Vec<serde::de::IgnoredAny>,
}

/// Counts the queries of a text; `None` if it has any other statement. A syntax error is returned in the parser's words.
fn queries(connection: &Connection, sql: &str) -> Result<Option<usize>, String> {
    // The function accepts queries only, and rejects every other statement.
    let tree = connection.query_row("SELECT system.main.json_serialize_sql(?)", [sql], |row| row.get::<_, String>(0));
    let parsed: Parsed =
        serde_json::from_str(&tree.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    match parsed {
        Parsed { error: false, statements, .. } => Ok(Some(statements.len())),
        Parsed { error_type, error_message, position, .. } if error_type == "parser" => {
            let at = position.and_then(|position| position.parse().ok());
            Err(at.map_or(error_message.clone(), |at| pointed(sql, &error_message, at)))
        }
        _ => Ok(None),
    }
}

/// Adds to a message the line that it is about, with a sign below the position, in DuckDB's format for other mistakes.
fn pointed(sql: &str, message: &str, at: usize) -> String {
    let at = (0..=at.min(sql.len())).rev().find(|at| sql.is_char_boundary(*at)).unwrap_or(0);
    let before = &sql[..at];
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let line = sql[begin..].lines().next().unwrap_or_default();
    let head = format!("LINE {}: ", before.matches('\n').count() + 1);
    let sign = " ".repeat(head.chars().count() + sql[begin..at].chars().count());
    format!("{message}\n\n{head}{line}\n{sign}^")
}

/// Returns a statement without the semicolon and the comment that may follow it.
fn bare<'s>(connection: &Connection, sql: &'s str) -> &'s str {
    let count = |text: &str| queries(connection, text);
    let mut statement = sql;
    while let Some((before, after)) = statement.rsplit_once(';') {
        if count(after) != Ok(Some(0)) || count(before) != count(statement) {
            break;
        }
        statement = before;
    }
    statement
}

/// Returns the query that an EXPLAIN explains.
fn explained(sql: &str) -> Option<&str> {
    let after = |text: &'static str, sql: &str| {
        let begins = sql.get(..text.len()).is_some_and(|word| word.eq_ignore_ascii_case(text));
        begins.then_some(text.len())
    };
    let sql = sql.trim_start();
    let of = sql[after("EXPLAIN", sql)?..].trim_start();
    Some(after("ANALYZE", of).map_or(of, |length| &of[length..]))
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::connect::{Reach, memory},
        *,
    };

    #[test]
    fn what_only_reads_is_told_from_all_else() {
        let connection = memory(&Reach::Nothing).unwrap();
        let asked = |sql| asked(&connection, sql);
        for query in [
            "SELECT 1",
            "WITH a AS (SELECT 1) FROM a",
            "VALUES (1)",
            "FROM nowhere",
            "DESCRIBE nowhere",
            "SUMMARIZE nowhere",
            "SHOW TABLES",
            "(SELECT 1) UNION (SELECT ';--')",
            "/* SELECT; */ SELECT ';'",
            "SELECT 1 -- one",
        ] {
            assert_eq!(asked(query), Ok(ReadStatement::Query(query)));
        }
        assert_eq!(asked("SELECT 1; -- one"), Ok(ReadStatement::Query("SELECT 1")));
        assert_eq!(asked("SELECT ';' ; ;"), Ok(ReadStatement::Query("SELECT ';' ")));
        for plan in ["EXPLAIN SELECT 1", " explain analyze FROM nowhere"] {
            assert_eq!(asked(plan), Ok(ReadStatement::Plan(plan)));
        }
        for other in [
            "COPY (SELECT 1) TO 'x'",
            "ATTACH 'x'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "PRAGMA version",
            "SET threads = 1",
            "USE x",
            "CALL pragma_version()",
            "CREATE TABLE a (i INTEGER)",
            "DELETE FROM run",
            "BEGIN",
            "CHECKPOINT",
            "EXECUTE x",
            "PREPARE x AS SELECT 1",
            "EXPORT DATABASE 'x'",
            "IMPORT DATABASE 'x'",
            "EXPLAIN ANALYZE DELETE FROM run",
            "EXPLAIN ANALYZE COPY (SELECT 1) TO 'x'",
            "SELECT 1; COPY (SELECT 1) TO 'x'",
            "COPY (SELECT 1) TO 'x'; SELECT 1",
        ] {
            assert!(asked(other).unwrap_err().contains("was not run"), "{other}");
        }
        assert!(asked("SELECT 1; --\n;SELECT 2").unwrap_err().contains("found 2"));
        assert_eq!(
            asked("SELECT 1,\n FRÖM x y").unwrap_err(),
            "syntax error at or near \"y\"\n\nLINE 2:  FRÖM x y\n                ^"
        );
        for broken in ["SELECT 1) ; SELECT (2", "SELECT 1 /*", "SELEC 1"] {
            assert!(asked(broken).is_err(), "{broken}");
        }
        for nothing in ["", " ; ;", "-- SELECT 1", "/* */"] {
            assert!(asked(nothing).unwrap_err().contains("no statement"), "{nothing:?}");
        }
    }
}
