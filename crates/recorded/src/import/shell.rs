//! What `.trace` of SQLite's shell prints: one statement after the other. With `.trace --profile`, each ends in `-- 1234 ns`.

use super::ImportedCall;
use dbdyno_foundation::base::sql_tokens::{SqlPiece, pieces};

/// Returns the statements of a text. Their times follow from their durations.
///
/// # Errors
/// The line, and the error in it.
pub(super) fn calls(text: &str) -> Result<Vec<ImportedCall>, (u64, String)> {
    let mut calls: Vec<ImportedCall> = Vec::new();
    let mut now = 0;
    let all = pieces(text).map_err(|(line, message)| (line as u64, message))?;
    for piece in all {
        match piece {
            SqlPiece::Statement { text, .. } => {
                calls.push(ImportedCall { start_ns: now, sql: text.to_owned(), ..ImportedCall::default() });
                // Without durations, the order is all that is known.
                now += 1;
            }
            SqlPiece::Comment { text, .. } => {
                if let (Some(ns), Some(last)) = (profile(text), calls.last_mut()) {
                    last.duration_ns = ns;
                    now = last.start_ns + ns.max(1);
                }
            }
        }
    }
    Ok(calls)
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
        let calls = calls("SELECT 1; -- 1200 ns\nINSERT INTO t VALUES('a;b');\n-- 300 ns\nCOMMIT;\n").unwrap();
        let of: Vec<(&str, u64, u64)> =
            calls.iter().map(|call| (&*call.sql, call.start_ns, call.duration_ns)).collect();
        assert_eq!(of, [("SELECT 1", 0, 1200), ("INSERT INTO t VALUES('a;b')", 1200, 300), ("COMMIT", 1500, 0)]);
        assert_eq!(self::calls("SELECT 'a").unwrap_err().0, 1);
    }
}
