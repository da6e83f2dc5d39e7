//! The one error an engine reports.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// What went wrong inside an engine, in the engine's own words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// What was being done and what the engine's library said.
    pub message: String,
    /// Whether the database can still be used after this error.
    pub database_usable: bool,
    /// Whether another transaction was in the way: the same may go well when it is tried again from its beginning.
    pub is_busy: bool,
}

impl EngineError {
    /// An error after which the database may still be used.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), database_usable: true, is_busy: false }
    }

    /// An error after which nothing in the database can be trusted.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { database_usable: false, ..Self::new(message) }
    }

    /// Another transaction was in the way: tried again from its beginning, this one may go well.
    pub fn busy(message: impl Into<String>) -> Self {
        Self { is_busy: true, ..Self::new(message) }
    }

    /// Wraps a library's error: `doing: what the library said`.
    pub fn doing<E: fmt::Display>(doing: &str) -> impl FnOnce(E) -> Self + '_ {
        move |error| Self::new(format!("{doing}: {error}"))
    }
}

/// Calls a library that may panic, as some do when they read damaged bytes: what it said is an error then. Nothing that the work
/// was given can be trusted afterwards.
pub fn caught<R>(work: impl FnOnce() -> R) -> Result<R, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        EngineError::fatal(format!("the engine gave up: {}", said.unwrap_or("it did not say why")))
    })
}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_panic_says_is_an_error() {
        assert_eq!(caught(|| 7).unwrap(), 7);
        let page = 3;
        let error = caught(|| panic!("page {page} is no page")).unwrap_err();
        assert_eq!(error, EngineError::fatal("the engine gave up: page 3 is no page"));
        assert_eq!(caught(|| panic!("a word")).unwrap_err().message, "the engine gave up: a word");
    }
}
