//! The workload interpreters: what a resolved suite means, written once for all engines.

pub mod crash;
pub mod kv;
