//! What an engine of dbdyno is built from.
//!
//! An engine program describes itself ([`describe`]), implements the traits of [`kv`], [`sql`] or [`ordered`], and
//! hands both to [`serve::serve`]. Everything that must be equal for a fair comparison lives here and not in the engines: the seeded
//! inputs ([`rng`], [`template`]), the workload interpreter ([`workload`]), the clock and the recorder
//! ([`recorder`]), the resource counters ([`resources`], [`syncs`]) and the wire protocol ([`protocol`]).

pub mod describe;
pub mod digest;
pub mod durability;
pub mod error;
pub mod histogram;
pub mod kv;
pub mod kv_sql;
mod limits;
pub mod lmdb;
pub mod ordered;
pub mod protocol;
pub mod recorder;
pub mod resources;
pub mod rng;
pub mod say;
pub mod serve;
pub mod settings;
pub mod size;
pub mod sql;
#[cfg(feature = "sql-layer")]
pub mod sqlite;
pub mod suite;
pub mod syncs;
#[cfg(feature = "sql-layer")]
pub mod table;
pub mod template;
pub mod tuning;
pub mod words;
pub mod workload;

pub use error::EngineError;
