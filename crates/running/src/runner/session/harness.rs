//! The harness's own cost: the time of the engine that does nothing, in the measured loop of each language.

use super::RunningSession;
use crate::runner::{
    RunnerEvent, SessionError, SessionLaunch,
    control::Control,
    folder::RunFolder,
    job::{DEADLINE_FACTOR, LEAST_DEADLINE, confinement, job},
    worker::WorkerProcess,
};
use dbdyno_catalog::{
    bench::{BenchPlan, Configuration},
    engines::{Engine, HARNESS_ENGINE},
};
use dbdyno_comparing::lint::HarnessCosts;
use dbdyno_engine::{
    protocol::{CacheStart, Event, SuiteJob},
    settings::Settings,
    suite::{KvLoad, SqlLoad},
};
use dbdyno_foundation::{base::identifier::identifier, process::ProcessFamily};
use dbdyno_store::{Batch, HarnessRecord};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

impl RunningSession<'_> {
    /// Measures the cost of each harness that the plan's engines use, at each size for which it is unknown. `own`: the configuration that
    /// measures dbdyno's harness.
    pub(super) async fn measure_harness(
        &mut self,
        own: &Configuration,
        known: Vec<HarnessRecord>,
    ) -> Result<HarnessCosts, SessionError> {
        self.tell(RunnerEvent::Calibrating);
        let mut harness = HarnessCosts { measured: known, nulls: BTreeMap::new() };
        let plan = Arc::clone(&self.plan);
        for configuration in &plan.configurations {
            let size = configuration.size.to_string();
            let Some((null, suite)) = nulls_job(&plan, configuration, own) else {
                let reason = "because its description names no engine that does nothing".to_owned();
                harness.nulls.insert(configuration.engine_name().to_owned(), Err(reason));
                continue;
            };
            let name = null.engine_name().to_owned();
            let measured = |cost: &HarnessRecord| cost.size == size && cost.engine == name;
            let of_engine = harness.nulls.entry(configuration.engine_name().to_owned()).or_insert(Ok(name.clone()));
            // The suite's options hardly change the work of an operation, so one measurement for each size is enough.
            let is_known = of_engine.is_err() || suite.tests().is_empty() || harness.measured.iter().any(measured);
            if self.is_stopped() || is_known {
                continue;
            }
            // Calibration would also disturb another session's run.
            let Some(_lock) = self.measurement_lock().await else { break };
            let deadline = self.expected_run.saturating_mul(DEADLINE_FACTOR).max(LEAST_DEADLINE);
            match calibrate(self.launch, suite, &null, deadline, &self.control).await {
                Ok(cost) => harness.measured.extend(cost.into_iter().map(|(test, ns_per_operation)| HarnessRecord {
                    session_id: self.record.session_id.clone(),
                    size: size.clone(),
                    engine: name.clone(),
                    test,
                    ns_per_operation,
                })),
                Err(reason) if name == HARNESS_ENGINE => return Err(SessionError::Calibration(reason)),
                // The engine itself may still run well.
                Err(reason) => *of_engine = Err(format!("because `{name}` of its program failed, {reason}")),
            }
        }
        self.keep(Batch { harness: harness.measured.clone(), ..Batch::default() }).await;
        Ok(harness)
    }
}

/// Returns the configuration that does nothing in the measured loop of another one, and its job; none if there is no such engine.
fn nulls_job(plan: &BenchPlan, of: &Configuration, own: &Configuration) -> Option<(Configuration, SuiteJob)> {
    of.engine.description.harness.as_ref()?;
    let null = of.engine.description.null().map_or_else(
        || own.clone(),
        |description| Configuration {
            engine: Engine { description: Arc::new(description), launch: of.engine.launch.clone() },
            settings: Settings::default(),
            ..of.clone()
        },
    );
    Some((null, alone(plan.job(of))))
}

/// Keeps the single-threaded tests. With several threads, the harness's cost depends on what they wait for.
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

/// Measures the cost of the harness itself, with the engine that does nothing on the same suite. Returns ns an operation, by test; nothing
/// if the session is asked to stop.
async fn calibrate(
    launch: &SessionLaunch,
    suite: SuiteJob,
    null: &Configuration,
    deadline: Duration,
    control: &Control,
) -> Result<BTreeMap<u32, f64>, String> {
    let run_id = identifier();
    let folder = RunFolder::create(&launch.work_dir, &run_id, false).map_err(|error| error.to_string())?;
    let job = job(launch, run_id, null, suite, CacheStart::Warm, &folder, 1, deadline);
    let mut worker = WorkerProcess::start(
        &null.engine.launch,
        &job,
        ProcessFamily::controlled(),
        confinement(&job, folder.path(), deadline),
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
