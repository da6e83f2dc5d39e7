//! More rounds for an undecided comparison of a session. They are a session of their own, which runs two of the first session's
//! configurations and one test under the same conditions, and records which session it adds to. A comparison of the first session includes
//! these rounds, and counts the looks.

use crate::runner::{
    Control, PlannedSession, ResumeError, RunnerEvent, SessionError, SessionLaunch, SessionOutline, SessionReport, fit,
    run_session,
};
use dbdyno_catalog::{
    bench::{BenchEstimate, BenchPlan, Configuration, PlanError},
    engines::Registry,
};
use dbdyno_comparing::compare::AnotherLook;
use dbdyno_store::{ADDS_TO, OriginOfRun, Store, StoreError, StoreHistory};
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

/// Rounds that can be run to decide a comparison.
#[derive(Debug, Clone)]
pub struct FurtherRounds {
    pub look: AnotherLook,
    pub plan: BenchPlan,
    /// Their expected time and space.
    pub estimate: BenchEstimate,
    /// The UUID of the session that they are added to.
    pub adds_to: String,
    launch: SessionLaunch,
    /// The configuration that measures the harness.
    null: Configuration,
}

/// The reason why no rounds can be added.
#[derive(Debug, thiserror::Error)]
pub enum FurtherError {
    /// The runs do not belong to one session of dbdyno.
    #[error("A and B ran in different sessions: run both in one session to add rounds to it")]
    TwoSessions,
    /// The runs are deleted.
    #[error("the runs are no longer stored")]
    Gone,
    /// Trials count their looks themselves.
    #[error("the runs belong to a trial of `dbdyno tune`: `dbdyno tune more` adds rounds to it")]
    Trial,
    /// The session's plan is not available, or this machine has changed since.
    #[error("no rounds can be added to the session: {0}")]
    Session(String),
    /// The request can no longer be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The disk has too little room.
    #[error("{0}")]
    NoRoom(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ResumeError> for FurtherError {
    fn from(error: ResumeError) -> Self {
        match error {
            ResumeError::Request(error) => Self::Plan(error),
            ResumeError::Store(error) => Self::Store(error),
            ResumeError::OtherHost(_) => Self::Session("it ran on another machine".to_owned()),
            ResumeError::Versions { differing, .. } => Self::Session(format!(
                "versions have changed since it ran ({}): run both configurations again",
                differing.join(", ")
            )),
            other => Self::Session(other.to_string()),
        }
    }
}

impl FurtherRounds {
    /// Plans another look, as the session planned its previous rounds. `command_line` is the command that runs it.
    ///
    /// # Errors
    /// The reason why it cannot be run, as far as that is known in advance.
    pub fn find(
        look: AnotherLook,
        command_line: &str,
        registry: &Registry,
        store: &Store,
    ) -> Result<Self, FurtherError> {
        let origin = |run: &Uuid| store.origin_of_run(&run.to_string())?.ok_or(FurtherError::Gone);
        let [a, b] = [origin(&look.runs[0])?, origin(&look.runs[1])?];
        if a.session.session_id != b.session.session_id {
            return Err(FurtherError::TwoSessions);
        }
        let PlannedSession { plan, launch, .. } = PlannedSession::of(&a.session, registry, false)?;
        if launch.keys.contains_key("trial") {
            return Err(FurtherError::Trial);
        }
        // Other looks at this test, and other tests, have other inputs.
        let place = (u64::from(look.look) << 32) | u64::from(look.test);
        let seed = SplitMix64::stream(plan.seed, place).next_u64();
        let named = |origin: &OriginOfRun| (origin.run.label.clone(), origin.run.size.clone());
        let [(label_a, size_a), (label_b, size_b)] = [named(&a), named(&b)];
        let pair = [(label_a.as_str(), size_a.as_str()), (label_b.as_str(), size_b.as_str())];
        let plan = plan.pair(pair, look.test, look.rounds, seed)?;
        let estimate = fit(&plan, &launch.work_dir, &StoreHistory::read(store)).map_err(FurtherError::NoRoom)?;
        let launch = SessionLaunch {
            command_line: command_line.to_owned(),
            keys: BTreeMap::from([(ADDS_TO.to_owned(), a.session.session_id.clone())]),
            look: Some(look.look),
            preset: None,
            budget: None,
            ..launch
        };
        let null = plan.harness(registry)?;
        Ok(Self { look, plan, estimate, adds_to: a.session.session_id, launch, null })
    }

    /// Returns how long a run is expected to take.
    fn expected_run(&self) -> Duration {
        self.estimate.time / self.plan.runs.len().max(1) as u32
    }

    /// Outlines the session that runs these rounds.
    pub fn outline(&self) -> SessionOutline {
        SessionOutline::new(&self.plan, self.expected_run()).launched(&self.launch)
    }

    /// Runs the rounds.
    ///
    /// # Errors
    /// The session could not begin, or its results could not be stored.
    pub async fn run(
        &self,
        store: &Store,
        events: UnboundedSender<RunnerEvent>,
        control: Control,
    ) -> Result<SessionReport, SessionError> {
        run_session(&self.plan, &self.null, &self.launch, store, self.expected_run(), events, control).await
    }
}
