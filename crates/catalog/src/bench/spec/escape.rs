//! Lists in one word of a command line: parts separated by a character, which a backslash makes literal.

/// Returns the parts, without surrounding spaces. A backslash makes the next character literal.
pub(super) fn split(text: &str, between: char) -> Vec<String> {
    pieces(text, between).into_iter().map(|piece| unescaped(piece.trim_start())).collect()
}

/// Returns the parts as written, including backslashes.
pub(super) fn pieces(text: &str, between: char) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((piece, more)) = split_once(rest, between) {
        pieces.push(piece);
        rest = more;
    }
    pieces.push(rest);
    pieces
}

/// Returns the text before and after the first of this character that has no backslash before it.
pub(super) fn split_once(text: &str, between: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && c == between {
            return Some((&text[..at], &text[at + c.len_utf8()..]));
        }
        escaped = !escaped && c == '\\';
    }
    None
}

/// Returns the text without its escapes and trailing spaces.
pub(super) fn unescaped(text: &str) -> String {
    let mut meant = String::with_capacity(text.len());
    // The end of the significant text.
    let mut end = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                meant.push(chars.next().unwrap_or('\\'));
                end = meant.len();
            }
            c => {
                meant.push(c);
                if !c.is_whitespace() {
                    end = meant.len();
                }
            }
        }
    }
    meant.truncate(end);
    meant
}

/// Escapes a text in which these characters would have a meaning, so that it parses back to itself.
pub(super) fn escaped(text: &str, special: &[char]) -> String {
    let last = text.chars().count().saturating_sub(1);
    let mut written = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        // Spaces at the ends would be trimmed.
        if c == '\\' || special.contains(&c) || (c.is_whitespace() && (at == 0 || at == last)) {
            written.push('\\');
        }
        written.push(c);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spaces_around_parts_are_of_no_meaning() {
        assert_eq!(split(" off | normal ", '|'), ["off", "normal"]);
        assert_eq!(split(r"a\|b|\ c\ ", '|'), ["a|b", " c "]);
        assert_eq!(split("", '|'), [""]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(parts in prop::collection::vec(r"[a|\\, =:é]{0,6}", 1..4)) {
            let written: Vec<String> = parts.iter().map(|part| escaped(part, &['|', ',', '='])).collect();
            prop_assert_eq!(split(&written.join("|"), '|'), parts);
        }
    }
}
