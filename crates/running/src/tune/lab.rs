//! Where trials are run: the engines, the store, and how sessions are started.

use super::event::TuneEvent;
use crate::runner::{Control, Report, RunnerEvent, SessionError, SessionLaunch, fit, run_session};
use dbdyno_catalog::{
    bench::{BenchPlan, PlanError},
    engines::Registry,
};
use dbdyno_store::{Store, StoreError, StoreHistory};
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::mpsc::{self, UnboundedSender};

/// Why something could not be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// What was asked for cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The session could not begin.
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was asked for makes no sense as it stands.
    #[error("{0}")]
    Asked(String),
    /// Results were measured and could be kept nowhere.
    #[error("some results could not be kept: {0}")]
    Lost(String),
}

/// Everything that trials are run with.
#[derive(Debug)]
pub struct Lab<'l> {
    pub registry: &'l Registry,
    /// Where results and trials are kept.
    pub store: &'l Store,
    /// How sessions are started.
    pub launch: SessionLaunch,
    /// Who is told what happens.
    pub events: UnboundedSender<TuneEvent>,
    /// What is asked of the sessions, one after the other, while they run.
    pub control: Control,
}

impl Lab<'_> {
    /// Tells those who watch. Nobody watching is fine.
    pub(super) fn tell(&self, event: TuneEvent) {
        let _ = self.events.send(event);
    }

    /// Whether all is to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Runs a plan as a session whose runs get these keys, without a round that would go over the
    /// `budget`; `hear` is shown what the session tells, before others are.
    ///
    /// # Errors
    /// A disk without room, a session that cannot begin, results that are lost.
    pub(super) async fn run(
        &self,
        plan: &BenchPlan,
        keys: BTreeMap<String, String>,
        budget: Option<Duration>,
        mut hear: impl FnMut(&RunnerEvent),
    ) -> Result<Report, TuneError> {
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
