//! The environment of trials: the engines, the store, and the settings of sessions.

use super::event::TuneEvent;
use crate::runner::{Control, RunnerEvent, SessionError, SessionLaunch, SessionReport, fit, run_session};
use dbdyno_catalog::{
    bench::{BenchPlan, PlanError},
    engines::Registry,
};
use dbdyno_store::{Store, StoreError, StoreHistory};
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::mpsc::{self, UnboundedSender};

/// The reason why something could not be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The request cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The session could not begin.
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The request makes no sense in this state.
    #[error("{0}")]
    Asked(String),
    /// Results were measured but could not be stored anywhere.
    #[error("some results could not be saved: {0}")]
    Lost(String),
}

/// Everything that trials run with.
#[derive(Debug)]
pub struct Lab<'l> {
    pub registry: &'l Registry,
    /// The store for results and trials.
    pub store: &'l Store,
    /// The settings of the sessions.
    pub launch: SessionLaunch,
    /// The receiver of the events.
    pub events: UnboundedSender<TuneEvent>,
    /// The requests to the sessions, which run one after the other.
    pub control: Control,
}

impl Lab<'_> {
    /// Sends an event to the watchers, if there are any.
    pub(super) fn tell(&self, event: TuneEvent) {
        let _ = self.events.send(event);
    }

    /// Whether everything has to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Runs a plan as a session whose runs get these keys, without a round that would exceed the `budget`. `hear` receives the session's
    /// events before the watchers do.
    ///
    /// # Errors
    /// The disk has too little room, the session cannot begin, or results are lost.
    pub(super) async fn run(
        &self,
        plan: &BenchPlan,
        keys: BTreeMap<String, String>,
        budget: Option<Duration>,
        mut hear: impl FnMut(&RunnerEvent),
    ) -> Result<SessionReport, TuneError> {
        let null = plan.harness(self.registry)?;
        let estimate = fit(plan, &self.launch.work_dir, &StoreHistory::read(self.store)).map_err(TuneError::Asked)?;
        let expected_run = estimate.time / plan.runs.len().max(1) as u32;
        let launch = SessionLaunch { keys, budget, ..self.launch.clone() };
        let (events, mut received) = mpsc::unbounded_channel();
        let listening = async {
            while let Some(event) = received.recv().await {
                hear(&event);
                self.tell(TuneEvent::Session { says: event });
            }
        };
        let session = run_session(plan, &null, &launch, self.store, expected_run, events, self.control.clone());
        let (report, ()) = tokio::join!(session, listening);
        let report = report?;
        match report.unkept {
            Some(reason) => Err(TuneError::Lost(reason)),
            None => Ok(report),
        }
    }
}
