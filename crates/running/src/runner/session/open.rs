//! A session whose runs are chosen one by one, each according to the previous results.

use super::{Beginning, RunningSession, SessionError, SessionReport, StartedSession, begin, rounds::Round};
use crate::runner::{RunnerEvent, SessionLaunch, control::Control, run::execute};
use dbdyno_catalog::bench::{BenchPlan, Configuration, PlannedRun};
use dbdyno_comparing::lint::HarnessCosts;
use dbdyno_foundation::host::WorkFolderFacts;
use dbdyno_store::{ActorRecord, Batch, Ownership, RunRecord, Store, TestRecord};
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc::UnboundedSender;

/// A session under way, which stores each run as it ends. [`finish`](Self::finish) ends it.
#[derive(Debug)]
pub struct OpenSession<'s> {
    session: RunningSession<'s>,
    facts: WorkFolderFacts,
    harness: HarnessCosts,
    owner: Ownership,
}

/// The result of one of its runs.
#[derive(Debug, Clone)]
pub struct ChosenRun {
    pub run: RunRecord,
    /// Its finished tests.
    pub results: Vec<TestRecord>,
    /// The figures of the actors in multi-threaded tests.
    pub actors: Vec<ActorRecord>,
}

impl<'s> OpenSession<'s> {
    /// Begins a session on a plan's suite, without running any of the plan's runs. `null`: the configuration that measures the harness.
    ///
    /// # Errors
    /// The reason why it could not begin.
    pub async fn begin(
        plan: &BenchPlan,
        null: &Configuration,
        launch: &'s SessionLaunch,
        store: &'s Store,
        expected_run: Duration,
        events: UnboundedSender<RunnerEvent>,
        control: Control,
    ) -> Result<Self, SessionError> {
        let plan = BenchPlan { runs: Vec::new(), ..plan.clone() };
        let begun = begin(Beginning::Open, &plan, null, launch, store, expected_run, events, control).await?;
        let StartedSession { session, facts, harness, owner, .. } = begun;
        Ok(Self { session, facts, harness, owner })
    }

    pub fn session_id(&self) -> &str {
        &self.session.record.session_id
    }

    /// Whether no further run is possible: the session was asked to stop, or nothing can be stored.
    pub fn is_over(&self) -> bool {
        self.session.is_stopped() || self.session.unkept.is_some()
    }

    /// Runs a configuration, which need not be one of the plan's, and stores its result.
    pub async fn run(&mut self, configuration: &Configuration, round: u32, seed: u64) -> ChosenRun {
        let plan = Arc::make_mut(&mut self.session.plan);
        let planned =
            PlannedRun { ordinal: plan.runs.len() as u32, round, configuration: plan.configurations.len(), seed };
        plan.configurations.push(configuration.clone());
        plan.runs.push(planned);
        let session = &mut self.session;
        let outcome = execute(session, configuration, planned).await;
        session.keep(Batch { runs: vec![outcome.run.clone()], ..Batch::default() }).await;
        session.tell(RunnerEvent::RunEnded {
            ordinal: planned.ordinal,
            status: outcome.run.status,
            failure: outcome.run.failure.clone(),
        });
        let run = outcome.run.clone();
        session.take(outcome);
        session.compare_answers().await;
        let Round { results, actors, .. } = &session.round;
        ChosenRun {
            results: results.iter().filter(|result| result.run_id == run.run_id).cloned().collect(),
            actors: actors.iter().filter(|actor| actor.run_id == run.run_id).cloned().collect(),
            run,
        }
    }

    /// Ends the session, and adds the warnings about its figures.
    ///
    /// # Errors
    /// The same as those of a session with a plan.
    pub async fn finish(self) -> Result<SessionReport, SessionError> {
        let Self { mut session, facts, harness, owner } = self;
        session.record.planned_runs = session.members.len() as u32;
        session.finish(&facts, harness, owner).await
    }
}
