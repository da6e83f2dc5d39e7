//! A bench from its request to the evaluations after its session. Both the command line and the screens use this module alone, so they
//! start, end and follow up in the same way.

mod follow;
mod further;

pub use follow::{
    FollowError, FollowUp, SelectedEffects, SessionComparisons, closing, follow_up, verdicts, verdicts_of,
};
pub use further::{FurtherError, FurtherRounds};

use crate::runner::{
    Control, FollowedBy, RunnerEvent, SessionError, SessionLaunch, SessionOutline, SessionReport,
    expected_until_decided, fit, run_session,
};
use dbdyno_catalog::{
    Catalog, CatalogError, Suite,
    bench::{BenchEstimate, BenchPlan, Configuration, PlanError, Spec},
    engines::Registry,
};
use dbdyno_store::{Store, StoreHistory};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// A bench that can be run: planned, with room for its databases.
#[derive(Debug, Clone)]
pub struct PreparedSession {
    /// The request, with the seed that was drawn.
    pub spec: Spec,
    /// The planned runs.
    pub plan: BenchPlan,
    /// Their expected time and space.
    pub estimate: BenchEstimate,
    /// The configuration that measures the harness.
    null: Configuration,
}

/// The reason why a bench cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// Its suite or claims file is missing or wrong.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Its request is not possible.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The disk has too little room.
    #[error("{0}")]
    NoRoom(String),
}

impl PreparedSession {
    /// Plans a bench of a suite for these engines and conditions.
    ///
    /// # Errors
    /// The reason why it cannot be run, as far as that is known in advance.
    pub fn new(
        spec: Spec,
        suite: Suite,
        catalog: &Catalog,
        registry: &Registry,
        launch: &SessionLaunch,
        store: &Store,
    ) -> Result<Self, PrepareError> {
        // Errors in the claims file are reported before anything runs.
        spec.claims.as_deref().map(|claims| catalog.claims(claims)).transpose()?;
        let mut plan = BenchPlan::new(&spec, suite, registry)?;
        plan.probe()?;
        let mut estimate = fit(&plan, &launch.work_dir, &StoreHistory::read(store)).map_err(PrepareError::NoRoom)?;
        estimate.until_decided = expected_until_decided(store, &plan);
        let null = plan.harness(registry)?;
        Ok(Self { spec: Spec { seed: Some(plan.seed), ..spec }, plan, estimate, null })
    }

    /// Returns the seed that a repetition of the bench needs to run the same configurations, if its command does not state it. A sample of
    /// a sweep depends on the seed.
    pub fn needed_seed(&self) -> Option<u64> {
        self.spec.stars.and(self.spec.seed)
    }

    /// Outlines its session with the settings of this launch.
    pub fn outline(&self, launch: &SessionLaunch) -> SessionOutline {
        SessionOutline::new(&self.plan, self.expected_run()).launched(&self.followed(launch))
    }

    /// Runs the bench.
    ///
    /// # Errors
    /// The session could not begin, or its results could not be stored.
    pub async fn run(
        &self,
        launch: &SessionLaunch,
        store: &Store,
        events: UnboundedSender<RunnerEvent>,
        control: Control,
    ) -> Result<SessionReport, SessionError> {
        let launch = self.followed(launch);
        run_session(&self.plan, &self.null, &launch, store, self.expected_run(), events, control).await
    }

    fn expected_run(&self) -> Duration {
        self.estimate.time / self.plan.runs.len().max(1) as u32
    }

    /// Returns the launch with the evaluations that the bench requests after the runs.
    fn followed(&self, launch: &SessionLaunch) -> SessionLaunch {
        let followed = FollowedBy { effects: self.spec.effects, claims: self.spec.claims.clone() };
        SessionLaunch { followed, why: self.spec.why, ..launch.clone() }
    }
}
