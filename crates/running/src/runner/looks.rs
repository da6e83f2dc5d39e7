//! The rounds that decide what is undecided: which tests of which configurations to measure how often, and what that takes.
//!
//! A session that goes on until all is decided looks at its comparisons after its rounds, runs more rounds of what is undecided and can be
//! decided in the time that is left, and looks again. Each look spends half of the remaining error budget
//! ([`Spending::at_look`](dbdyno_stats::Spending::at_look)), so any number of looks calls no more equal configurations different than one
//! look does. A comparison that a look decides is not measured further.

use dbdyno_catalog::bench::{BenchPlan, Configuration};
use dbdyno_comparing::compare::{
    AnotherLook, Comparison, Grouped, Options, as_rates, by_configuration, compare_groups, grouped, load,
};
use dbdyno_foundation::{base::units::counted, host::HostFacts, metric::Metric};
use dbdyno_store::{Latencies, LeftSession, RunRecord, Selection, Store, StoreError, TestRecord};
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The tests that are measured in a round, by the index of the configuration.
pub(super) type TestsOfRound = BTreeMap<usize, BTreeSet<u32>>;

/// A comparison that is undecided, and how many more rounds are likely to decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Undecided {
    rounds: u32,
    test: u32,
    /// The indices of its configurations.
    pair: [usize; 2],
}

/// What a look found.
#[derive(Debug, Default)]
pub(super) struct SessionLook {
    /// How many comparisons there are, and how many of them are undecided.
    pub(super) compared: usize,
    pub(super) open: usize,
    /// The undecided ones that a feasible number of rounds is likely to decide.
    pub(super) undecided: Vec<Undecided>,
}

/// What rounds take, measured so far.
#[derive(Debug, Default)]
pub(super) struct RoundTimes {
    /// The time of all runs. Those that take turns count once.
    pub(super) spent: Duration,
    /// The end of the last run.
    until: Option<Timestamp>,
    runs: u32,
    /// The measured times of each test, by the index of the configuration: their sum and number.
    tests: BTreeMap<(usize, u32), (Duration, u32)>,
    /// The sum of all measured times.
    measured: Duration,
}

impl RoundTimes {
    /// Returns what the rounds of a stored session took, as far as it measured this plan's configurations.
    fn of(session: &LeftSession, plan: &BenchPlan) -> Self {
        let mut pace = Self::default();
        for run in &session.runs {
            let is_it = |one: &Configuration| one.label == run.label && one.size.to_string() == run.size;
            if let Some(at) = plan.configurations.iter().position(is_it) {
                pace.add(run, at, &session.results);
            }
        }
        pace
    }

    /// Adds a run of a configuration, by its index, with its finished tests.
    pub(super) fn add(&mut self, run: &RunRecord, configuration: usize, results: &[TestRecord]) {
        let Some(ended) = run.finished_at else { return };
        self.add_time(run.started_at, ended);
        for result in results.iter().filter(|result| result.run_id == run.run_id) {
            let wall = Duration::from_nanos(result.figure(Metric::Wall).unwrap_or_default());
            let (sum, number) = self.tests.entry((configuration, result.test)).or_default();
            *sum += wall;
            *number += 1;
            self.measured += wall;
        }
    }

    fn add_time(&mut self, begun: Timestamp, ended: Timestamp) {
        let begun = self.until.map_or(begun, |until| until.max(begun));
        self.spent += Duration::try_from(ended.duration_since(begun)).unwrap_or_default();
        self.until = Some(self.until.map_or(ended, |until| until.max(ended)));
        self.runs += 1;
    }

    /// Returns what a round of these tests takes: what they took so far, and for each run what one takes besides.
    pub(super) fn round(&self, tests: &TestsOfRound) -> Duration {
        let beside = self.spent.saturating_sub(self.measured) / self.runs.max(1);
        let test = |key: (usize, u32)| self.tests.get(&key).map_or(Duration::ZERO, |(sum, number)| *sum / *number);
        let run = |(at, numbers): (&usize, &BTreeSet<u32>)| {
            beside + numbers.iter().map(|number| test((*at, *number))).sum::<Duration>()
        };
        tests.iter().map(run).sum()
    }

    /// Returns what a round of everything takes.
    pub(super) fn whole_round(&self) -> Duration {
        let mut all = TestsOfRound::new();
        for (configuration, test) in self.tests.keys() {
            all.entry(*configuration).or_default().insert(*test);
        }
        self.round(&all)
    }
}

/// The fewest rounds between two looks: an even number, so that A and B lead equally often.
const FEWEST: u32 = 2;

/// Returns how many rounds to run next, and with which tests: those of the comparisons that can be decided in the time that is left, the
/// ones that need the fewest rounds first. `before`: the rounds so far. None: nothing more can be decided.
pub(super) fn next_rounds(
    undecided: &[Undecided],
    pace: &RoundTimes,
    left: Duration,
    before: u32,
) -> Option<(u32, TestsOfRound)> {
    let chosen = chosen(undecided, pace, left);
    let least = chosen.first()?.rounds;
    let tests = tests_of(&chosen);
    // Each look costs part of the error budget, so there are few of them: each has half as many rounds more as all before it.
    let wanted = least.max(before / 2).next_multiple_of(FEWEST);
    let affordable = (left.as_nanos() / pace.round(&tests).as_nanos().max(1)).min(u128::from(wanted)) as u32;
    Some(((affordable / FEWEST * FEWEST).max(least), tests))
}

/// Returns those that can be decided in the time that is left, sorted: as many as fit, the ones that need the fewest rounds first.
fn chosen(undecided: &[Undecided], pace: &RoundTimes, left: Duration) -> Vec<Undecided> {
    let mut sorted = undecided.to_vec();
    sorted.sort_unstable();
    // A sweep may have thousands, so each number of them is not tried.
    let numbers: Vec<usize> = (1..=sorted.len()).collect();
    sorted.truncate(numbers.partition_point(|number| time_of(&sorted[..*number], pace) <= left));
    sorted
}

/// Returns what it takes to decide all of these, which are sorted: each needs its rounds.
fn time_of(all: &[Undecided], pace: &RoundTimes) -> Duration {
    let mut before = 0;
    let mut time = Duration::ZERO;
    for (at, one) in all.iter().enumerate() {
        if one.rounds > before {
            time += pace.round(&tests_of(&all[at..])) * (one.rounds - before);
            before = one.rounds;
        }
    }
    time
}

fn tests_of(all: &[Undecided]) -> TestsOfRound {
    let mut tests = TestsOfRound::new();
    for one in all {
        for configuration in one.pair {
            tests.entry(configuration).or_default().insert(one.test);
        }
    }
    tests
}

/// Looks at the comparisons of a session.
pub(super) fn look(store: &Store, session: &str, plan: &BenchPlan) -> Result<SessionLook, StoreError> {
    let text = format!("session={session}");
    let selection = Selection::parse_line(&text).map_err(|message| StoreError::Query { message })?;
    let mut side = load(store, &text, &selection, Metric::Wall, Latencies::Left)?;
    as_rates([&mut side]);
    let Grouped { groups, .. } = grouped(by_configuration(&side), &plan.closing.references, &plan.closing.allow);
    let options = Options { allowed: plan.closing.allow.clone(), ..Options::default() };
    Ok(compare_groups(&groups, &options)
        .iter()
        .fold(SessionLook::default(), |look, comparison| look.with(comparison, plan)))
}

impl SessionLook {
    fn with(mut self, comparison: &Comparison, plan: &BenchPlan) -> Self {
        let found = comparison.lines.iter().filter(|line| line.actor.is_none()).filter_map(|line| line.found.as_ref());
        self.compared += found.clone().count();
        self.open += found.filter(|found| found.is_open()).count();
        self.undecided.extend(comparison.other_looks().iter().filter_map(|look| Undecided::of(look, plan)));
        self
    }

    /// `5 of 16 comparisons are undecided`
    pub(super) fn words(&self) -> String {
        let all = counted(self.compared, "comparison");
        match self.open {
            0 if self.compared == 1 => "the comparison is decided".to_owned(),
            0 => format!("all {all} are decided"),
            1 => format!("1 of {all} is undecided"),
            open => format!("{open} of {all} are undecided"),
        }
    }
}

impl Undecided {
    fn of(look: &AnotherLook, plan: &BenchPlan) -> Option<Self> {
        let find = |label: &String| {
            plan.configurations.iter().position(|one| one.label == *label && one.size.to_string() == look.size)
        };
        let [a, b] = &look.labels;
        Some(Self { rounds: look.rounds, test: look.test, pair: [find(a)?, find(b)?] })
    }
}

/// Returns how long a session that goes on until all is decided is expected to take, by the noise of the latest session here with all of
/// its configurations. None: there is no such session.
pub fn expected_until_decided(store: &Store, plan: &BenchPlan) -> Option<Duration> {
    let most = plan.until_decided?;
    let _open_once = store.read_together();
    let labels: Vec<String> = plan.configurations.iter().map(|one| format!("{} {}", one.label, one.size)).collect();
    // Without it the plan says less, and the session will meet the same error.
    let session = store.latest_session_with(&plan.suite.name, &HostFacts::read().ids(), &labels).ok()??;
    let left = store.left_session(Some(&session), &HostFacts::read().ids()).ok()??;
    let found = look(store, &session, plan).ok()?;
    let pace = RoundTimes::of(&left, plan);
    let measured = left.session.rounds;
    let more = |one: &Undecided| {
        let rounds = (measured + one.rounds).saturating_sub(plan.rounds);
        (rounds > 0).then_some(Undecided { rounds, ..*one })
    };
    let undecided: Vec<Undecided> = found.undecided.iter().filter_map(more).collect();
    let whole = pace.whole_round();
    let first = whole * plan.rounds;
    let left = (whole * most).saturating_sub(first);
    Some(first + time_of(&chosen(&undecided, &pace, left), &pace))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Two tests of three configurations, each of 1 ms, and 1 ms beside for each run.
    fn pace() -> RoundTimes {
        let tests = (0..3).flat_map(|at| [((at, 1), (MS * 8, 8)), ((at, 2), (MS * 8, 8))]).collect();
        RoundTimes { spent: MS * 72, until: None, runs: 24, tests, measured: MS * 48 }
    }

    fn open(rounds: u32, test: u32, pair: [usize; 2]) -> Undecided {
        Undecided { rounds, test, pair }
    }

    fn tests(of: &[(usize, &[u32])]) -> TestsOfRound {
        of.iter().map(|(at, numbers)| (*at, numbers.iter().copied().collect())).collect()
    }

    #[test]
    fn a_round_takes_its_tests_and_what_each_run_takes_besides() {
        assert_eq!(pace().whole_round(), MS * 9);
        assert_eq!(pace().round(&tests(&[(0, &[2]), (2, &[1, 2])])), MS * 5);
    }

    #[test]
    fn rounds_go_to_what_can_be_decided_in_the_time_that_is_left() {
        let undecided = [open(40, 1, [0, 2]), open(6, 2, [0, 1])];
        // Both: 6 rounds of three tests and a half of a run more, then 34 of the first alone.
        let both = MS * 6 * 7 + MS * 34 * 4;
        let all = next_rounds(&undecided, &pace(), both, 8);
        assert_eq!(all, Some((6, tests(&[(0, &[1, 2]), (1, &[2]), (2, &[1])]))));
        let one = next_rounds(&undecided, &pace(), both - MS, 8);
        assert_eq!(one, Some((6, tests(&[(0, &[2]), (1, &[2])]))));
        assert_eq!(next_rounds(&undecided, &pace(), MS * 23, 8), None, "6 rounds of two runs take 24 ms");
        assert_eq!(next_rounds(&[], &pace(), MS * 1000, 8), None);
    }

    #[test]
    fn looks_are_few_where_there_is_time() {
        let undecided = [open(2, 1, [0, 1])];
        assert_eq!(next_rounds(&undecided, &pace(), MS * 1000, 20).map(|(rounds, _)| rounds), Some(10));
        assert_eq!(next_rounds(&undecided, &pace(), MS * 20, 20).map(|(rounds, _)| rounds), Some(4));
    }

    #[test]
    fn runs_that_take_turns_count_once() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let mut pace = RoundTimes::default();
        for (begun, ended) in [(0, 8), (1, 9), (2, 10), (20, 25)] {
            pace.add_time(at(begun), at(ended));
        }
        assert_eq!((pace.spent, pace.runs), (Duration::from_secs(15), 4));
    }
}
