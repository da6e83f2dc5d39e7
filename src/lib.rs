//! dbdyno: a dynamometer for embedded database engines.
//!
//! Data goes one way: [`catalog`] → [`plan`] → [`runner`] → [`store`] → [`report`]. Nothing left of the store knows
//! DuckDB; [`stats`] knows no I/O.

pub mod catalog;
pub mod claims;
pub mod cli;
pub mod engines;
pub mod host;
pub mod lint;
pub mod plan;
pub mod report;
pub mod runner;
pub mod stats;
pub mod store;
