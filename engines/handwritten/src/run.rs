//! Runs a job: its tests in order, each as one loop, on databases that dbdyno's engine opens and closes.

use crate::{
    by_hand::{ByHand, Loop, Setup},
    inputs::PreparedInputs,
};
use dbdyno_engine::{
    EngineError,
    describe::Library,
    engine::Open,
    protocol::{Event, Job, RunFailure, TestDone},
    serve::Worker,
    suite::{KvAlone, KvSuite, KvTest},
};
use dbdyno_workload::{
    histogram::{empty, to_base64},
    resources::{counters, disk_bytes, peak_rss_bytes, reset_peak_rss},
};
use std::{fs, time::Instant};

pub(crate) fn run<E: ByHand>(worker: &Worker, job: &Job, suite: &KvSuite, library: &Library) -> Result<(), RunFailure> {
    let loops = suite.tests.iter().map(|test| Loop::of(test).map_err(RunFailure::during(test.number)));
    let loops: Vec<(Loop, &KvAlone)> = loops.collect::<Result<_, _>>()?;
    let mut open: Option<E> = None;
    for (place, (test, (which, alone))) in suite.tests.iter().zip(loops).enumerate() {
        let begun = Instant::now();
        let mut engine = match open.take() {
            Some(engine) => engine,
            None => open_database::<E>(job, suite, test)?,
        };
        if place == 0 {
            let (in_force, open_ns) = (engine.in_force()?, begun.elapsed().as_nanos() as u64);
            let Library { version, build, source } = engine.library().unwrap_or_else(|| library.clone());
            let clock = Some("monotonic".to_owned());
            worker.emit(&Event::Opened { version, build, source, in_force, open_ns, clock });
            worker.pause();
        }
        worker.emit(&Event::TestStarted {
            test: test.number,
            name: test.name.clone(),
            measured: test.measured,
            operations: Some(alone.operations),
            operations_per_sample: None,
            time_ms: None,
            actors: Vec::new(),
        });
        let done = measure(&mut engine, job, (test, alone), which).map_err(RunFailure::during(test.number))?;
        if suite.tests.get(place + 1).is_some_and(|next| next.database == test.database) {
            open = Some(engine);
        } else {
            engine.close()?;
        }
        worker.emit(&Event::TestDone(Box::new(done)));
        worker.pause();
    }
    worker.emit(&Event::Done);
    Ok(())
}

fn open_database<E: ByHand>(job: &Job, suite: &KvSuite, test: &KvTest) -> Result<E, EngineError> {
    let folder = job.folder.join(&test.database);
    let schema: &[String] = if folder.exists() { &[] } else { &suite.schema };
    fs::create_dir_all(&folder).map_err(EngineError::doing(&format!("creating {}", folder.display())))?;
    E::open(Open { folder: &folder, settings: &job.options, schema, data_bytes: suite.data_bytes })
}

fn measure<E: ByHand>(
    engine: &mut E,
    job: &Job,
    (test, alone): (&KvTest, &KvAlone),
    which: Loop,
) -> Result<TestDone, EngineError> {
    let inputs = PreparedInputs::new(test, alone, job.seed);
    let rows = inputs.rows();
    let setup = Setup { settings: &job.options, sql: &test.sql };
    reset_peak_rss();
    let before = counters();
    let (wall, rows) =
        engine.run(&setup, which, &rows).map_err(|error| EngineError::new(format!("{which:?}: {error}")))?;
    let counters = counters().since(&before);
    let folder = job.folder.join(&test.database);
    let (database_bytes, side_bytes) =
        disk_bytes(&folder, E::MAIN_FILE).map_err(EngineError::doing("measuring the database's size"))?;
    Ok(TestDone {
        test: test.number,
        measured: test.measured,
        wall_ns: wall.as_nanos() as u64,
        operations: if which == Loop::Scan { rows } else { alone.operations },
        rows,
        peak_rss_bytes: peak_rss_bytes(),
        database_bytes,
        side_bytes,
        operations_per_sample: alone.clock_every,
        histogram: to_base64(&empty()),
        counters,
        ..TestDone::default()
    })
}
