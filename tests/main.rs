//! All integration tests: one binary, because each one links DuckDB.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod stats;
