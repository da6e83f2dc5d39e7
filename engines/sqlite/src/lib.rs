//! SQLite: the build that this program is linked with, and through a [`Driver`] any other.

mod bundled;
mod connection;
mod copy;
mod describe;
mod driver;
mod engine;
mod kv;
mod pragmas;
mod sql;

pub use describe::{describe, options, tiers};
pub use driver::Driver;
pub use engine::Sqlite;

use dbdyno_engine::serve::Program;
use dbdyno_workload::program;

pub const PROGRAM: Program = program::both::<Sqlite, Sqlite>(describe);
