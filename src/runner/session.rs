//! A session: the plan's runs in order, their results stored, answers compared, findings noted.

use super::{
    RunnerEvent,
    agreement::agreement,
    control::Control,
    folder,
    measurement_lock::MeasurementLock,
    resume::Resumable,
    run::{calibrate, execute},
};
use crate::{
    base::identifier::identifier,
    bench::{BenchPlan, Configuration},
    host::{HostFacts, Load, WorkFolderFacts, measure_fsync},
    lint::{self, SessionEvidence},
    process,
    store::{
        Batch, HarnessRecord, HostRecord, Ownership, RunRecord, SessionRecord, Status, Store, StoreError, TestRecord,
        WarningRecord,
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    time::{Duration, Instant},
};
use tokio::sync::mpsc::UnboundedSender;

/// Time between two tries to write a journal that could not be written.
const RETRY: Duration = Duration::from_millis(250);

/// How a session is run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Launch {
    /// Where databases are put.
    pub work_dir: PathBuf,
    /// CPU to pin workers to.
    pub cpu: Option<u32>,
    /// Whether run folders are kept.
    pub keep_databases: bool,
    /// Whether a run goes on when options in force differ from those asked for.
    pub allow_differing_options: bool,
    /// Whether other sessions' runs may be measured at the same time.
    pub concurrent: bool,
    /// Time after which no further round is begun.
    pub budget: Option<Duration>,
    /// How long a worker may say nothing, beyond what a whole run is expected to take.
    pub silence: Duration,
    /// Time after which a run has failed; none for one that follows from what it is expected to take.
    pub deadline: Option<Duration>,
    /// The command that started the session.
    pub command_line: String,
    pub preset: Option<String>,
    /// Keys with values that every run gets, by which its results can be selected.
    pub keys: BTreeMap<String, String>,
}

/// How long a worker may say nothing, beyond what a whole run is expected to take, unless told otherwise.
pub const DEFAULT_SILENCE: Duration = Duration::from_secs(30);

impl Launch {
    /// The usual conditions.
    pub fn new(work_dir: PathBuf, command_line: String) -> Self {
        Self {
            work_dir,
            cpu: None,
            keep_databases: false,
            allow_differing_options: false,
            concurrent: false,
            budget: None,
            silence: DEFAULT_SILENCE,
            deadline: None,
            command_line,
            preset: None,
            keys: BTreeMap::new(),
        }
    }
}

/// What a session left.
#[derive(Debug, Clone)]
pub struct Report {
    /// The session, ended.
    pub session: SessionRecord,
    pub runs: Vec<RunRecord>,
    /// Finished tests of its runs.
    pub results: Vec<TestRecord>,
    /// What the harness costs: ns an operation by size and test.
    pub harness: Vec<HarnessRecord>,
    /// Findings.
    pub warnings: Vec<WarningRecord>,
    /// Why results are in the journal and not in the store: the next command takes them in.
    pub unmerged: Option<String>,
    /// Why some results are nowhere but in memory: neither journal nor store could be written.
    pub unkept: Option<String>,
}

/// Why a session could not begin.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The work folder cannot be used.
    #[error("the work folder {}: {error}: choose another", folder.display())]
    WorkFolder {
        folder: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The harness's own cost could not be measured.
    #[error("measuring the harness's own cost failed: {0}")]
    Calibration(String),
    /// Somebody else resumed it in the meantime.
    #[error("session {0} is run by another dbdyno")]
    Taken(String),
    /// Nothing that is measured could be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A session under way.
#[derive(Debug)]
pub(super) struct Session<'s> {
    pub(super) plan: &'s BenchPlan,
    pub(super) launch: &'s Launch,
    pub(super) record: SessionRecord,
    pub(super) events: UnboundedSender<RunnerEvent>,
    /// What a run is expected to take.
    pub(super) expected_run: Duration,
    store: &'s Store,
    pub(super) control: Control,
    /// Why what was finished last could not be kept; it is still in memory.
    unkept: Option<String>,
    /// Whether something was measured without the lock, because there is no place for it.
    unlocked: bool,
}

/// What a session that is resumed did before.
#[derive(Debug)]
pub(super) struct SoFar {
    pub(super) session: SessionRecord,
    /// Runs that are finished.
    pub(super) runs: Vec<RunRecord>,
    /// Runs that did not come to their end; they are run again from their beginning.
    pub(super) cut_short: Vec<RunRecord>,
    /// Results of the runs that are finished.
    pub(super) results: Vec<TestRecord>,
    pub(super) harness: Vec<HarnessRecord>,
}

impl SoFar {
    fn nothing(session: SessionRecord) -> Self {
        Self { session, runs: Vec::new(), cut_short: Vec::new(), results: Vec::new(), harness: Vec::new() }
    }

    /// Places of the runs that are finished.
    pub(super) fn ordinals(&self) -> BTreeSet<u32> {
        self.runs.iter().map(|run| run.ordinal).collect()
    }
}

/// Runs a plan to its end, or until it is asked to stop. `null`: the configuration that measures the harness.
pub async fn run_session(
    plan: &BenchPlan,
    null: &Configuration,
    launch: &Launch,
    store: &Store,
    expected_run: Duration,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<Report, SessionError> {
    run_session_from(None, plan, null, launch, store, expected_run, events, control).await
}

/// The same, going on where an earlier session of the same plan was left.
#[expect(clippy::too_many_arguments, reason = "the arguments of `run_session` and where it begins")]
pub(super) async fn run_session_from(
    so_far: Option<SoFar>,
    plan: &BenchPlan,
    null: &Configuration,
    launch: &Launch,
    store: &Store,
    expected_run: Duration,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<Report, SessionError> {
    let facts = work_folder(launch)?;
    let swept = folder::sweep(&launch.work_dir);
    process::sweep();
    let host = HostFacts::read();
    let owner = store.own()?;
    let is_resumed = so_far.is_some();
    let mut so_far = so_far.unwrap_or_else(|| SoFar::nothing(describe(plan, launch, &host, &facts)));
    let record = &mut so_far.session;
    record.owner = Some(owner.journal.display().to_string());
    if is_resumed {
        if !store.claim(record)? {
            return Err(SessionError::Taken(record.session_id.clone()));
        }
        (record.status, record.finished_at) = (Status::Running, None);
    } else if let Some(plan) = plan.stored() {
        // A path that is no text cannot be kept: such a session cannot be resumed.
        record.plan = serde_json::to_string(&Resumable { plan, launch: launch.clone(), expected_run }).ok();
    }
    let record = record.clone();
    let mut session =
        Session { plan, launch, record, events, expected_run, store, control, unkept: None, unlocked: false };
    if swept > 0 {
        session.tell(RunnerEvent::Note { text: format!("removed {swept} run folders that a crash had left behind") });
    }
    let begun = Batch { hosts: vec![host_record(&host)], sessions: vec![session.record.clone()], ..Batch::default() };
    session.keep(begun).await;
    session.tell(RunnerEvent::SessionStarted { session_id: session.record.session_id.clone(), runs: plan.runs.len() });
    for run in &so_far.runs {
        session.tell(RunnerEvent::RunEnded { ordinal: run.ordinal, status: run.status, failure: run.failure.clone() });
    }
    let harness = match session.measure_harness(null, std::mem::take(&mut so_far.harness)).await {
        Ok(harness) => harness,
        Err(error) => {
            session.give_up().await;
            return Err(error);
        }
    };
    let (runs, mut results) = session.run_all(so_far).await;
    session.finish(&facts, runs, &mut results, harness, owner).await
}

fn work_folder(launch: &Launch) -> Result<WorkFolderFacts, SessionError> {
    let failed = |error| SessionError::WorkFolder { folder: launch.work_dir.clone(), error };
    std::fs::create_dir_all(&launch.work_dir).map_err(failed)?;
    let mut facts = WorkFolderFacts::read(&launch.work_dir);
    facts.fsync_ns = Some(measure_fsync(&launch.work_dir).map_err(failed)?);
    Ok(facts)
}

fn host_record(host: &HostFacts) -> HostRecord {
    let host = host.clone();
    HostRecord {
        host_id: host.id(),
        name: host.name,
        cpu_model: host.cpu_model,
        cores: host.cores,
        memory_bytes: host.memory_bytes,
        kernel: host.kernel,
        architecture: host.architecture,
        virtualisation: host.virtualisation,
        os: host.os,
    }
}

fn describe(plan: &BenchPlan, launch: &Launch, host: &HostFacts, folder: &WorkFolderFacts) -> SessionRecord {
    let load = Load::read();
    let details = serde_json::json!({ "host": host, "work_folder": folder, "load": load });
    let folder = folder.clone();
    SessionRecord {
        session_id: identifier(),
        host_id: host.id(),
        started_at: Timestamp::now(),
        finished_at: None,
        status: Status::Running,
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        debug_build: cfg!(debug_assertions),
        command_line: launch.command_line.clone(),
        preset: launch.preset.clone(),
        suite: plan.suite.name.clone(),
        seed: plan.seed,
        rounds: plan.rounds,
        planned_runs: plan.runs.len() as u32,
        kernel: Some(host.kernel.clone()),
        work_folder: folder.path,
        file_system: folder.file_system,
        mount_options: folder.mount_options,
        device: folder.device,
        disk_model: folder.disk_model,
        fsync_ns: folder.fsync_ns,
        cpu_governor: load.cpu_governor,
        clock_source: load.clock_source,
        load_1: load.load_1,
        details: details.to_string(),
        owner: None,
        plan: None,
        source: None,
        source_file: None,
    }
}

impl Session<'_> {
    /// Tells those who watch. Nobody watching is fine.
    pub(super) fn tell(&self, event: RunnerEvent) {
        let _ = self.events.send(event);
    }

    /// Takes the measurement lock, which is held until it is dropped. One that is `concurrent` goes without, and so does a session that
    /// has no place for the lock: that is said once. None: the session was told to stop while it waited.
    pub(super) async fn measurement_lock(&mut self) -> Option<Option<MeasurementLock>> {
        if self.launch.concurrent || self.unlocked {
            return Some(None);
        }
        let events = self.events.clone();
        let taking = tokio::task::spawn_blocking(move || {
            // Moved in, so that it is gone while this thread waits: the session's end is seen by its last sender's.
            MeasurementLock::take(move || {
                // Nobody watching is fine.
                let _ = events.send(RunnerEvent::WaitingForLock);
            })
        });
        let taken = tokio::select! {
            taken = taking => taken.unwrap_or_else(|panicked| Err(panicked.to_string())),
            () = self.control.stopped() => return None,
        };
        Some(taken.map_or_else(
            |reasons| {
                self.unlocked = true;
                self.tell(RunnerEvent::Note {
                    text: format!(
                        "warning: runs of other sessions may disturb this one, because there is no place for the \
                         measurement lock ({reasons}): set XDG_RUNTIME_DIR to a folder of your own"
                    ),
                });
                None
            },
            Some,
        ))
    }

    fn is_stopped(&self) -> bool {
        self.control.asked().stop
    }

    /// Has a batch in the journal, synced, before anything else is done; whether it is. What cannot be written stays in memory, and
    /// is tried again: for a while now, and with whatever comes after it.
    pub(super) async fn keep(&mut self, batch: Batch) -> bool {
        let Err(reason) = self.blocking(move |store| store.append(&batch)).await else {
            self.unkept = None;
            return true;
        };
        if self.unkept.replace(reason.clone()).is_some() {
            return false;
        }
        self.tell(RunnerEvent::Note {
            text: format!("{reason}; results are only in memory for now; writing them is tried again"),
        });
        let until = Instant::now() + self.store.patience();
        while Instant::now() < until && !self.is_stopped() {
            tokio::time::sleep(RETRY).await;
            if self.blocking(|store| store.flush()).await.is_ok() {
                self.tell(RunnerEvent::Note { text: "results are in the journal again".to_owned() });
                self.unkept = None;
                return true;
            }
        }
        false
    }

    /// Why nothing can be kept at the moment.
    pub(super) fn unkept(&self) -> Option<&str> {
        self.unkept.as_deref()
    }

    /// Does something with the store on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        action: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        let store = self.store.clone();
        let done = tokio::task::spawn_blocking(move || action(&store)).await;
        done.map_err(|panicked| panicked.to_string())?.map_err(|error| error.to_string())
    }

    /// Takes what is in the journal into the store.
    async fn merge(&self) -> Result<(), String> {
        self.blocking(|store| store.settle()).await.map(drop)
    }

    /// Measures the harness's own cost at each size at which it is not known.
    async fn measure_harness(
        &mut self,
        null: &Configuration,
        known: Vec<HarnessRecord>,
    ) -> Result<Vec<HarnessRecord>, SessionError> {
        self.tell(RunnerEvent::Calibrating);
        let mut harness = known;
        for configuration in &self.plan.configurations {
            let size = configuration.size.to_string();
            // Options of the suite change what is done an operation hardly at all: once a size is enough.
            if self.is_stopped() || harness.iter().any(|cost| cost.size == size) {
                continue;
            }
            // This too would disturb another session's run.
            let Some(_lock) = self.measurement_lock().await else { break };
            let cost = calibrate(self.launch, self.plan.job(configuration), null, &self.control)
                .await
                .map_err(SessionError::Calibration)?;
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

    /// Stores that the session has failed before its first run.
    async fn give_up(&mut self) {
        self.record.finished_at = Some(Timestamp::now());
        self.record.status = Status::Failed;
        self.keep(Batch { sessions: vec![self.record.clone()], ..Batch::default() }).await;
    }

    async fn run_all(&mut self, so_far: SoFar) -> (Vec<RunRecord>, Vec<TestRecord>) {
        let mut begun = Instant::now();
        let done = so_far.ordinals();
        let SoFar { mut runs, mut results, cut_short, .. } = so_far;
        let rounds: BTreeSet<u32> = runs.iter().map(|run| run.round).collect();
        for round in rounds {
            self.compare_answers(&runs, &mut results, round).await;
        }
        let plan = self.plan;
        let mut last = None;
        for &planned in plan.runs.iter().filter(|planned| !done.contains(&planned.ordinal)) {
            if last != Some(planned.round) {
                if let Some(last) = last {
                    self.compare_answers(&runs, &mut results, last).await;
                }
                if self.over_budget(begun, planned.round) {
                    self.tell(RunnerEvent::Note {
                        text: format!(
                            "the budget allows no further round: {} of {} were run",
                            planned.round, plan.rounds
                        ),
                    });
                    return (runs, results);
                }
                last = Some(planned.round);
            }
            begun += self.paused().await;
            // Measuring on when nothing can be kept would only lose more.
            if self.is_stopped() || self.unkept.is_some() {
                break;
            }
            let outcome = execute(self, &plan.configurations[planned.configuration], planned).await;
            let is_anew = |run: &&RunRecord| run.ordinal == planned.ordinal && outcome.run.status != Status::Cancelled;
            let superseded = cut_short.iter().filter(is_anew).cloned();
            let superseded = superseded.map(|run| RunRecord { status: Status::Superseded, ..run });
            let ended = superseded.chain(std::iter::once(outcome.run.clone())).collect();
            self.keep(Batch { runs: ended, ..Batch::default() }).await;
            self.tell(RunnerEvent::RunEnded {
                ordinal: planned.ordinal,
                status: outcome.run.status,
                failure: outcome.run.failure.clone(),
            });
            runs.push(outcome.run);
            results.extend(outcome.results);
        }
        if let Some(last) = last {
            self.compare_answers(&runs, &mut results, last).await;
        }
        (runs, results)
    }

    /// Waits while the session is asked to pause, and returns how long that was.
    async fn paused(&self) -> Duration {
        if !self.control.asked().pause {
            return Duration::ZERO;
        }
        let since = Instant::now();
        self.tell(RunnerEvent::Paused);
        // A store that cannot be written now is written later.
        let _ = self.merge().await;
        self.control.resumed().await;
        self.tell(RunnerEvent::Resumed);
        since.elapsed()
    }

    /// Whether another round would go over the budget, judged by the mean of those done.
    fn over_budget(&self, begun: Instant, rounds_done: u32) -> bool {
        let Some(budget) = self.launch.budget else { return false };
        let elapsed = begun.elapsed();
        rounds_done > 0 && elapsed + elapsed / rounds_done > budget
    }

    /// Compares the answers of a round's runs that had the same inputs, and stores which agree.
    async fn compare_answers(&mut self, runs: &[RunRecord], results: &mut [TestRecord], round: u32) {
        let of_round: HashMap<&str, &RunRecord> =
            runs.iter().filter(|run| run.round == round).map(|run| (run.run_id.as_str(), run)).collect();
        let mut groups: BTreeMap<(String, String, u32), Vec<usize>> = BTreeMap::new();
        for (at, result) in results.iter().enumerate() {
            if let Some(run) = of_round.get(result.run_id.as_str()) {
                let planned = self.plan.runs.get(run.ordinal as usize);
                let configuration = planned.map(|planned| &self.plan.configurations[planned.configuration]);
                // A twin says what its configuration says, and must not make a majority with it.
                if configuration.is_some_and(|configuration| configuration.twin_of.is_some()) {
                    continue;
                }
                let inputs = format!("{:?}", configuration.map(|configuration| &configuration.suite_settings));
                groups.entry((run.size.clone(), inputs, result.test)).or_default().push(at);
            }
        }
        let mut changed = Vec::new();
        for members in groups.values() {
            let answers: Vec<Option<&str>> = members.iter().map(|&at| results[at].verification.as_deref()).collect();
            for (&at, agrees) in members.iter().zip(agreement(&answers)) {
                if agrees.is_some() {
                    changed.push((at, agrees));
                }
            }
        }
        for &(at, agrees) in &changed {
            results[at].agrees = agrees;
        }
        let changed = changed.into_iter().map(|(at, _)| results[at].clone()).collect();
        self.keep(Batch { results: changed, ..Batch::default() }).await;
    }

    async fn finish(
        mut self,
        facts: &WorkFolderFacts,
        runs: Vec<RunRecord>,
        results: &mut Vec<TestRecord>,
        harness: Vec<HarnessRecord>,
        owner: Ownership,
    ) -> Result<Report, SessionError> {
        let failed = self.unkept.is_some()
            || runs.iter().any(|run| run.status == Status::Failed)
            || results.iter().any(|result| result.agrees == Some(false));
        self.record.finished_at = Some(Timestamp::now());
        self.record.status = match (self.is_stopped(), failed) {
            (true, _) => Status::Cancelled,
            (false, true) => Status::Failed,
            (false, false) => Status::Done,
        };
        let evidence = SessionEvidence {
            session: &self.record,
            folder: facts,
            concurrent: self.launch.concurrent || self.unlocked,
            runs: &runs,
            results,
            harness: &harness,
        };
        let warnings: Vec<WarningRecord> = lint::findings(&evidence)
            .into_iter()
            .map(|finding| WarningRecord {
                warning_id: identifier(),
                session_id: self.record.session_id.clone(),
                run_id: finding.run_id,
                test: finding.test,
                linter: finding.linter.to_owned(),
                message: finding.message,
            })
            .collect();
        for warning in &warnings {
            self.tell(RunnerEvent::Warning(warning.clone()));
        }
        let over = Batch { sessions: vec![self.record.clone()], warnings: warnings.clone(), ..Batch::default() };
        self.keep(over).await;
        drop(owner);
        let unmerged = self.merge().await.err();
        // What the journal could not take, the store may have taken.
        let unkept = self.blocking(|store| store.flush()).await.err();
        Ok(Report { session: self.record, runs, results: std::mem::take(results), harness, warnings, unmerged, unkept })
    }
}
