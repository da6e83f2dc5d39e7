//! A statement without its values.

use dbdyno_foundation::base::sql_tokens::{is_blank, tokens};

/// Returns a statement without its values, on one line: statements that differ only in constants, in the names of parameters, in the length
/// of a list or in white space have the same fingerprint. `SELECT a FROM t WHERE b IN (1, 2) -- x` becomes `SELECT a FROM t WHERE b IN (?, ...)`.
pub fn fingerprint(sql: &str) -> String {
    let values = without_values(sql);
    let mut shown = String::with_capacity(sql.len());
    let mut rest = values.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let (taken, text) = match list(rest) {
            Some(list) => list,
            None => (1, first.text.to_owned()),
        };
        if first.is_apart && !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(&text);
        rest = if taken == 1 { after } else { &rest[taken..] };
    }
    shown.trim_end_matches(';').trim_end().to_owned()
}

/// A token, or a question mark in the place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SqlMark<'s> {
    text: &'s str,
    /// Whether white space or a comment is before it.
    is_apart: bool,
}

/// The place of a value.
const VALUE: &str = "?";

/// Returns the tokens of a statement, with question marks in the places of values.
fn without_values(sql: &str) -> Vec<SqlMark<'_>> {
    let mut marks: Vec<SqlMark<'_>> = Vec::new();
    let mut is_apart = false;
    let mut tokens = tokens(sql).into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_blank(token) {
            is_apart = true;
            continue;
        }
        let last = marks.last().filter(|_| !is_apart).map(|mark| mark.text);
        let is_number = token.starts_with(|c: char| c.is_ascii_digit());
        let text = match token {
            "?" | ":" | "@" | "$" => {
                // The name or the number of a parameter.
                tokens.next_if(|next| next.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
                VALUE
            }
            // A quote within a text is read as the beginning of another one, `x` as the beginning of bytes.
            _ if token.starts_with('\'') && last == Some(VALUE) => continue,
            _ if token.starts_with('\'') => {
                if last.is_some_and(|last| last.eq_ignore_ascii_case("x")) {
                    is_apart = marks.pop().is_some_and(|prefix| prefix.is_apart);
                }
                VALUE
            }
            "." if last == Some(VALUE) => continue,
            _ if is_number => {
                // The sign of an exponent: `1e-3`.
                let is_cut = token.ends_with(['e', 'E']) && !token.starts_with("0x");
                if is_cut && tokens.next_if(|next| ["+", "-"].contains(next)).is_some() {
                    tokens.next_if(|next| next.starts_with(|c: char| c.is_ascii_digit()));
                }
                // After a point it is the fraction of the number before.
                if last == Some(VALUE) {
                    continue;
                }
                VALUE
            }
            token => token,
        };
        marks.push(SqlMark { text, is_apart });
        is_apart = false;
    }
    marks
}

/// Returns how many tokens a list of values takes, and what is shown of it: `(?, ...)` for `(?, ?, ?)`. Rows of values after the first are
/// part of it: `(?, ...), ...`.
fn list(marks: &[SqlMark<'_>]) -> Option<(usize, String)> {
    let row = row(marks)?;
    let mut taken = row;
    let mut rows = 1;
    while marks.get(taken).is_some_and(|mark| mark.text == ",")
        && let Some(next) = self::row(&marks[taken + 1..])
    {
        taken += 1 + next;
        rows += 1;
    }
    let shown = if row > 3 { "(?, ...)" } else { "(?)" };
    Some((taken, if rows > 1 { format!("{shown}, ...") } else { shown.to_owned() }))
}

/// Returns the number of tokens of `(?)` or `(?, ?, ...)`, if the tokens begin with it.
fn row(marks: &[SqlMark<'_>]) -> Option<usize> {
    let is = |at: usize, text: &str| marks.get(at).is_some_and(|mark| mark.text == text);
    if !(is(0, "(") && is(1, VALUE)) {
        return None;
    }
    let mut at = 2;
    while is(at, ",") && is(at + 1, VALUE) {
        at += 2;
    }
    is(at, ")").then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lists_and_white_space_make_no_difference() {
        for (sql, expected) in [
            ("SELECT a FROM t\n  WHERE b = 'it''s' AND c = -2.5e-3 -- why", "SELECT a FROM t WHERE b = ? AND c = -?"),
            ("SELECT a FROM t WHERE b = :name AND c=?12 AND d = @x", "SELECT a FROM t WHERE b = ? AND c=? AND d = ?"),
            ("SELECT a FROM t WHERE b IN (1, 2,3);", "SELECT a FROM t WHERE b IN (?, ...)"),
            ("SELECT a FROM t WHERE b IN (?)", "SELECT a FROM t WHERE b IN (?)"),
            ("INSERT INTO t VALUES (1, 'a', x'00ff'), (?, ?, NULL)", "INSERT INTO t VALUES (?, ...), (?, ?, NULL)"),
            ("INSERT INTO t VALUES (1, 2), (3, 4), (5, 6)", "INSERT INTO t VALUES (?, ...), ..."),
            ("SELECT 0x1F, t1.c2 FROM t1", "SELECT ?, t1.c2 FROM t1"),
            ("SELECT \"a;b\", [c d] FROM `e`", "SELECT \"a;b\", [c d] FROM `e`"),
        ] {
            assert_eq!(fingerprint(sql), expected);
        }
    }

    #[test]
    fn what_is_not_sql_has_a_fingerprint_too() {
        for text in ["", "'", "((", "?", "x'", ":", "1e", "\u{fffd}"] {
            fingerprint(text);
        }
    }
}
