//! RocksDB, a log-structured merge tree in C++, from a library that is found at run time, through its C interface.

mod api;
mod batch;
mod counted;
mod database;
mod describe;
mod facts;
mod kv;
mod options;
mod ordered;
mod probe;
mod reads;

pub use describe::describe;
pub use kv::Rocks;
pub use ordered::RocksStore;

use dbdyno_engine::serve::Program;
use dbdyno_tables::Layered;
use dbdyno_workload::program;

pub static PROGRAM: Program =
    Program { probe: Some(probe::probe), ..program::both::<Rocks, Layered<RocksStore>>(describe) };
