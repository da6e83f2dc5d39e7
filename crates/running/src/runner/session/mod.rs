//! A session: the plan's runs in order, their results stored, answers compared, findings recorded.

mod explaining;
mod harness;
mod keep;
mod open;
mod place;
mod rounds;
mod undecided;

pub use open::{ChosenRun, OpenSession};
pub use place::host_record;

use super::{
    RunnerEvent, SessionLaunch, SessionOutline, control::Control, folder, looks::RoundTimes,
    measurement_lock::MeasurementLock, resume::Resumable,
};
use dbdyno_catalog::{
    RECORDING_NAMES, SCRIPT_NAMES,
    bench::{BenchPlan, Configuration},
};
use dbdyno_comparing::lint::{self, HarnessCosts, ReadingTests, SessionEvidence};
use dbdyno_foundation::{
    base::identifier::identifier,
    host::{HostFacts, WorkFolderFacts},
    process::{self, MemoryControl},
};
use dbdyno_store::{
    ActorRecord, Batch, HarnessRecord, MeasuredRuns, Ownership, RunRecord, SessionRecord, Status, Store, StoreError,
    TestRecord, TierVerdicts, WarningRecord,
};
use jiff::Timestamp;
use place::{describe, with_looks, work_folder};
use rounds::Round;
use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::mpsc::UnboundedSender;

/// The result of a session.
#[derive(Debug, Clone)]
pub struct SessionReport {
    /// The session, ended.
    pub session: SessionRecord,
    pub runs: Vec<RunRecord>,
    /// Finished tests of its runs.
    pub results: Vec<TestRecord>,
    /// The figures of the actors in multi-threaded tests.
    pub actors: Vec<ActorRecord>,
    /// The cost of the harness of each of its engines.
    pub harness: HarnessCosts,
    /// Findings.
    pub warnings: Vec<WarningRecord>,
    /// The reason why results are in the journal and not in the store. The next command imports them.
    pub unmerged: Option<String>,
    /// The reason why some results are only in memory: neither the journal nor the store could be written.
    pub unkept: Option<String>,
}

/// The reason why a session could not begin.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The work folder cannot be used.
    #[error("cannot use the work folder {}: {error}: choose another", folder.display())]
    WorkFolder {
        folder: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The memory of its runs cannot be limited on this machine.
    #[error("{0}")]
    NoMemoryLimit(String),
    /// The harness's own cost could not be measured.
    #[error("measuring the harness's own cost failed: {0}")]
    Calibration(String),
    /// Another process resumed it in the meantime.
    #[error("another dbdyno is running session {0}")]
    Taken(String),
    /// No measured result could be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A session under way.
#[derive(Debug)]
pub(in crate::runner) struct RunningSession<'s> {
    pub(in crate::runner) plan: Arc<BenchPlan>,
    pub(in crate::runner) launch: &'s SessionLaunch,
    pub(in crate::runner) record: SessionRecord,
    pub(in crate::runner) events: UnboundedSender<RunnerEvent>,
    /// How long a run is expected to take.
    pub(in crate::runner) expected_run: Duration,
    store: &'s Store,
    pub(in crate::runner) control: Control,
    /// The results of the round under way.
    round: Round,
    /// The identifiers of its runs, in order. Results of earlier rounds are only on disk.
    members: Vec<String>,
    /// The runs that are repeated at the end to explain them: their ordinals and identifiers.
    to_explain: Vec<(u32, String)>,
    /// Whether some of the runs may already be in the store.
    is_stored: bool,
    /// The control that limits the memory of its workers, if requested.
    pub(in crate::runner) memory: Option<MemoryControl>,
    /// The reason why the latest results could not be stored. They are still in memory.
    unkept: Option<String>,
    /// Whether something was measured without the lock because there is no place for it.
    unlocked: bool,
    /// Whether its runs are chosen as it goes.
    is_open: bool,
    /// The known verdicts about the tiers of configurations.
    pub(in crate::runner) verdicts: TierVerdicts,
    /// The tests that are measured in one go from now on, because an engine worked while others had their turns.
    pub(in crate::runner) in_one_go: BTreeSet<u32>,
    /// What its rounds took so far.
    pace: RoundTimes,
}

/// The ways in which a session begins.
#[derive(Debug)]
pub(in crate::runner) enum Beginning {
    /// With a plan, which is stored, so that the session can be resumed.
    Planned,
    /// With runs that are chosen as it goes. No one else knows which runs remain.
    Open,
    /// At the point where an earlier session stopped.
    Resumed(Box<SoFar>),
}

/// A session that has begun.
#[derive(Debug)]
struct StartedSession<'s> {
    session: RunningSession<'s>,
    so_far: SoFar,
    facts: WorkFolderFacts,
    harness: HarnessCosts,
    /// Held until everything is in the journal.
    owner: Ownership,
}

/// The finished part of a session that is resumed.
#[derive(Debug)]
pub(in crate::runner) struct SoFar {
    pub(in crate::runner) session: SessionRecord,
    /// Finished runs.
    pub(in crate::runner) runs: Vec<RunRecord>,
    /// Runs that did not reach their end. They are run again from the beginning.
    pub(in crate::runner) cut_short: Vec<RunRecord>,
    /// Results of the finished runs.
    pub(in crate::runner) results: Vec<TestRecord>,
    /// The figures of the actors in multi-threaded tests.
    pub(in crate::runner) actors: Vec<ActorRecord>,
    pub(in crate::runner) harness: Vec<HarnessRecord>,
}

impl SoFar {
    fn nothing(session: SessionRecord) -> Self {
        let (runs, cut_short, results, actors, harness) = Default::default();
        Self { session, runs, cut_short, results, actors, harness }
    }

    /// Returns the places of the finished runs.
    pub(in crate::runner) fn ordinals(&self) -> BTreeSet<u32> {
        self.runs.iter().map(|run| run.ordinal).collect()
    }
}

/// Runs a plan to its end, or until it is asked to stop. `null`: the configuration that measures the harness.
pub async fn run_session(
    plan: &BenchPlan,
    null: &Configuration,
    launch: &SessionLaunch,
    store: &Store,
    expected_run: Duration,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<SessionReport, SessionError> {
    run_session_from(Beginning::Planned, plan, null, launch, store, expected_run, events, control).await
}

/// Does the same as `run_session`, but can continue an earlier session of the same plan.
#[expect(clippy::too_many_arguments, reason = "the arguments of `run_session` and where it begins")]
pub(in crate::runner) async fn run_session_from(
    beginning: Beginning,
    plan: &BenchPlan,
    null: &Configuration,
    launch: &SessionLaunch,
    store: &Store,
    expected_run: Duration,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<SessionReport, SessionError> {
    let begun = begin(beginning, plan, null, launch, store, expected_run, events, control).await?;
    let StartedSession { mut session, so_far, facts, harness, owner } = begun;
    session.run_all(so_far).await;
    session.explain_runs().await;
    session.finish(&facts, harness, owner).await
}

/// Does everything before the first run.
#[expect(clippy::too_many_arguments, reason = "the arguments of `run_session_from`")]
async fn begin<'s>(
    beginning: Beginning,
    plan: &BenchPlan,
    null: &Configuration,
    launch: &'s SessionLaunch,
    store: &'s Store,
    expected_run: Duration,
    events: UnboundedSender<RunnerEvent>,
    control: Control,
) -> Result<StartedSession<'s>, SessionError> {
    let facts = work_folder(launch)?;
    let swept = folder::sweep(&launch.work_dir);
    process::sweep();
    let limited = plan.conditions.memory_limit.map(|_| MemoryControl::find());
    let memory = limited.transpose().map_err(SessionError::NoMemoryLimit)?;
    let host = HostFacts::read();
    let owner = store.own()?;
    let (is_planned, is_open) = (matches!(beginning, Beginning::Planned), matches!(beginning, Beginning::Open));
    let (mut so_far, is_resumed) = match beginning {
        Beginning::Resumed(so_far) => (*so_far, true),
        Beginning::Planned | Beginning::Open => (SoFar::nothing(describe(plan, launch, &host, &facts)), false),
    };
    let record = &mut so_far.session;
    record.owner = Some(owner.journal.display().to_string());
    if is_resumed {
        if !store.claim(record)? {
            return Err(SessionError::Taken(record.session_id.clone()));
        }
        (record.status, record.finished_at) = (Status::Running, None);
    }
    let record = record.clone();
    let mut session = RunningSession {
        plan: Arc::new(plan.clone()),
        launch,
        record,
        events,
        expected_run,
        store,
        control,
        round: Round::default(),
        members: so_far.runs.iter().map(|run| run.run_id.clone()).collect(),
        to_explain: Vec::new(),
        is_stored: is_resumed,
        memory,
        unkept: None,
        in_one_go: BTreeSet::new(),
        pace: RoundTimes::default(),
        unlocked: false,
        is_open,
        // Unreadable verdicts count as unknown.
        verdicts: store.tier_verdicts().unwrap_or_default(),
    };
    if swept > 0 {
        session.tell(RunnerEvent::Note {
            text: format!("removed {swept} folders of runs and crash tests, left behind by a crash"),
        });
    }
    if is_planned {
        session.record_plan(plan);
    }
    let begun = Batch { hosts: vec![host_record(&host)], sessions: vec![session.record.clone()], ..Batch::default() };
    session.keep(begun).await;
    let outline = SessionOutline { resumed: is_resumed, ..SessionOutline::new(plan, expected_run).launched(launch) };
    session.tell(RunnerEvent::Planned { outline: Box::new(outline) });
    session.tell(RunnerEvent::SessionStarted { session_id: session.record.session_id.clone(), runs: plan.runs.len() });
    for run in &so_far.runs {
        session.tell(RunnerEvent::RunEnded { ordinal: run.ordinal, status: run.status, failure: run.failure.clone() });
    }
    so_far.runs.iter().for_each(|run| session.remember_to_explain(run));
    if !is_resumed {
        session.examine_syncs(&facts).await;
    }
    match session.measure_harness(null, std::mem::take(&mut so_far.harness)).await {
        Ok(harness) => Ok(StartedSession { session, so_far, facts, harness, owner }),
        Err(error) => {
            session.give_up().await;
            Err(error)
        }
    }
}

impl RunningSession<'_> {
    /// Sends an event to the watchers, if there are any.
    pub(in crate::runner) fn tell(&self, event: RunnerEvent) {
        let _ = self.events.send(event);
    }

    /// Takes the measurement lock, which is held until it is dropped. A `concurrent` session goes without it. So does a session that has no
    /// place for the lock, and it reports that once. None: the session was asked to stop while it waited.
    pub(in crate::runner) async fn measurement_lock(&mut self) -> Option<Option<MeasurementLock>> {
        if self.launch.concurrent || self.unlocked {
            return Some(None);
        }
        let events = self.events.clone();
        let taking = tokio::task::spawn_blocking(move || {
            // The sender is moved in, so that it is gone while this thread waits: the session's end is detected when its last sender is
            // dropped.
            MeasurementLock::take(move |holder| {
                // Watchers are optional, so the receiver may be gone.
                let _ = events.send(RunnerEvent::WaitingForLock { holder });
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

    /// Puts a plan into the session's record, so that it can be resumed.
    fn record_plan(&mut self, plan: &BenchPlan) {
        (self.record.rounds, self.record.planned_runs) = (plan.rounds, plan.runs.len() as u32);
        self.record.details = with_looks(&self.record.details, plan);
        let stored =
            plan.stored().map(|plan| Resumable { plan, launch: self.launch.clone(), expected_run: self.expected_run });
        // A path that is not valid text cannot be stored: such a session cannot be resumed.
        self.record.plan = stored.and_then(|stored| serde_json::to_string(&stored).ok());
    }

    fn is_stopped(&self) -> bool {
        self.control.requests().stop
    }

    /// Stores that the session failed before its first run.
    async fn give_up(&mut self) {
        self.record.finished_at = Some(Timestamp::now());
        self.record.status = Status::Failed;
        self.keep(Batch { sessions: vec![self.record.clone()], ..Batch::default() }).await;
    }

    /// Returns the results of all its runs, or only of the last round if the others cannot be read.
    async fn measured(&mut self) -> MeasuredRuns {
        let (session, members) = (self.record.session_id.clone(), std::mem::take(&mut self.members));
        let is_stored = self.is_stored;
        let read = self.blocking(move |store| store.measured_runs(&session, &members, is_stored)).await;
        match read {
            Ok(measured) => measured,
            Err(reason) => {
                let text = format!("the table has the last round only, because the others cannot be read: {reason}");
                self.tell(RunnerEvent::Note { text });
                let Round { runs, results, actors, .. } = std::mem::take(&mut self.round);
                MeasuredRuns { runs, results, actors }
            }
        }
    }

    async fn finish(
        mut self,
        facts: &WorkFolderFacts,
        harness: HarnessCosts,
        owner: Ownership,
    ) -> Result<SessionReport, SessionError> {
        let MeasuredRuns { runs, results, actors } = self.measured().await;
        let failed = self.unkept.is_some()
            || runs.iter().any(|run| run.status == Status::Failed)
            || results.iter().any(|result| result.agrees == Some(false));
        self.record.finished_at = Some(Timestamp::now());
        self.record.status = match (self.is_stopped(), failed) {
            (true, _) => Status::Cancelled,
            (false, true) => Status::Failed,
            (false, false) => Status::Done,
        };
        let first = self.plan.configurations.first();
        let reading = first.map(|one| ReadingTests::of(&self.plan.job(one))).unwrap_or_default();
        let suite = &self.plan.suite;
        let notes = |prefix| if suite.name.starts_with(prefix) { suite.notes.as_slice() } else { &[] };
        let evidence = SessionEvidence {
            session: &self.record,
            folder: facts,
            concurrent: self.launch.concurrent || self.unlocked,
            runs: &runs,
            results: &results,
            actors: &actors,
            stand_ins: notes(SCRIPT_NAMES),
            replay: notes(RECORDING_NAMES),
            reading: &reading,
            harness: &harness,
            is_open: self.is_open,
        };
        let warnings: Vec<WarningRecord> = lint::findings(&evidence)
            .into_iter()
            .map(|finding| WarningRecord {
                warning_id: identifier(),
                session_id: self.record.session_id.clone(),
                run_id: finding.run_id,
                test: None,
                linter: finding.linter.to_owned(),
                matter: finding.matter,
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
        // The store may have taken what the journal could not.
        let unkept = self.blocking(|store| store.flush()).await.err();
        self.tell(RunnerEvent::SessionEnded {
            session_id: self.record.session_id.clone(),
            status: self.record.status,
            unmerged: unmerged.clone(),
            unkept: unkept.clone(),
        });
        Ok(SessionReport { session: self.record, runs, results, actors, harness, warnings, unmerged, unkept })
    }
}
