//! The workload interpreters: what a resolved suite means, written once for all engines.

pub mod crash;
mod frame;
pub mod kv;
pub mod sql;
