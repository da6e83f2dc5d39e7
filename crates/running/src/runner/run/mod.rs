//! One run: a worker in a fresh folder, from its start to its removal.

mod followed;
mod records;

use self::followed::{Turns, UnstoredSeconds};
use super::{
    RunnerEvent,
    credible::Witness,
    folder::RunFolder,
    job::{DEADLINE_FACTOR, LEAST_DEADLINE, confinement, job},
    quiet::MeasurementGuard,
    sent::Sent,
    session::RunningSession,
    uses::Watch,
    worker::{WorkerEnd, WorkerProcess},
};
use dbdyno_catalog::bench::{Configuration, PlannedRun};
use dbdyno_engine::{
    protocol::{Event, Job, TestDone},
    suite::Arrival,
};
use dbdyno_foundation::{
    base::{identifier::identifier, units},
    host::{NoiseSample, process_cpu_ns},
    process::ProcessFamily,
};
use dbdyno_store::{ActorRecord, FailureKind, RunRecord, Status, TestRecord, TimelineRecord};
use jiff::Timestamp;
use std::{collections::HashMap, time::Duration};

/// The result of a run.
#[derive(Debug)]
pub(in crate::runner) struct RunOutcome {
    /// The run, ended.
    pub(in crate::runner) run: RunRecord,
    /// Its finished tests.
    pub(in crate::runner) results: Vec<TestRecord>,
    /// The figures of the actors in its multi-threaded tests.
    pub(in crate::runner) actors: Vec<ActorRecord>,
}

/// Executes one planned run. Always returns an outcome, also for a failure.
pub(in crate::runner) async fn execute(
    session: &mut RunningSession<'_>,
    configuration: &Configuration,
    planned: PlannedRun,
) -> RunOutcome {
    let mut running = RunInProgress::new(session, configuration, planned);
    match running.execute(configuration, planned.seed).await {
        Ok(()) => running.finish(Status::Done, None),
        Err(StopReason::Cancelled) => running.finish(Status::Cancelled, None),
        Err(StopReason::Skipped) => running.finish(Status::Cancelled, Some("skipped".to_owned())),
        Err(StopReason::Failed(kind, failure)) => {
            running.run.failure_kind = Some(kind);
            running.finish(Status::Failed, Some(failure))
        }
    }
}

/// A worker that has begun a run.
pub(in crate::runner) struct StartedWorker {
    pub(in crate::runner) worker: WorkerProcess,
    pub(in crate::runner) job: Job,
    pub(in crate::runner) deadline: Duration,
    memory_limit_bytes: Option<u64>,
    /// The run's folder, which is removed with this, unless databases are kept.
    pub(in crate::runner) folder: RunFolder,
}

/// Starts the worker of a run. `explain`: whether it finds out what the time goes to.
pub(in crate::runner) fn start_worker(
    session: &RunningSession<'_>,
    configuration: &Configuration,
    run_id: String,
    seed: u64,
    explain: bool,
) -> Result<StartedWorker, String> {
    let launch = session.launch;
    let folder = RunFolder::create(&launch.work_dir, &run_id, launch.keep_databases)
        .map_err(|error| format!("cannot create the run's folder in {}: {error}", launch.work_dir.display()))?;
    let expected = session.expected_run;
    let deadline = launch.deadline.unwrap_or_else(|| LEAST_DEADLINE.max(expected * DEADLINE_FACTOR));
    let conditions = session.plan.conditions;
    let suite = session.plan.job(configuration);
    let job = job(launch, run_id, configuration, suite, conditions.cache, &folder, seed, deadline);
    let job = Job { explain, ..job };
    let family = match (&session.memory, conditions.memory_limit) {
        (Some(control), Some(limit)) => ProcessFamily::limited(control, limit)?,
        _ => ProcessFamily::controlled(),
    };
    let memory_limit_bytes = family.memory_limit();
    let worker = WorkerProcess::start(
        &configuration.engine.launch,
        &job,
        family,
        confinement(&job, folder.path(), deadline),
        launch.silence + expected,
        &launch.work_dir,
    )?;
    Ok(StartedWorker { worker, job, deadline, memory_limit_bytes, folder })
}

/// The reason why a run stopped before its end.
enum StopReason {
    Cancelled,
    Skipped,
    Failed(FailureKind, String),
}

impl StopReason {
    /// Adds the worker's last words, unless the worker itself reported what went wrong.
    fn explained(self, ending: &WorkerEnd) -> Self {
        match self {
            Self::Failed(FailureKind::Worker, what) => Self::Failed(FailureKind::Worker, ending.explain(what)),
            stop => stop,
        }
    }
}

/// Any other error concerns the worker's process or its conversation.
impl From<String> for StopReason {
    fn from(failure: String) -> Self {
        Self::Failed(FailureKind::Worker, failure)
    }
}

/// A run under way.
struct RunInProgress<'r, 's> {
    session: &'r mut RunningSession<'s>,
    ordinal: u32,
    run: RunRecord,
    results: Vec<TestRecord>,
    timeline: Vec<TimelineRecord>,
    last_progress: (u64, u64),
    followed: UnstoredSeconds,
    names: HashMap<u32, String>,
    arrivals: HashMap<(u32, String), Arrival>,
    /// Whether the rows of its tests depend on the order of threads.
    has_uncertain_rows: bool,
    turns: Turns,
    actors: Vec<ActorRecord>,
    noise: Option<NoiseSample>,
    /// Held while a test is measured.
    measuring: Option<MeasurementGuard>,
    watch: Option<Watch>,
    witness: Option<Witness>,
}

impl<'r, 's> RunInProgress<'r, 's> {
    fn new(session: &'r mut RunningSession<'s>, configuration: &Configuration, planned: PlannedRun) -> Self {
        let run = RunRecord {
            run_id: identifier(),
            session_id: session.record.session_id.clone(),
            ordinal: planned.ordinal,
            round: planned.round,
            started_at: Timestamp::now(),
            finished_at: None,
            status: Status::Running,
            failure: None,
            engine: configuration.engine_name().to_owned(),
            engine_version: configuration.engine.description.version.clone(),
            label: configuration.label.clone(),
            suite: session.plan.suite.name.clone(),
            size: configuration.size.to_string(),
            seed: planned.seed,
            tier: configuration.tier,
            tier_reason: configuration.tier_reason.clone(),
            open_ns: None,
            cpu: session.launch.cpu,
            steal_share: None,
            busy_share: None,
            others_cpus: None,
            psi_cpu_share: None,
            psi_io_share: None,
            psi_memory_share: None,
            context_switches: None,
            other_run_waited: false,
            log: None,
            engine_build: None,
            engine_source: None,
            clock: None,
            memory_limit_bytes: None,
            data_bytes: session.plan.payload_bytes(configuration),
            cache: Some(session.plan.conditions.cache.word().to_owned()),
            twin_of: configuration.twin_of.clone(),
            failure_kind: None,
            tier_evidence: session
                .verdicts
                .of(
                    configuration.engine_name(),
                    &configuration.engine.description.version,
                    &configuration.settings.to_map(),
                )
                .map(str::to_owned),
            throttled_periods: None,
            throttled_ns: None,
        };
        Self {
            session,
            ordinal: planned.ordinal,
            run,
            results: Vec::new(),
            timeline: Vec::new(),
            last_progress: (0, 0),
            followed: UnstoredSeconds::default(),
            names: HashMap::new(),
            arrivals: HashMap::new(),
            has_uncertain_rows: false,
            turns: Turns::default(),
            actors: Vec::new(),
            noise: None,
            measuring: None,
            watch: None,
            witness: None,
        }
    }

    async fn execute(&mut self, configuration: &Configuration, seed: u64) -> Result<(), StopReason> {
        let suite = self.session.plan.job(configuration);
        let Some(lock) = self.session.measurement_lock().await else { return Err(StopReason::Cancelled) };
        self.run.other_run_waited = lock.as_ref().is_some_and(|lock| lock.waited);
        self.run.started_at = Timestamp::now();
        self.announce(configuration, &suite).await;

        let launch = self.session.launch;
        self.measuring = Some(self.session.control.measuring().await);
        self.noise = Some(NoiseSample::now());
        let StartedWorker { mut worker, job, deadline, memory_limit_bytes, folder: _folder } =
            start_worker(self.session, configuration, self.run.run_id.clone(), seed, false)?;
        self.run.memory_limit_bytes = memory_limit_bytes;
        self.watch = worker.process().map(|process| Watch::new(process, job.folder.clone()));
        self.witness = Some(Witness::new(worker.process(), &job));
        let result =
            tokio::time::timeout(deadline, self.listen(&mut worker, configuration)).await.unwrap_or_else(|_| {
                Err(StopReason::Failed(
                    FailureKind::Deadline,
                    format!("the run's deadline of {} has passed", units::clock(deadline)),
                ))
            });
        let (after, own_cpu_ns) = (NoiseSample::now(), worker.process().and_then(process_cpu_ns));
        let ending = worker.end(self.session.control.hurried()).await;
        self.measuring = None;
        self.note_noise(&after, own_cpu_ns);
        let result = result.and(ending.check_done(&launch.work_dir).map_err(StopReason::from));
        let result = result.map_err(|stop| stop.explained(&ending));
        self.log(ending.log, ending.left_out);
        result
    }

    /// Listens until the worker is done, and stores each finished test before the worker continues.
    async fn listen(&mut self, worker: &mut WorkerProcess, configuration: &Configuration) -> Result<(), StopReason> {
        loop {
            let Sent { event, histogram } = tokio::select! {
                sent = worker.next() => sent?,
                () = self.session.control.given_up(self.ordinal) => return Err(self.given_up()),
            };
            // A finished test is announced once it can no longer be lost.
            if let Event::TestDone(done) = &event {
                self.check_cold(configuration, done)?;
                if let Some(witness) = &mut self.witness {
                    witness.check(done, histogram.as_deref())?;
                }
                self.test_done(done, histogram.as_deref()).await?;
            }
            self.session.tell(RunnerEvent::Worker { ordinal: self.ordinal, says: event.clone() });
            match event {
                Event::Opened { version, build, source, in_force, open_ns, clock } => {
                    self.run.clock = clock;
                    self.run.engine_version = version;
                    self.run.engine_build = (!build.is_empty()).then(|| build.join(", "));
                    self.run.engine_source = source;
                    self.run.open_ns = Some(open_ns);
                    self.opened(configuration, &in_force).await?;
                    self.go_on(worker).await;
                }
                Event::TestStarted { .. } => {
                    self.timeline.clear();
                    self.last_progress = (0, 0);
                    self.followed = UnstoredSeconds::default();
                }
                // The test is still being prepared.
                Event::Progress { elapsed_ns: 0, .. } => {}
                Event::Progress { test, operations, elapsed_ns, actors, readings, .. } => {
                    self.slot(test, operations, elapsed_ns, histogram.as_deref());
                    self.follow(test, elapsed_ns, &actors, &readings).await?;
                    if let Some(uses) = self.watch.as_mut().and_then(Watch::look) {
                        self.session.tell(RunnerEvent::Uses { ordinal: self.ordinal, uses });
                    }
                }
                Event::TestDone(_) => self.go_on(worker).await,
                Event::Done => return Ok(()),
                Event::Failed { test, message, .. } => {
                    let place = test.map_or_else(String::new, |test| format!("test {test}: "));
                    return Err(StopReason::Failed(FailureKind::Engine, format!("{place}{message}")));
                }
                // The conversation accepts these only in the kill test.
                Event::Committed { .. } | Event::Recovered { .. } => {}
            }
        }
    }

    /// Checks that a cold start was cold. A worker that does not support cold starts runs its tests warm, so their figures are not the
    /// requested ones.
    fn check_cold(&self, configuration: &Configuration, done: &TestDone) -> Result<(), String> {
        let asked = self.session.plan.conditions.cache.is_cold_for(done.measured);
        if !asked || done.counters.get("resident_bytes").is_some() {
            return Ok(());
        }
        let engine = configuration.engine_name();
        Err(format!(
            "engine `{engine}` cannot start cold: its worker does not report it (use --cache warm, or leave this engine out)"
        ))
    }

    fn given_up(&self) -> StopReason {
        if self.session.control.requests().stop { StopReason::Cancelled } else { StopReason::Skipped }
    }

    /// Lets the worker continue, once watchers that wanted the machine between two tests have finished.
    async fn go_on(&mut self, worker: &mut WorkerProcess) {
        self.measuring = None;
        self.measuring = Some(self.session.control.measuring().await);
        if let Some(witness) = &mut self.witness {
            witness.begin();
        }
        worker.go_on();
    }

    fn finish(self, status: Status, failure: Option<String>) -> RunOutcome {
        let Self { mut run, results, actors, .. } = self;
        run.finished_at = Some(Timestamp::now());
        run.status = status;
        run.failure = failure;
        RunOutcome { run, results, actors }
    }
}
