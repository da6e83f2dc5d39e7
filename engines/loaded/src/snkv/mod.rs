//! SNKV, a key-value store on SQLite's B-tree, from a library that the user builds.

mod api;
mod describe;
mod examine;
mod header;
mod iterator;
mod store;
mod transaction;

pub use describe::describe;
pub use store::Snkv;

use dbdyno_engine::serve::Program;
use dbdyno_workload::program;

pub static PROGRAM: Program = Program { probe: Some(examine::probe), ..program::kv_only::<Snkv>(describe) };
