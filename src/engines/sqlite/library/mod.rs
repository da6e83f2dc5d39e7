//! Any other build of SQLite, loaded at run time: another version, the distribution's, SQLCipher, a LumoSQL build.
//!
//! It is loaded in a worker only, never in the program that plans and stores: foreign code runs as soon as it is loaded.

mod api;
mod connection;
mod describe;
mod statement;
mod syncs;

pub use connection::Loaded;
pub use describe::describe;

use super::{SqliteKv, SqliteSql};
use dbdyno_engine::serve::Program;
use dbdyno_workload::program;

/// The engine as a program.
pub const PROGRAM: Program =
    Program { probe: Some(connection::probe), ..program::both::<SqliteKv<Loaded>, SqliteSql<Loaded>>(describe) };
