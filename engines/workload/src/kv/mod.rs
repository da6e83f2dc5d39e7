//! The interpreter of key-value suites.

mod inputs;
mod operations;

use self::operations::perform;
use crate::{frame::Harness, phases::Phases, recorder::Recorder};
use dbdyno_engine::{
    EngineError,
    describe::Library,
    engine::Open,
    kv::KvEngine,
    protocol::{Event, Job, RunFailure, TestDone},
    serve::Worker,
    suite::{KvSuite, KvTest},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Runs every test of a suite on fresh databases in the job's folder.
pub fn run<E: KvEngine>(worker: &Worker, job: &Job, suite: &KvSuite, library: &Library) -> Result<(), RunFailure> {
    let harness = Harness::new(worker);
    let mut open: Option<E> = None;
    for (place, test) in suite.tests.iter().enumerate() {
        let mut phases = Phases::default();
        let mut engine = match open.take() {
            Some(engine) => engine,
            None => phases.open(|| open_database::<E>(job, suite, &test.database))?,
        };
        if place == 0 {
            harness.opened(&engine, library, &phases)?;
        }
        let done = measure(&harness, job, test, &mut phases, &mut engine).map_err(RunFailure::during(test.number))?;
        if suite.tests.get(place + 1).is_some_and(|next| next.database == test.database) {
            open = Some(engine);
        } else {
            phases.close(|| engine.close())?;
        }
        harness.tell(done, &phases);
    }
    worker.emit(&Event::Done);
    Ok(())
}

/// The folder of a database of a run.
fn database_folder(job: &Job, label: &str) -> PathBuf {
    job.folder.join(label)
}

fn open_database<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    let folder = database_folder(job, label);
    let fresh = !folder.exists();
    if fresh {
        fs::create_dir_all(&folder).map_err(EngineError::doing(&format!("creating {}", folder.display())))?;
    }
    E::open(Open {
        folder: &folder,
        settings: &job.options,
        schema: if fresh { &suite.schema } else { &[] },
        data_bytes: suite.data_bytes,
    })
}

fn measure<E: KvEngine>(
    harness: &Harness<'_>,
    job: &Job,
    test: &KvTest,
    phases: &mut Phases,
    engine: &mut E,
) -> Result<TestDone, EngineError> {
    let clock = engine.clock();
    let (held, answers) = (engine.holds_reads(), engine.answers());
    let mut session = engine.session(&test.sql)?;
    let head = test.head();
    harness.announce(head, test.operations);
    let frame = harness.begin(head, test.operations, test.clock_every);

    let mut recorder = Recorder::new(clock, frame.counts(), test.clock_every);
    let mut tally = perform(&mut session, test, job.seed, held, &mut recorder)?;
    let spent = recorder.finish()?;

    let done = frame.end(spent, phases, &database_folder(job, &test.database), E::MAIN_FILE)?;
    if test.verify_state {
        tally.state(&mut session)?;
    }
    let verification = answers.then(|| tally.verification());
    Ok(TestDone { operations: tally.operations, rows: tally.rows, verification, ..done })
}

/// Opens a database of a run that ended, for checks.
pub(crate) fn reopen<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    open_database(job, suite, label)
}

/// Whether a folder holds a database already.
pub(crate) fn has_database(job: &Job, label: &str) -> bool {
    Path::exists(&database_folder(job, label))
}
