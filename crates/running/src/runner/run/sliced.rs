//! Runs of a round in which tests take turns. All workers are alive, but only one works at a time: one for a few milliseconds, then the
//! next. So drift and other programs affect all of them equally.

use super::{Measured, Pause, RunInProgress, RunOutcome, RunStep, StopReason};
use crate::runner::{session::RunningSession, sharing::Sharing};
use dbdyno_catalog::bench::{Configuration, PlannedRun};
use dbdyno_foundation::host::NoiseSample;
use std::collections::VecDeque;

/// A run of the round.
struct Member<'c> {
    configuration: &'c Configuration,
    running: RunInProgress,
    /// The numbers of the tests that are still to come.
    tests: VecDeque<u32>,
    /// Its worker; none once it has ended.
    measured: Option<Measured>,
    /// Where the worker waits.
    waits: Pause,
    /// How the run ended; none while it goes on.
    result: Option<Result<(), StopReason>>,
    /// The CPU time of its worker when it ended.
    cpu_ns: Option<u64>,
}

/// Executes runs of a round together. Always returns an outcome for each, in order.
pub(in crate::runner) async fn execute_in_slices(
    session: &mut RunningSession<'_>,
    planned: &[(&Configuration, PlannedRun)],
    sharing: &Sharing,
) -> Vec<RunOutcome> {
    let mut members: Vec<Member<'_>> = planned.iter().map(|&(one, run)| Member::new(session, one, run)).collect();
    match session.measurement_lock().await {
        None => members.iter_mut().for_each(|member| member.result = Some(Err(StopReason::Cancelled))),
        Some(lock) => {
            for member in &mut members {
                member.running.run.other_run_waited = lock.as_ref().is_some_and(|lock| lock.waited);
            }
            perform(session, &mut members, sharing).await;
        }
    }
    members.into_iter().map(Member::outcome).collect()
}

async fn perform(session: &mut RunningSession<'_>, members: &mut [Member<'_>], sharing: &Sharing) {
    let mut measuring = session.control.measuring().await;
    for member in members.iter_mut() {
        member.begin(session, sharing).await;
    }
    while let Some(test) = members.iter().filter_map(|member| member.tests.front().copied()).min() {
        // Watchers that want the machine between two tests have it now.
        drop(measuring);
        measuring = session.control.measuring().await;
        let has_test = |&at: &usize| members[at].tests.front() == Some(&test);
        let mut working: Vec<usize> = (0..members.len()).filter(has_test).collect();
        while !working.is_empty() {
            let mut waiting = Vec::with_capacity(working.len());
            for &at in &working {
                if members[at].work(session).await {
                    waiting.push(at);
                }
            }
            // The next turn has the opposite order, so that no one always comes after the same other.
            waiting.reverse();
            working = waiting;
        }
    }
    for member in members.iter_mut() {
        member.work(session).await;
    }
    drop(measuring);
    let noise = NoiseSample::now();
    // The other workers wait meanwhile, so their CPU time is no disturbance.
    let all_cpu_ns = members.iter().map(|member| member.cpu_ns).sum::<Option<u64>>();
    members.iter_mut().for_each(|member| member.running.note_noise(&noise, all_cpu_ns));
}

impl<'c> Member<'c> {
    fn new(session: &RunningSession<'_>, configuration: &'c Configuration, planned: PlannedRun) -> Self {
        let running = RunInProgress::new(session, configuration, planned);
        let tests = session.plan.job_of(&planned).tests().iter().map(|test| test.number).collect();
        Self { configuration, running, tests, measured: None, waits: Pause::Between, result: None, cpu_ns: None }
    }

    /// Starts the worker, and waits until its database is open.
    async fn begin(&mut self, session: &mut RunningSession<'_>, sharing: &Sharing) {
        if session.control.is_stopped() {
            return self.end(session, Err(StopReason::Cancelled)).await;
        }
        self.running.announce(session, self.configuration).await;
        match self.running.start(session, self.configuration, Some(sharing)) {
            Ok(measured) => {
                self.measured = Some(measured);
                self.listen(session).await;
            }
            Err(stop) => self.end(session, Err(stop)).await,
        }
    }

    /// Lets the worker work until it waits again or ends. Returns whether it waits inside a test.
    async fn work(&mut self, session: &mut RunningSession<'_>) -> bool {
        let Some(measured) = &mut self.measured else { return false };
        self.running.go_on(measured, self.waits);
        let Some(pause) = self.listen(session).await else { return false };
        self.waits = pause;
        if pause == Pause::Between {
            self.tests.pop_front();
        }
        pause == Pause::Slice
    }

    /// Listens until the worker waits. None: it has ended.
    async fn listen(&mut self, session: &mut RunningSession<'_>) -> Option<Pause> {
        let measured = self.measured.as_mut()?;
        let result = loop {
            match self.running.step(session, measured, self.configuration).await {
                Ok(RunStep::Works) => {}
                Ok(RunStep::Waits(pause)) => return Some(pause),
                Ok(RunStep::Done) => break Ok(()),
                Err(stop) => break Err(stop),
            }
        };
        self.end(session, result).await;
        None
    }

    async fn end(&mut self, session: &RunningSession<'_>, result: Result<(), StopReason>) {
        self.tests.clear();
        self.result = Some(match self.measured.take() {
            Some(measured) => {
                self.cpu_ns = measured.cpu_ns();
                self.running.end(session, measured, result).await
            }
            None => result,
        });
    }

    fn outcome(self) -> RunOutcome {
        // A run without a result was never begun.
        self.running.outcome(self.result.unwrap_or(Err(StopReason::Cancelled)))
    }
}
