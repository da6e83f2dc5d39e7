//! SQLite through rusqlite, compiled from the bundled amalgamation.

mod connection;
mod copy;
mod describe;
mod kv;
mod pragmas;
mod sql;

pub use describe::describe;
pub use kv::SqliteKv;
pub use sql::SqliteSql;
