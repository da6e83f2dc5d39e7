//! What `.trace` of SQLite's shell prints: one statement after the other. With `.trace --profile`, each ends in `-- 1234 ns`.

use super::{ImportStop, ImportedCall, writing::ImportWriter};
use dbdyno_foundation::base::sql_tokens::{SqlPiece, pieces};
use std::io::BufRead;

/// Writes the statements of a text, which is in memory meanwhile.
///
/// # Errors
/// The line, and the error in it; or the text is not UTF-8.
pub(super) fn read(mut input: impl BufRead, to: &mut ImportWriter) -> Result<(), ImportStop> {
    let mut text = String::new();
    input.read_to_string(&mut text).map_err(ImportStop::Input)?;
    calls(&text, |call| to.call(&call, []))
}

/// Hands over the statements of a text. Their times follow from their durations.
fn calls(text: &str, mut take: impl FnMut(ImportedCall<'_>) -> Result<(), ImportStop>) -> Result<(), ImportStop> {
    let mut now = 0;
    // The duration of a statement is in a comment behind it.
    let mut last: Option<ImportedCall<'_>> = None;
    for piece in pieces(text).map_err(|(line, message)| ImportStop::Line(line as u64, message))? {
        match piece {
            SqlPiece::Statement { line, text } => {
                let call = ImportedCall { line: line as u64, start_ns: now, sql: text, ..ImportedCall::default() };
                last.replace(call).map_or(Ok(()), &mut take)?;
                // Without durations, the order is all that is known.
                now += 1;
            }
            SqlPiece::Comment { text, .. } => {
                if let (Some(ns), Some(last)) = (profile(text), &mut last) {
                    last.duration_ns = ns;
                    now = last.start_ns.saturating_add(ns.max(1));
                }
            }
        }
    }
    last.map_or(Ok(()), take)
}

/// `-- 1234 ns`
fn profile(comment: &str) -> Option<u64> {
    comment.strip_prefix("--")?.trim().strip_suffix("ns")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_the_durations_that_follow_them() {
        let mut of = Vec::new();
        let text = "SELECT 1; -- 1200 ns\nINSERT INTO t VALUES('a;b');\n-- 300 ns\nCOMMIT;\n";
        let take = |call: ImportedCall<'_>| {
            of.push((call.sql.to_owned(), call.line, call.start_ns, call.duration_ns));
            Ok(())
        };
        calls(text, take).unwrap();
        let expected =
            [("SELECT 1", 1, 0, 1200), ("INSERT INTO t VALUES('a;b')", 2, 1200, 300), ("COMMIT", 4, 1500, 0)];
        assert_eq!(of, expected.map(|(sql, line, start, duration)| (sql.to_owned(), line, start, duration)));
        assert!(matches!(calls("SELECT 'a", |_| Ok(())), Err(ImportStop::Line(1, _))));
    }
}
