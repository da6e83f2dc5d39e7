//! Texts and bytes in the place of others: as long, equal for equal ones, and with equal beginnings for equal beginnings.

use dbdyno_foundation::base::sql_tokens::{is_blank, tokens};
use std::hash::{BuildHasher, RandomState};

/// Replaces texts and bytes with a secret that is never stored, so the replacement cannot be undone. Each character depends on the secret
/// and on the characters before it. Different texts stay different, and common prefixes stay common. Joins, patterns that end in `%` and
/// indexes therefore do the same work.
#[derive(Debug, Default)]
pub(super) struct TextMask {
    secret: RandomState,
}

/// Arguments of SQLite's functions, which are no data.
const WORDS: [&str; 9] =
    ["now", "utc", "localtime", "unixepoch", "auto", "subsec", "subsecond", "julianday", "ceiling"];
/// Beginnings of such texts.
const BEGINNINGS: [&str; 3] = ["start of ", "weekday ", "$"];
/// What a date is moved by: `+1 day`.
const UNITS: [&str; 6] = ["second", "minute", "hour", "day", "month", "year"];

impl TextMask {
    /// Returns the replacement of a text: letters for letters, digits for digits, and the same marks. Dates and times stay, since
    /// they are numbers.
    pub(super) fn text(&self, text: &str) -> String {
        if is_moment(text) {
            return text.to_owned();
        }
        let mut state = 0_u64;
        let replace = |c: char| {
            let key = self.secret.hash_one((state, 't'));
            state = self.secret.hash_one((state, c));
            shifted(c, key)
        };
        text.chars().map(replace).collect()
    }

    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut state = 0_u64;
        let replace = |byte: &u8| {
            let key = self.secret.hash_one((state, 'b'));
            state = self.secret.hash_one((state, *byte));
            byte.wrapping_add(key as u8)
        };
        bytes.iter().map(replace).collect()
    }

    /// Returns a statement with other texts and bytes in it, and how many were replaced.
    pub(super) fn sql(&self, sql: &str) -> (String, u64) {
        let tokens = tokens(sql);
        let mut shown = String::with_capacity(sql.len());
        let mut replaced = 0;
        let mut rest = tokens.as_slice();
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if !token.starts_with('\'') {
                shown.push_str(token);
                continue;
            }
            // A quote within a text ends one token and begins the next.
            let more = after.iter().take_while(|next| next.starts_with('\'')).count();
            let inner: Vec<&str> =
                tokens[tokens.len() - after.len() - 1..][..=more].iter().map(|one| unquoted(one)).collect();
            rest = &after[more..];
            let text = inner.join("'");
            let is_blob = shown.ends_with(['x', 'X']) && !shown[..shown.len() - 1].ends_with(char::is_alphanumeric);
            let is_format = ends_with_call(&shown, "strftime");
            replaced += 1;
            match (is_blob, is_format || is_word(&text)) {
                (true, _) => shown.push_str(&format!("'{}'", hex(&self.bytes(&unhex(&text))))),
                (false, true) => {
                    replaced -= 1;
                    shown.push_str(&format!("'{}'", text.replace('\'', "''")));
                }
                (false, false) => shown.push_str(&format!("'{}'", self.text(&text).replace('\'', "''"))),
            }
        }
        (shown, replaced)
    }
}

fn unquoted(token: &str) -> &str {
    let inner = token.strip_prefix('\'').unwrap_or(token);
    inner.strip_suffix('\'').unwrap_or(inner)
}

fn is_word(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let moved = text.strip_prefix(['+', '-']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_move = moved && UNITS.iter().any(|unit| text.trim_end_matches('s').ends_with(unit));
    is_move || WORDS.contains(&text.as_str()) || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// Whether SQL ends with the beginning of a call: `strftime(`.
fn ends_with_call(sql: &str, function: &str) -> bool {
    let mut last = tokens(sql).into_iter().rev().filter(|token| !is_blank(token));
    last.next() == Some("(") && last.next().is_some_and(|name| name.eq_ignore_ascii_case(function))
}

/// Whether a text is a date, a time or both, as SQLite writes them.
fn is_moment(text: &str) -> bool {
    let is_date = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-' && text.split('-').all(is_number)
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b":.+-Z".contains(&byte));
    match text.split_at_checked(10) {
        Some((date, "")) => is_date(date),
        Some((date, rest)) => is_date(date) && rest.starts_with([' ', 'T']) && is_number(&rest[1..]),
        None => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a character of the same kind and length in UTF-8. Other characters stay.
fn shifted(c: char, key: u64) -> char {
    let within = |first: char, count: u32| {
        let place = (u32::from(c) - u32::from(first) + (key % u64::from(count)) as u32) % count;
        char::from_u32(u32::from(first) + place).unwrap_or(c)
    };
    match c {
        'a'..='z' => within('a', 26),
        'A'..='Z' => within('A', 26),
        '0'..='9' => within('0', 10),
        '\u{c0}'..='\u{2ff}' => within('\u{c0}', 0x240),
        '\u{370}'..='\u{7ff}' => within('\u{370}', 0x490),
        '\u{800}'..='\u{d7ff}' => within('\u{800}', 0xd000),
        '\u{10000}'..='\u{1ffff}' => within('\u{10000}', 0x10000),
        _ => c,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of hexadecimal digits. Other characters are left out.
fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_replaced_by_one_of_its_kind() {
        let cipher = TextMask::default();
        let replaced = cipher.text("Ada Lovelace, 12 Bäume 京都");
        assert_eq!(replaced.len(), "Ada Lovelace, 12 Bäume 京都".len());
        assert_ne!(replaced, "Ada Lovelace, 12 Bäume 京都");
        assert!(replaced.chars().nth(3) == Some(' ') && replaced.chars().nth(12) == Some(','), "{replaced}");
        assert!(replaced.chars().nth(14).unwrap().is_ascii_digit(), "{replaced}");
        assert_eq!(replaced, cipher.text("Ada Lovelace, 12 Bäume 京都"), "equal for equal");
        assert_ne!(
            TextMask::default().text("a long text of some words"),
            TextMask::default().text("a long text of some words")
        );
    }

    #[test]
    fn different_texts_stay_different_and_equal_beginnings_equal() {
        let cipher = TextMask::default();
        let all: Vec<String> = (0..26)
            .flat_map(|a| (0..26).map(move |b| (a, b)))
            .map(|(a, b)| cipher.text(&format!("{}{}", char::from(b'a' + a), char::from(b'a' + b))))
            .collect();
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 26 * 26);
        assert_eq!(cipher.text("abcd")[..3], cipher.text("abce")[..3]);
        assert_eq!(cipher.text("abc%"), cipher.text("abc") + "%");
        assert_eq!(cipher.bytes(b"abcd")[..3], cipher.bytes(b"abce")[..3]);
    }

    #[test]
    fn moments_stay() {
        let cipher = TextMask::default();
        for moment in ["2026-11-28", "2026-11-28 12:00:01.5", "2026-11-28T12:00:00Z"] {
            assert_eq!(cipher.text(moment), moment);
        }
        assert_ne!(cipher.text("1234567890123"), "1234567890123");
    }

    #[test]
    fn texts_in_statements_are_those_of_parameters() {
        let cipher = TextMask::default();
        let secret = cipher.text("it's a secret").replace('\'', "''");
        let (sql, replaced) = cipher.sql("SELECT a FROM \"it's\" WHERE b = 'it''s a secret' AND c > 12");
        assert_eq!((sql, replaced), (format!("SELECT a FROM \"it's\" WHERE b = '{secret}' AND c > 12"), 1));
        let kept = "SELECT datetime('now', '-1.5 days'), strftime( '%Y-%m', d), j->'$.a' FROM t";
        assert_eq!(cipher.sql(kept), (kept.to_owned(), 0));
        let (blob, replaced) = cipher.sql("INSERT INTO t VALUES (x'00ff', X'')");
        let expected = hex(&cipher.bytes(&[0, 255]));
        assert_eq!((blob, replaced), (format!("INSERT INTO t VALUES (x'{expected}', X'')"), 2));
    }
}
