//! SQLite: the build that this program is linked with, and any other that is loaded.

mod bundled;
mod connection;
mod copy;
mod describe;
mod distrust;
mod driver;
mod kv;
pub mod library;
mod pragmas;
mod sql;

pub use bundled::Bundled;
pub use describe::describe;
pub use distrust::distrust;
pub use driver::{Driver, ValueStatement};
pub use kv::SqliteKv;
pub use sql::SqliteSql;
