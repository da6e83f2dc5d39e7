//! The tokens of SQL text, as SQLite separates them: enough to tell statements, names, texts and comments apart.

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
