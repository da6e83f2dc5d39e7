//! Splits a file of SQL into its statements.

use super::directive::{Directive, directive};
use dbdyno_foundation::base::sql_tokens::token_end;

/// A part of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece<'t> {
    /// A statement, without its semicolon.
    Statement {
        /// The line in which it begins, from 1.
        line: usize,
        text: &'t str,
    },
    /// A comment that says how statements are measured.
    Directive {
        /// Its line, from 1.
        line: usize,
        directive: Directive,
    },
}

impl Piece<'_> {
    /// Returns the line in which it begins, from 1.
    pub fn line(&self) -> usize {
        match self {
            Self::Statement { line, .. } | Self::Directive { line, .. } => *line,
        }
    }
}

/// Splits a file into statements, at semicolons outside of texts, names, comments and triggers. A byte order mark at its beginning is left
/// out.
///
/// # Errors
/// The line, and the error in it.
pub fn split(text: &str) -> Result<Vec<Piece<'_>>, (usize, String)> {
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
                let said = if start.is_none() { directive(token.trim_start_matches('-')) } else { None };
                if let Some(said) = said {
                    pieces.push(Piece::Directive { line, directive: said.map_err(|message| (line, message))? });
                }
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

fn piece(text: &str, (start, line): (usize, usize), end: usize) -> Piece<'_> {
    Piece::Statement { line, text: text[start..end].trim_end() }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(usize, &str)> {
        split(text)
            .unwrap()
            .into_iter()
            .map(|piece| match piece {
                Piece::Statement { line, text } => (line, text),
                Piece::Directive { .. } => (0, "measure"),
            })
            .collect()
    }

    #[test]
    fn semicolons_in_texts_names_and_comments_end_nothing() {
        let text = "SELECT 'a;''b', \"c;d\", [e;f], `g;h`; -- no; no\n/* nor; here */ SELECT 2";
        assert_eq!(texts(text), [(1, "SELECT 'a;''b', \"c;d\", [e;f], `g;h`"), (2, "SELECT 2")]);
    }

    #[test]
    fn a_trigger_ends_at_its_end() {
        let trigger =
            "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; DELETE FROM b; END";
        assert_eq!(texts(&format!("{trigger};\nSELECT 1;")), [(1, trigger), (2, "SELECT 1")]);
    }

    #[test]
    fn the_mark_is_a_comment_of_its_own() {
        let text = "CREATE TABLE a(x);\n-- measure\nSELECT 1 -- measure\n;";
        assert_eq!(texts(text), [(1, "CREATE TABLE a(x)"), (0, "measure"), (3, "SELECT 1 -- measure")]);
    }

    #[test]
    fn what_does_not_end_is_told_with_its_line() {
        assert_eq!(split("SELECT 1;\nSELECT 'a").unwrap_err(), (2, "a text or name is not closed".to_owned()));
        assert_eq!(split("/* x").unwrap_err().0, 1);
        assert!(split(" \n-- nothing\n").unwrap().is_empty());
    }
}
