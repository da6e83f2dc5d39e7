//! The kill test: a worker commits and acknowledges each commit until it is killed. Another worker reopens the database and reports how
//! many commits it holds. The [recording](crate::power) of such a worker shows what a power loss would have left.

mod commits;
mod found;
#[cfg(test)]
mod tests;
mod threads;

pub(crate) use self::threads::Committers;

use self::{
    commits::{RowChange, changes},
    found::{Formats, FoundRows},
};
use crate::{
    kv::{KvThreading, has_database, open_anew, open_in, prepared_folder, reopen},
    power::{self, Marker, PowerRecording},
};
use dbdyno_engine::{
    EngineError,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    protocol::{Event, Job, RunFailure},
    serve::Worker,
    suite::{KvLoad, KvSuite, KvTest, Operation},
};
use std::{env, path::PathBuf};

/// Returns the test that provides the formats and statements: the first one that puts.
fn writing_test<'s>(suite: &'s KvSuite) -> Result<(&'s KvTest, Formats<'s>), EngineError> {
    let puts = |test: &'s KvTest| match &test.load {
        KvLoad::Alone(alone) => match alone.work.work.as_slice() {
            [only] => match &only.operation {
                Operation::Put { value } => Some((test, Formats { key: &test.key, value, thread: None })),
                _ => None,
            },
            _ => None,
        },
        KvLoad::Actors(_) | KvLoad::Compaction(_) => None,
    };
    suite
        .tests
        .iter()
        .find_map(puts)
        .ok_or_else(|| EngineError::new(format!("suite `{}` has no test that only puts", suite.name)))
}

/// The file in which a committing worker records its changes to files.
const LOG: &str = "DBDYNO_POWER_LOG";
/// The number of commits after which such a worker exits.
const COMMITS: &str = "DBDYNO_POWER_COMMITS";

/// The recording that the environment requests from a committing worker.
struct CommitRecording {
    recording: PowerRecording,
    /// The number of commits after which the process exits; `None`: it runs until it is killed.
    commits: Option<u64>,
}

impl CommitRecording {
    /// Starts recording the job's folder, if the environment requests it.
    fn start(job: &Job) -> Result<Option<Self>, EngineError> {
        let Some(log) = env::var_os(LOG) else { return Ok(None) };
        let expected = |text: &str| EngineError::new(format!("{COMMITS}={text}: expected a number of commits"));
        let number = |text: String| text.parse().map_err(|_| expected(&text));
        let commits = env::var(COMMITS).ok().map(number).transpose()?;
        Ok(Some(Self { recording: power::record(&job.folder, &PathBuf::from(log))?, commits }))
    }
}

/// Refuses to record more than one thread.
fn check_recordable(threads: u32) -> Result<(), EngineError> {
    if threads > 1 && env::var_os(LOG).is_some() {
        let message =
            format!("{}={threads}: {LOG} records one thread only: its markers are one sequence", threads::THREADS);
        return Err(EngineError::new(message));
    }
    Ok(())
}

/// Commits repeatedly until the process is killed, and reports each commit.
pub(crate) fn commit_forever<E: KvEngine, T: KvThreading<E>>(
    worker: &Worker,
    job: &Job,
    suite: &KvSuite,
) -> Result<(), RunFailure> {
    let (test, formats) = writing_test(suite)?;
    let threads = threads::asked_for()?;
    check_recordable(threads)?;
    // The folder is created before the recording starts, because the engine is not responsible for making the folder's name durable.
    let folder = prepared_folder(job, &test.database)?;
    let mut recorded = CommitRecording::start(job)?;
    let mut engine: E = open_in(job, suite, &folder)?;
    if threads > 1 {
        let committers = Committers { worker, statements: &test.sql, formats: formats.of_threads(threads) };
        return Ok(T::commit_forever(&mut engine, &committers)?);
    }
    let mut session = engine.session(&test.sql)?;
    for commit in 1.. {
        power::mark(Marker::Issued { ordinal: commit }).map_err(EngineError::from)?;
        make(&mut session, formats, commit)?;
        power::mark(Marker::Acknowledged { commits: commit }).map_err(EngineError::from)?;
        worker.emit(&Event::Committed { commits: commit, thread: 0 });
        if let Some(recorded) = recorded.take_if(|recorded| recorded.commits == Some(commit)) {
            recorded.recording.end_process();
        }
    }
    Ok(())
}

/// Performs a commit in its own transaction.
fn make<S: KvSession>(session: &mut S, formats: Formats<'_>, commit: u64) -> Result<(), EngineError> {
    let mut transaction = session.write()?;
    write(&mut transaction.table()?, formats, commit)?;
    transaction.commit()
}

/// Writes the changes of a commit.
fn write(table: &mut impl KvWrite, formats: Formats<'_>, commit: u64) -> Result<(), EngineError> {
    for change in changes(commit) {
        match change {
            RowChange::Put(row, version) => table.put(&formats.key(row), &formats.value(row, version))?,
            RowChange::Remove(row) => {
                if !table.delete(&formats.key(row))? {
                    return Err(EngineError::fatal(format!(
                        "row {row} was put, but is missing when it is to be removed"
                    )));
                }
            }
        }
    }
    Ok(())
}

/// Reopens the database, has the engine check it, and counts the commits it holds: only whole commits, with none after an incomplete one.
/// The commits of each thread are counted separately.
pub fn recover<E: KvEngine>(worker: &Worker, job: &Job, suite: &KvSuite) -> Result<(), RunFailure> {
    let (test, formats) = writing_test(suite)?;
    let threads = threads::asked_for()?;
    if !has_database(job, &test.database) {
        return Err(EngineError::fatal("there is no database to recover").into());
    }
    let mut engine: E = reopen(job, suite, &test.database)?;
    engine.check()?;
    if let Err(error) = engine.session(&test.sql).map(drop) {
        // The schema definition is a commit like others, and the first one. It may be missing, with all that followed it.
        drop(engine);
        engine = open_anew(job, suite, &test.database).map_err(|_| error)?;
    }
    let mut session = engine.session(&test.sql)?;
    let mut found = FoundRows::new();
    let mut twice = None;
    session.read()?.scan(|key, value| {
        if found.insert(key.to_owned(), value.to_owned()).is_some() {
            twice = Some(key.to_owned());
        }
    })?;
    if let Some(key) = twice {
        let message = format!("the key `{}` appears twice", String::from_utf8_lossy(&key));
        return Err(EngineError::fatal(message).into());
    }
    let mut read = session.snapshot()?;
    for (key, value) in &found {
        if read.get(key, |shown| shown == value)? != Some(true) {
            let message =
                format!("the key `{}` is found by a scan, but not by a read of the key", String::from_utf8_lossy(key));
            return Err(EngineError::fatal(message).into());
        }
    }
    drop(read);
    let counted = found::commits_of_each(found, &formats.of_threads(threads)).map_err(EngineError::fatal)?;
    for (thread, commits) in (0..).zip(counted) {
        worker.emit(&Event::Recovered { commits, thread });
    }
    Ok(())
}
