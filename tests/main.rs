//! All integration tests: one binary, because each one links DuckDB.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod catalog;
mod claims;
mod compare;
mod crash;
mod faults;
mod interrupt;
mod kills;
mod kv;
mod list;
mod lumosql;
mod ordered;
mod power;
mod resume;
mod rowsum;
mod sqlite_lib;
mod stats;
mod store;
mod stored;
mod support;
mod syncs;
mod tui;
mod tune;
mod workers;
