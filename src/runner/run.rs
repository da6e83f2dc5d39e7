//! One run: a worker on a fresh folder, from its start to its removal.

use super::{
    RunnerEvent,
    control::Control,
    folder::RunFolder,
    session::{Launch, Session},
    uses::Watch,
    worker::Worker,
};
use crate::{
    base::identifier::identifier,
    bench::{Configuration, PlannedRun},
    host::NoiseSample,
    metric::Figures,
    process::in_words,
    store::{Batch, Blob, FailureKind, KeyRecord, OptionRecord, RunRecord, Status, TestRecord, TimelineRecord},
};
use dbdyno_engine::{
    describe::{Description, OptionKind},
    protocol::{Event, Job, PROTOCOL, SuiteJob, TestDone},
};
use dbdyno_workload::histogram::{bytes_from_base64, from_bytes, supported_quantile};
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};
use tokio::sync::OwnedMutexGuard;

/// Time between two progress events.
const PROGRESS: Duration = Duration::from_millis(100);
/// The deadline of a run: so many times what it is expected to take, and at least [`LEAST_DEADLINE`].
const DEADLINE_FACTOR: u32 = 50;
const LEAST_DEADLINE: Duration = Duration::from_secs(600);

/// What a run left.
#[derive(Debug)]
pub(super) struct RunOutcome {
    /// The run, ended.
    pub(super) run: RunRecord,
    /// Its finished tests.
    pub(super) results: Vec<TestRecord>,
}

/// Runs one planned run. The result is always an outcome: a failure is one too.
pub(super) async fn execute(
    session: &mut Session<'_>,
    configuration: &Configuration,
    planned: PlannedRun,
) -> RunOutcome {
    let mut running = Running::new(session, configuration, planned);
    match running.execute(configuration, planned.seed).await {
        Ok(()) => running.finish(Status::Done, None),
        Err(Stop::Cancelled) => running.finish(Status::Cancelled, None),
        Err(Stop::Skipped) => running.finish(Status::Cancelled, Some("skipped".to_owned())),
        Err(Stop::Failed(kind, failure)) => {
            running.run.failure_kind = Some(kind);
            running.finish(Status::Failed, Some(failure))
        }
    }
}

/// Measures what the harness itself costs: the engine that does nothing, on the same suite. ns an operation, by test; nothing
/// when the session is told to stop.
pub(super) async fn calibrate(
    launch: &Launch,
    suite: SuiteJob,
    null: &Configuration,
    control: &Control,
) -> Result<BTreeMap<u32, f64>, String> {
    let run_id = identifier();
    let folder = RunFolder::create(&launch.work_dir, &run_id, false).map_err(|error| error.to_string())?;
    let job = job(launch, run_id, null, suite, &folder, 1, LEAST_DEADLINE);
    let mut worker = Worker::start(&null.engine.launch, &job, launch.silence, &launch.work_dir)?;
    let mut cost = BTreeMap::new();
    let result = loop {
        let event = tokio::select! {
            event = worker.next() => event,
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
    worker.end(control.hurried()).await;
    result
}

fn job(
    launch: &Launch,
    run_id: String,
    configuration: &Configuration,
    suite: SuiteJob,
    folder: &RunFolder,
    seed: u64,
    deadline: Duration,
) -> Job {
    Job {
        protocol: PROTOCOL,
        run_id,
        engine: configuration.engine_name().to_owned(),
        options: configuration.settings.clone(),
        suite,
        size: configuration.size,
        seed,
        folder: folder.databases(),
        cpu: launch.cpu,
        progress_ms: PROGRESS.as_millis() as u64,
        deadline_ms: Some(deadline.as_millis() as u64),
        wait: true,
        keep_folder: launch.keep_databases,
    }
}

/// Why a run stopped before its end.
enum Stop {
    Cancelled,
    Skipped,
    Failed(FailureKind, String),
}

/// What else goes wrong is about the worker's process and its conversation.
impl From<String> for Stop {
    fn from(failure: String) -> Self {
        Self::Failed(FailureKind::Worker, failure)
    }
}

/// A run under way.
struct Running<'r, 's> {
    session: &'r mut Session<'s>,
    ordinal: u32,
    run: RunRecord,
    results: Vec<TestRecord>,
    timeline: Vec<TimelineRecord>,
    last_progress: (u64, u64),
    names: HashMap<u32, String>,
    noise: Option<NoiseSample>,
    /// Held while something is measured.
    quiet: Option<OwnedMutexGuard<()>>,
    watch: Option<Watch>,
}

impl<'r, 's> Running<'r, 's> {
    fn new(session: &'r mut Session<'s>, configuration: &Configuration, planned: PlannedRun) -> Self {
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
            tier: configuration.tier.number(),
            tier_reason: configuration.tier_reason.clone(),
            open_ns: None,
            cpu: session.launch.cpu,
            steal_share: None,
            busy_share: None,
            psi_cpu_share: None,
            psi_io_share: None,
            psi_memory_share: None,
            context_switches: None,
            other_run_waited: false,
            log: None,
            engine_build: None,
            twin_of: configuration.twin_of.clone(),
            failure_kind: None,
        };
        Self {
            session,
            ordinal: planned.ordinal,
            run,
            results: Vec::new(),
            timeline: Vec::new(),
            last_progress: (0, 0),
            names: HashMap::new(),
            noise: None,
            quiet: None,
            watch: None,
        }
    }

    async fn execute(&mut self, configuration: &Configuration, seed: u64) -> Result<(), Stop> {
        let suite = self.session.plan.job(configuration);
        let Some(lock) = self.session.measurement_lock().await else { return Err(Stop::Cancelled) };
        self.run.other_run_waited = lock.as_ref().is_some_and(|lock| lock.waited);
        self.run.started_at = Timestamp::now();
        self.announce(configuration, &suite).await;

        let launch = self.session.launch;
        let folder = RunFolder::create(&launch.work_dir, &self.run.run_id, launch.keep_databases)
            .map_err(|error| format!("the run's folder in {}: {error}", launch.work_dir.display()))?;
        let expected = self.session.expected_run;
        let deadline = launch.deadline.unwrap_or_else(|| LEAST_DEADLINE.max(expected * DEADLINE_FACTOR));
        let job = job(launch, self.run.run_id.clone(), configuration, suite, &folder, seed, deadline);
        self.quiet = Some(self.session.control.quiet().await);
        self.noise = Some(NoiseSample::now());
        let mut worker =
            Worker::start(&configuration.engine.launch, &job, launch.silence + expected, &launch.work_dir)?;
        self.watch = worker.process().map(|process| Watch::new(process, job.folder.clone()));
        let result =
            tokio::time::timeout(deadline, self.listen(&mut worker, configuration)).await.unwrap_or_else(|_| {
                Err(Stop::Failed(
                    FailureKind::Deadline,
                    format!("the run's deadline of {} s has passed", deadline.as_secs()),
                ))
            });
        let after = NoiseSample::now();
        let ending = worker.end(self.session.control.hurried()).await;
        self.quiet = None;
        self.note_noise(&after);
        self.log(ending.log, ending.left_out);
        match (&result, ending.status) {
            (Ok(()), Some(status)) if !status.success() => Err(Stop::Failed(
                FailureKind::Worker,
                format!("the worker was done, and then ended with {}", in_words(status, &launch.work_dir)),
            )),
            (Ok(()), None) => {
                Err(Stop::Failed(FailureKind::Worker, "the worker was done and did not exit: it was killed".to_owned()))
            }
            _ => result,
        }
    }

    /// Keeps what the worker wrote to stderr, and what was left out of what it said.
    fn log(&mut self, mut log: String, left_out: Option<String>) {
        if let Some(left_out) = left_out {
            if !log.is_empty() && !log.ends_with('\n') {
                log.push('\n');
            }
            log.push_str(&left_out);
            self.session.tell(RunnerEvent::Note { text: format!("{}: {left_out}", self.run.label) });
        }
        self.run.log = (!log.is_empty()).then_some(log);
    }

    async fn announce(&mut self, configuration: &Configuration, suite: &SuiteJob) {
        self.names = suite.tests().iter().map(|test| (test.number, test.name.to_owned())).collect();
        let of = |scope: &str, name: &str, value: &str| OptionRecord {
            run_id: self.run.run_id.clone(),
            scope: scope.to_owned(),
            name: name.to_owned(),
            asked: Some(value.to_owned()),
            in_force: None,
            assumed: Some(false),
        };
        let options = configuration.settings.iter().map(|(name, value)| of("engine", name, value));
        let of_suite = configuration.suite_settings.iter().map(|(name, value)| of("suite", name, value));
        let key = |(key, value): (&String, &String)| KeyRecord {
            run_id: self.run.run_id.clone(),
            key: key.clone(),
            value: value.clone(),
        };
        let batch = Batch {
            runs: vec![self.run.clone()],
            options: options.chain(of_suite).collect(),
            keys: self.session.launch.keys.iter().map(key).collect(),
            ..Batch::default()
        };
        self.session.keep(batch).await;
        self.session.tell(RunnerEvent::RunStarted {
            ordinal: self.ordinal,
            round: self.run.round,
            run_id: self.run.run_id.clone(),
            label: self.run.label.clone(),
            size: self.run.size.clone(),
            tests: suite.tests().len(),
        });
    }

    /// Listens until the worker is done; stores each finished test before the worker goes on.
    async fn listen(&mut self, worker: &mut Worker, configuration: &Configuration) -> Result<(), Stop> {
        loop {
            let event = tokio::select! {
                event = worker.next() => event?,
                () = self.session.control.given_up(self.ordinal) => return Err(self.given_up()),
            };
            // A finished test is told when it cannot be lost any more.
            if let Event::TestDone(done) = &event {
                self.test_done(done).await?;
            }
            self.session.tell(RunnerEvent::Worker { ordinal: self.ordinal, says: event.clone() });
            match event {
                Event::Opened { version, build, in_force, open_ns } => {
                    self.run.engine_version = version;
                    self.run.engine_build = (!build.is_empty()).then(|| build.join(", "));
                    self.run.open_ns = Some(open_ns);
                    self.opened(configuration, &in_force).await?;
                    self.go_on(worker).await;
                }
                Event::TestStarted { .. } => {
                    self.timeline.clear();
                    self.last_progress = (0, 0);
                }
                Event::Progress { test, operations, elapsed_ns, histogram, .. } => {
                    self.slot(test, operations, elapsed_ns, histogram.as_deref());
                    if let Some(uses) = self.watch.as_mut().and_then(Watch::look) {
                        self.session.tell(RunnerEvent::Uses { ordinal: self.ordinal, uses });
                    }
                }
                Event::TestDone(_) => self.go_on(worker).await,
                Event::Done => return Ok(()),
                Event::Failed { test, message, .. } => {
                    let place = test.map_or_else(String::new, |test| format!("test {test}: "));
                    return Err(Stop::Failed(FailureKind::Engine, format!("{place}{message}")));
                }
                // The conversation lets these through in the kill test only.
                Event::Committed { .. } | Event::Recovered { .. } => {}
            }
        }
    }

    fn given_up(&self) -> Stop {
        if self.session.control.asked().stop { Stop::Cancelled } else { Stop::Skipped }
    }

    /// Lets the worker go on, once those who wanted the machine between two tests are done with it.
    async fn go_on(&mut self, worker: &mut Worker) {
        self.quiet = None;
        self.quiet = Some(self.session.control.quiet().await);
        worker.go_on();
    }

    async fn opened(&mut self, configuration: &Configuration, in_force: &BTreeMap<String, String>) -> Result<(), Stop> {
        let options = in_force
            .iter()
            .map(|(name, value)| OptionRecord {
                run_id: self.run.run_id.clone(),
                scope: "engine".to_owned(),
                name: name.clone(),
                asked: configuration.settings.get(name).map(str::to_owned),
                in_force: Some(value.clone()),
                assumed: Some(false),
            })
            .collect();
        self.session.keep(Batch { runs: vec![self.run.clone()], options, ..Batch::default() }).await;
        let differing = differing(&configuration.engine.description, configuration, in_force);
        if differing.is_empty() || self.session.launch.allow_differing_options {
            return Ok(());
        }
        Err(Stop::Failed(
            FailureKind::OptionsDiffer,
            format!(
                "options in force differ from those asked for: {} (allow differing options to run it all the same)",
                differing.join("; ")
            ),
        ))
    }

    /// Keeps one slot of the timeline.
    fn slot(&mut self, test: u32, operations: u64, elapsed_ns: u64, histogram: Option<&str>) {
        let (operations_before, elapsed_before) = self.last_progress;
        self.last_progress = (operations, elapsed_ns);
        let bytes = histogram.and_then(|text| bytes_from_base64(text).ok());
        let decoded = bytes.as_deref().and_then(|bytes| from_bytes(bytes).ok());
        self.timeline.push(TimelineRecord {
            run_id: self.run.run_id.clone(),
            test,
            at_ns: elapsed_ns,
            duration_ns: elapsed_ns.saturating_sub(elapsed_before),
            operations: operations.saturating_sub(operations_before),
            p99_ns: decoded.as_ref().and_then(|histogram| supported_quantile(histogram, 0.99)),
            histogram: bytes.map(Blob),
        });
    }

    async fn test_done(&mut self, done: &TestDone) -> Result<(), Stop> {
        if !done.measured {
            return Ok(());
        }
        let bytes = bytes_from_base64(&done.histogram)?;
        let result = TestRecord {
            run_id: self.run.run_id.clone(),
            test: done.test,
            test_name: self.names.get(&done.test).cloned().unwrap_or_default(),
            finished_at: Some(Timestamp::now()),
            figures: Figures::from_test_done(done, Some(&from_bytes(&bytes)?)),
            verification: done.verification.clone(),
            agrees: None,
            operations_per_sample: Some(done.operations_per_sample),
            histogram: Some(Blob(bytes)),
            failure: None,
        };
        self.results.push(result.clone());
        let timelines = std::mem::take(&mut self.timeline);
        if self.session.keep(Batch { results: vec![result], timelines, ..Batch::default() }).await {
            return Ok(());
        }
        // Measuring on when nothing can be kept would only lose more.
        Err(Stop::Failed(
            FailureKind::Unkept,
            format!("results cannot be kept: {}", self.session.unkept().unwrap_or("the session was stopped")),
        ))
    }

    fn note_noise(&mut self, after: &NoiseSample) {
        let Some(before) = &self.noise else { return };
        let noise = after.since(before);
        self.run.steal_share = noise.steal_share;
        self.run.busy_share = noise.busy_share;
        self.run.psi_cpu_share = noise.psi_cpu_share;
        self.run.psi_io_share = noise.psi_io_share;
        self.run.psi_memory_share = noise.psi_memory_share;
        self.run.context_switches = noise.context_switches;
    }

    fn finish(self, status: Status, failure: Option<String>) -> RunOutcome {
        let Self { mut run, results, .. } = self;
        run.finished_at = Some(Timestamp::now());
        run.status = status;
        run.failure = failure;
        RunOutcome { run, results }
    }
}

/// Options whose value in force is not the one asked for, in words. A word like `auto` asks for nothing in particular.
fn differing(
    description: &Description,
    configuration: &Configuration,
    in_force: &BTreeMap<String, String>,
) -> Vec<String> {
    in_force
        .iter()
        .filter_map(|(name, value)| {
            let asked = configuration.settings.get(name)?;
            let open_ended = description.option(name).is_some_and(
                |option| matches!(&option.kind, OptionKind::Size { words, .. } if words.iter().any(|word| word == asked)),
            );
            (asked != value && !open_ended).then(|| format!("{name} is `{value}`, asked for `{asked}`"))
        })
        .collect()
}
