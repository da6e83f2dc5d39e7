//! More rounds of what a session left undecided: a session of its own that runs two of its configurations and one test under the same
//! conditions, and says which session it adds to. Whoever compares that session has these rounds too, and counts the looks.

use crate::runner::{
    Control, PlannedSession, Report, ResumeError, RunnerEvent, SessionError, SessionLaunch, SessionOutline, fit,
    run_session,
};
use dbdyno_catalog::{
    bench::{BenchPlan, Configuration, Estimate, PlanError},
    engines::Registry,
};
use dbdyno_comparing::compare::AnotherLook;
use dbdyno_store::{ADDS_TO, OriginOfRun, Store, StoreError, StoreHistory};
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

/// Rounds that can be run to decide something.
#[derive(Debug, Clone)]
pub struct FurtherRounds {
    pub look: AnotherLook,
    pub plan: BenchPlan,
    /// What they will take.
    pub estimate: Estimate,
    /// The session that they are added to: its UUID.
    pub adds_to: String,
    launch: SessionLaunch,
    /// The configuration that measures the harness.
    null: Configuration,
}

/// Why no rounds can be added.
#[derive(Debug, thiserror::Error)]
pub enum FurtherError {
    /// The runs are not of one session of dbdyno.
    #[error("A and B were not run in one session: run both in one, and rounds can be added to it")]
    TwoSessions,
    /// The runs are deleted.
    #[error("the runs are not stored any more")]
    Gone,
    /// Trials count their looks themselves.
    #[error("the runs belong to a trial of `dbdyno tune`: `dbdyno tune more` adds rounds to it")]
    Trial,
    /// The session's plan is not there, or this machine is not as it was.
    #[error("no rounds can be added to the session: {0}")]
    Session(String),
    /// What is asked for cannot be run any more.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The disk has no room for it.
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
                "versions differ from those that it ran with ({}), so run both configurations again",
                differing.join(", ")
            )),
            other => Self::Session(other.to_string()),
        }
    }
}

impl FurtherRounds {
    /// Plans another look, as the session planned the rounds before; `command_line` is the command that does it.
    ///
    /// # Errors
    /// Why it cannot be run, as far as that can be said before.
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

    /// What a run is expected to take.
    fn expected_run(&self) -> Duration {
        self.estimate.time / self.plan.runs.len().max(1) as u32
    }

    /// What its session will be about.
    pub fn outline(&self) -> SessionOutline {
        SessionOutline::new(&self.plan, self.expected_run()).launched(&self.launch)
    }

    /// Runs it.
    ///
    /// # Errors
    /// Why the session could not be begun or kept.
    pub async fn run(
        &self,
        store: &Store,
        events: UnboundedSender<RunnerEvent>,
        control: Control,
    ) -> Result<Report, SessionError> {
        run_session(&self.plan, &self.null, &self.launch, store, self.expected_run(), events, control).await
    }
}
