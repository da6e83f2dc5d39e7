//! A recording in figures.

mod working_set;

pub use working_set::WorkingSetSummary;

use crate::{
    StatementKind, fingerprint,
    statistics::{DifferentValues, Durations, Intervals},
};
use dbdyno_recording::{
    CallsReader, FileEnding, RecordedCall, RecordedLine, RecordedProcess, RecordingError, RecordingFolder,
    RecordingManifest,
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};
use working_set::WorkingSet;

/// The most PRAGMA statements that are listed.
const MOST_PRAGMAS: usize = 50;
/// The most statements of a schema that are kept.
const MOST_SCHEMA: usize = 2_000;
/// SQLite's result codes that mean that another connection was in the way: BUSY and LOCKED.
const BUSY: [i32; 2] = [5, 6];

/// A recording in figures. Times are ns.
#[derive(Debug, Serialize)]
pub struct RecordingSummary {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// RFC 3339.
    pub started_at: String,
    /// Whether its statements are operations of a store of keys and values, and not SQL.
    pub keys: bool,
    pub calls: u64,
    /// Calls that are missing.
    pub lost: u64,
    /// Connections whose calls are unknown from some moment on, because the program set a trace of its own there.
    pub lost_slots: u64,
    /// From the first call's start to the last one's end.
    pub span_ns: u64,
    /// The sum of all calls' durations.
    pub busy_ns: u64,
    /// What the recorder's own code took in the program's threads, an estimate.
    pub cost_ns: u64,
    pub processes: Vec<ProcessSummary>,
    pub databases: Vec<DatabaseSummary>,
    pub concurrency: ConcurrencySummary,
    pub transactions: TransactionSummary,
    /// What the operations work on. None: the statements are SQL, or have no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_set: Option<WorkingSetSummary>,
    /// The most time first.
    pub fingerprints: Vec<FingerprintSummary>,
    /// The PRAGMA statements, each once.
    pub pragmas: Vec<String>,
    /// Result codes of SQLite other than 0, with the number of calls.
    pub errors: BTreeMap<i32, u64>,
    /// The statements that created the schema, in their order.
    #[serde(skip)]
    pub schema: Vec<String>,
}

/// A recorded process.
#[derive(Debug, Serialize)]
pub struct ProcessSummary {
    pub pid: u32,
    pub program: String,
    pub sqlite_version: String,
    pub calls: u64,
    /// Whether it ended in order. Of a process that was killed, the last calls are missing.
    pub ended_in_order: bool,
    /// Calls that are missing.
    pub lost: u64,
}

/// A database that the program opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatabaseSummary {
    pub path: String,
    pub connections: u64,
    /// Name of the copy of what it had at the beginning; none: it was empty, or not copied.
    pub copy: Option<String>,
    /// Bytes of the copy.
    pub bytes: Option<u64>,
    /// Why it was not copied.
    pub not_copied: Option<String>,
}

/// How much happened at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConcurrencySummary {
    pub connections: u64,
    /// The most connections that were open at once.
    pub connections_at_once: usize,
    pub threads: usize,
    /// The most statements that ran at once.
    pub calls_at_once: usize,
    /// The most transactions at once that only read, and that wrote.
    pub readers_at_once: usize,
    pub writers_at_once: usize,
    /// Calls that another connection was in the way of.
    pub busy: u64,
}

/// The transactions of all connections. A statement outside of BEGIN and COMMIT is one of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TransactionSummary {
    pub reading: u64,
    pub writing: u64,
    /// Those with BEGIN.
    pub explicit: u64,
    pub rolled_back: u64,
    /// The most statements in one.
    pub longest: u64,
}

/// Statements that differ only in their values.
#[derive(Debug, Clone, Serialize)]
pub struct FingerprintSummary {
    pub sql: String,
    pub kind: StatementKind,
    pub calls: u64,
    pub time_ns: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub longest_ns: u64,
    /// Rows returned, and rows changed.
    pub rows: u64,
    pub changes: u64,
    pub errors: u64,
    /// Number of different lists of values, up to 100,000.
    pub different_values: usize,
    /// A statement as it was executed, and the copy of the database that it ran on.
    #[serde(skip)]
    pub example: String,
    #[serde(skip)]
    pub copy: Option<String>,
}

/// Whether a call ended with an error. The recorder cannot always know, and writes -1 then. 100 is no error: the program
/// may have left rows unread.
fn has_failed(call: &RecordedCall) -> bool {
    call.result_code > 0 && call.result_code != 100
}

impl RecordingSummary {
    /// Reads a recording. The time that it takes is that of its calls, once; its memory does not grow with them, but for 16 bytes of each
    /// of the first 16 million.
    ///
    /// # Errors
    /// A file of the recording cannot be read. A file of calls that ends early is none.
    pub fn read(folder: &Path) -> Result<Self, RecordingError> {
        let manifest = RecordingManifest::read(folder)?;
        let files = RecordingFolder::open(folder)?;
        let mut all = RecordingFigures::default();
        for path in files.calls() {
            all.file(path)?;
        }
        Ok(all.summary(manifest, &files))
    }
}

/// A fingerprint's figures so far.
struct GatheredFingerprint {
    sql: String,
    kind: StatementKind,
    durations: Durations,
    longest_ns: u64,
    rows: u64,
    changes: u64,
    calls: u64,
    errors: u64,
    values: DifferentValues,
    example: String,
    copy: Option<String>,
}

impl GatheredFingerprint {
    fn new(sql: String, example: &str, keys: bool) -> Self {
        Self {
            kind: if keys { StatementKind::of_keys(example) } else { StatementKind::of(example) },
            sql,
            durations: Durations::new(),
            longest_ns: 0,
            rows: 0,
            changes: 0,
            calls: 0,
            errors: 0,
            values: DifferentValues::default(),
            example: example.to_owned(),
            copy: None,
        }
    }

    fn add(&mut self, call: &RecordedCall, connection: &OpenConnection) {
        self.durations.add(call.duration_ns);
        self.longest_ns = self.longest_ns.max(call.duration_ns);
        self.calls += 1;
        self.rows += call.rows;
        self.changes += call.changes;
        self.errors += u64::from(has_failed(call));
        self.values.add(&call.parameters);
        if self.copy.is_none() {
            self.copy.clone_from(&connection.copy);
        }
    }

    fn summary(self) -> FingerprintSummary {
        FingerprintSummary {
            p50_ns: self.durations.quantile(0.5),
            p99_ns: self.durations.quantile(0.99),
            time_ns: self.durations.total_ns,
            sql: self.sql,
            kind: self.kind,
            calls: self.calls,
            longest_ns: self.longest_ns,
            rows: self.rows,
            changes: self.changes,
            errors: self.errors,
            different_values: self.values.count(),
            example: self.example,
            copy: self.copy,
        }
    }
}

/// A connection of a process, with its transaction.
#[derive(Default)]
struct OpenConnection {
    path: String,
    opened_at: u64,
    is_open: bool,
    copy: Option<String>,
    transaction: Option<OpenTransaction>,
}

struct OpenTransaction {
    started_at: u64,
    statements: u64,
    writes: bool,
}

/// What was gathered so far.
#[derive(Default)]
struct RecordingFigures {
    fingerprints: Vec<GatheredFingerprint>,
    places: HashMap<String, usize>,
    databases: BTreeMap<String, DatabaseSummary>,
    processes: Vec<ProcessSummary>,
    pragmas: Vec<String>,
    schema: Vec<String>,
    errors: BTreeMap<i32, u64>,
    threads: BTreeSet<(u32, u32)>,
    calls_at_once: Intervals,
    readers: Intervals,
    writers: Intervals,
    connections: Intervals,
    connection_count: u64,
    transactions: TransactionSummary,
    keys: bool,
    working_set: WorkingSet,
    calls: u64,
    busy_ns: u64,
    busy: u64,
    lost_slots: u64,
    cost_ns: u64,
    first: Option<u64>,
    last: u64,
}

/// The state of a file of calls while it is read.
#[derive(Default)]
struct ReadFile {
    process: Option<RecordedProcess>,
    /// By identifier, from 1.
    statements: Vec<usize>,
    connections: Vec<OpenConnection>,
    lost: u64,
    last: u64,
}

impl ReadFile {
    fn has_keys(&self) -> bool {
        self.process.as_ref().is_some_and(|process| process.keys)
    }
}

impl RecordingFigures {
    fn file(&mut self, path: &Path) -> Result<(), RecordingError> {
        let mut reader = CallsReader::open(path)?;
        let mut file = ReadFile::default();
        for line in &mut reader {
            self.line(&mut file, line?);
        }
        for connection in std::mem::take(&mut file.connections) {
            self.closed(&connection, file.last);
        }
        let Some(process) = file.process else { return Ok(()) };
        self.processes.push(ProcessSummary {
            pid: process.pid,
            program: process.program,
            sqlite_version: process.sqlite_version,
            calls: reader.calls(),
            ended_in_order: matches!(reader.ending(), Some(FileEnding::Orderly(_))),
            lost: file.lost,
        });
        Ok(())
    }

    fn line(&mut self, file: &mut ReadFile, line: RecordedLine) {
        match line {
            RecordedLine::Process(process) => {
                self.keys |= process.keys;
                file.process = Some(process);
            }
            RecordedLine::Open(open) => {
                self.connection_count += 1;
                let database = self.database(&open.path);
                database.connections += 1;
                if database.copy.is_none() {
                    database.copy.clone_from(&open.database);
                }
                let copy = database.copy.clone();
                file.connections.push(OpenConnection {
                    path: open.path,
                    opened_at: open.at,
                    is_open: true,
                    copy,
                    transaction: None,
                });
            }
            RecordedLine::Attach(attach) => {
                let database = self.database(&attach.path);
                if database.copy.is_none() {
                    database.copy = attach.database;
                }
            }
            RecordedLine::Close(close) => {
                if let Some(connection) = file.connections.get_mut(close.connection as usize - 1) {
                    let closed = std::mem::take(connection);
                    self.closed(&closed, close.at);
                }
            }
            RecordedLine::Statement(statement) => {
                let place = self.place(&statement.sql, file.has_keys());
                file.statements.push(place);
                let kind = self.fingerprints[place].kind;
                if kind == StatementKind::Schema && self.schema.len() < MOST_SCHEMA {
                    self.schema.push(statement.sql.clone());
                }
                if kind == StatementKind::Pragma
                    && self.pragmas.len() < MOST_PRAGMAS
                    && !self.pragmas.contains(&statement.sql)
                {
                    self.pragmas.push(statement.sql);
                }
            }
            RecordedLine::Call(call) => self.call(file, &call),
            RecordedLine::Lost(lost) => file.lost += lost.calls,
            RecordedLine::NoSnapshot(missing) => {
                let connection = file.connections.get(missing.connection as usize - 1);
                if let Some(path) = connection.map(|connection| connection.path.clone()) {
                    self.database(&path).not_copied.get_or_insert(missing.why);
                }
            }
            RecordedLine::SlotLost(_) => self.lost_slots += 1,
            RecordedLine::End(end) => self.cost_ns += end.cost_ns,
        }
    }

    fn database(&mut self, path: &str) -> &mut DatabaseSummary {
        self.databases.entry(path.to_owned()).or_insert_with(|| DatabaseSummary {
            path: path.to_owned(),
            connections: 0,
            copy: None,
            bytes: None,
            not_copied: None,
        })
    }

    /// Returns the place of a statement's fingerprint.
    fn place(&mut self, sql: &str, keys: bool) -> usize {
        let name = fingerprint(sql);
        match self.places.get(&name) {
            Some(place) => *place,
            None => {
                self.fingerprints.push(GatheredFingerprint::new(name.clone(), sql, keys));
                self.places.insert(name, self.fingerprints.len() - 1);
                self.fingerprints.len() - 1
            }
        }
    }

    fn call(&mut self, file: &mut ReadFile, call: &RecordedCall) {
        let (Some(place), Some(connection)) =
            (file.statements.get(call.statement as usize - 1), file.connections.get_mut(call.connection as usize - 1))
        else {
            return;
        };
        let of = &mut self.fingerprints[*place];
        of.add(call, connection);
        if file.process.as_ref().is_some_and(|process| process.keys) {
            self.working_set.add(&of.sql, &call.parameters);
        }
        let end = call.start_ns.saturating_add(call.duration_ns);
        let pid = file.process.as_ref().map_or(0, |process| process.pid);
        file.last = file.last.max(end);
        self.threads.insert((pid, call.thread));
        self.first = Some(self.first.map_or(call.start_ns, |first| first.min(call.start_ns)));
        self.last = self.last.max(end);
        self.calls += 1;
        self.busy_ns = self.busy_ns.saturating_add(call.duration_ns);
        self.busy += u64::from(BUSY.contains(&call.result_code));
        if has_failed(call) {
            *self.errors.entry(call.result_code).or_default() += 1;
        }
        self.calls_at_once.add(call.start_ns, end);
        let kind = of.kind;
        self.transaction(kind, call, connection, end);
    }

    /// Counts the transaction that a call begins, belongs to, or ends.
    fn transaction(&mut self, kind: StatementKind, call: &RecordedCall, connection: &mut OpenConnection, end: u64) {
        let writes = kind.writes() && (kind != StatementKind::Write || call.changes > 0);
        match (kind, &mut connection.transaction) {
            (StatementKind::Begin, open @ None) => {
                *open = Some(OpenTransaction { started_at: call.start_ns, statements: 0, writes: false });
            }
            (StatementKind::Commit | StatementKind::Rollback, Some(_)) if !has_failed(call) => {
                self.transactions.rolled_back += u64::from(kind == StatementKind::Rollback);
                self.transactions.explicit += 1;
                if let Some(transaction) = connection.transaction.take() {
                    self.ended(&transaction, end);
                }
            }
            (_, Some(transaction)) => {
                transaction.statements += 1;
                transaction.writes |= writes;
            }
            (StatementKind::Read | StatementKind::Write | StatementKind::Schema | StatementKind::Other, None) => {
                self.ended(&OpenTransaction { started_at: call.start_ns, statements: 1, writes }, end);
            }
            _ => {}
        }
    }

    fn ended(&mut self, transaction: &OpenTransaction, end: u64) {
        let OpenTransaction { started_at, statements, writes } = *transaction;
        self.transactions.longest = self.transactions.longest.max(statements);
        match writes {
            true => {
                self.transactions.writing += 1;
                self.writers.add(started_at, end);
            }
            false => {
                self.transactions.reading += 1;
                self.readers.add(started_at, end);
            }
        }
    }

    fn closed(&mut self, connection: &OpenConnection, at: u64) {
        if connection.is_open {
            self.connections.add(connection.opened_at, at.max(connection.opened_at + 1));
        }
    }

    fn summary(self, manifest: RecordingManifest, files: &RecordingFolder) -> RecordingSummary {
        let bytes = |copy: &str| Some(files.database(copy)?.metadata().ok()?.len());
        let databases = self
            .databases
            .into_values()
            .map(|one| DatabaseSummary { bytes: one.copy.as_deref().and_then(bytes), ..one });
        let of_calls = self.fingerprints.into_iter().filter(|one| one.calls > 0);
        let mut fingerprints: Vec<FingerprintSummary> = of_calls.map(GatheredFingerprint::summary).collect();
        fingerprints.sort_by(|one, next| {
            next.time_ns.cmp(&one.time_ns).then(next.calls.cmp(&one.calls)).then_with(|| one.sql.cmp(&next.sql))
        });
        RecordingSummary {
            command: manifest.command,
            started_at: manifest.started_at,
            keys: self.keys,
            calls: self.calls,
            lost: self.processes.iter().map(|process| process.lost).sum(),
            lost_slots: self.lost_slots,
            span_ns: self.last.saturating_sub(self.first.unwrap_or(self.last)),
            busy_ns: self.busy_ns,
            cost_ns: self.cost_ns,
            concurrency: ConcurrencySummary {
                connections: self.connection_count,
                connections_at_once: self.connections.most_at_once(),
                threads: self.threads.len(),
                calls_at_once: self.calls_at_once.most_at_once(),
                readers_at_once: self.readers.most_at_once(),
                writers_at_once: self.writers.most_at_once(),
                busy: self.busy,
            },
            processes: self.processes,
            databases: databases.collect(),
            transactions: self.transactions,
            working_set: self.working_set.summary(),
            fingerprints,
            pragmas: self.pragmas,
            errors: self.errors,
            schema: self.schema,
        }
    }
}
