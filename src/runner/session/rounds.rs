//! The rounds of a session: its runs one after the other, and the answers of each round compared.

use super::{RunningSession, SoFar};
use crate::{
    runner::{RunnerEvent, agreement::agreement, run::execute},
    store::{Batch, RunRecord, Status, TestRecord},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::{Duration, Instant},
};

impl RunningSession<'_> {
    pub(super) async fn run_all(&mut self, so_far: SoFar) -> (Vec<RunRecord>, Vec<TestRecord>) {
        let mut begun = Instant::now();
        let done = so_far.ordinals();
        let SoFar { mut runs, mut results, cut_short, .. } = so_far;
        let rounds: BTreeSet<u32> = runs.iter().map(|run| run.round).collect();
        for round in rounds {
            self.compare_answers(&runs, &mut results, round).await;
        }
        let plan = self.plan;
        let mut last = None;
        for &planned in plan.runs.iter().filter(|planned| !done.contains(&planned.ordinal)) {
            if last != Some(planned.round) {
                if let Some(last) = last {
                    self.compare_answers(&runs, &mut results, last).await;
                }
                if self.over_budget(begun, planned.round) {
                    self.tell(RunnerEvent::Note {
                        text: format!(
                            "the budget allows no further round: {} of {} were run",
                            planned.round, plan.rounds
                        ),
                    });
                    return (runs, results);
                }
                last = Some(planned.round);
            }
            begun += self.paused().await;
            // Measuring on when nothing can be kept would only lose more.
            if self.is_stopped() || self.unkept.is_some() {
                break;
            }
            let outcome = execute(self, &plan.configurations[planned.configuration], planned).await;
            let is_anew = |run: &&RunRecord| run.ordinal == planned.ordinal && outcome.run.status != Status::Cancelled;
            let superseded = cut_short.iter().filter(is_anew).cloned();
            let superseded = superseded.map(|run| RunRecord { status: Status::Superseded, ..run });
            let ended = superseded.chain(std::iter::once(outcome.run.clone())).collect();
            self.keep(Batch { runs: ended, ..Batch::default() }).await;
            self.tell(RunnerEvent::RunEnded {
                ordinal: planned.ordinal,
                status: outcome.run.status,
                failure: outcome.run.failure.clone(),
            });
            runs.push(outcome.run);
            results.extend(outcome.results);
        }
        if let Some(last) = last {
            self.compare_answers(&runs, &mut results, last).await;
        }
        (runs, results)
    }

    /// Waits while the session is asked to pause, and returns how long that was.
    async fn paused(&self) -> Duration {
        if !self.control.asked().pause {
            return Duration::ZERO;
        }
        let since = Instant::now();
        self.tell(RunnerEvent::Paused);
        // A store that cannot be written now is written later.
        let _ = self.merge().await;
        self.control.resumed().await;
        self.tell(RunnerEvent::Resumed);
        since.elapsed()
    }

    /// Whether another round would go over the budget, judged by the mean of those done.
    fn over_budget(&self, begun: Instant, rounds_done: u32) -> bool {
        let Some(budget) = self.launch.budget else { return false };
        let elapsed = begun.elapsed();
        rounds_done > 0 && elapsed + elapsed / rounds_done > budget
    }

    /// Compares the answers of a round's runs that had the same inputs, and stores which agree.
    async fn compare_answers(&mut self, runs: &[RunRecord], results: &mut [TestRecord], round: u32) {
        let of_round: HashMap<&str, &RunRecord> =
            runs.iter().filter(|run| run.round == round).map(|run| (run.run_id.as_str(), run)).collect();
        let mut groups: BTreeMap<(String, String, u32), Vec<usize>> = BTreeMap::new();
        for (at, result) in results.iter().enumerate() {
            if let Some(run) = of_round.get(result.run_id.as_str()) {
                let planned = self.plan.runs.get(run.ordinal as usize);
                let configuration = planned.map(|planned| &self.plan.configurations[planned.configuration]);
                // A twin says what its configuration says, and must not make a majority with it.
                if configuration.is_some_and(|configuration| configuration.twin_of.is_some()) {
                    continue;
                }
                let inputs = format!("{:?}", configuration.map(|configuration| &configuration.suite_settings));
                groups.entry((run.size.clone(), inputs, result.test)).or_default().push(at);
            }
        }
        let mut changed = Vec::new();
        for members in groups.values() {
            let answers: Vec<Option<&str>> = members.iter().map(|&at| results[at].verification.as_deref()).collect();
            for (&at, agrees) in members.iter().zip(agreement(&answers)) {
                if agrees.is_some() {
                    changed.push((at, agrees));
                }
            }
        }
        for &(at, agrees) in &changed {
            results[at].agrees = agrees;
        }
        let changed = changed.into_iter().map(|(at, _)| results[at].clone()).collect();
        self.keep(Batch { results: changed, ..Batch::default() }).await;
    }
}
