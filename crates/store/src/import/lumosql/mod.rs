//! LumoSQL's benchmark databases: SQLite files in which every fact of a run and of a test is a row of text, or the text exports that its
//! tool writes from them.
//!
//! `run_data(run_id, key, value)`, `test_data(run_id, test_number, key, value)`. Each run becomes a session of its own: nothing records
//! which runs were started together, and runs of one session and round count as paired.

mod answers;
mod doubts;
mod findings;
mod names;
mod read;
mod rows;
mod run;
mod size;
mod text;

use super::{super::write::stage, ImportError, ImportKind};
use crate::TestRecord;
use answers::mark_disagreeing;
use doubts::doubts;
use duckdb::Connection;
use rows::{HostRow, KeyRow, OptionRow, ResultKeyRow, RunRow, SessionRow};
use std::path::Path;
use uuid::Uuid;

use super::super::WarningRecord;

/// The suite that imported runs belong to.
const SUITE: &str = "lumosql";
/// The namespace of all identifiers of imports, so that the same run always gets the same identifier.
const NAMESPACE: Uuid = Uuid::from_u128(0x6c75_6d6f_7371_6c2d_6462_6479_6e6f_0001);

/// The rows that a database is converted to.
#[derive(Debug, Default)]
pub(super) struct Converted {
    hosts: Vec<HostRow>,
    sessions: Vec<SessionRow>,
    runs: Vec<RunRow>,
    options: Vec<OptionRow>,
    keys: Vec<KeyRow>,
    results: Vec<TestRecord>,
    result_keys: Vec<ResultKeyRow>,
    warnings: Vec<WarningRecord>,
    /// Irregularities, one sentence each.
    pub(super) notes: Vec<String>,
}

/// Reads a benchmark database, or its text export.
pub(super) fn read(path: &Path, kind: ImportKind) -> Result<Converted, ImportError> {
    let (raw, mut findings) = match kind {
        ImportKind::LumoSqlText => text::read(path)?,
        _ => read::read(path)?,
    };
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut converted = Converted::default();
    for (run_id, raw) in &raw {
        run::convert(run_id, raw, &file, &mut converted, &mut findings);
    }
    converted.hosts.sort_by(|a, b| a.host_id.cmp(&b.host_id));
    converted.hosts.dedup_by(|a, b| a.host_id == b.host_id);
    mark_disagreeing(&mut converted, &mut findings);
    converted.notes = findings.sentences();
    converted.notes.extend(doubts(&raw));
    Ok(converted)
}

impl Converted {
    /// Puts the rows into the staged tables.
    pub(super) fn stage(&self, connection: &Connection) -> Result<(), String> {
        self.append(connection).map_err(|error| error.to_string())
    }

    fn append(&self, connection: &Connection) -> duckdb::Result<()> {
        stage(connection, &self.hosts)?;
        stage(connection, &self.sessions)?;
        stage(connection, &self.runs)?;
        stage(connection, &self.options)?;
        stage(connection, &self.keys)?;
        stage(connection, &self.results)?;
        stage(connection, &self.result_keys)?;
        stage(connection, &self.warnings)
    }
}

/// Derives the identifier of an item from the text that identifies it.
fn identifier(of: &str) -> String {
    Uuid::new_v5(&NAMESPACE, of.as_bytes()).to_string()
}
