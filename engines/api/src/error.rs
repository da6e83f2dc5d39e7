//! The one error an engine reports.

use std::fmt;

/// What went wrong inside an engine, in the engine's own words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// What was being done and what the engine's library said.
    pub message: String,
    /// Whether the database can still be used after this error.
    pub database_usable: bool,
}

impl EngineError {
    /// An error after which the database may still be used.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), database_usable: true }
    }

    /// An error after which nothing in the database can be trusted.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { message: message.into(), database_usable: false }
    }

    /// Wraps a library's error: `doing: what the library said`.
    pub fn doing<E: fmt::Display>(doing: &str) -> impl FnOnce(E) -> Self + '_ {
        move |error| Self::new(format!("{doing}: {error}"))
    }
}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}
