//! The rounds of a session: runs its configurations one after the other, and compares the answers of each round.

use super::{RunningSession, SoFar};
use crate::runner::{
    RunnerEvent, WrongAnswer,
    agreement::{GivenAnswer, agreement},
    run::{RunOutcome, execute, execute_in_slices},
    sharing::{partners, sharing},
};
use dbdyno_catalog::{
    bench::{BenchPlan, PlannedRun, Slicing},
    engines::REFERENCE_ENGINE,
};
use dbdyno_comparing::lint::worked_in_others_turns;
use dbdyno_engine::{protocol::INVARIANTS_HELD, size::Size};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{ActorRecord, Batch, RunRecord, Status, TestRecord};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

impl RunningSession<'_> {
    pub(super) async fn run_all(&mut self, so_far: SoFar) {
        let begun = Instant::now();
        let done = so_far.ordinals();
        let rounds: BTreeSet<u32> = so_far.runs.iter().map(|run| run.round).collect();
        for round in rounds {
            self.round = Round::of(&so_far, round);
            self.compare_answers().await;
        }
        so_far.results.iter().for_each(|result| self.look_for_work_in_others_turns(result));
        so_far.runs.iter().for_each(|run| self.note_pace(run, &so_far.results));
        let left = self.plan.runs.iter().filter(|planned| !done.contains(&planned.ordinal));
        let mut waiting: VecDeque<PlannedRun> = left.copied().collect();
        while self.run_rounds(waiting, &so_far, begun).await {
            match self.runs_of_next_look().await {
                Some(more) => waiting = more,
                None => return,
            }
        }
    }

    /// Executes runs in order. Returns whether all of them were executed.
    async fn run_rounds(&mut self, mut waiting: VecDeque<PlannedRun>, so_far: &SoFar, mut begun: Instant) -> bool {
        let plan = Arc::clone(&self.plan);
        let mut last = None;
        while let Some(planned) = waiting.pop_front() {
            if last != Some(planned.round) {
                if last.is_some() {
                    self.compare_answers().await;
                }
                if self.over_budget(begun, planned.round) {
                    self.tell(RunnerEvent::Note {
                        text: format!(
                            "the budget allows no further round: {} of {} were run",
                            planned.round, plan.rounds
                        ),
                    });
                    return false;
                }
                last = Some(planned.round);
                self.round = Round::of(so_far, planned.round);
            }
            begun += self.paused().await;
            // To continue measuring while nothing can be stored would only lose more.
            if self.is_stopped() || self.unkept.is_some() {
                waiting.push_front(planned);
                break;
            }
            for outcome in self.execute(planned, &mut waiting).await {
                let ordinal = outcome.run.ordinal;
                let is_anew = |run: &&RunRecord| run.ordinal == ordinal && outcome.run.status != Status::Cancelled;
                let superseded = so_far.cut_short.iter().filter(is_anew).cloned();
                let superseded = superseded.map(|run| RunRecord { status: Status::Superseded, ..run });
                let ended = superseded.chain(std::iter::once(outcome.run.clone())).collect();
                self.keep(Batch { runs: ended, ..Batch::default() }).await;
                let (status, failure) = (outcome.run.status, outcome.run.failure.clone());
                self.tell(RunnerEvent::RunEnded { ordinal, status, failure });
                self.take(outcome);
            }
        }
        if last.is_some() {
            self.compare_answers().await;
        }
        waiting.is_empty() && !self.is_stopped() && self.unkept.is_none()
    }

    fn note_pace(&mut self, run: &RunRecord, results: &[TestRecord]) {
        if let Some(planned) = self.plan.runs.get(run.ordinal as usize) {
            self.pace.add(run, planned.configuration, results);
        }
    }

    /// Executes a run, together with those that take turns with it.
    async fn execute(&mut self, planned: PlannedRun, waiting: &mut VecDeque<PlannedRun>) -> Vec<RunOutcome> {
        let plan = Arc::clone(&self.plan);
        let configuration = |run: &PlannedRun| &plan.configurations[run.configuration];
        let runs = match plan.conditions.slices {
            Slicing::Off => vec![planned],
            Slicing::On | Slicing::Auto => partners(&plan, planned, waiting),
        };
        if let Some(sharing) = sharing(self, &runs) {
            let members: Vec<_> = runs.iter().map(|run| (configuration(run), *run)).collect();
            return execute_in_slices(self, &members, &sharing).await;
        }
        let mut outcomes = Vec::with_capacity(runs.len());
        for run in runs {
            outcomes.push(execute(self, configuration(&run), run).await);
        }
        outcomes
    }

    /// Adds the outcome of a run that is already in the journal.
    pub(super) fn take(&mut self, outcome: RunOutcome) {
        let RunOutcome { run, results, actors } = outcome;
        results.iter().for_each(|result| self.look_for_work_in_others_turns(result));
        self.note_pace(&run, &results);
        if self.round.number != run.round {
            self.round = Round { number: run.round, ..Round::default() };
        }
        self.members.push(run.run_id.clone());
        self.remember_to_explain(&run);
        self.round.runs.push(run);
        self.round.results.extend(results);
        self.round.actors.extend(actors);
    }

    /// With [`Slicing::Auto`], measures a test in one go from the next round on if its engine worked while others had their turns.
    fn look_for_work_in_others_turns(&mut self, result: &TestRecord) {
        let worked = worked_in_others_turns(&result.figures).filter(|_| self.plan.conditions.slices == Slicing::Auto);
        if let Some(share) = worked.filter(|_| self.in_one_go.insert(result.test)) {
            let text = format!(
                "{}: from the next round on in one go, not in slices, because an engine used {:.0} % of a CPU in the turns of others",
                result.test_name,
                share * 100.0
            );
            self.tell(RunnerEvent::Note { text });
        }
    }

    /// Waits while the session is asked to pause, and returns how long that was.
    pub(super) async fn paused(&mut self) -> Duration {
        if !self.control.requests().pause {
            return Duration::ZERO;
        }
        let since = Instant::now();
        self.tell(RunnerEvent::Paused);
        // A store that cannot be written now is written later.
        let _ = self.merge().await;
        self.is_stored = true;
        self.control.resumed().await;
        self.tell(RunnerEvent::Resumed);
        since.elapsed()
    }

    /// Whether another round would exceed the budget, judged by the mean duration of the completed rounds.
    fn over_budget(&self, begun: Instant, rounds_done: u32) -> bool {
        let Some(budget) = self.launch.budget else { return false };
        let elapsed = begun.elapsed();
        rounds_done > 0 && elapsed + elapsed / rounds_done > budget
    }

    /// Compares the answers of the round's runs with the known ones, or the answers to the same inputs with each other. Stores which are
    /// correct.
    pub(super) async fn compare_answers(&mut self) {
        let plan = Arc::clone(&self.plan);
        let Round { runs, results, actors, .. } = &mut self.round;
        let of_round: HashMap<&str, &RunRecord> = runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let mut groups: BTreeMap<(Size, String, u32), Vec<Answering>> = BTreeMap::new();
        let mut known = BTreeMap::new();
        for (at, result) in results.iter().enumerate() {
            let run = of_round.get(result.run_id.as_str());
            let Some(planned) = run.and_then(|run| plan.runs.get(run.ordinal as usize)) else { continue };
            let configuration = &plan.configurations[planned.configuration];
            let settings = &configuration.suite_settings;
            let question = (configuration.size, format!("{settings:?}"), result.test);
            known.insert(question.clone(), plan.suite.known(configuration.size, settings, result.test));
            // Rows are compared only if there is an answer: an engine without one may report no rows. The number of completed threads is
            // not an answer.
            let is_answer = |verification: &&String| digest_kind(verification) != digest_kind(INVARIANTS_HELD);
            let rows = result.verification.as_ref().filter(is_answer).and_then(|_| result.figure(Metric::Rows));
            groups.entry(question).or_default().push(Answering {
                at,
                digest: result.verification.clone(),
                rows: rows.map(|rows| rows.to_string()),
                implementation: configuration.implementation(plan.suite.kind),
                is_reference: configuration.engine_name() == REFERENCE_ENGINE,
            });
        }
        let mut changed = Vec::new();
        for (question, members) in &groups {
            let judged = judge(known.get(question).copied().flatten(), members);
            let judged = members.iter().zip(judged).filter(|(_, agrees)| agrees.is_some());
            changed.extend(judged.map(|(member, agrees)| (member.at, agrees)));
        }
        for &(at, agrees) in &changed {
            results[at].agrees = agrees;
        }
        let changed: Vec<TestRecord> = changed.into_iter().map(|(at, _)| results[at].clone()).collect();
        let judged = judged_parts(actors, &of_round, &plan);
        // A wrong test is wrong for every actor that took part in it. A statement has answers of its own.
        let mut of_actors = Vec::new();
        for (at, actor) in actors.iter_mut().enumerate() {
            let of = changed.iter().find(|test| (&test.run_id, test.test) == (&actor.run_id, actor.test));
            let agrees = match judged.get(&at) {
                Some(agrees) => Some(*agrees),
                // Commits have no answers.
                None if actor.verification.is_some() || actor.threads.is_none() => None,
                None => of.and_then(|of| of.agrees),
            };
            if agrees.is_some() && agrees != actor.agrees {
                actor.agrees = agrees;
                of_actors.push(actor.clone());
            }
        }
        let wrong = |result: &TestRecord| {
            let ordinal = of_round.get(result.run_id.as_str()).filter(|_| result.agrees == Some(false))?.ordinal;
            Some(WrongAnswer { ordinal, test: result.test })
        };
        let answers: Vec<WrongAnswer> = changed.iter().filter_map(wrong).collect();
        if !answers.is_empty() {
            self.tell(RunnerEvent::WrongAnswers { answers });
        }
        self.keep(Batch { results: changed, actors: of_actors, ..Batch::default() }).await;
    }
}

/// Compares the answers of statements to the same inputs with each other. Returns whether each is right, by its index.
fn judged_parts(
    parts: &[ActorRecord],
    of_round: &HashMap<&str, &RunRecord>,
    plan: &BenchPlan,
) -> BTreeMap<usize, bool> {
    let mut groups: BTreeMap<(Size, String, u32, &str), Vec<Answering>> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.verification.is_some()) {
        let run = of_round.get(part.run_id.as_str());
        let Some(planned) = run.and_then(|run| plan.runs.get(run.ordinal as usize)) else { continue };
        let configuration = &plan.configurations[planned.configuration];
        let settings = format!("{:?}", configuration.suite_settings);
        groups.entry((configuration.size, settings, part.test, &part.actor)).or_default().push(Answering {
            at,
            digest: part.verification.clone(),
            rows: part.figures.get(Metric::Rows).map(|rows| rows.to_string()),
            implementation: configuration.implementation(plan.suite.kind),
            is_reference: configuration.engine_name() == REFERENCE_ENGINE,
        });
    }
    let judged = |members: &Vec<Answering>| {
        let agrees = judge(None, members);
        members.iter().zip(agrees).filter_map(|(member, agrees)| Some((member.at, agrees?))).collect::<Vec<_>>()
    };
    groups.values().flat_map(judged).collect()
}

/// The runs of a round, whose answers are compared at its end. They are also in the journal.
#[derive(Debug, Default)]
pub(super) struct Round {
    number: u32,
    pub(super) runs: Vec<RunRecord>,
    pub(super) results: Vec<TestRecord>,
    pub(super) actors: Vec<ActorRecord>,
}

impl Round {
    /// Returns the earlier results of a round of the session.
    fn of(so_far: &SoFar, number: u32) -> Self {
        let runs: Vec<RunRecord> = so_far.runs.iter().filter(|run| run.round == number).cloned().collect();
        let is_of = |id: &str| runs.iter().any(|run| run.run_id == id);
        Self {
            number,
            results: so_far.results.iter().filter(|result| is_of(&result.run_id)).cloned().collect(),
            actors: so_far.actors.iter().filter(|actor| is_of(&actor.run_id)).cloned().collect(),
            runs,
        }
    }
}

/// A result with its answer, and the implementation that gave it.
struct Answering {
    /// Its index in the results.
    at: usize,
    digest: Option<String>,
    /// How many rows the worker reports as read, found, written or removed.
    rows: Option<String>,
    implementation: String,
    is_reference: bool,
}

/// Returns the kind of checksum of a verification value: see [`DIGEST`](dbdyno_engine::protocol::DIGEST).
fn digest_kind(verification: &str) -> &str {
    verification.split_once(':').map_or("", |(kind, _)| kind)
}

/// Returns which of these results are correct, both in the digest of their answers and in their rows.
fn judge(known: Option<&str>, members: &[Answering]) -> Vec<Option<bool>> {
    let given = |of: fn(&Answering) -> &Option<String>| -> Vec<GivenAnswer<'_>> {
        members
            .iter()
            .map(|member| GivenAnswer {
                digest: of(member).as_deref(),
                implementation: &member.implementation,
                is_reference: member.is_reference,
            })
            .collect()
    };
    let mut digests = vec![None; members.len()];
    // Checksums of different kinds cannot be compared.
    let kinds: BTreeSet<&str> = members.iter().filter_map(|member| member.digest.as_deref()).map(digest_kind).collect();
    for kind in kinds {
        let mut answers = given(|member| &member.digest);
        for answer in answers.iter_mut().filter(|answer| answer.digest.map(digest_kind) != Some(kind)) {
            answer.digest = None;
        }
        let judged = agreement(known.filter(|known| digest_kind(known) == kind), &answers);
        for (digest, judged) in digests.iter_mut().zip(judged) {
            *digest = digest.or(judged);
        }
    }
    let rows = agreement(None, &given(|member| &member.rows));
    let both = |(digest, rows): (Option<bool>, Option<bool>)| match (digest, rows) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (digest, rows) => digest.or(rows),
    };
    digests.into_iter().zip(rows).map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_different_kinds_are_not_held_against_each_other() {
        let judged = |known: Option<&str>, answers: &[(&str, &str, &str)]| {
            let answering = |(at, (implementation, digest, rows)): (usize, &(&str, &str, &str))| Answering {
                at,
                digest: Some((*digest).to_owned()),
                rows: Some((*rows).to_owned()),
                implementation: (*implementation).to_owned(),
                is_reference: *implementation == "sqlite",
            };
            judge(known, &answers.iter().enumerate().map(answering).collect::<Vec<_>>())
        };
        let of_two_kinds = [("sqlite", "3:aa", "5"), ("lmdb", "3:bb", "5"), ("older", "cc", "5")];
        assert_eq!(judged(None, &of_two_kinds), [Some(true), Some(false), Some(true)], "the rows of all are the same");
        assert_eq!(judged(Some("3:bb"), &of_two_kinds), [Some(false), Some(true), Some(true)]);
        assert_eq!(judged(None, &[("older", "cc", "5"), ("oldest", "dd", "5")]), [Some(false), Some(false)]);
        assert_eq!(judged(None, &[("sqlite", "3:aa", "5"), ("older", "cc", "6")]), [Some(true), Some(false)]);
    }
}
