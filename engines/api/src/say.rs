//! Messages to the user on stderr.

use std::{
    fmt,
    io::{Write, stderr},
};

/// Writes a line to stderr, as `eprintln!` does, with two differences. It makes control characters visible, so that no text that was
/// read, typed or stored reaches the terminal as a command. And a closed or full stderr does not end the process.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => { $crate::say::line(format_args!($($part)*)) };
}

/// Implements [`say!`](crate::say!). Several lines stay several lines.
pub fn line(text: fmt::Arguments<'_>) {
    text_as_it_is(&(shown(&text.to_string()) + "\n"));
}

/// Writes a question: a line on which the answer follows.
pub fn question(text: &str) {
    text_as_it_is(&shown(text));
}

/// Writes the text in one piece, so that other programs' lines do not come in between.
fn text_as_it_is(text: &str) {
    // If this fails, there is nowhere left to report it.
    let _ = stderr().lock().write_all(text.as_bytes());
}

fn shown(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Makes every control character in text from outside visible, so that none reaches the terminal.
pub fn plain(text: &str) -> String {
    if is_printable_ascii(text) {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) { plain.extend(c.escape_default()) } else { plain.push(c) }
    }
    plain
}

/// Whether a text is of ASCII characters that are all shown, and so as wide as it is long. Nearly all texts are.
pub fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a terminal, or any other display of text, obeys a character instead of showing it. These are control characters, characters
/// that change the direction of writing, and characters that end a line or a paragraph.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\u{9b}c\n"), "a\\u{1b}[2Jb\\u{9b}c\\n");
        assert_eq!(plain("\u{202e}evil\u{200f}\u{2028}"), "\\u{202e}evil\\u{200f}\\u{2028}");
        assert_eq!(plain("größer"), "größer");
    }

    #[test]
    fn lines_stay_lines_and_nothing_is_escaped_twice() {
        assert_eq!(shown("a\n\u{1b}b"), "a\n\\u{1b}b");
        assert_eq!(shown(&plain("\u{1b}b")), "\\u{1b}b");
    }
}
