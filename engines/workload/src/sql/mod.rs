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
        let mut engine = match left_open.take() {
            Some(engine) => engine,
            None => phases.open(|| open(job, suite, &folder))?,
        };
        if place == 0 {
            harness.opened(&engine, library, &phases)?;
        }
        let measured = measure(&harness, job, suite, test, &folder, &mut phases, &mut engine);
        let done = measured.map_err(RunFailure::during(test.number))?;
        if place + 1 < suite.tests.len() && !engine.reopens() {
            left_open = Some(engine);
        } else {
            phases.close(|| engine.close())?;
        }
        harness.tell(done, &phases);
    }
    worker.emit(&Event::Done);
    Ok(())
}

fn open<E: SqlEngine>(job: &Job, suite: &SqlSuite, folder: &Path) -> Result<E, EngineError> {
    let open = Open { folder, settings: &job.options, schema: &[], data_bytes: suite.data_bytes };
    E::open(open, &suite.tables, &suite.indexes)
}

fn measure<E: SqlEngine>(
    harness: &Harness<'_>,
    job: &Job,
    suite: &SqlSuite,
    test: &SqlTest,
    folder: &Path,
    phases: &mut Phases,
    engine: &mut E,
) -> Result<TestDone, EngineError> {
    let (clock, answers) = (engine.clock(), engine.answers());
    let reads = contents(suite, test);
    let mut session = engine.session()?;
    let mut rng = SplitMix64::stream(job.seed, u64::from(test.number));
    let head = test.head();
    let operations = test.operations();
    harness.announce(head, operations, 1);
    perform(&mut session, suite, &test.prepare, &mut rng, &mut Ignore)?;

    let frame = harness.begin_alone(head, operations, 1);
    let mut sink = Measuring { recorder: Recorder::new(clock, frame.counts(), 1), tally: SqlTally::default() };
    sink.recorder.start();
    perform(&mut session, suite, &test.steps, &mut rng, &mut sink)?;
    let spent = sink.recorder.finish()?;

    let done = frame.end(spent, phases, folder, E::MAIN_FILE)?;
    let mut tally = sink.tally;
    for read in &reads {
        let mut content = Content::default();
        perform(&mut session, suite, std::slice::from_ref(read), &mut rng, &mut content)?;
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
