//! The harness's own cost: what the engine that does nothing takes.

use super::RunningSession;
use crate::{
    base::identifier::identifier,
    bench::Configuration,
    process::Family,
    runner::{
        RunnerEvent, SessionError, SessionLaunch,
        control::Control,
        folder::RunFolder,
        job::{LEAST_DEADLINE, confinement, job},
        worker::WorkerProcess,
    },
    store::{Batch, HarnessRecord},
};
use dbdyno_engine::{
    protocol::{CacheStart, Event, SuiteJob},
    suite::{KvLoad, SqlLoad},
};
use std::{collections::BTreeMap, sync::Arc};

impl RunningSession<'_> {
    /// Measures the harness's own cost at each size at which it is not known.
    pub(super) async fn measure_harness(
        &mut self,
        null: &Configuration,
        known: Vec<HarnessRecord>,
    ) -> Result<Vec<HarnessRecord>, SessionError> {
        self.tell(RunnerEvent::Calibrating);
        let mut harness = known;
        let plan = Arc::clone(&self.plan);
        for configuration in &plan.configurations {
            let size = configuration.size.to_string();
            let suite = alone(plan.job(configuration));
            if suite.tests().is_empty() {
                continue;
            }
            // Options of the suite change what is done an operation hardly at all: once a size is enough.
            if self.is_stopped() || harness.iter().any(|cost| cost.size == size) {
                continue;
            }
            // This too would disturb another session's run.
            let Some(_lock) = self.measurement_lock().await else { break };
            let cost = calibrate(self.launch, suite, null, &self.control).await.map_err(SessionError::Calibration)?;
            harness.extend(cost.into_iter().map(|(test, ns_per_operation)| HarnessRecord {
                session_id: self.record.session_id.clone(),
                size: size.clone(),
                test,
                ns_per_operation,
            }));
        }
        self.keep(Batch { harness: harness.clone(), ..Batch::default() }).await;
        Ok(harness)
    }
}

/// The tests of one thread. What the harness costs beside several depends on what they wait for.
fn alone(suite: SuiteJob) -> SuiteJob {
    match suite {
        SuiteJob::Kv(mut suite) => {
            suite.tests.retain(|test| matches!(test.load, KvLoad::Alone(_)));
            SuiteJob::Kv(suite)
        }
        SuiteJob::Sql(mut suite) => {
            suite.tests.retain(|test| matches!(test.load, SqlLoad::Alone { .. }));
            SuiteJob::Sql(suite)
        }
    }
}

/// Measures what the harness itself costs: the engine that does nothing, on the same suite. ns an operation, by test; nothing
/// when the session is told to stop.
async fn calibrate(
    launch: &SessionLaunch,
    suite: SuiteJob,
    null: &Configuration,
    control: &Control,
) -> Result<BTreeMap<u32, f64>, String> {
    let run_id = identifier();
    let folder = RunFolder::create(&launch.work_dir, &run_id, false).map_err(|error| error.to_string())?;
    let job = job(launch, run_id, null, suite, CacheStart::Warm, &folder, 1, LEAST_DEADLINE);
    let mut worker = WorkerProcess::start(
        &null.engine.launch,
        &job,
        Family::controlled(),
        confinement(&job, folder.path(), LEAST_DEADLINE),
        launch.silence,
        &launch.work_dir,
    )?;
    let mut cost = BTreeMap::new();
    let result = loop {
        let event = tokio::select! {
            sent = worker.next() => sent.map(|sent| sent.event),
            () = control.stopped() => break Ok(BTreeMap::new()),
        };
        match event {
            Ok(Event::Opened { .. }) => worker.go_on(),
            Ok(Event::TestDone(done)) => {
                cost.insert(done.test, done.wall_ns as f64 / done.operations.max(1) as f64);
                worker.go_on();
            }
            Ok(Event::Done) => break Ok(cost),
            Ok(Event::Failed { message, .. }) => break Err(message),
            Ok(_) => {}
            Err(message) => break Err(message),
        }
    };
    let ending = worker.end(control.hurried()).await;
    result.map_err(|what| ending.explain(what))
}
