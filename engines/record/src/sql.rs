//! SQL as tokens, only as exactly as needed to find parameters and literals.

/// A token. Blanks and comments are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    Word(&'s [u8]),
    /// A string, a quoted name, or a blob.
    Quoted(&'s [u8]),
    Number(&'s [u8]),
    /// `?`, `?5`, `:name`, `@name` or `$name`.
    Parameter(&'s [u8]),
    Other(&'s [u8]),
}

impl<'s> Token<'s> {
    fn bytes(self) -> &'s [u8] {
        match self {
            Self::Word(bytes)
            | Self::Quoted(bytes)
            | Self::Number(bytes)
            | Self::Parameter(bytes)
            | Self::Other(bytes) => bytes,
        }
    }
}

/// Returns the tokens of a text.
pub(crate) fn tokens(sql: &[u8]) -> impl Iterator<Item = Token<'_>> {
    positions(sql).map(|(_, token)| token)
}

/// Returns the tokens of a text, and where they begin.
pub(crate) fn positions(sql: &[u8]) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += blank(&sql[at..]);
        let token = token(&sql[at..])?;
        let start = at;
        at += token.bytes().len();
        Some((start, token))
    })
}

/// Bytes of blanks and comments at the beginning.
fn blank(sql: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &sql[at..];
        at += match rest {
            [byte, ..] if byte.is_ascii_whitespace() || *byte == 0x0b => 1,
            [b'-', b'-', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', after @ ..] => after.windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4),
            _ => return at,
        };
    }
}

fn token(sql: &[u8]) -> Option<Token<'_>> {
    let take = |length: usize| sql.get(..length).unwrap_or(sql);
    Some(match sql {
        [] => return None,
        [b'x' | b'X', b'\'', ..] => Token::Quoted(take(1 + quoted(&sql[1..], b'\''))),
        [quote @ (b'\'' | b'"' | b'`'), ..] => Token::Quoted(take(quoted(sql, *quote))),
        [b'[', ..] => Token::Quoted(take(sql.iter().position(|byte| *byte == b']').map_or(sql.len(), |end| end + 1))),
        [b'?', rest @ ..] => Token::Parameter(take(1 + length(rest, |byte| byte.is_ascii_digit()))),
        [b':' | b'@' | b'#', rest @ ..] if rest.first().is_some_and(|byte| is_name(*byte)) => {
            Token::Parameter(take(1 + length(rest, is_name)))
        }
        [b'$', rest @ ..] if rest.first().is_some_and(|byte| is_name(*byte)) => Token::Parameter(take(1 + tcl(rest))),
        [b'0'..=b'9', ..] => Token::Number(take(number(sql))),
        [b'.', b'0'..=b'9', ..] => Token::Number(take(number(sql))),
        [byte, ..] if is_name(*byte) => Token::Word(take(length(sql, is_name))),
        _ => Token::Other(take(1)),
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn length(sql: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    sql.iter().position(|byte| !belongs(*byte)).unwrap_or(sql.len())
}

/// Length of a quoted text. A quote in it is doubled.
fn quoted(sql: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < sql.len() {
        if sql[at] == quote {
            if sql.get(at + 1) != Some(&quote) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    sql.len()
}

/// Length of a variable of Tcl after its `$`: a name with `::` and an index in parentheses.
fn tcl(sql: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += length(&sql[at..], is_name);
        match &sql[at..] {
            [b':', b':', ..] => at += 2,
            [b'(', rest @ ..] => {
                let end = rest.iter().position(|byte| *byte == b')' || byte.is_ascii_whitespace());
                return match end {
                    Some(end) if rest[end] == b')' => at + end + 2,
                    _ => at,
                };
            }
            _ => return at,
        }
    }
}

fn number(sql: &[u8]) -> usize {
    let mut at = length(sql, |byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_');
    // An exponent with a sign. The final E of a hexadecimal number is a digit.
    let is_hexadecimal = sql.get(1).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'x'));
    if !is_hexadecimal && matches!(sql[at - 1], b'e' | b'E') && matches!(sql.get(at), Some(b'+' | b'-')) {
        at += 1;
        at += length(&sql[at..], |byte| byte.is_ascii_digit());
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(sql: &str) -> Vec<(usize, &str)> {
        let is_parameter = |(at, token)| match token {
            Token::Parameter(name) => Some((at, std::str::from_utf8(name).unwrap())),
            _ => None,
        };
        positions(sql.as_bytes()).filter_map(is_parameter).collect()
    }

    #[test]
    fn parameters_are_found_outside_strings_names_and_comments() {
        assert_eq!(parameters("a=?,b=?12"), [(2, "?"), (6, "?12")]);
        assert_eq!(parameters("':a' \":b\" [?] `?` x'?' -- ?\n/* ? */ :c"), [(36, ":c")]);
        assert_eq!(parameters("'it''s ?' @d"), [(10, "@d")]);
        assert_eq!(parameters("$a::b(c) + $d"), [(0, "$a::b(c)"), (11, "$d")]);
        assert_eq!(parameters("1e+5 0xE+? a$b"), [(9, "?")]);
        assert_eq!(parameters("'open ?"), []);
        assert_eq!(parameters("/* open ?"), []);
    }

    #[test]
    fn every_byte_is_a_token_or_blank() {
        for sql in ["", "$", ":", "@ ", "[x", ".5.", "1e", "x'", "é ?é"] {
            assert!(tokens(sql.as_bytes()).count() <= sql.len(), "{sql}");
        }
    }
}
