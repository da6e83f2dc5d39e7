//! A bench from what is asked for to what follows its session: the command line and the screens go through here alone, so that
//! both start, end and follow up alike.

mod follow;
mod further;

pub use follow::{FollowError, FollowUp, SelectedEffects, Verdicts, closing, follow_up, verdicts, verdicts_of};
pub use further::{FurtherError, FurtherRounds};

use crate::runner::{
    Control, FollowedBy, Report, RunnerEvent, SessionError, SessionLaunch, SessionOutline, fit, run_session,
};
use dbdyno_catalog::{
    Catalog, CatalogError,
    bench::{BenchPlan, Configuration, Estimate, PlanError, Spec},
    engines::Registry,
};
use dbdyno_store::{Store, StoreHistory};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// A bench that can be run: planned, with room for its databases.
#[derive(Debug, Clone)]
pub struct PreparedSession {
    /// What was asked for, with the seed that was drawn.
    pub spec: Spec,
    /// The runs.
    pub plan: BenchPlan,
    /// What they will take.
    pub estimate: Estimate,
    /// The configuration that measures the harness.
    null: Configuration,
}

/// Why a bench cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// Its suite or claims file.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// What it asks for.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The disk has no room for it.
    #[error("{0}")]
    NoRoom(String),
}

impl PreparedSession {
    /// Plans a bench for these engines and conditions.
    ///
    /// # Errors
    /// Why it cannot be run, as far as that can be said before.
    pub fn new(
        spec: Spec,
        catalog: &Catalog,
        registry: &Registry,
        launch: &SessionLaunch,
        store: &Store,
    ) -> Result<Self, PrepareError> {
        // What is wrong with it is said before anything is run.
        spec.claims.as_deref().map(|claims| catalog.claims(claims)).transpose()?;
        let mut plan = BenchPlan::new(&spec, catalog.suite(&spec.suite)?, registry)?;
        plan.probe()?;
        let estimate = fit(&plan, &launch.work_dir, &StoreHistory::read(store)).map_err(PrepareError::NoRoom)?;
        let null = plan.harness(registry)?;
        Ok(Self { spec: Spec { seed: Some(plan.seed), ..spec }, plan, estimate, null })
    }

    /// The seed that repeating the bench needs to run the same configurations, where its command does not say it: which part of a
    /// sweep a sample takes follows from it.
    pub fn needed_seed(&self) -> Option<u64> {
        self.spec.stars.and(self.spec.seed)
    }

    /// What its session will be about, run like this.
    pub fn outline(&self, launch: &SessionLaunch) -> SessionOutline {
        SessionOutline::new(&self.plan, self.expected_run()).launched(&self.followed(launch))
    }

    /// Runs it.
    ///
    /// # Errors
    /// Why the session could not be begun or kept.
    pub async fn run(
        &self,
        launch: &SessionLaunch,
        store: &Store,
        events: UnboundedSender<RunnerEvent>,
        control: Control,
    ) -> Result<Report, SessionError> {
        let launch = self.followed(launch);
        run_session(&self.plan, &self.null, &launch, store, self.expected_run(), events, control).await
    }

    fn expected_run(&self) -> Duration {
        self.estimate.time / self.plan.runs.len().max(1) as u32
    }

    /// With what its bench asks for after the runs.
    fn followed(&self, launch: &SessionLaunch) -> SessionLaunch {
        let followed = FollowedBy { effects: self.spec.effects, claims: self.spec.claims.clone() };
        SessionLaunch { followed, ..launch.clone() }
    }
}
