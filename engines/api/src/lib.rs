//! The interface that dbdyno's engines are written against.
//!
//! An engine describes itself ([`describe`]): its options in [`settings`], what a commit survives in [`durability`], and what is known
//! about tuning in [`tuning`]. It implements the traits of [`engine`] and [`kv`] or [`sql`]. Instead, it can implement the traits of
//! [`ordered`] or [`prepared`] or, to start with, [`plain`]. It passes both to [`serve`], which speaks the wire protocol ([`protocol`])
//! about suites ([`suite`]). The crate `dbdyno-workload` runs the suites and measures them.

pub mod clock;
pub mod confine;
pub mod counters;
pub mod describe;
pub mod durability;
pub mod engine;
pub mod error;
pub mod kv;
pub mod kv_sql;
mod limits;
pub mod names;
pub mod ordered;
pub mod plain;
pub mod prepared;
pub mod protocol;
pub mod replay;
pub mod say;
#[cfg(test)]
mod schema;
pub mod serve;
pub mod settings;
pub mod size;
pub mod sql;
pub mod suite;
pub mod tuning;

pub use error::EngineError;
