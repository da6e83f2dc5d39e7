//! Any other SQLite build, loaded at run time: another version, the distribution's, SQLCipher, a LumoSQL build.

mod api;
mod backend;
mod connection;
mod describe;
mod key;
mod statement;

pub use connection::Loaded;
pub use describe::describe;

use dbdyno_engine::serve::Program;
use dbdyno_sqlite::Sqlite;
use dbdyno_workload::program;

pub static PROGRAM: Program =
    Program { probe: Some(connection::probe), ..program::connecting::<Sqlite<Loaded>, Sqlite<Loaded>>(describe) };
