//! SQLite through rusqlite, compiled from the bundled amalgamation.

mod describe;
mod kv;
mod pragmas;

pub use describe::describe;
pub use kv::SqliteKv;
