//! Errors that say where in a file, and a file's text with where it came from.

use serde::de::DeserializeOwned;
use std::{io, ops::Range};

/// A catalog file, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CatalogText {
    /// What an error calls the file: its path, or `built-in suites/kv.toml`.
    pub(crate) place: String,
    pub(crate) text: String,
}

/// Why a suite or preset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("there is no {what} `{name}`: expected {expected}; your own go into {folder}")]
    Missing {
        /// `suite` or `preset`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The names there are.
        expected: String,
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
        /// What is wrong and what was expected.
        message: String,
    },
}

impl CatalogText {
    /// Reads TOML into `T`.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, CatalogError> {
        toml::from_str(&self.text).map_err(|error| {
            // The reader's "unknown field" and "unknown variant" name what was expected; its own layout is not needed.
            let message = error.message().trim().replace('\n', " ");
            self.wrong(error.span().unwrap_or(0..0), message)
        })
    }

    /// An error at a span of bytes of the text.
    pub(crate) fn wrong(&self, span: Range<usize>, message: impl Into<String>) -> CatalogError {
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
