//! The one error type that engines report.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// An error inside an engine, in the engine's own words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// The action that failed, and the message of the engine's library.
    pub message: String,
    /// Whether the database can still be used after this error.
    pub database_usable: bool,
    /// Whether another transaction was in the way. If so, a retry from the beginning may succeed.
    pub is_busy: bool,
}

impl EngineError {
    /// Creates an error after which the database may still be used.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), database_usable: true, is_busy: false }
    }

    /// Creates an error after which nothing in the database can be trusted.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { database_usable: false, ..Self::new(message) }
    }

    /// Creates an error for a transaction that another one was in the way of: a retry from its beginning may succeed.
    pub fn busy(message: impl Into<String>) -> Self {
        Self { is_busy: true, ..Self::new(message) }
    }

    /// Wraps a library's error: the message is `doing`, a colon and the library's own message.
    pub fn doing<E: fmt::Display>(doing: &str) -> impl FnOnce(E) -> Self + '_ {
        move |error| Self::new(format!("{doing}: {error}"))
    }
}

/// Calls a library that may panic, as some do when they read damaged bytes. A panic becomes a fatal error with the panic's message. After
/// an error, nothing that was passed to `work` can be trusted.
pub fn caught<R>(work: impl FnOnce() -> R) -> Result<R, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        EngineError::fatal(format!("the engine panicked: {}", said.unwrap_or("no message")))
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
        assert_eq!(error, EngineError::fatal("the engine panicked: page 3 is no page"));
        assert_eq!(caught(|| panic!("a word")).unwrap_err().message, "the engine panicked: a word");
    }
}
