//! Splits a file of SQL into its statements.

use super::directive::{Directive, directive};
use dbdyno_foundation::base::sql_tokens::{SqlPiece, pieces};

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

/// Splits a file into statements and the comments that say how they are measured.
///
/// # Errors
/// The line, and the error in it.
pub fn split(text: &str) -> Result<Vec<Piece<'_>>, (usize, String)> {
    let piece = |piece| match piece {
        SqlPiece::Statement { line, text } => Some(Ok(Piece::Statement { line, text })),
        SqlPiece::Comment { line, text } => {
            let said = directive(text.trim_start_matches('-'))?;
            Some(said.map(|directive| Piece::Directive { line, directive }).map_err(|message| (line, message)))
        }
    };
    pieces(text)?.into_iter().filter_map(piece).collect()
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
