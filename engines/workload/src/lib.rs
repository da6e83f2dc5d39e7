//! The measured loop: the interpretation of a resolved suite, written once for all engines.
//!
//! Everything that must be equal for a fair comparison is here and not in the engines: the seeded inputs ([`rng`], [`words`], formats), the
//! interpreters (`kv`, [`sql`]), the recorder with its histogram ([`recorder`], [`histogram`]), the digest of answers ([`digest`]) and the
//! resource counters ([`resources`], [`syncs`]). [`program`] compiles it for an engine. Two more modules test how durable an engine is:
//! [`crash`] kills it, [`power`] simulates power losses.

mod actors;
mod cold;
pub mod crash;
pub mod digest;
mod explain;
mod frame;
pub mod histogram;
pub mod kv;
mod named;
pub mod parts;
mod phases;
mod popular;
pub mod power;
pub mod program;
#[cfg(target_pointer_width = "64")]
pub mod pwrites;
pub mod recorder;
pub mod resources;
pub mod rng;
mod shuffle;
pub mod sql;
pub mod syncs;
mod template;
pub mod words;
pub mod zipf;
