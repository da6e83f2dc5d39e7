//! redb, a copy-on-write B-tree in Rust.

mod database;
mod describe;
mod file;
mod kv;
mod ordered;

pub use describe::describe;
pub use kv::{Redb, TABLE};
pub use ordered::RedbStore;

use dbdyno_engine::serve::Program;
use dbdyno_tables::Layered;
use dbdyno_workload::program;

pub static PROGRAM: Program = program::both::<Redb, Layered<RedbStore>>(describe);
