//! One run: a worker in a fresh folder, from its start to its removal.

mod followed;
mod records;
mod sliced;
mod slices;

pub(in crate::runner) use sliced::execute_in_slices;

use self::{
    followed::{Turns, UnstoredSeconds},
    slices::SliceLog,
};
use super::{
    RunnerEvent,
    credible::Witness,
    folder::RunFolder,
    job::{DEADLINE_FACTOR, LEAST_DEADLINE, confinement, job},
    sent::Sent,
    session::RunningSession,
    sharing::Sharing,
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
use tokio::time::{Instant, sleep_until};

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
    let result = running.execute(session, configuration).await;
    running.outcome(result)
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

/// Starts the worker of a run. `explain`: whether it finds out what the time goes to. `sharing`: how it
/// takes turns with others.
pub(in crate::runner) fn start_worker(
    session: &RunningSession<'_>,
    configuration: &Configuration,
    run_id: String,
    planned: &PlannedRun,
    explain: bool,
    sharing: Option<&Sharing>,
) -> Result<StartedWorker, String> {
    let launch = session.launch;
    let folder = RunFolder::create(&launch.work_dir, &run_id, launch.keep_databases)
        .map_err(|error| format!("cannot create the run's folder in {}: {error}", launch.work_dir.display()))?;
    let expected = session.expected_run;
    let workers = sharing.map_or(1, |sharing| sharing.workers);
    let deadline = launch.deadline.unwrap_or_else(|| LEAST_DEADLINE.max(expected * DEADLINE_FACTOR)) * workers;
    let conditions = session.plan.conditions;
    let suite = session.plan.job_of(planned);
    let job = job(launch, run_id, configuration, suite, conditions.cache, &folder, planned.seed, deadline);
    let cpu = sharing.map_or(job.cpu, |sharing| Some(sharing.cpu));
    let job = Job { explain, cpu, slices: sharing.map(|sharing| sharing.terms.clone()), ..job };
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
struct RunInProgress {
    planned: PlannedRun,
    run: RunRecord,
    results: Vec<TestRecord>,
    timeline: Vec<TimelineRecord>,
    last_progress: (u64, u64),
    slices: SliceLog,
    followed: UnstoredSeconds,
    names: HashMap<u32, String>,
    arrivals: HashMap<(u32, String), Arrival>,
    /// Whether the rows of its tests depend on the order of threads.
    has_uncertain_rows: bool,
    turns: Turns,
    actors: Vec<ActorRecord>,
    noise: Option<NoiseSample>,
    watch: Option<Watch>,
    witness: Option<Witness>,
}

/// The state of a run after an event of its worker.
enum RunStep {
    /// Its worker works.
    Works,
    /// Its worker waits until it may go on: after opening, after a test, or after a slice of one.
    Waits(Pause),
    /// Its worker is done.
    Done,
}

/// Where a worker waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pause {
    /// Before the next test.
    Between,
    /// In a test, after a slice.
    Slice,
}

/// A worker that has begun a run, and when it has to be done.
struct Measured {
    started: StartedWorker,
    until: Instant,
}

impl RunInProgress {
    fn new(session: &RunningSession<'_>, configuration: &Configuration, planned: PlannedRun) -> Self {
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
            planned,
            run,
            results: Vec::new(),
            timeline: Vec::new(),
            last_progress: (0, 0),
            slices: SliceLog::default(),
            followed: UnstoredSeconds::default(),
            names: HashMap::new(),
            arrivals: HashMap::new(),
            has_uncertain_rows: false,
            turns: Turns::default(),
            actors: Vec::new(),
            noise: None,
            watch: None,
            witness: None,
        }
    }

    async fn execute(
        &mut self,
        session: &mut RunningSession<'_>,
        configuration: &Configuration,
    ) -> Result<(), StopReason> {
        let Some(lock) = session.measurement_lock().await else { return Err(StopReason::Cancelled) };
        self.run.other_run_waited = lock.as_ref().is_some_and(|lock| lock.waited);
        self.announce(session, configuration).await;
        // Held while something is measured.
        let mut measuring = session.control.measuring().await;
        let mut measured = self.start(session, configuration, None)?;
        let result = loop {
            match self.step(session, &mut measured, configuration).await {
                Ok(RunStep::Works) => {}
                Ok(RunStep::Waits(pause)) => {
                    // Watchers that want the machine between two tests have it now.
                    drop(measuring);
                    measuring = session.control.measuring().await;
                    self.go_on(&mut measured, pause, false);
                }
                Ok(RunStep::Done) => break Ok(()),
                Err(stop) => break Err(stop),
            }
        };
        let noise = NoiseSample::now();
        let own_cpu_ns = measured.cpu_ns();
        let result = self.end(session, measured, result).await;
        drop(measuring);
        self.note_noise(&noise, own_cpu_ns);
        result
    }

    /// Starts the worker.
    fn start(
        &mut self,
        session: &RunningSession<'_>,
        configuration: &Configuration,
        sharing: Option<&Sharing>,
    ) -> Result<Measured, StopReason> {
        self.noise = Some(NoiseSample::now());
        let started = start_worker(session, configuration, self.run.run_id.clone(), &self.planned, false, sharing)?;
        let StartedWorker { worker, job, deadline, memory_limit_bytes, .. } = &started;
        self.run.memory_limit_bytes = *memory_limit_bytes;
        self.run.cpu = job.cpu;
        self.watch = worker.process().map(|process| Watch::new(process, job.folder.clone()));
        self.witness = Some(Witness::new(worker.process(), job));
        let until = Instant::now() + *deadline;
        Ok(Measured { started, until })
    }

    /// Ends the worker, which is done or has to stop.
    async fn end(
        &mut self,
        session: &RunningSession<'_>,
        Measured { started, .. }: Measured,
        result: Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let StartedWorker { worker, folder: _folder, .. } = started;
        let ending = worker.end(session.control.hurried()).await;
        let result = result.and(ending.check_done(&session.launch.work_dir).map_err(StopReason::from));
        let result = result.map_err(|stop| stop.explained(&ending));
        self.log(session, ending.log, ending.left_out);
        result
    }

    /// Waits for the next event of the worker. Stores a finished test before the worker continues.
    async fn step(
        &mut self,
        session: &mut RunningSession<'_>,
        measured: &mut Measured,
        configuration: &Configuration,
    ) -> Result<RunStep, StopReason> {
        let Sent { event, histogram } = tokio::select! {
            sent = measured.started.worker.next() => sent?,
            () = session.control.given_up(self.planned.ordinal) => return Err(given_up(session)),
            () = sleep_until(measured.until) => return Err(measured.too_late()),
        };
        if let Event::Turn { operations, wall_ns, .. } = event {
            self.slices.add(operations, wall_ns);
            self.witness.iter_mut().for_each(Witness::passes);
            return Ok(RunStep::Waits(Pause::Slice));
        }
        // A finished test is announced once it can no longer be lost.
        if let Event::TestDone(done) = &event {
            check_cold(session, configuration, done)?;
            if let Some(witness) = &mut self.witness {
                witness.check(done, histogram.as_deref())?;
            }
            self.test_done(session, done, histogram.as_deref()).await?;
        }
        session.tell(RunnerEvent::Worker { ordinal: self.planned.ordinal, says: event.clone() });
        match event {
            Event::Opened { version, build, source, in_force, open_ns, clock } => {
                self.run.clock = clock;
                self.run.engine_version = version;
                self.run.engine_build = (!build.is_empty()).then(|| build.join(", "));
                self.run.engine_source = source;
                self.run.open_ns = Some(open_ns);
                self.opened(session, configuration, &in_force).await?;
                return Ok(RunStep::Waits(Pause::Between));
            }
            Event::TestStarted { .. } => {
                self.timeline.clear();
                self.last_progress = (0, 0);
                self.followed = UnstoredSeconds::default();
                self.slices = SliceLog::default();
            }
            // The test is still being prepared.
            Event::Progress { elapsed_ns: 0, .. } => {}
            Event::Progress { test, operations, elapsed_ns, actors, readings, .. } => {
                self.slot(test, operations, elapsed_ns, histogram.as_deref());
                self.follow(session, test, elapsed_ns, &actors, &readings).await?;
                if let Some(uses) = self.watch.as_mut().and_then(Watch::look) {
                    session.tell(RunnerEvent::Uses { ordinal: self.planned.ordinal, uses });
                }
            }
            Event::TestDone(_) => return Ok(RunStep::Waits(Pause::Between)),
            Event::Done => return Ok(RunStep::Done),
            Event::Failed { test, message, .. } => {
                let place = test.map_or_else(String::new, |test| format!("test {test}: "));
                return Err(StopReason::Failed(FailureKind::Engine, format!("{place}{message}")));
            }
            // The conversation accepts these only in the kill test.
            Event::Committed { .. } | Event::Recovered { .. } | Event::Turn { .. } => {}
        }
        Ok(RunStep::Works)
    }

    /// Lets the worker continue from a pause. `is_direct`: no other worker had a turn since then.
    fn go_on(&mut self, measured: &mut Measured, from: Pause, is_direct: bool) {
        self.slices.begin(is_direct);
        match (&mut self.witness, from) {
            (Some(witness), Pause::Between) => witness.begin(),
            (Some(witness), Pause::Slice) => witness.goes_on(),
            (None, _) => {}
        }
        measured.started.worker.go_on();
    }

    fn outcome(mut self, result: Result<(), StopReason>) -> RunOutcome {
        let (status, failure) = match result {
            Ok(()) => (Status::Done, None),
            Err(StopReason::Cancelled) => (Status::Cancelled, None),
            Err(StopReason::Skipped) => (Status::Cancelled, Some("skipped".to_owned())),
            Err(StopReason::Failed(kind, failure)) => {
                self.run.failure_kind = Some(kind);
                (Status::Failed, Some(failure))
            }
        };
        let Self { mut run, results, actors, .. } = self;
        run.finished_at = Some(Timestamp::now());
        run.status = status;
        run.failure = failure;
        RunOutcome { run, results, actors }
    }
}

impl Measured {
    /// Returns the CPU time that the worker has used; none if it is gone.
    fn cpu_ns(&self) -> Option<u64> {
        self.started.worker.process().and_then(process_cpu_ns)
    }

    fn too_late(&self) -> StopReason {
        let deadline = units::clock(self.started.deadline);
        StopReason::Failed(FailureKind::Deadline, format!("the run's deadline of {deadline} has passed"))
    }
}

/// Checks that a cold start was cold. A worker that does not support cold starts runs its tests warm, so their figures are not the requested
/// ones.
fn check_cold(session: &RunningSession<'_>, configuration: &Configuration, done: &TestDone) -> Result<(), String> {
    let asked = session.plan.conditions.cache.is_cold_for(done.measured);
    if !asked || done.counters.get("resident_bytes").is_some() {
        return Ok(());
    }
    let engine = configuration.engine_name();
    Err(format!(
        "engine `{engine}` cannot start cold: its worker does not report it (use --cache warm, or leave this engine out)"
    ))
}

fn given_up(session: &RunningSession<'_>) -> StopReason {
    if session.control.requests().stop { StopReason::Cancelled } else { StopReason::Skipped }
}
