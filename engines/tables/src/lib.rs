//! SQL tables on an ordered key-value store.
//!
//! One encoding (rows by rowid, index entries of value and rowid) under two layers, which the engine option `layer`
//! chooses. `sql`: SQLite parses, plans and computes, and reaches the rows through a virtual table. `direct`: each
//! statement's plan from the suite runs on the store without SQLite. Both give the same answers.
//!
//! [`Layered`] makes an engine of SQL suites from any [`dbdyno_engine::ordered::OrderedStore`].

// Tests that other packages share name this one.
#[cfg(test)]
extern crate self as dbdyno_tables;

mod affinity;
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

pub use engine::{Layered, LayeredRow, LayeredSession, LayeredStatement, implementations, options};
