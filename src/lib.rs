//! dbdyno: a dynamometer for embedded database engines.
//!
//! Data goes one way: [`catalog`] → [`bench`](mod@bench) → [`runner`] → [`store`] → [`compare`] → [`report`]. Nothing left of the store knows
//! DuckDB; [`stats`] knows no I/O.

pub mod base;
pub mod bench;
pub mod capacity;
pub mod catalog;
pub mod claims;
pub mod cli;
pub mod compare;
pub mod conformance;
pub mod engines;
pub mod host;
pub mod lint;
pub mod metric;
mod process;
pub mod report;
pub mod runner;
pub mod session;
pub mod soak;
pub mod stats;
pub mod store;
pub mod torture;
pub mod tui;
pub mod tune;
