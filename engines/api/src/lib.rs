//! What an engine of dbdyno is written against.
//!
//! An engine describes itself ([`describe`]: options in [`settings`], what a commit survives in [`durability`], what is known
//! of tuning in [`tuning`]), implements the traits of [`engine`] and [`kv`] or [`sql`], or those of [`ordered`],
//! [`prepared`] or, to start with, [`plain`], and hands both to [`serve`], which speaks the wire protocol ([`protocol`]) about suites
//! ([`suite`]). What runs the suites and measures is crate `dbdyno-workload`.

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
pub mod ordered;
pub mod plain;
pub mod prepared;
pub mod protocol;
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
