//! The interpreter of key-value suites.

mod accounts;
mod actors;
mod alone;
mod inputs;
mod keys;
mod operations;
mod recorded;

pub use self::inputs::{OperationInput, each_input};

use self::{
    accounts::Accounts,
    actors::{KvActorsDone, KvActorsTest, KvThreadDone},
    operations::KvTally,
};
use crate::{
    actors::{ActorsDone, Shown, progress},
    crash::Committers,
    frame::Harness,
    phases::Phases,
    recorder::Recorder,
};
use dbdyno_engine::{
    EngineError,
    describe::Library,
    engine::Open,
    kv::{KvEngine, KvSession, KvThreads},
    protocol::{Event, Job, RunFailure, TestDone},
    serve::Worker,
    suite::{KvActors, KvAlone, KvLoad, KvSuite, KvTest},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Whether and how the tests of several threads run on an engine.
pub(crate) trait KvThreading<E> {
    /// # Errors
    /// The engine cannot share its database between threads, and the test needs more than one.
    fn perform(engine: &mut E, test: &KvActorsTest<'_>) -> Result<KvActorsDone, EngineError>;

    /// Checks what the threads answered, and the content of the database. Returns the verification value; `None`: there is nothing to
    /// verify the answers against.
    ///
    /// # Errors
    /// The database cannot be read.
    fn verify(engine: &mut E, test: &KvActorsTest<'_>, threads: &[KvThreadDone])
    -> Result<Option<String>, EngineError>;

    /// Reads the accounts before the actors start; `None` if the actors do not work with accounts.
    ///
    /// # Errors
    /// As for [`perform`](Self::perform). A row is not an account.
    fn accounts(engine: &mut E, test: (&KvTest, &KvActors)) -> Result<Option<Accounts>, EngineError>;

    /// Makes the threads of a kill test commit until the process is killed.
    ///
    /// # Errors
    /// As for [`perform`](Self::perform). The first error of any thread.
    fn commit_forever(engine: &mut E, committers: &Committers<'_>) -> Result<(), EngineError>;
}

/// Threading of an engine for one thread.
pub(crate) struct KvOneThread;

/// Threading of an engine whose database threads share.
pub(crate) struct SharedDatabase;

impl<E: KvEngine> KvThreading<E> for KvOneThread {
    fn perform(engine: &mut E, test: &KvActorsTest<'_>) -> Result<KvActorsDone, EngineError> {
        actors::perform_alone(engine, test)
    }

    fn verify(
        engine: &mut E,
        test: &KvActorsTest<'_>,
        threads: &[KvThreadDone],
    ) -> Result<Option<String>, EngineError> {
        actors::verify_alone(engine, test, threads)
    }

    fn accounts(_: &mut E, _: (&KvTest, &KvActors)) -> Result<Option<Accounts>, EngineError> {
        Ok(None)
    }

    fn commit_forever(_: &mut E, _: &Committers<'_>) -> Result<(), EngineError> {
        Err(EngineError::new("this engine commits with one thread only"))
    }
}

impl<E: KvThreads> KvThreading<E> for SharedDatabase {
    fn perform(engine: &mut E, test: &KvActorsTest<'_>) -> Result<KvActorsDone, EngineError> {
        engine.get_ready()?;
        actors::perform(engine, test)
    }

    fn verify(
        engine: &mut E,
        test: &KvActorsTest<'_>,
        threads: &[KvThreadDone],
    ) -> Result<Option<String>, EngineError> {
        actors::verify(engine, test, threads)
    }

    fn accounts(engine: &mut E, test: (&KvTest, &KvActors)) -> Result<Option<Accounts>, EngineError> {
        engine.get_ready()?;
        actors::accounts_before(engine, test)
    }

    fn commit_forever(engine: &mut E, committers: &Committers<'_>) -> Result<(), EngineError> {
        engine.get_ready()?;
        committers.commit_forever(engine)
    }
}

/// Runs every test of a suite on fresh databases in the job's folder.
pub(crate) fn run<E: KvEngine, T: KvThreading<E>>(
    worker: &Worker,
    job: &Job,
    suite: &KvSuite,
    library: &Library,
) -> Result<(), RunFailure> {
    let harness = Harness::new(worker, job);
    let mut open: Option<E> = None;
    for (place, test) in suite.tests.iter().enumerate() {
        let mut phases = Phases::default();
        let mut accounts = None;
        if is_cold(job, test) {
            accounts = start_cold::<E, T>(job, suite, test, &mut phases).map_err(RunFailure::during(test.number))?;
        }
        let mut engine = match open.take() {
            Some(engine) => engine,
            None => phases.open(|| open_database::<E>(job, suite, &test.database))?,
        };
        phases.check_opened(&engine).map_err(RunFailure::during(test.number))?;
        if place == 0 {
            harness.opened(&engine, library, &phases)?;
        }
        let measured = match &test.load {
            KvLoad::Alone(alone) => {
                measure_alone(&harness, job, (suite, test, alone), &mut phases, &mut engine).map(|done| (done, engine))
            }
            KvLoad::Actors(load) => {
                measure_actors::<E, T>(&harness, job, (suite, test, load), accounts, &mut phases, &mut engine)
                    .map(|done| (done, engine))
            }
            KvLoad::Compaction(_) => measure_compaction(&harness, job, (suite, test), &mut phases, engine),
        };
        let (done, engine) = measured.map_err(RunFailure::during(test.number))?;
        let stays_open = |next: &KvTest| next.database == test.database && !is_cold(job, next);
        if suite.tests.get(place + 1).is_some_and(stays_open) {
            open = Some(engine);
        } else {
            phases.close(|| engine.close())?;
        }
        harness.tell(done, &phases);
    }
    worker.emit(&Event::Done);
    Ok(())
}

fn is_cold(job: &Job, test: &KvTest) -> bool {
    job.cache.is_cold_for(test.measured)
}

/// Drops a test's closed database from memory. Reads the accounts before that, because reading them later would bring them into memory
/// again.
fn start_cold<E: KvEngine, T: KvThreading<E>>(
    job: &Job,
    suite: &KvSuite,
    test: &KvTest,
    phases: &mut Phases,
) -> Result<Option<Accounts>, EngineError> {
    let mut accounts = None;
    let is_used = has_database(job, &test.database);
    if let KvLoad::Actors(load) = &test.load
        && is_used
    {
        let mut engine = open_database::<E>(job, suite, &test.database)?;
        accounts = T::accounts(&mut engine, (test, load))?;
        engine.close()?;
    }
    phases.start_cold(&database_folder(job, &test.database), is_used)?;
    Ok(accounts)
}

/// Returns the folder of a database of a run.
fn database_folder(job: &Job, label: &str) -> PathBuf {
    job.folder.join(label)
}

fn open_database<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    open_in(job, suite, &prepared_folder(job, label)?)
}

/// A database's folder, and whether it was just created. In that case the database must be created too.
pub(crate) struct PreparedFolder {
    path: PathBuf,
    is_new: bool,
}

/// Prepares a folder for a database.
pub(crate) fn prepared_folder(job: &Job, label: &str) -> Result<PreparedFolder, EngineError> {
    let path = database_folder(job, label);
    let is_new = !path.exists();
    if is_new {
        fs::create_dir_all(&path).map_err(EngineError::doing(&format!("creating {}", path.display())))?;
    }
    Ok(PreparedFolder { path, is_new })
}

pub(crate) fn open_in<E: KvEngine>(job: &Job, suite: &KvSuite, folder: &PreparedFolder) -> Result<E, EngineError> {
    let schema: &[String] = if folder.is_new { &suite.schema } else { &[] };
    E::open(Open { schema, ..reopening(job, suite, &folder.path) })
}

/// Opens a database in an existing folder, and defines the suite's schema in it.
pub(crate) fn open_anew<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    open_in(job, suite, &PreparedFolder { path: database_folder(job, label), is_new: true })
}

/// Returns the settings for opening an existing database.
fn reopening<'j>(job: &'j Job, suite: &KvSuite, folder: &'j Path) -> Open<'j> {
    Open { folder, settings: &job.options, schema: &[], data_bytes: suite.data_bytes }
}

fn measure_alone<E: KvEngine>(
    harness: &Harness<'_>,
    job: &Job,
    (suite, test, alone): (&KvSuite, &KvTest, &KvAlone),
    phases: &mut Phases,
    engine: &mut E,
) -> Result<TestDone, EngineError> {
    let clock = engine.clock();
    let (held, answers) = (engine.holds_reads(), engine.answers());
    let mut session = engine.session(&test.sql)?;
    let head = test.head();
    harness.announce(head, Some(alone.operations), alone.clock_every);
    let frame = harness.begin_alone(head, Some(alone.operations), alone.clock_every);

    let mut recorder = Recorder::new(clock, frame.counts(), alone.clock_every).taking_turns(frame.turns());
    let before = session.counters();
    let mut tally = alone::perform(&mut session, (test, alone), job.seed, held, &mut recorder)?;
    let spent = recorder.finish()?;
    let own = session.counters().since(&before);

    let mut done = frame.end(spent, phases, &database_folder(job, &test.database), E::MAIN_FILE)?;
    done.counters.add_own(&own);
    if test.verify_state {
        tally.state(&mut session)?;
    }
    let verification = (answers && suite.has_fixed_answers(test)).then(|| tally.verification());
    let KvTally { operations, rows, .. } = tally;
    Ok(TestDone { operations, rows, verification, ..done })
}

/// Compacts a database as one operation, and returns the engine after the compaction.
fn measure_compaction<E: KvEngine>(
    harness: &Harness<'_>,
    job: &Job,
    (suite, test): (&KvSuite, &KvTest),
    phases: &mut Phases,
    engine: E,
) -> Result<(TestDone, E), EngineError> {
    let (head, folder) = (test.head(), database_folder(job, &test.database));
    harness.announce(head, Some(1), 1);
    let frame = harness.begin_alone(head, Some(1), 1);

    let mut recorder = Recorder::new(engine.clock(), frame.counts(), 1);
    recorder.start();
    let mut engine = engine.compact(reopening(job, suite, &folder))?;
    recorder.lap();
    let spent = recorder.finish()?;

    let done = frame.end(spent, phases, &folder, E::MAIN_FILE)?;
    let mut tally = KvTally::default();
    if test.verify_state {
        tally.state(&mut engine.session(&test.sql)?)?;
    }
    let answers = engine.answers() && suite.has_fixed_answers(test);
    let verification = answers.then(|| tally.verification());
    Ok((TestDone { operations: 1, rows: tally.rows, verification, ..done }, engine))
}

fn measure_actors<E: KvEngine, T: KvThreading<E>>(
    harness: &Harness<'_>,
    job: &Job,
    (suite, test, load): (&KvSuite, &KvTest, &KvActors),
    accounts: Option<Accounts>,
    phases: &mut Phases,
    engine: &mut E,
) -> Result<TestDone, EngineError> {
    let accounts = match accounts {
        Some(known) => Some(known),
        None => T::accounts(engine, (test, load))?,
    };
    let (head, shown) = (test.head(), Arc::new(Shown::new(actors::shapes(load))));
    let folder = database_folder(job, &test.database);
    harness.announce_actors(head, actors::heads(load), load.time_ms.map(|ms| ms + load.warm_up_ms));
    let frame = harness.begin(head, progress(test.number, head.operations, Arc::clone(&shown)));
    let of = KvActorsTest { suite, test, load, accounts, seed: job.seed, folder: &folder, shown: &shown };
    let KvActorsDone { performed, threads } = T::perform(engine, &of)?;
    let done = frame.end(performed.spent, phases, &folder, E::MAIN_FILE)?;
    let verification = T::verify(engine, &of, &threads)?;
    let mut done = ActorsDone { verification, ..performed }.result(done);
    let limit_ns = load.time_ms.map(|ms| ms * 1_000_000);
    for counters in done.actors.iter_mut().map(|actor| &mut actor.counters).chain([&mut done.counters]) {
        counters.set("limit_ns", limit_ns);
    }
    Ok(done)
}

/// Reopens a database of a run that has ended, for checks.
pub(crate) fn reopen<E: KvEngine>(job: &Job, suite: &KvSuite, label: &str) -> Result<E, EngineError> {
    open_database(job, suite, label)
}

/// Whether a folder holds a database already.
pub(crate) fn has_database(job: &Job, label: &str) -> bool {
    Path::exists(&database_folder(job, label))
}
