//! The kill test: a worker commits single writes and acknowledges each; it is killed; another opens the database again
//! and says how many commits are there.

use crate::{
    kv::{has_database, reopen},
    rng::SplitMix64,
    template::render,
};
use dbdyno_engine::{
    EngineError,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    protocol::{Event, Job, RunFailure},
    serve::Worker,
    suite::{KvLoad, KvSuite, KvTest, Operation, Template},
};

/// The test whose formats and statements are used: the first that puts.
fn writing_test<'s>(suite: &'s KvSuite) -> Result<(&'s KvTest, &'s Template), EngineError> {
    let puts = |test: &'s KvTest| match &test.load {
        KvLoad::Alone(alone) => match alone.work.work.as_slice() {
            [only] => match &only.operation {
                Operation::Put { value } => Some((test, value)),
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

/// The key and the value of a commit.
fn row(test: &KvTest, value: &Template, ordinal: u64) -> (Vec<u8>, Vec<u8>) {
    let rendered = |template| {
        let mut text = Vec::new();
        render(template, &mut text, ordinal, ordinal, &mut SplitMix64::stream(ordinal, 0));
        text
    };
    (rendered(&test.key), rendered(value))
}

/// Commits one write after another until the process is killed, and says so after each commit.
pub fn commit_forever<E: KvEngine>(worker: &Worker, job: &Job, suite: &KvSuite) -> Result<(), RunFailure> {
    let (test, value) = writing_test(suite)?;
    let mut engine: E = reopen(job, suite, &test.database)?;
    let mut session = engine.session(&test.sql)?;
    for ordinal in 0.. {
        let (key_text, value_text) = row(test, value, ordinal);
        let mut transaction = session.write()?;
        transaction.table()?.put(&key_text, &value_text)?;
        transaction.commit()?;
        worker.emit(&Event::Committed { commits: ordinal + 1 });
    }
    Ok(())
}

/// Opens the database again, has the engine check it, and counts the commits that are there without a gap.
pub fn recover<E: KvEngine>(worker: &Worker, job: &Job, suite: &KvSuite) -> Result<(), RunFailure> {
    let (test, value) = writing_test(suite)?;
    if !has_database(job, &test.database) {
        return Err(EngineError::fatal("there is no database to recover").into());
    }
    let mut engine: E = reopen(job, suite, &test.database)?;
    engine.check()?;
    let mut session = engine.session(&test.sql)?;
    let mut commits = 0;
    loop {
        let (key_text, value_text) = row(test, value, commits);
        match session.read()?.get(&key_text, |found| found == value_text)? {
            Some(true) => commits += 1,
            Some(false) => {
                let message = format!("the value of key {commits} is not what was committed");
                return Err(EngineError::fatal(message).into());
            }
            None => break,
        }
    }
    let mut rows = 0;
    session.read()?.scan(|_, _| rows += 1)?;
    if rows != commits {
        return Err(
            EngineError::fatal(format!("{rows} rows, but the first {commits} keys only: there is a gap")).into()
        );
    }
    worker.emit(&Event::Recovered { commits });
    Ok(())
}
