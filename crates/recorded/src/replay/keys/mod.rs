//! A recording of a store of keys and values, as files that engines replay.
//!
//! Each key has one thread, which does its operations in their order, so that every answer is certain. Each client of the recording makes
//! one thread, up to a limit. A recording with scans has one thread, because a scan reads the keys of all.

mod model;

use self::model::{KeyModel, KnownOperation};
use super::ReplayError;
use crate::import::KeyVerb;
use dbdyno_engine::replay::{KeyOperation, KeysWriter};
use dbdyno_recording::{CallsReader, RecordedCall, RecordedLine, RecordedValue, RecordingError, RecordingFolder};
use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hasher},
    io,
    path::Path,
};
use uuid::Uuid;

/// The most threads that a replay needs.
const MOST_THREADS: usize = 16;
/// Bytes of operations from which the digest takes a part.
const DIGESTED: usize = 1 << 16;

/// The replay of a recording of keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeysPlan {
    /// The number of the test with the operations. If it is 2, test 1 stores the keys that were there at the beginning.
    pub test: u32,
    pub threads: u32,
    /// Clients of the recording.
    pub clients: usize,
    /// Whether there are scans, for which all operations are in one thread.
    pub has_scans: bool,
    /// Operations that are replayed, under the words of the recording, in the order of the test's work.
    pub operations: Vec<(&'static str, u64)>,
    /// Keys that were there at the beginning.
    pub start_keys: u64,
    /// How many of these have values of an unknown size, and the size that they get, bytes.
    pub guessed_keys: u64,
    pub guessed_bytes: u64,
    /// Gets with a known outcome, and how many of these have another outcome in the replay.
    pub known_gets: u64,
    pub unequal_gets: u64,
    /// Operations without a key, which are left out.
    pub without_key: u64,
    /// The most bytes of keys and values that are stored.
    pub bytes: u64,
    pub longest_key: usize,
    /// The time from the first operation to the last, ns.
    pub span_ns: u64,
    /// What distinguishes these operations from others.
    pub digest: String,
}

impl KeysPlan {
    /// Whether the recording has the times of its operations, and not only their order.
    pub fn has_times(&self) -> bool {
        self.span_ns >= self.count()
    }

    /// Returns the number of operations that are replayed.
    pub fn count(&self) -> u64 {
        self.operations.iter().map(|(_, count)| count).sum()
    }
}

/// Whether a recording is of a store of keys and values.
///
/// # Errors
/// The recording cannot be read.
pub fn records_keys(recording: &Path) -> Result<bool, RecordingError> {
    let files = RecordingFolder::open(recording)?;
    for path in files.calls() {
        for line in CallsReader::open(path)? {
            if let RecordedLine::Process(process) = line? {
                return Ok(process.keys);
            }
        }
    }
    Ok(false)
}

/// Writes the files of a replay into an empty folder. Memory grows by about a hundred bytes a key.
///
/// `has_threads`: whether all engines can work with several threads.
///
/// # Errors
/// The recording cannot be read, or has no operations; or the folder cannot be written.
pub fn write_keys_replay(recording: &Path, into: &Path, has_threads: bool) -> Result<KeysPlan, ReplayError> {
    let files = RecordingFolder::open(recording)?;
    let io = |source| ReplayError::Io { path: into.to_owned(), source };
    let mut looked = FirstLook::of(&files)?;
    if looked.clients.is_empty() {
        let reason = "it has no operations to replay".to_owned();
        return Err(ReplayError::Nothing { path: recording.to_owned(), reason });
    }
    let mut plan = looked.plan(has_threads);
    if plan.test > 1 {
        write_start(&mut plan, &mut looked.model, into).map_err(io)?;
    }
    write_operations(&files, &mut plan, looked, into)?;
    Ok(plan)
}

/// The recording as a whole, before anything is written.
#[derive(Default)]
struct FirstLook {
    model: KeyModel,
    /// Files of calls with their connections.
    clients: BTreeSet<(usize, u32)>,
    /// Operations by verb.
    verbs: [u64; KeyVerb::ALL.len()],
    without_key: u64,
    longest_key: usize,
    /// When the first and the last operation began, ns.
    times: Option<(u64, u64)>,
}

impl FirstLook {
    fn of(files: &RecordingFolder) -> Result<Self, ReplayError> {
        let mut looked = Self::default();
        looked.without_key = each(files, |operation, client, at_ns| {
            looked.clients.insert(client);
            looked.verbs[operation.verb as usize] += 1;
            let (first, last) = looked.times.unwrap_or((at_ns, at_ns));
            looked.times = Some((at_ns.min(first), at_ns.max(last)));
            looked.longest_key = looked.longest_key.max(operation.key.len());
            looked.model.first_look(&operation);
            Ok(())
        })?;
        Ok(looked)
    }

    /// Returns the verbs that occur, in the order of the test's work.
    fn used(&self) -> impl Iterator<Item = KeyVerb> {
        KeyVerb::ALL.into_iter().filter(|verb| self.verbs[*verb as usize] > 0)
    }

    fn plan(&self, has_threads: bool) -> KeysPlan {
        let (first, last) = self.times.unwrap_or_default();
        let has_scans = self.verbs[KeyVerb::Scan as usize] > 0;
        KeysPlan {
            test: if self.model.has_start() { 2 } else { 1 },
            threads: if has_scans || !has_threads { 1 } else { self.clients.len().min(MOST_THREADS) as u32 },
            clients: self.clients.len(),
            has_scans,
            operations: self.used().map(|verb| (verb.name(), self.verbs[verb as usize])).collect(),
            guessed_bytes: self.model.usual_bytes(),
            without_key: self.without_key,
            longest_key: self.longest_key,
            span_ns: last - first,
            ..KeysPlan::default()
        }
    }
}

/// Writes the keys that were there at the beginning, as the operations of test 1.
fn write_start(plan: &mut KeysPlan, model: &mut KeyModel, into: &Path) -> io::Result<()> {
    let mut start = KeysWriter::create(into, 1, 0)?;
    let store = |key: &[u8], bytes: u64| start.operation(KeyOperation { work: 0, at_ns: 0, number: bytes }, key);
    (plan.start_keys, plan.guessed_keys) = model.start(plan.guessed_bytes, store)?;
    start.finish()
}

/// Writes the operations of each thread.
fn write_operations(
    files: &RecordingFolder,
    plan: &mut KeysPlan,
    looked: FirstLook,
    into: &Path,
) -> Result<(), ReplayError> {
    let io = |source| ReplayError::Io { path: into.to_owned(), source };
    let used: Vec<KeyVerb> = looked.used().collect();
    let FirstLook { mut model, times, .. } = looked;
    let (first, _) = times.unwrap_or_default();
    let create = |thread| KeysWriter::create(into, plan.test, thread);
    let mut writers = (0..plan.threads).map(create).collect::<io::Result<Vec<_>>>().map_err(io)?;
    let mut digest = OperationsDigest::default();
    each(files, |operation, _, at_ns| {
        let number = model.number(&operation);
        if let Some(found) = operation.found {
            plan.known_gets += 1;
            plan.unequal_gets += u64::from(found != model.is_stored(operation.key));
        }
        model.apply(&operation, number);
        let work = used.iter().position(|verb| *verb == operation.verb).unwrap_or_default();
        let written = KeyOperation { work, at_ns: at_ns.saturating_sub(first), number };
        digest.add(&written, operation.key);
        writers[thread_of(operation.key, plan.threads)].operation(written, operation.key).map_err(io)
    })?;
    writers.into_iter().try_for_each(KeysWriter::finish).map_err(io)?;
    plan.bytes = model.most_bytes();
    plan.digest = digest.finish([plan.start_keys, plan.guessed_bytes, plan.threads.into()]);
    Ok(())
}

/// Passes each operation of a recording to `take`, with its client and its time, ns. Operations without a key are left out, because few
/// engines take an empty one; returns their number.
fn each(
    files: &RecordingFolder,
    mut take: impl FnMut(KnownOperation<'_>, (usize, u32), u64) -> Result<(), ReplayError>,
) -> Result<u64, ReplayError> {
    let mut without_key = 0;
    for (number, path) in files.calls().iter().enumerate() {
        // By statement, from 1.
        let mut verbs = Vec::new();
        for line in CallsReader::open(path)? {
            match line? {
                RecordedLine::Statement(statement) => verbs.push(KeyVerb::of(&statement.sql)),
                RecordedLine::Call(call) => {
                    let verb = verbs.get(call.statement as usize - 1).copied().flatten();
                    match verb.and_then(|verb| known(verb, &call)) {
                        Some(operation) if operation.key.is_empty() => without_key += 1,
                        Some(operation) => take(operation, (number, call.connection), call.start_ns)?,
                        None => {}
                    }
                }
                _ => {}
            }
        }
    }
    Ok(without_key)
}

fn known(verb: KeyVerb, call: &RecordedCall) -> Option<KnownOperation<'_>> {
    let key = match call.parameters.first()? {
        RecordedValue::Text(text) => text.as_bytes(),
        RecordedValue::Blob(bytes) | RecordedValue::Bytes(bytes) => bytes,
        _ => return None,
    };
    let number = match call.parameters.get(1) {
        Some(RecordedValue::Integer(number)) => u64::try_from(*number).ok(),
        _ => None,
    };
    let found = number.filter(|_| verb == KeyVerb::Get).map(|_| call.rows > 0);
    Some(KnownOperation { verb, key, number, found })
}

fn thread_of(key: &[u8], threads: u32) -> usize {
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    (hasher.finish() % u64::from(threads)) as usize
}

/// The digest of operations, a part at a time.
struct OperationsDigest {
    digest: Uuid,
    part: Vec<u8>,
}

impl Default for OperationsDigest {
    fn default() -> Self {
        Self { digest: Uuid::NAMESPACE_OID, part: Vec::new() }
    }
}

impl OperationsDigest {
    fn add(&mut self, operation: &KeyOperation, key: &[u8]) {
        let KeyOperation { work, at_ns, number } = *operation;
        for number in [work as u64, at_ns, number, key.len() as u64] {
            self.part.extend_from_slice(&number.to_le_bytes());
        }
        self.part.extend_from_slice(key);
        if self.part.len() >= DIGESTED {
            self.take();
        }
    }

    fn take(&mut self) {
        self.digest = Uuid::new_v5(&self.digest, &self.part);
        self.part.clear();
    }

    /// Returns the digest. `terms`: what else makes it another replay.
    fn finish(mut self, terms: [u64; 3]) -> String {
        terms.iter().for_each(|term| self.part.extend_from_slice(&term.to_le_bytes()));
        self.take();
        self.digest.simple().to_string()
    }
}
