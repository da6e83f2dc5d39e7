//! The interpreter of SQL suites.

mod actors;
mod executor;
mod inputs;
mod kept;
mod objects;
mod plans;
mod program;
mod replay;
mod script;
mod statements;
mod tally;

pub(crate) use actors::{HandlePerThread, SqlOneThread, SqlThreading};
pub use executor::{ActionTimes, Sink, perform};
pub use objects::ObjectAnswer;
pub use replay::verification as replay_verification;

use self::{
    actors::{SqlActorsTest, heads, shapes},
    plans::TestPlans,
    replay::RecordedLoad,
    statements::ThreadAnswers,
    tally::{Ignore, MeasuringSink, RowsChecksum, SqlTally},
};
use crate::{
    actors::{ActorsDone, Shown, progress},
    frame::Harness,
    phases::Phases,
    recorder::Recorder,
    rng::SplitMix64,
};
use dbdyno_engine::{
    EngineError,
    describe::Library,
    engine::Open,
    protocol::{Event, Job, RunFailure, TestDone},
    serve::Worker,
    sql::{SqlEngine, SqlSession},
    suite::{ReplayOrder, ReplaySpec, SqlActor, SqlLoad, SqlSuite, SqlTest, StatementSpec, Step, TableSpec},
};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Runs every test of a suite on fresh databases in the job's folder, or on copies of the database that the suite starts from.
pub(crate) fn run<E: SqlEngine, T: SqlThreading<E>>(
    worker: &Worker,
    job: &Job,
    suite: &SqlSuite,
    library: &Library,
) -> Result<(), RunFailure> {
    let run = Run { harness: Harness::new(worker, job), job, suite };
    let mut left_open: Option<E> = None;
    for (place, test) in suite.tests.iter().enumerate() {
        let during = RunFailure::during;
        let mut phases = Phases::default();
        let mut rng = SplitMix64::stream(job.seed, u64::from(test.number));
        let is_used = run.get_folder_ready::<E>(test)?;
        if run.is_cold(test) {
            run.start_cold::<E>(test, is_used, &mut rng, &mut phases).map_err(during(test.number))?;
        }
        let mut engine = match left_open.take() {
            Some(engine) => engine,
            None => phases.open(|| run.open(test))?,
        };
        phases.check_opened(&engine).map_err(during(test.number))?;
        if place == 0 {
            run.harness.opened(&engine, library, &phases)?;
        }
        let done = run.measure::<E, T>(test, &mut rng, &mut phases, &mut engine).map_err(during(test.number))?;
        let stays_open = |next: &SqlTest| next.database == test.database && !engine.reopens() && !run.is_cold(next);
        if suite.tests.get(place + 1).is_some_and(stays_open) {
            left_open = Some(engine);
        } else {
            phases.close(|| engine.close())?;
        }
        run.harness.tell(done, &phases);
    }
    worker.emit(&Event::Done);
    Ok(())
}

/// A run of a suite.
struct Run<'r> {
    harness: Harness<'r>,
    job: &'r Job,
    suite: &'r SqlSuite,
}

impl Run<'_> {
    fn is_cold(&self, test: &SqlTest) -> bool {
        self.job.cache.is_cold_for(test.measured)
    }

    /// Returns the folder of a test's database.
    fn folder(&self, test: &SqlTest) -> PathBuf {
        self.job.folder.join(&test.database)
    }

    /// Creates the folder of a test's database if it does not exist. Returns whether it contains a database.
    fn get_folder_ready<E: SqlEngine>(&self, test: &SqlTest) -> Result<bool, EngineError> {
        let folder = self.folder(test);
        if folder.exists() {
            return Ok(true);
        }
        fs::create_dir_all(&folder).map_err(EngineError::doing(&format!("creating {}", folder.display())))?;
        if let Some(start) = &self.suite.start {
            let doing = format!("copying {}", start.display());
            copy(start, &folder.join(E::MAIN_FILE)).map_err(EngineError::doing(&doing))?;
        }
        Ok(self.suite.start.is_some())
    }

    fn open<E: SqlEngine>(&self, test: &SqlTest) -> Result<E, EngineError> {
        let Self { job, suite, .. } = self;
        let folder = self.folder(test);
        let open = Open { folder: &folder, settings: &job.options, schema: &[], data_bytes: suite.data_bytes };
        E::open(open, &suite.tables, &suite.indexes)
    }

    /// Runs a test's preparation, then drops its database from memory. The database is closed before and after.
    fn start_cold<E: SqlEngine>(
        &self,
        test: &SqlTest,
        is_used: bool,
        rng: &mut SplitMix64,
        phases: &mut Phases,
    ) -> Result<(), EngineError> {
        if !test.prepare.is_empty() {
            let mut engine: E = self.open(test)?;
            perform(&mut engine.session()?, self.suite, &test.prepare, rng, &mut Ignore)?;
            engine.close()?;
        }
        phases.start_cold(&self.folder(test), is_used || !test.prepare.is_empty())
    }

    fn measure<E: SqlEngine, T: SqlThreading<E>>(
        &self,
        test: &SqlTest,
        rng: &mut SplitMix64,
        phases: &mut Phases,
        engine: &mut E,
    ) -> Result<TestDone, EngineError> {
        match &test.load {
            SqlLoad::Alone { steps } => self.measure_alone(test, steps, rng, phases, engine),
            SqlLoad::Actors { actors } => self.measure_actors::<E, T>(test, actors, rng, phases, engine),
            SqlLoad::Replay { replay } => self.measure_replay::<E, T>(test, replay, rng, phases, engine),
        }
    }

    fn measure_alone<E: SqlEngine>(
        &self,
        test: &SqlTest,
        steps: &[Step],
        rng: &mut SplitMix64,
        phases: &mut Phases,
        engine: &mut E,
    ) -> Result<TestDone, EngineError> {
        let (clock, has_answers) = (engine.clock(), engine.answers());
        let (head, reads) = (test.head(), contents(self.suite, test));
        let mut session = engine.session()?;
        self.harness.announce(head, head.operations, 1);
        self.harness.preparing(head, || self.prepare(test, &mut session, rng))?;

        let frame = self.harness.begin_alone(head, head.operations, 1);
        let names = test.names();
        let answers = ThreadAnswers::new(names.len(), clock.clone(), None);
        let recorder = Recorder::new(clock, frame.counts(), 1).taking_turns(frame.turns());
        let mut sink = MeasuringSink { recorder, answers, has_answers };
        let before = session.counters();
        sink.start();
        let operations = perform(&mut session, self.suite, steps, rng, &mut sink)?;
        let MeasuringSink { recorder, answers, .. } = sink;
        let spent = recorder.finish()?;
        let own = session.counters().since(&before);
        let (mut tally, named) = answers.finish();

        let mut done = frame.end(spent, phases, &self.folder(test), E::MAIN_FILE)?;
        done.counters.add_own(&own);
        self.verify(test, &reads, &mut session, &mut tally)?;
        let verification = has_answers.then(|| tally.verification());
        let mut plans = TestPlans::ask(&mut session, self.suite, test)?;
        let statements = statements::done(test, &named, has_answers, &mut plans);
        Ok(TestDone { operations, rows: tally.row_count(), verification, statements, plans: plans.others, ..done })
    }

    fn measure_actors<E: SqlEngine, T: SqlThreading<E>>(
        &self,
        test: &SqlTest,
        actors: &[SqlActor],
        rng: &mut SplitMix64,
        phases: &mut Phases,
        engine: &mut E,
    ) -> Result<TestDone, EngineError> {
        let (head, shown) = (test.head(), Arc::new(Shown::new(shapes(actors, None))));
        let reads = contents(self.suite, test);
        self.harness.announce_actors(head, heads(actors), None);
        self.harness.preparing(head, || self.prepare(test, &mut engine.session()?, rng))?;

        let frame = self.harness.begin(head, progress(test.number, head.operations, Arc::clone(&shown)));
        let names = test.names();
        let of = SqlActorsTest {
            suite: self.suite,
            names: &names,
            seed: rng.next_u64(),
            actors,
            replay: None,
            writes: test.has_writing_threads(),
            shown: &shown,
        };
        let threads = T::perform(engine, &of)?;
        let done = frame.end(threads.performed.spent, phases, &self.folder(test), E::MAIN_FILE)?;
        let mut tally = threads.tally(engine.answers())?;
        // What threads answer while others write depends on their order, and only the content at the end is certain.
        let is_certain = engine.answers() && !test.has_writing_threads();
        if !is_certain {
            tally = SqlTally::default();
        }
        self.verify(test, &reads, &mut engine.session()?, &mut tally)?;
        let mut plans = TestPlans::ask(&mut engine.session()?, self.suite, test)?;
        let is_verified = engine.answers() && (is_certain || test.verifies_content());
        let verification = is_verified.then(|| tally.verification());
        let statements = statements::done(test, &threads.named(), is_certain, &mut plans);
        let done = ActorsDone { verification, ..threads.performed }.result(done);
        Ok(TestDone { statements, plans: plans.others, ..done })
    }

    fn measure_replay<E: SqlEngine, T: SqlThreading<E>>(
        &self,
        test: &SqlTest,
        spec: &ReplaySpec,
        rng: &mut SplitMix64,
        phases: &mut Phases,
        engine: &mut E,
    ) -> Result<TestDone, EngineError> {
        let replay = RecordedLoad::read(spec, self.suite.recording.as_deref())?;
        let (head, actors) = (test.head(), replay.actors());
        let shown = Arc::new(Shown::new(shapes(&actors, Some(spec))));
        self.harness.announce_actors(head, heads(&actors), None);
        self.harness.preparing(head, || self.prepare(test, &mut engine.session()?, rng))?;

        let frame = self.harness.begin(head, progress(test.number, head.operations, Arc::clone(&shown)));
        let names = test.names();
        let writes = test.has_writing_threads();
        let of = SqlActorsTest {
            suite: self.suite,
            names: &names,
            seed: rng.next_u64(),
            actors: &actors,
            replay: Some(&replay),
            writes,
            shown: &shown,
        };
        let threads = T::perform(engine, &of)?;
        let done = frame.end(threads.performed.spent, phases, &self.folder(test), E::MAIN_FILE)?;
        let answers = engine.answers();
        let contents = replay::contents(engine)?;
        let statements = replay::done(spec, &threads.named(), replay::plans(engine, &replay), answers);
        let verification = answers.then(|| replay_verification(&statements, &contents, &spec.unequal_tables));
        let done = ActorsDone { verification, ..threads.performed }.result(done);
        let contents = if spec.order == ReplayOrder::Concurrent { Vec::new() } else { contents };
        Ok(TestDone { statements, contents, ..done })
    }

    /// Does the work before the timer starts, unless it was done before the database was dropped from memory.
    fn prepare<'s, S: SqlSession<'s>>(
        &'s self,
        test: &'s SqlTest,
        session: &mut S,
        rng: &mut SplitMix64,
    ) -> Result<(), EngineError> {
        if self.is_cold(test) {
            return Ok(());
        }
        perform(session, self.suite, &test.prepare, rng, &mut Ignore).map(drop)
    }

    /// Adds the tables to be verified to the test's checksum. `reads`: the result of [`contents`].
    fn verify<'s, S: SqlSession<'s>>(
        &'s self,
        test: &SqlTest,
        reads: &'s [Step],
        session: &mut S,
        tally: &mut SqlTally,
    ) -> Result<(), EngineError> {
        // The reads draw no random numbers.
        let mut rng = SplitMix64::new(0);
        for read in reads {
            let mut content = RowsChecksum::default();
            perform(session, self.suite, std::slice::from_ref(read), &mut rng, &mut content)?;
            tally.content(&content);
        }
        for table in self.suite.tables.iter().filter(|table| test.verify_schema.contains(&table.name)) {
            tally.schema(&table.name, session.schema(table)?.as_ref());
        }
        Ok(())
    }
}

/// Copies a file's content, but not its mode as `fs::copy` does: an engine's process may not change modes.
fn copy(from: &Path, to: &Path) -> io::Result<u64> {
    io::copy(&mut File::open(from)?, &mut File::create_new(to)?)
}

/// Returns the reads of the tables that a test verifies.
fn contents(suite: &SqlSuite, test: &SqlTest) -> Vec<Step> {
    let tables = suite.tables.iter().filter(|table| test.verify.contains(&table.name));
    tables.map(TableSpec::read_all).map(|read: StatementSpec| Step::Read(read)).collect()
}
