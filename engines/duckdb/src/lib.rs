//! DuckDB as an engine under test. dbdyno also uses this library to store results; here it runs in a separate worker.

mod append;
mod connection;
mod describe;
mod engine;
mod kv;
mod plan;
mod sql;
mod statement;

pub use describe::describe;
pub use engine::DuckDb;

use dbdyno_engine::serve::Program;
use dbdyno_workload::program;

pub static PROGRAM: Program = program::connecting::<DuckDb, DuckDb>(describe);
