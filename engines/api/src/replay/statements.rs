//! The list of statements.

use super::{
    statements_file,
    wire::{WireReader, WireWriter},
};
use crate::{EngineError, suite::Begin};
use std::{
    fs::File,
    io::{self, BufReader, Write},
    path::Path,
};

/// A statement that calls execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayStatement {
    /// The place of the name under which it is reported.
    pub name: usize,
    pub action: StatementAction,
    pub sql: String,
}

/// How a statement is executed. The number in the file is in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementAction {
    /// It is prepared, and its rows are read (0).
    Read,
    /// It is prepared, and changes rows (1).
    Write,
    /// It is passed as text (2).
    Run,
    /// It begins a transaction (3: as the engine's options say, 4: deferred, 5: immediate, 6: exclusive, 7: concurrent).
    Begin(Begin),
    /// It commits (8).
    Commit,
    /// It rolls back (9).
    Rollback,
}

const ACTIONS: [StatementAction; 10] = [
    StatementAction::Read,
    StatementAction::Write,
    StatementAction::Run,
    StatementAction::Begin(Begin::Engine),
    StatementAction::Begin(Begin::Deferred),
    StatementAction::Begin(Begin::Immediate),
    StatementAction::Begin(Begin::Exclusive),
    StatementAction::Begin(Begin::Concurrent),
    StatementAction::Commit,
    StatementAction::Rollback,
];

/// Writes the list of statements of a replay.
///
/// # Errors
/// The file cannot be written.
pub fn write_statements(folder: &Path, statements: &[ReplayStatement]) -> io::Result<()> {
    let mut encoded = Vec::new();
    let mut list = WireWriter(&mut encoded);
    list.number(statements.len() as u64);
    for ReplayStatement { name, action, sql } in statements {
        list.number(*name as u64);
        let kind = ACTIONS.iter().position(|one| one == action).unwrap_or_default();
        list.number(kind as u64);
        list.bytes(sql.as_bytes());
    }
    File::create_new(statements_file(folder))?.write_all(&encoded)
}

/// Reads the list of statements of a replay. `names`: how many names the suite has.
///
/// # Errors
/// The file cannot be read, or is not one of this format.
pub fn read_statements(folder: &Path, names: usize) -> Result<Vec<ReplayStatement>, EngineError> {
    let path = statements_file(folder);
    let in_file = |error: EngineError| EngineError::new(format!("{}: {error}", path.display()));
    let read = || -> Result<Vec<ReplayStatement>, EngineError> {
        let mut file = WireReader(BufReader::new(File::open(&path)?));
        let count = file.length()?;
        (0..count)
            .map(|_| {
                let (name, kind) = (file.number()?, file.number()?);
                let name = usize::try_from(name).ok().filter(|name| *name < names);
                let action = usize::try_from(kind).ok().and_then(|kind| ACTIONS.get(kind).copied());
                let (Some(name), Some(action)) = (name, action) else {
                    return Err(EngineError::new("a statement has an unknown name or kind"));
                };
                Ok(ReplayStatement { name, action, sql: file.text(Vec::new())? })
            })
            .collect()
    };
    read().map_err(in_file)
}
