//! CrossDB, tables in memory-mapped files with hashed keys, from a library that the user builds.

mod api;
mod connection;
mod describe;
mod log;
mod statement;
mod store;
mod transaction;

pub use describe::describe;
pub use store::CrossDb;

use dbdyno_engine::{EngineError, describe::Probed, serve::Program, settings::Settings};
use dbdyno_workload::program;

pub static PROGRAM: Program = Program { probe: Some(probe), ..program::kv_only::<CrossDb>(describe) };

/// Returns the identity of the library that the settings name. A database in a scratch folder shows that it accepts the statements.
fn probe(settings: &Settings) -> Result<Probed, EngineError> {
    let folder = tempfile::Builder::new().prefix("dbdyno-probe-").tempdir();
    let folder = folder.map_err(EngineError::doing("creating a scratch folder to try the library in"))?;
    let store = CrossDb::open_in(folder.path(), settings, 0)?;
    Ok(Probed::new(store.link().functions.library()))
}
