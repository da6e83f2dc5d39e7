//! A session: the plan's runs in order, their results stored, answers compared, findings noted.

use super::{
    RunnerEvent,
    agreement::agreement,
    control::Control,
    folder,
    run::{calibrate, execute},
    turn::Turn,
};
use crate::{
    host::{HostFacts, Load, WorkFolderFacts, measure_fsync},
    lint::{self, Evidence},
    plan::{Configuration, Plan},
    process,
    store::{Batch, HarnessRecord, HostRecord, ResultRecord, RunRecord, SessionRecord, Status, Store, WarningRecord},
};
use dbdyno_engine::{settings::Settings, size::Size};
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    time::{Duration, Instant},
};
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

/// How a session is run.
#[derive(Debug, Clone)]
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
    /// The preset.
    pub preset: Option<String>,
    /// Keys with values that every run gets, by which its results can be selected.
    pub keys: BTreeMap<String, String>,
}

/// What a session left.
#[derive(Debug, Clone)]
pub struct Report {
    /// The session, ended.
    pub session: SessionRecord,
    /// Its runs.
    pub runs: Vec<RunRecord>,
    /// Finished tests of its runs.
    pub results: Vec<ResultRecord>,
    /// What the harness costs: ns an operation by size and test.
    pub harness: Vec<HarnessRecord>,
    /// Findings.
    pub warnings: Vec<WarningRecord>,
    /// Why some results are in the spool and not in the store.
    pub spooled: Option<String>,
    /// Why some results are lost: neither store nor spool could be written.
    pub lost: Option<String>,
}

/// Why a session could not begin.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The work folder cannot be used.
    #[error("the work folder {}: {error}: choose another with --work-dir", folder.display())]
    WorkFolder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The harness's own cost could not be measured.
    #[error("measuring the harness's own cost failed: {0}")]
    Calibration(String),
}

/// A session under way.
#[derive(Debug)]
pub(super) struct Session<'s> {
    pub(super) plan: &'s Plan,
    pub(super) launch: &'s Launch,
    pub(super) record: SessionRecord,
    pub(super) events: UnboundedSender<RunnerEvent>,
    /// What a run is expected to take.
    pub(super) expected_run: Duration,
    store: &'s Store,
    pub(super) control: Control,
    report: Unstored,
}

/// What went wrong with storing.
#[derive(Debug, Default)]
struct Unstored {
    spooled: Option<String>,
    lost: Option<String>,
}

/// Runs a plan to its end, or until it is asked to stop. `null`: the configuration that measures the harness.
pub async fn run_session(
    plan: &Plan,
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
    let record = describe(plan, launch, &host, &facts);
    let mut session =
        Session { plan, launch, record, events, expected_run, store, control, report: Unstored::default() };
    if swept > 0 {
        session.tell(RunnerEvent::Note { text: format!("removed {swept} run folders that a crash had left behind") });
    }
    session
        .store(Batch { hosts: vec![host_record(&host)], sessions: vec![session.record.clone()], ..Batch::default() })
        .await;
    session.tell(RunnerEvent::SessionStarted { session_id: session.record.session_id.clone(), runs: plan.runs.len() });
    let harness = match session.measure_harness(null).await {
        Ok(harness) => harness,
        Err(error) => {
            session.give_up().await;
            return Err(error);
        }
    };
    let (runs, mut results) = session.run_all().await;
    session.finish(&facts, runs, &mut results, harness).await
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

fn describe(plan: &Plan, launch: &Launch, host: &HostFacts, folder: &WorkFolderFacts) -> SessionRecord {
    let load = Load::read();
    let details = serde_json::json!({ "host": host, "work_folder": folder, "load": load });
    let folder = folder.clone();
    SessionRecord {
        session_id: Uuid::now_v7().to_string(),
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
    }
}

impl Session<'_> {
    /// Tells those who watch. Nobody watching is fine.
    pub(super) fn tell(&self, event: RunnerEvent) {
        let _ = self.events.send(event);
    }

    /// Takes this session's turn to measure; held until it is dropped. No turn is needed with `--concurrent`. None: the
    /// session was told to stop while it waited.
    pub(super) async fn turn(&self) -> Option<Result<Option<Turn>, String>> {
        if self.launch.concurrent {
            return Some(Ok(None));
        }
        let events = self.events.clone();
        let taking = tokio::task::spawn_blocking(move || {
            // Moved in, so that it is gone while this thread waits: the session's end is seen by its last sender's.
            Turn::take(move || {
                // Nobody watching is fine.
                let _ = events.send(RunnerEvent::WaitingForTurn);
            })
        });
        let taken = tokio::select! {
            taken = taking => taken.map_err(|error| error.to_string()),
            () = self.control.stopped() => return None,
        };
        Some(
            taken.and_then(|turn| turn.map(Some).map_err(|error| format!("taking turns with other sessions: {error}"))),
        )
    }

    fn is_stopped(&self) -> bool {
        self.control.asked().stop
    }

    /// Commits a batch now, on a thread that may block.
    pub(super) async fn store(&mut self, batch: Batch) {
        let store = self.store.clone();
        let outcome = tokio::task::spawn_blocking(move || store.write_or_spool(&batch)).await;
        match outcome {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(spooled))) => {
                if self.report.spooled.is_none() {
                    self.tell(RunnerEvent::Note { text: format!("{spooled}; results go to the spool beside it") });
                }
                self.report.spooled = Some(spooled.to_string());
            }
            Ok(Err(lost)) => self.report.lost = Some(lost.to_string()),
            Err(panicked) => self.report.lost = Some(panicked.to_string()),
        }
    }

    async fn measure_harness(&mut self, null: &Configuration) -> Result<Vec<HarnessRecord>, SessionError> {
        self.tell(RunnerEvent::Calibrating);
        let mut harness = Vec::new();
        let mut seen: Vec<(Size, &Settings)> = Vec::new();
        for configuration in &self.plan.configurations {
            // Options of the suite change what is done an operation hardly at all: once a size is enough.
            if self.is_stopped() || seen.iter().any(|(size, _)| *size == configuration.size) {
                continue;
            }
            seen.push((configuration.size, &configuration.suite_settings));
            // This too would disturb another session's run.
            let _turn = match self.turn().await {
                Some(turn) => turn.map_err(SessionError::Calibration)?,
                None => break,
            };
            let cost = calibrate(self.launch, self.plan.job(configuration), null, &self.control)
                .await
                .map_err(SessionError::Calibration)?;
            harness.extend(cost.into_iter().map(|(test, ns_per_operation)| HarnessRecord {
                session_id: self.record.session_id.clone(),
                size: configuration.size.to_string(),
                test,
                ns_per_operation,
            }));
        }
        self.store(Batch { harness: harness.clone(), ..Batch::default() }).await;
        Ok(harness)
    }

    /// Stores that the session has failed before its first run.
    async fn give_up(&mut self) {
        self.record.finished_at = Some(Timestamp::now());
        self.record.status = Status::Failed;
        self.store(Batch { sessions: vec![self.record.clone()], ..Batch::default() }).await;
    }

    async fn run_all(&mut self) -> (Vec<RunRecord>, Vec<ResultRecord>) {
        let mut begun = Instant::now();
        let (mut runs, mut results): (Vec<RunRecord>, Vec<ResultRecord>) = (Vec::new(), Vec::new());
        let plan = self.plan;
        for (at, &planned) in plan.runs.iter().enumerate() {
            let begins_round = at == 0 || plan.runs[at - 1].round != planned.round;
            if begins_round {
                self.compare_answers(&runs, &mut results, at.checked_sub(1).map(|at| plan.runs[at].round)).await;
                if self.over_budget(begun, planned.round) {
                    self.tell(RunnerEvent::Note {
                        text: format!(
                            "the budget allows no further round: {} of {} were run",
                            planned.round, plan.rounds
                        ),
                    });
                    return (runs, results);
                }
            }
            begun += self.paused().await;
            // Measuring on when nothing can be kept would only lose more.
            if self.is_stopped() || self.report.lost.is_some() {
                break;
            }
            let outcome = execute(self, &plan.configurations[planned.configuration], planned).await;
            self.store(Batch { runs: vec![outcome.run.clone()], ..Batch::default() }).await;
            self.tell(RunnerEvent::RunEnded {
                ordinal: planned.ordinal,
                status: outcome.run.status,
                failure: outcome.run.failure.clone(),
            });
            runs.push(outcome.run);
            results.extend(outcome.results);
        }
        let last = runs.last().map(|run| run.round);
        self.compare_answers(&runs, &mut results, last).await;
        (runs, results)
    }

    /// Waits while the session is asked to pause, and returns how long that was.
    async fn paused(&self) -> Duration {
        if !self.control.asked().pause {
            return Duration::ZERO;
        }
        let since = Instant::now();
        self.tell(RunnerEvent::Paused);
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
    async fn compare_answers(&mut self, runs: &[RunRecord], results: &mut [ResultRecord], round: Option<u32>) {
        let Some(round) = round else { return };
        let of_round: HashMap<&str, &RunRecord> =
            runs.iter().filter(|run| run.round == round).map(|run| (run.run_id.as_str(), run)).collect();
        let mut groups: BTreeMap<(String, String, u32), Vec<usize>> = BTreeMap::new();
        for (at, result) in results.iter().enumerate() {
            if let Some(run) = of_round.get(result.run_id.as_str()) {
                let planned = self.plan.runs.get(run.ordinal as usize);
                let configuration = planned.map(|planned| &self.plan.configurations[planned.configuration]);
                // A twin says what its configuration says, and must not make a majority with it.
                if configuration.is_some_and(|configuration| configuration.twin) {
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
        self.store(Batch { results: changed, ..Batch::default() }).await;
    }

    async fn finish(
        mut self,
        facts: &WorkFolderFacts,
        runs: Vec<RunRecord>,
        results: &mut Vec<ResultRecord>,
        harness: Vec<HarnessRecord>,
    ) -> Result<Report, SessionError> {
        let failed = self.report.lost.is_some()
            || runs.iter().any(|run| run.status == Status::Failed)
            || results.iter().any(|result| result.agrees == Some(false));
        self.record.finished_at = Some(Timestamp::now());
        self.record.status = match (self.is_stopped(), failed) {
            (true, _) => Status::Cancelled,
            (false, true) => Status::Failed,
            (false, false) => Status::Done,
        };
        let evidence = Evidence {
            session: &self.record,
            folder: facts,
            concurrent: self.launch.concurrent,
            runs: &runs,
            results,
            harness: &harness,
        };
        let warnings: Vec<WarningRecord> = lint::findings(&evidence)
            .into_iter()
            .map(|finding| WarningRecord {
                warning_id: Uuid::now_v7().to_string(),
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
        self.store(Batch { sessions: vec![self.record.clone()], warnings: warnings.clone(), ..Batch::default() }).await;
        Ok(Report {
            session: self.record,
            runs,
            results: std::mem::take(results),
            harness,
            warnings,
            spooled: self.report.spooled,
            lost: self.report.lost,
        })
    }
}
