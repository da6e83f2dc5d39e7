//! How DuckDB is given the store's file.

use super::Access;
use duckdb::{AccessMode, Config, Connection};
use std::path::Path;

/// Opens the file. Whoever writes keeps to one checkpoint, at the end: see [`super::undo`].
pub(super) fn open(path: &Path, access: Access) -> duckdb::Result<Connection> {
    let config = match access {
        // One thread: a batch is small, and a worker may be waiting on the other core.
        Access::Write => Config::default().threads(1)?.with("checkpoint_threshold", "1TB")?,
        Access::Read => Config::default().access_mode(AccessMode::ReadOnly)?,
    };
    Connection::open_with_flags(path, config)
}
