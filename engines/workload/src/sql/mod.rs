//! The interpreter of SQL suites.

mod executor;
mod inputs;
mod program;
mod script;
mod tally;

pub use executor::{Sink, perform};

use self::tally::{Content, Ignore, Measuring, SqlTally};
use crate::{frame::Harness, phases::Phases, recorder::Recorder, rng::SplitMix64};
use dbdyno_engine::{
    EngineError,
    describe::Library,
    engine::Open,
    protocol::{Event, Job, RunFailure, TestDone},
    serve::Worker,
    sql::{SqlEngine, SqlSession},
    suite::{SqlSuite, SqlTest, StatementSpec, Step, TableSpec},
};
use std::{fs, path::Path};

/// Runs every test of a suite on one fresh database in the job's folder, or on a copy of the one it starts from.
pub fn run<E: SqlEngine>(worker: &Worker, job: &Job, suite: &SqlSuite, library: &Library) -> Result<(), RunFailure> {
    let harness = Harness::new(worker);
    let folder = job.folder.join("main");
    fs::create_dir_all(&folder).map_err(EngineError::doing(&format!("creating {}", folder.display())))?;
    if let Some(start) = &suite.start {
        let doing = format!("copying {}", start.display());
        fs::copy(start, folder.join(E::MAIN_FILE)).map_err(EngineError::doing(&doing))?;
    }
    let mut left_open: Option<E> = None;
    for (place, test) in suite.tests.iter().enumerate() {
        let mut phases = Phases::default();
        let mut rng = SplitMix64::stream(job.seed, u64::from(test.number));
        let is_cold = job.cache.is_cold_for(test.measured);
        if is_cold {
            let is_used = place > 0 || suite.start.is_some() || !test.prepare.is_empty();
            prepare_cold::<E>(job, suite, test, &folder, &mut rng)
                .and_then(|()| phases.start_cold(&folder, is_used))
                .map_err(RunFailure::during(test.number))?;
        }
        let mut engine = match left_open.take() {
            Some(engine) => engine,
            None => phases.open(|| open(job, suite, &folder))?,
        };
        phases.check_kept(&engine).map_err(RunFailure::during(test.number))?;
        if place == 0 {
            harness.opened(&engine, library, &phases)?;
        }
        let prepare = if is_cold { &[][..] } else { &test.prepare };
        let measured = measure(&harness, suite, test, prepare, &folder, &mut rng, &mut phases, &mut engine);
        let done = measured.map_err(RunFailure::during(test.number))?;
        let stays_open = |next: &SqlTest| !engine.reopens() && !job.cache.is_cold_for(next.measured);
        if suite.tests.get(place + 1).is_some_and(stays_open) {
            left_open = Some(engine);
        } else {
            phases.close(|| engine.close())?;
        }
        harness.tell(done, &phases);
    }
    worker.emit(&Event::Done);
    Ok(())
}

/// Does what prepares a test that is to start cold, on a database that is closed before and after.
fn prepare_cold<E: SqlEngine>(
    job: &Job,
    suite: &SqlSuite,
    test: &SqlTest,
    folder: &Path,
    rng: &mut SplitMix64,
) -> Result<(), EngineError> {
    if !test.prepare.is_empty() {
        let mut engine: E = open(job, suite, folder)?;
        perform(&mut engine.session()?, suite, &test.prepare, rng, &mut Ignore)?;
        engine.close()?;
    }
    Ok(())
}

fn open<E: SqlEngine>(job: &Job, suite: &SqlSuite, folder: &Path) -> Result<E, EngineError> {
    let open = Open { folder, settings: &job.options, schema: &[], data_bytes: suite.data_bytes };
    E::open(open, &suite.tables, &suite.indexes)
}

#[expect(clippy::too_many_arguments, reason = "what a test is, and what it is measured with")]
fn measure<E: SqlEngine>(
    harness: &Harness<'_>,
    suite: &SqlSuite,
    test: &SqlTest,
    prepare: &[Step],
    folder: &Path,
    rng: &mut SplitMix64,
    phases: &mut Phases,
    engine: &mut E,
) -> Result<TestDone, EngineError> {
    let (clock, answers) = (engine.clock(), engine.answers());
    let reads = contents(suite, test);
    let mut session = engine.session()?;
    let head = test.head();
    let operations = test.operations();
    harness.announce(head, operations, 1);
    perform(&mut session, suite, prepare, rng, &mut Ignore)?;

    let frame = harness.begin_alone(head, operations, 1);
    let mut sink = Measuring { recorder: Recorder::new(clock, frame.counts(), 1), tally: SqlTally::default() };
    sink.recorder.start();
    perform(&mut session, suite, &test.steps, rng, &mut sink)?;
    let spent = sink.recorder.finish()?;

    let done = frame.end(spent, phases, folder, E::MAIN_FILE)?;
    let mut tally = sink.tally;
    for read in &reads {
        let mut content = Content::default();
        perform(&mut session, suite, std::slice::from_ref(read), rng, &mut content)?;
        tally.content(&content);
    }
    for table in suite.tables.iter().filter(|table| test.verify_schema.contains(&table.name)) {
        tally.schema(&table.name, session.schema(table)?.as_ref());
    }
    drop(session);
    let verification = answers.then(|| tally.verification());
    Ok(TestDone { operations, rows: tally.rows, verification, ..done })
}

/// The reads of the tables that a test wants verified.
fn contents(suite: &SqlSuite, test: &SqlTest) -> Vec<Step> {
    let tables = suite.tables.iter().filter(|table| test.verify.contains(&table.name));
    tables.map(TableSpec::read_all).map(|read: StatementSpec| Step::Read(read)).collect()
}
