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
        let (mut last, mut pass) = (None, 1);
        while !working.is_empty() {
            let mut waiting = Vec::with_capacity(working.len());
            for &at in &working {
                if members[at].work(session, last == Some(at)).await {
                    waiting.push(at);
                }
                last = Some(at);
            }
            working = next_order(waiting, pass);
            pass += 1;
        }
    }
    for member in members.iter_mut() {
        member.work(session, false).await;
    }
    drop(measuring);
    let noise = NoiseSample::now();
    // The other workers wait meanwhile, so their CPU time is no disturbance.
    let all_cpu_ns = members.iter().map(|member| member.cpu_ns).sum::<Option<u64>>();
    members.iter_mut().for_each(|member| member.running.note_noise(&noise, all_cpu_ns));
}

/// Returns the order of the turns that follow this many passes. Each begins with the one that came last, which so has two slices in a row.
/// All have that equally often, and each comes after each neighbour equally often.
fn next_order(mut working: Vec<usize>, passes: usize) -> Vec<usize> {
    if working.is_empty() || passes.is_multiple_of(working.len()) {
        working.reverse();
    } else {
        working.rotate_right(1);
    }
    working
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

    /// Lets the worker work until it waits again or ends. Returns whether it waits inside a test. `is_direct`: no other has worked since.
    async fn work(&mut self, session: &mut RunningSession<'_>, is_direct: bool) -> bool {
        let Some(measured) = &mut self.measured else { return false };
        self.running.go_on(measured, self.waits, is_direct);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn all_have_two_slices_in_a_row_equally_often_and_come_before_their_neighbours_as_often_as_after_them() {
        for members in 2..=8 {
            let (mut order, mut last) = ((0..members).collect::<Vec<usize>>(), None);
            let (mut twice, mut after) = (vec![0; members], BTreeMap::<(usize, usize), u32>::new());
            for pass in 1..=2 * members {
                for &at in &order {
                    match last {
                        Some(last) if last == at => twice[at] += 1,
                        Some(last) => *after.entry((last, at)).or_default() += 1,
                        None => {}
                    }
                    last = Some(at);
                }
                order = next_order(order, pass);
            }
            twice[order[0]] += 1;
            assert_eq!(order, (0..members).collect::<Vec<_>>(), "it begins anew");
            assert_eq!(twice, vec![2; members]);
            let opposite = |(a, b): &(usize, usize)| after.get(&(*b, *a));
            assert!(after.iter().all(|(pair, count)| opposite(pair) == Some(count)), "{after:?}");
        }
    }
}
