//! SQL tables on an ordered key-value store.
//!
//! Two layers share one encoding (rows by rowid, index entries of value and rowid). The engine option `layer` selects one. `sql`: SQLite
//! parses, plans and computes, and reaches the rows through a virtual table. `direct`: each statement's plan from the suite runs on the
//! store without SQLite. Both return the same results.
//!
//! [`Layered`] turns any [`dbdyno_engine::ordered::OrderedStore`] into an engine for SQL suites.

// Tests that are shared with other packages refer to this crate by name.
#[cfg(test)]
extern crate self as dbdyno_tables;

mod affinity;
pub mod counted;
mod cursor;
mod definition;
mod direct;
mod engine;
mod key;
mod range;
mod row;
mod rows;
mod rowsum;
pub mod sqlite;
mod tables;
#[cfg(test)]
mod tests;
mod virtual_table;
mod work;

pub use engine::{Layered, LayeredRow, LayeredSession, LayeredStatement, counters, implementations, options};
