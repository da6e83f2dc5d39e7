//! LMDB 0.9 through heed.

mod describe;
mod environment;
mod kv;
mod ordered;

pub use describe::describe;
pub use kv::Lmdb;
pub use ordered::LmdbStore;

use dbdyno_engine::serve::Program;
use dbdyno_tables::Layered;
use dbdyno_workload::program;

pub static PROGRAM: Program = program::both::<Lmdb, Layered<LmdbStore>>(describe);
