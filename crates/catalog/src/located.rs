//! Errors with their position in a file, and the text of a file with its origin.

use serde::de::DeserializeOwned;
use std::{io, ops::Range};

/// A catalog file, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogText {
    /// The file's name in errors: its path, or `built-in suites/kv.toml`.
    pub place: String,
    pub text: String,
}

/// Why a suite or preset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("unknown {what} `{name}`: {instead} (dbdyno list {list}; your own go into {folder})")]
    Missing {
        /// `suite` or `preset`.
        what: &'static str,
        /// The requested name.
        name: String,
        /// The nearest names, or all of them if they are few.
        instead: String,
        /// The word after `dbdyno list` that lists the valid names.
        list: &'static str,
        /// The user's folder for them.
        folder: String,
    },
    #[error("{path}: {error}")]
    Unreadable { path: String, error: io::Error },
    #[error("{place}:{line}:{column}: {message}")]
    Wrong {
        /// The file's path, or `built-in suites/kv.toml`.
        place: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The error, and what was expected.
        message: String,
    },
}

impl CatalogText {
    /// Parses TOML into `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, CatalogError> {
        toml::from_str(&self.text).map_err(|error| {
            // The parser's "unknown field" and "unknown variant" name what was expected; its own layout is not needed.
            let message = error.message().trim().replace('\n', " ");
            self.wrong(error.span().unwrap_or(0..0), message)
        })
    }

    /// Returns an error at the position of a name that the message quotes with \`backquotes\`. Of several names, it uses the last
    /// position in the text, because a value follows its option, and an option its engine. If the text has none of them, the error is at
    /// its beginning.
    pub fn wrong_where_named(&self, message: &str) -> CatalogError {
        let proposed = [": expected", ": did you mean"].iter().filter_map(|words| message.find(words)).min();
        let wrong = &message[..proposed.unwrap_or(message.len())];
        let named = wrong.split('`').skip(1).step_by(2).filter(|name| !name.is_empty());
        let at = named.filter_map(|name| self.find(name)).max().unwrap_or(0);
        self.wrong(at..at, message)
    }

    /// Finds a name as a separate word, outside of comments.
    fn find(&self, name: &str) -> Option<usize> {
        let goes_on = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let is_own = |at: usize| {
            let (before, after) = (&self.text[..at], &self.text[at + name.len()..]);
            let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
            !line.trim_start().starts_with('#') && !before.ends_with(goes_on) && !after.starts_with(goes_on)
        };
        self.text.match_indices(name).map(|(at, _)| at).find(|at| is_own(*at))
    }

    /// Returns an error at a span of bytes of the text.
    pub fn wrong(&self, span: Range<usize>, message: impl Into<String>) -> CatalogError {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        CatalogError::Wrong {
            place: self.place.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_where_the_text_has_what_it_names() {
        let text = "# waly of wal\ntitle = \"x\"\n[engine.options]\nmode = [\"waly\", \"wal\"]\n".to_owned();
        let source = CatalogText { place: "mine.toml".to_owned(), text };
        let place = |message: &str| source.wrong_where_named(message).to_string();
        assert_eq!(place("`mode` is not `wal`"), "mine.toml:4:18: `mode` is not `wal`");
        assert_eq!(place("no `mode`: expected `wal`"), "mine.toml:4:1: no `mode`: expected `wal`");
        assert_eq!(place("0 rounds"), "mine.toml:1:1: 0 rounds");
    }
}
