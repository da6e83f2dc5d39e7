//! What a statement does, by its words.

use dbdyno_foundation::base::sql_tokens::words;
use serde::Serialize;

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    Read,
    /// It inserts, updates or deletes rows.
    Write,
    /// It creates, alters or drops tables, indexes, views or triggers.
    Schema,
    Begin,
    Commit,
    /// The whole transaction is undone.
    Rollback,
    /// A savepoint, its release, or a rollback to it.
    Savepoint,
    Pragma,
    /// It attaches or detaches a database.
    Attach,
    /// Such as VACUUM, ANALYZE and REINDEX.
    Other,
}

impl StatementKind {
    /// Returns what a statement does.
    pub fn of(sql: &str) -> Self {
        let words = words(sql);
        let is =
            |at: usize, expected: &str| words.get(at).is_some_and(|word: &&str| word.eq_ignore_ascii_case(expected));
        let first = words.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
        match first.as_str() {
            "SELECT" | "VALUES" | "EXPLAIN" => Self::Read,
            "INSERT" | "UPDATE" | "DELETE" | "REPLACE" => Self::Write,
            "WITH" => Self::after_with(&words),
            "CREATE" | "DROP" | "ALTER" => Self::Schema,
            "BEGIN" => Self::Begin,
            "COMMIT" | "END" => Self::Commit,
            "ROLLBACK" if is(1, "TO") || is(2, "TO") => Self::Savepoint,
            "ROLLBACK" => Self::Rollback,
            "SAVEPOINT" | "RELEASE" => Self::Savepoint,
            "PRAGMA" => Self::Pragma,
            "ATTACH" | "DETACH" => Self::Attach,
            _ => Self::Other,
        }
    }

    /// Returns what an operation of a store of keys and values does: a statement of a recording whose process is marked with
    /// [`RecordedProcess::keys`](dbdyno_recording::RecordedProcess::keys).
    pub fn of_keys(operation: &str) -> Self {
        match operation.split(' ').next() {
            Some("get" | "scan") => Self::Read,
            Some("put" | "delete" | "merge") => Self::Write,
            _ => Self::Other,
        }
    }

    /// Returns what a statement does that begins with common table expressions: its first verb outside of brackets.
    fn after_with(words: &[&str]) -> Self {
        let mut depth = 0_usize;
        for word in words {
            match *word {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                word if ["INSERT", "UPDATE", "DELETE", "REPLACE"]
                    .iter()
                    .any(|verb| word.eq_ignore_ascii_case(verb)) =>
                {
                    return Self::Write;
                }
                word if word.eq_ignore_ascii_case("SELECT") || word.eq_ignore_ascii_case("VALUES") => {
                    return Self::Read;
                }
                _ => {}
            }
        }
        Self::Read
    }

    /// Whether it changes the database, or may.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Schema | Self::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_says_what_a_statement_does() {
        for (sql, kind) in [
            ("select 1", StatementKind::Read),
            ("/* hint */ SELECT 1", StatementKind::Read),
            ("WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a", StatementKind::Read),
            ("WITH RECURSIVE a AS (SELECT 1) INSERT INTO t SELECT * FROM a", StatementKind::Write),
            ("replace into t values (1)", StatementKind::Write),
            ("CREATE INDEX i ON t(a)", StatementKind::Schema),
            ("BEGIN IMMEDIATE", StatementKind::Begin),
            ("END", StatementKind::Commit),
            ("ROLLBACK", StatementKind::Rollback),
            ("ROLLBACK TRANSACTION TO s", StatementKind::Savepoint),
            ("RELEASE s", StatementKind::Savepoint),
            ("PRAGMA journal_mode", StatementKind::Pragma),
            ("VACUUM", StatementKind::Other),
            ("", StatementKind::Other),
        ] {
            assert_eq!(StatementKind::of(sql), kind, "{sql}");
        }
    }

    #[test]
    fn operations_on_keys_have_kinds_of_their_own() {
        for (operation, kind) in [
            ("get ?", StatementKind::Read),
            ("scan ? ?", StatementKind::Read),
            ("put ? ?", StatementKind::Write),
            ("delete ?", StatementKind::Write),
            ("merge ? ?", StatementKind::Write),
            ("SELECT 1", StatementKind::Other),
        ] {
            assert_eq!(StatementKind::of_keys(operation), kind, "{operation}");
        }
        assert_eq!(StatementKind::of("get ?"), StatementKind::Other, "in SQL they are nothing");
    }
}
