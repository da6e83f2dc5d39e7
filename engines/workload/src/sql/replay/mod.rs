//! Recorded applications: each lane of a recording is a thread.

mod content;
mod gate;
mod lane;

pub(super) use content::{contents, plans};
pub(super) use gate::OTHER_FAILED;
pub(super) use lane::play;

use self::gate::ReplayGate;
use crate::{actors::at_speed, digest::Digest, named::NamedResults};
use dbdyno_engine::{
    EngineError,
    protocol::{StatementDone, TableContent},
    replay::{StatementAction, TransactionPlace, read_statements},
    suite::{REPLAY_ACTOR, ReplaySpec, ReplayedStatement, SqlActor, StatementSpec},
};
use std::path::{Path, PathBuf};

/// A recording that is replayed.
#[derive(Debug)]
pub(super) struct RecordedLoad<'t> {
    pub(super) spec: &'t ReplaySpec,
    folder: PathBuf,
    statements: Vec<RepeatedStatement>,
    gate: ReplayGate,
}

/// A statement that calls execute.
#[derive(Debug)]
struct RepeatedStatement {
    /// The place of its name.
    name: usize,
    action: StatementAction,
    spec: StatementSpec,
}

impl<'t> RecordedLoad<'t> {
    /// Reads the statements of a recording.
    ///
    /// # Errors
    /// The suite names no folder, or its files are not those of a recording.
    pub(super) fn read(spec: &'t ReplaySpec, folder: Option<&Path>) -> Result<Self, EngineError> {
        let folder =
            folder.ok_or_else(|| EngineError::new("the suite has no folder with the files of its recording"))?;
        let statements = read_statements(folder, spec.statements.len())?;
        let statements = statements.into_iter().map(|statement| RepeatedStatement {
            name: statement.name,
            action: statement.action,
            spec: StatementSpec { sql: statement.sql, ..StatementSpec::default() },
        });
        let gate = ReplayGate::new(spec.order);
        Ok(Self { spec, folder: folder.to_owned(), statements: statements.collect(), gate })
    }

    /// Returns its lanes as the threads of an actor.
    pub(super) fn actors(&self) -> Vec<SqlActor> {
        vec![SqlActor { name: REPLAY_ACTOR.to_owned(), threads: self.spec.lanes, steps: Vec::new() }]
    }

    /// Returns when a transaction is due in a lane that began at this time, if it is due at a time.
    fn due(&self, place: &TransactionPlace, begun_ns: u64) -> Option<u64> {
        let percent = self.spec.percent()?;
        Some(begun_ns.saturating_add(at_speed(place.at_ns, percent)))
    }
}

/// Returns the reports of all names, with their plans.
pub(super) fn done(
    spec: &ReplaySpec,
    named: &[NamedResults],
    plans: Vec<Vec<String>>,
    answers: bool,
) -> Vec<StatementDone> {
    let statements = spec.statements.iter().zip(named).zip(plans);
    let done = |((statement, named), plan): ((&ReplayedStatement, &NamedResults), Vec<String>)| StatementDone {
        plan,
        ..named.done(&statement.name, answers && statement.is_verified)
    };
    statements.map(done).collect()
}

/// Returns the verification value of a replay: that of all answers and tables that are the same each time.
pub fn verification(statements: &[StatementDone], contents: &[TableContent], unequal_tables: &[String]) -> String {
    let mut digest = Digest::default();
    let verified = statements.iter().filter_map(|statement| statement.verification.as_deref());
    verified.for_each(|text| digest.bytes(text.as_bytes()));
    for TableContent { table, checksum, .. } in contents.iter().filter(|one| !unequal_tables.contains(&one.table)) {
        digest.bytes(table.as_bytes());
        digest.bytes(checksum.as_bytes());
    }
    digest.to_text()
}
