//! A session that did not reach its end, and its remaining runs.

use super::{
    Control, RunnerEvent, SessionError, SessionLaunch, SessionReport,
    session::{Beginning, SoFar, run_session_from},
};
use dbdyno_catalog::{
    bench::{BenchPlan, DifferingVersion, PlanError, StoredPlan},
    engines::Registry,
};
use dbdyno_foundation::host::HostFacts;
use dbdyno_store::{LeftSession, SessionRecord, Status, Store, StoreError};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, time::Duration};
use tokio::sync::mpsc::UnboundedSender;

/// The data that a session stores about itself, so that it can be resumed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Resumable {
    pub(super) plan: StoredPlan,
    pub(super) launch: SessionLaunch,
    pub(super) expected_run: Duration,
}

/// A session that can be resumed.
#[derive(Debug)]
pub struct Owed {
    pub plan: BenchPlan,
    /// The settings with which it was started.
    pub launch: SessionLaunch,
    /// How long a run is expected to take.
    pub expected_run: Duration,
    so_far: SoFar,
}

/// A session as it was planned.
#[derive(Debug)]
pub struct PlannedSession {
    pub plan: BenchPlan,
    /// The settings with which it was started.
    pub launch: SessionLaunch,
    /// How long a run is expected to take.
    pub expected_run: Duration,
}

/// The reason why a session cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// There is no interrupted session.
    #[error("no session was interrupted on this machine: there is nothing to resume")]
    Nothing,
    /// There is no session with this identifier.
    #[error("there is no session {0}")]
    Unknown(String),
    /// The session is over, or another process runs it.
    #[error("session {session} is {status}: only interrupted or cancelled sessions can be resumed")]
    NotLeft {
        /// Its identifier.
        session: String,
        /// Its status, in words.
        status: &'static str,
    },
    /// It ran on another machine, so its runs would not be comparable.
    #[error(
        "session {0} ran on another machine, or on this one under another name: resume it there, or give that name (--host-name)"
    )]
    OtherHost(String),
    /// The session did not store its plan.
    #[error(
        "session {session} has no stored plan (it starts from a database, chose its runs while it ran, or is from an older dbdyno): start it again: {command}"
    )]
    NoPlan {
        /// Its identifier.
        session: String,
        /// The command that started it.
        command: String,
    },
    /// The plan cannot be read.
    #[error("the plan of session {session} cannot be read: {message}")]
    Plan {
        /// Its identifier.
        session: String,
        /// The error.
        message: String,
    },
    /// The current versions are not those that the session began with.
    #[error(
        "versions differ from the versions at the start of session {session}: {}; results would not be comparable \
         (allow differing versions to resume anyway)", differing.join(", ")
    )]
    Versions {
        /// Its identifier.
        session: String,
        /// The versions that differ.
        differing: Vec<String>,
    },
    /// Its engines cannot do what it requests.
    #[error(transparent)]
    Request(#[from] PlanError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Owed {
    /// Finds the remaining runs of the session whose identifier begins with `id`, or of the last session that was interrupted here.
    pub fn find(
        store: &Store,
        registry: &Registry,
        id: Option<&str>,
        allow_differing_versions: bool,
    ) -> Result<Self, ResumeError> {
        let host_ids = HostFacts::read().ids();
        let missing = || id.map_or(ResumeError::Nothing, |id| ResumeError::Unknown(id.to_owned()));
        let left = store.left_session(id, &host_ids)?.ok_or_else(missing)?;
        let record = &left.session;
        let session = record.session_id.clone();
        if !matches!(record.status, Status::Interrupted | Status::Cancelled) {
            return Err(ResumeError::NotLeft { session, status: record.status.word() });
        }
        let PlannedSession { plan, launch, expected_run } =
            PlannedSession::of(record, registry, allow_differing_versions)?;
        Ok(Self { plan, launch, expected_run, so_far: so_far(left) })
    }

    /// The session's identifier.
    pub fn session_id(&self) -> &str {
        &self.so_far.session.session_id
    }

    /// Returns how many runs remain.
    pub fn runs(&self) -> usize {
        let done = self.so_far.ordinals();
        self.plan.runs.iter().filter(|run| !done.contains(&run.ordinal)).count()
    }

    /// Runs the remaining runs, to the end of the session or until it is asked to stop.
    pub async fn run(
        self,
        registry: &Registry,
        store: &Store,
        events: UnboundedSender<RunnerEvent>,
        control: Control,
    ) -> Result<SessionReport, SessionError> {
        let Self { plan, launch, expected_run, so_far } = self;
        let null = plan.harness(registry).map_err(|error| SessionError::Calibration(error.to_string()))?;
        run_session_from(
            Beginning::Resumed(Box::new(so_far)),
            &plan,
            &null,
            &launch,
            store,
            expected_run,
            events,
            control,
        )
        .await
    }
}

impl PlannedSession {
    /// Reads the plan that a session of this machine stored, with the engines that are available now.
    pub fn of(
        record: &SessionRecord,
        registry: &Registry,
        allow_differing_versions: bool,
    ) -> Result<Self, ResumeError> {
        let session = record.session_id.clone();
        if !HostFacts::read().ids().contains(&record.host_id) {
            return Err(ResumeError::OtherHost(session));
        }
        let Some(text) = &record.plan else {
            return Err(ResumeError::NoPlan { session, command: record.command_line.clone() });
        };
        let Resumable { plan, launch, expected_run } = serde_json::from_str(text)
            .map_err(|error| ResumeError::Plan { session: session.clone(), message: error.to_string() })?;
        let (plan, differing) = plan.plan(registry)?;
        let differing = differing_versions(&record.dbdyno_version, &differing);
        if !differing.is_empty() && !allow_differing_versions {
            return Err(ResumeError::Versions { session, differing });
        }
        Ok(Self { plan, launch, expected_run })
    }
}

fn differing_versions(dbdyno: &str, engines: &[DifferingVersion]) -> Vec<String> {
    let here = env!("CARGO_PKG_VERSION");
    let own = (dbdyno != here).then(|| format!("dbdyno {dbdyno}, here {here}"));
    let of_engines = engines.iter().map(|other| format!("{} {}, here {}", other.engine, other.stored, other.here));
    own.into_iter().chain(of_engines).collect()
}

/// Separates finished runs from interrupted ones. A run is finished if it was done, failed, or cancelled by the user.
fn so_far(left: LeftSession) -> SoFar {
    let is_finished = |status: Status, failure: Option<&String>| match status {
        Status::Done | Status::Failed => true,
        Status::Cancelled => failure.is_some(),
        Status::Running | Status::Interrupted | Status::Superseded => false,
    };
    let (runs, cut_short): (Vec<_>, Vec<_>) =
        left.runs.into_iter().partition(|run| is_finished(run.status, run.failure.as_ref()));
    let kept: BTreeSet<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
    let results = left.results.into_iter().filter(|result| kept.contains(result.run_id.as_str())).collect();
    let actors = left.actors.into_iter().filter(|actor| kept.contains(actor.run_id.as_str())).collect();
    SoFar { session: left.session, results, actors, harness: left.harness, cut_short, runs }
}
