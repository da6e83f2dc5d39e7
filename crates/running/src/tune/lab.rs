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

/// The limits of a session.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SessionLimits {
    /// No round begins that would end after this time.
    pub(crate) budget: Option<Duration>,
    /// Runs that take longer fail.
    pub(crate) deadline: Option<Duration>,
}

/// Everything that trials run with. `E` is the kind of event that watchers receive.
#[derive(Debug)]
pub struct Lab<'l, E = TuneEvent> {
    pub registry: &'l Registry,
    /// The store for results and trials.
    pub store: &'l Store,
    /// The settings of the sessions.
    pub launch: SessionLaunch,
    /// The receiver of the events.
    pub events: UnboundedSender<E>,
    /// The requests to the sessions, which run one after the other.
    pub control: Control,
}

impl<E: From<RunnerEvent>> Lab<'_, E> {
    /// Sends an event to the watchers, if there are any.
    pub(crate) fn tell(&self, event: E) {
        let _ = self.events.send(event);
    }

    /// Whether everything has to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Runs a plan as a session whose runs get these keys, within limits. `hear` receives the session's
    /// events before the watchers do.
    ///
    /// # Errors
    /// The disk has too little room, the session cannot begin, or results are lost.
    pub(crate) async fn run(
        &self,
        plan: &BenchPlan,
        keys: BTreeMap<String, String>,
        limits: SessionLimits,
        mut hear: impl FnMut(&RunnerEvent),
    ) -> Result<SessionReport, TuneError> {
        let null = plan.harness(self.registry)?;
        let estimate = fit(plan, &self.launch.work_dir, &StoreHistory::read(self.store)).map_err(TuneError::Asked)?;
        let expected_run = estimate.time / plan.runs.len().max(1) as u32;
        let SessionLimits { budget, deadline } = limits;
        let deadline = deadline.or(self.launch.deadline);
        let launch = SessionLaunch { keys, budget, deadline, ..self.launch.clone() };
        let (events, mut received) = mpsc::unbounded_channel();
        let listening = async {
            while let Some(event) = received.recv().await {
                hear(&event);
                self.tell(event.into());
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
