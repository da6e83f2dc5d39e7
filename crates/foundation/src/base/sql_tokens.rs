//! The tokens of SQL text, as SQLite separates them: enough to tell statements, names, texts and comments apart.

/// A part of SQL text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlPiece<'t> {
    /// A statement, without its semicolon.
    Statement {
        /// The line in which it begins, from 1.
        line: usize,
        text: &'t str,
    },
    /// A comment to the end of its line, between statements, with its two dashes.
    Comment { line: usize, text: &'t str },
}

/// Splits text into statements, at semicolons outside of texts, names, comments and triggers. A byte order mark at its beginning is left
/// out, as are comments within statements.
///
/// # Errors
/// The line, and the error in it.
pub fn pieces(text: &str) -> Result<Vec<SqlPiece<'_>>, (usize, String)> {
    let text = text.trim_start_matches('\u{feff}');
    let mut pieces = Vec::new();
    // The start of the current statement with its line, and its words since its last semicolon.
    let (mut start, mut words): (Option<(usize, usize)>, Vec<&str>) = (None, Vec::new());
    let mut in_trigger = false;
    let (mut at, mut line) = (0, 1);
    while let Some(c) = text[at..].chars().next() {
        let end = token_end(text, at, c).map_err(|message| (line, message))?;
        let token = &text[at..end];
        match c {
            _ if token.starts_with("--") => {
                pieces.extend(start.is_none().then_some(SqlPiece::Comment { line, text: token }));
            }
            _ if token.starts_with("/*") || c.is_whitespace() => {}
            ';' => {
                let over = !in_trigger || matches!(words.as_slice(), [end] if end.eq_ignore_ascii_case("end"));
                words.clear();
                if over {
                    in_trigger = false;
                    pieces.extend(start.take().map(|start| piece(text, start, at)));
                }
            }
            _ => {
                start.get_or_insert((at, line));
                words.push(token);
                in_trigger |= is_trigger(&words);
            }
        }
        line += token.matches('\n').count();
        at = end;
    }
    pieces.extend(start.map(|start| piece(text, start, text.len())));
    Ok(pieces)
}

fn piece(text: &str, (start, line): (usize, usize), end: usize) -> SqlPiece<'_> {
    SqlPiece::Statement { line, text: text[start..end].trim_end() }
}

fn is_trigger(words: &[&str]) -> bool {
    let is = |word: &str, expected: &str| word.eq_ignore_ascii_case(expected);
    match words {
        [create, trigger] => is(create, "create") && is(trigger, "trigger"),
        [create, temp, trigger] => {
            is(create, "create") && (is(temp, "temp") || is(temp, "temporary")) && is(trigger, "trigger")
        }
        _ => false,
    }
}

/// Returns the tokens of a statement, without comments and whitespace.
pub fn words(text: &str) -> Vec<&str> {
    tokens(text).into_iter().filter(|token| !is_blank(token)).collect()
}

/// Whether a token is whitespace or a comment.
pub fn is_blank(token: &str) -> bool {
    token.starts_with(char::is_whitespace) || token.starts_with("--") || token.starts_with("/*")
}

/// Returns all tokens of a statement, which together are the statement.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = token_end(text, at, c).unwrap_or(text.len());
        tokens.push(&text[at..end]);
        at = end;
    }
    tokens
}

/// Returns the end of the token that begins with `c` at a position.
///
/// # Errors
/// A text, name or comment has no end.
pub fn token_end(text: &str, at: usize, c: char) -> Result<usize, String> {
    let rest = &text[at..];
    let after = |found: Option<usize>, width: usize, what: &str| {
        found.map(|place| at + place + width).ok_or_else(|| format!("{what} is not closed"))
    };
    match c {
        // Two quotes inside a text are read as two tokens, which does no harm.
        '\'' | '"' | '`' => after(rest[1..].find(c), 2, "a text or name"),
        '[' => after(rest.find(']'), 1, "a name"),
        '-' if rest.starts_with("--") => Ok(at + rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => after(rest.find("*/"), 2, "a comment"),
        c if c.is_alphanumeric() || c == '_' => {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            Ok(at + length)
        }
        c => Ok(at + c.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_words() {
        assert_eq!(words("VACUUM/*':memory:'*/INTO'x' -- y"), ["VACUUM", "INTO", "'x'"]);
    }
}
