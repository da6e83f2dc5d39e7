//! A recording as files that engines replay, and as the load of a test.
//!
//! Connections that were open at the same time are in different lanes. The calls of a connection are transactions: those from BEGIN to
//! COMMIT, and every other statement alone. The order of transactions in different lanes is [`order`]'s.

mod database;
mod defaults;
mod keys;
mod lanes;
mod order;
mod pragma;
mod spool;
mod statements;

pub use database::RecordedSource;
pub use keys::{KeysPlan, records_keys, write_keys_replay};

use self::{lanes::Lanes, spool::CallSpool, statements::ReplayStatements};
use dbdyno_engine::{
    replay::write_statements,
    suite::{Expression, ReplayOrder, ReplaySpec},
};
use dbdyno_recording::{RecordingError, RecordingFolder};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::{Path, PathBuf},
};

/// The most connections at once.
const MOST_LANES: usize = 256;

/// The reason why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The files of the replay cannot be written.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// There is nothing to replay, with the reason.
    #[error("{}: {reason}", path.display())]
    Nothing { path: PathBuf, reason: String },
}

/// What is replayed of a recording, and what is not.
#[derive(Debug)]
pub struct ReplayPlan {
    /// The database that is replayed.
    pub source: RecordedSource,
    /// The load, as fast as possible, with every answer verified and every failure allowed.
    pub spec: ReplaySpec,
    /// Calls that are replayed.
    pub calls: u64,
    /// Number of calls, and of those that failed, by the place of their name in the load.
    pub calls_by_name: Vec<u64>,
    pub failures_by_name: Vec<u64>,
    /// Values of pragmas that the program set, by the options that have their names.
    set: BTreeMap<String, String>,
    compile_options: Vec<String>,
    /// Calls that are not replayed.
    pub left_out: Vec<LeftOutCalls>,
    /// Values that cannot be replayed as they were: not UTF-8, or too long for the recording. Others of the same length replace them.
    pub changed_values: u64,
    /// From the first call's start to the last one's end, ns.
    pub span_ns: u64,
    /// The part of it in which no call was under way, ns.
    pub idle_ns: u64,
    pub processes: usize,
    /// What distinguishes these calls from others.
    pub digest: String,
}

impl ReplayPlan {
    /// Whether the recording has the times of its calls, and not only their order.
    pub fn has_times(&self) -> bool {
        self.span_ns >= self.calls
    }

    /// Returns the settings with which the program used its database, by the names of their pragmas: those that its library was compiled
    /// with, those that the database has itself, and those that the program set.
    pub fn settings(&self, of_database: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        defaults::settings(&self.compile_options, of_database, &self.set)
    }
}

/// Calls that are not replayed, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutCalls {
    pub reason: LeftOutReason,
    pub calls: u64,
    /// The text of the first one.
    pub example: String,
}

/// Why calls are not replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutReason {
    /// Another connection was in the way, and the program made another attempt or gave up.
    Busy,
    /// They set a pragma that is an option of the engine.
    Option,
    /// They attach or detach a database, or write one to a file of their own.
    OtherFile,
    /// They were interrupted.
    Interrupted,
}

impl LeftOutReason {
    /// Returns the reason as the end of a sentence about calls.
    pub fn words(self) -> &'static str {
        match self {
            Self::Busy => "met the lock of another connection",
            Self::Option => "set a pragma that is an option of the engine",
            Self::OtherFile => "used another file",
            Self::Interrupted => "were interrupted",
        }
    }
}

/// What a replay is made of.
#[derive(Clone, Copy)]
pub struct ReplayTerms<'t> {
    /// Options of the engines. Statements do not set pragmas with their names.
    pub options: &'t BTreeSet<String>,
    /// Returns the text that is replayed in the place of a statement's.
    pub rewrite: &'t dyn Fn(&str) -> String,
}

impl fmt::Debug for ReplayTerms<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayTerms").field("options", self.options).finish_non_exhaustive()
    }
}

/// Chooses the database to replay: the one with this path, as the recording names it, or else the one that took the most time.
///
/// # Errors
/// The recording cannot be read, or has no such database.
pub fn recorded_source(recording: &Path, wanted: Option<&str>) -> Result<RecordedSource, ReplayError> {
    let files = RecordingFolder::open(recording)?;
    database::choose(&files, wanted)?.map_err(|reason| ReplayError::Nothing { path: recording.to_owned(), reason })
}

/// Writes the files of a replay into an empty folder. Memory grows by about a hundred bytes a call.
///
/// # Errors
/// The recording cannot be read, has no calls of the database, or has too many connections at once; or the folder cannot be written.
pub fn write_replay(
    recording: &Path,
    source: &RecordedSource,
    into: &Path,
    terms: ReplayTerms<'_>,
) -> Result<ReplayPlan, ReplayError> {
    let files = RecordingFolder::open(recording)?;
    let nothing = |reason: String| ReplayError::Nothing { path: recording.to_owned(), reason };
    let io = |source| ReplayError::Io { path: into.to_owned(), source };
    let mut statements = ReplayStatements::new(terms);
    let spool = CallSpool::read(&files, source, &mut statements, into)?;
    if spool.calls.is_empty() {
        return Err(nothing(format!("it has no calls to replay of {}", source.path)));
    }
    let (first, last) = spool.span();
    let lanes = Lanes::of(&spool);
    if lanes.count > MOST_LANES {
        let reason = format!("{} connections were open at once, above the limit of {MOST_LANES}", lanes.count);
        return Err(nothing(reason));
    }
    let transactions = order::transactions(&spool, &lanes, &statements);
    let digest = order::write(&spool, &lanes, &transactions, into).map_err(io)?;
    let (listed, named) = statements.finish();
    write_statements(into, &listed).map_err(io)?;
    let spec = ReplaySpec {
        lanes: lanes.count as u32,
        transactions: transactions.len() as u64,
        writes: transactions.iter().filter(|one| one.writes).count() as u64,
        speed: Expression::default(),
        order: ReplayOrder::Concurrent,
        statements: named.statements,
        unequal_tables: Vec::new(),
    };
    Ok(ReplayPlan {
        source: source.clone(),
        spec,
        calls: spool.calls.len() as u64,
        calls_by_name: named.calls,
        failures_by_name: named.failures,
        set: named.options,
        left_out: named.left_out,
        changed_values: spool.changed_values,
        span_ns: last - first,
        idle_ns: (last - first).saturating_sub(spool.busy_ns()),
        compile_options: spool.compile_options,
        processes: spool.processes,
        digest,
    })
}
