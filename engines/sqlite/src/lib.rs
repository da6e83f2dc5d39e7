//! SQLite: the build that this program is linked with, or any other through a [`Driver`].

mod bundled;
mod busy;
mod connection;
mod copy;
mod describe;
mod driver;
mod engine;
mod examine;
mod kv;
mod pragmas;
mod sql;

pub use busy::BusyHandler;
pub use describe::{TRANSACTIONS, describe, options, tiers};
pub use driver::Driver;
pub use engine::Sqlite;
pub use examine::examine;

use dbdyno_engine::serve::Program;
use dbdyno_workload::program;

pub static PROGRAM: Program = program::connecting::<Sqlite, Sqlite>(describe);
