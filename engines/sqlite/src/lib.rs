//! SQLite: the build that this program is linked with, and through a [`Driver`] any other.

mod bundled;
mod connection;
mod copy;
mod describe;
mod driver;
mod kv;
mod pragmas;
mod sql;

pub use bundled::Bundled;
pub use describe::{describe, options, tiers};
pub use driver::{Driver, ValueStatement};
pub use kv::SqliteKv;
pub use sql::SqliteSql;

use dbdyno_engine::serve::Program;
use dbdyno_workload::program;

/// The engine as a program.
pub const PROGRAM: Program = program::both::<SqliteKv, SqliteSql>(describe);
