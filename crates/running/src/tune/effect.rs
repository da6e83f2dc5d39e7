//! The effect of a change on a test's time.

use super::samples::{Sample, Samples, TestPart};
use dbdyno_comparing::compare::{JudgedRatio, RatioRange};
use dbdyno_stats::{
    DEFAULT_NOISE_FLOOR, Evidence, Logs, NoAnswer, RatioInterval, Spending, Verdict, holm, log_ratios, median,
    more_rounds, paired_ratio_at, signed_rank,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The effect of a change on one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestEffect {
    /// The test's number; 0 for the geometric mean of several.
    pub test: u32,
    pub name: String,
    /// How many pairs of runs of the same round there are.
    pub pairs: usize,
    /// Median time of the base, ns. For a test that ended after a set time, the time of an operation. None for a mean of several tests.
    pub base_ns: Option<f64>,
    /// Median time with the change, ns.
    pub changed_ns: Option<f64>,
    /// The result: A is the changed configuration and B the base, so a ratio below 1 is a gain. None: not comparable.
    pub found: Option<JudgedRatio>,
    /// The reason why it is not comparable.
    pub obstacle: Option<String>,
    /// The effects on its parts, the one with the longest time first: statements of the user's own SQL, or actors. They are judged among
    /// themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<TestEffect>,
}

impl TestEffect {
    /// Whether more rounds would tell no more: it is decided, or cannot be.
    pub fn is_decided(&self) -> bool {
        !self.found.as_ref().is_some_and(|found| matches!(found.verdict, Verdict::Undecided { .. }))
    }

    /// Returns the effect on the test, and those on its parts.
    pub fn with_parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.parts)
    }
}

/// The variant that changes are compared with, in the samples of a trial.
pub(super) const BASE: usize = 0;
/// The changed variant of a trial.
pub(super) const CHANGED: usize = 1;

/// Judges the effect of the change on each of the tests (number and name) and on their parts: `changed` against `base`, in pairs of one
/// round.
pub fn judge(
    samples: &Samples,
    base: usize,
    changed: usize,
    tests: &[(u32, String)],
    spending: Spending,
) -> Vec<TestEffect> {
    let whole = tests.iter().map(|(test, name)| (name.clone(), (*test, None))).collect();
    let of_test = |(test, _): &(u32, String)| {
        let names: BTreeSet<&str> = [base, changed].iter().flat_map(|variant| samples.parts(*variant, *test)).collect();
        names.into_iter().map(|name| (name.to_owned(), (*test, Some(name.to_owned())))).collect::<Vec<_>>()
    };
    let mut parts = family(samples, base, changed, tests.iter().flat_map(of_test).collect(), spending);
    parts.sort_by(|one, next| next.base_ns.unwrap_or(0.0).total_cmp(&one.base_ns.unwrap_or(0.0)));
    let mut effects = family(samples, base, changed, whole, spending);
    for effect in &mut effects {
        effect.parts = parts.extract_if(.., |part| part.test == effect.test).collect();
    }
    effects
}

/// Judges tests or parts, by their names, as a family: their p values are adjusted for each other.
fn family(
    samples: &Samples,
    base: usize,
    changed: usize,
    members: Vec<(String, TestPart)>,
    spending: Spending,
) -> Vec<TestEffect> {
    let times: Vec<Times> =
        members.iter().map(|(_, of)| Times::from_pairs(samples.pairs(changed, base, of), spending)).collect();
    let p: Vec<f64> = times.iter().filter_map(Times::p).collect();
    // A p value is between 0 and 1, so there is an answer. Without one, nothing is significant.
    let mut adjusted = holm(&p).unwrap_or_else(|_| vec![1.0; p.len()]).into_iter();
    members
        .into_iter()
        .zip(times)
        .map(|((name, (test, _)), times)| {
            let p_adjusted = times.p().and_then(|_| adjusted.next());
            times.effect(test, name, p_adjusted, p.len(), spending)
        })
        .collect()
}

/// Judges all tests as one figure with one interval. The mean of each round's log ratios is judged like the log ratios of one test. The
/// ratio is the geometric mean of the tests' ratios.
pub fn overall(
    samples: &Samples,
    base: usize,
    changed: usize,
    tests: &[(u32, String)],
    spending: Spending,
) -> TestEffect {
    let rounds = samples.rounds(base, changed);
    let logs = rounds.iter().filter_map(|round| samples.mean_log_ratio(changed, base, round, tests));
    let ratios: Vec<f64> = logs.map(f64::exp).collect();
    let disagree = tests.iter().flat_map(|(test, _)| samples.pairs(changed, base, &(*test, None))).any(disagrees);
    let times = Times { b: vec![1.0; ratios.len()], a: ratios, disagree, tested: None }.tested(spending);
    let p = times.p();
    let effect = times.effect(0, format!("all {} tests", tests.len()), p, 1, spending);
    TestEffect { base_ns: None, changed_ns: None, ..effect }
}

fn disagrees((a, b): (&Sample, &Sample)) -> bool {
    a.agrees == Some(false) || b.agrees == Some(false)
}

/// The paired times of a test.
#[derive(Debug, Default)]
struct Times {
    a: Vec<f64>,
    b: Vec<f64>,
    disagree: bool,
    tested: Option<(Result<RatioInterval, NoAnswer>, Option<f64>)>,
}

impl Times {
    fn from_pairs(pairs: Vec<(&Sample, &Sample)>, spending: Spending) -> Self {
        let times = Self {
            a: pairs.iter().map(|(a, _)| a.time_ns).collect(),
            b: pairs.iter().map(|(_, b)| b.time_ns).collect(),
            disagree: pairs.into_iter().any(disagrees),
            tested: None,
        };
        times.tested(spending)
    }

    /// Adds the interval and the p value if the pairs can be compared.
    fn tested(mut self, spending: Spending) -> Self {
        if self.obstacle().is_none() {
            let interval = paired_ratio_at(&self.a, &self.b, spending.alpha);
            let p = || log_ratios(&self.a, &self.b).and_then(|logs| signed_rank(&logs)).ok().map(|test| test.p);
            self.tested = Some((interval, if interval.is_ok() { p() } else { None }));
        }
        self
    }

    fn obstacle(&self) -> Option<String> {
        let instant = self.a.iter().chain(&self.b).any(|time| *time <= 0.0);
        match (self.disagree, self.a.is_empty(), instant) {
            (true, ..) => Some("the answers differ".to_owned()),
            (_, true, _) => Some("no round in which both runs finished".to_owned()),
            (.., true) => Some("a time of 0 ns has no ratio".to_owned()),
            _ => None,
        }
    }

    fn p(&self) -> Option<f64> {
        self.tested.as_ref()?.1
    }

    fn effect(
        self,
        test: u32,
        name: String,
        p_adjusted: Option<f64>,
        tests: usize,
        Spending { factor, alpha }: Spending,
    ) -> TestEffect {
        let obstacle = self.obstacle();
        let (base_ns, changed_ns) = (median(&self.b).ok(), median(&self.a).ok());
        let p_adjusted = p_adjusted.map(|p| (p * factor).min(1.0));
        let found = self.tested.and_then(|(interval, p)| {
            let tests = (tests as f64 * factor) as usize;
            let noise_floor = DEFAULT_NOISE_FLOOR;
            let evidence = Evidence { interval, p_adjusted: p_adjusted.unwrap_or(1.0), noise_floor };
            let more = || more_rounds(&Logs::new(&self.a, &self.b, true).ok()?, noise_floor, tests, alpha);
            let median_ratio = changed_ns? / base_ns?;
            let interval = interval.ok();
            Some(JudgedRatio {
                verdict: evidence.verdict(more).ok()?,
                ratio: interval.map_or(median_ratio, |interval| interval.ratio),
                median_ratio,
                interval: interval.map(|RatioInterval { low, high, confidence, .. }| RatioRange {
                    low,
                    high,
                    confidence,
                }),
                paired: true,
                exact: false,
                sessions: None,
                p,
                p_adjusted,
            })
        });
        TestEffect { test, name, pairs: self.a.len(), base_ns, changed_ns, found, obstacle, parts: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_foundation::metric::Figures;

    #[test]
    fn parts_are_judged_among_themselves_with_the_longest_first() {
        let mut samples = Samples::default();
        for round in 0..10 {
            let noise = 1.0 + f64::from(round % 3) / 1000.0;
            for (variant, part, time_ns) in [
                (BASE, None, 1100.0 * noise),
                (CHANGED, None, 600.0),
                (BASE, Some("short"), 100.0),
                (CHANGED, Some("short"), 200.0 * noise),
                (BASE, Some("long"), 1000.0 * noise),
                (CHANGED, Some("long"), 400.0),
                (CHANGED, Some("only with the change"), 1.0),
            ] {
                let sample = Sample { time_ns, figures: Figures::default(), agrees: None };
                samples.add(variant, (String::new(), round), (1, part.map(str::to_owned)), sample);
            }
        }
        let tests = [(1, "mine".to_owned())];
        let judged = judge(&samples, BASE, CHANGED, &tests, Spending::ONCE);
        let verdict = |effect: &TestEffect| (effect.name.clone(), effect.found.as_ref().map(|found| found.verdict));
        assert_eq!(judged.iter().map(verdict).collect::<Vec<_>>(), [("mine".to_owned(), Some(Verdict::Faster))]);
        assert_eq!(
            judged[0].parts.iter().map(verdict).collect::<Vec<_>>(),
            [
                ("long".to_owned(), Some(Verdict::Faster)),
                ("short".to_owned(), Some(Verdict::Slower)),
                ("only with the change".to_owned(), None)
            ]
        );
        let p =
            |effect: &TestEffect| effect.found.as_ref().map(|found| (found.p, found.p_adjusted)).unwrap_or_default();
        let ((whole, whole_adjusted), (part, part_adjusted)) = (p(&judged[0]), p(&judged[0].parts[0]));
        assert!(whole.is_some() && whole == whole_adjusted, "parts do not count among the tests");
        assert_eq!(part_adjusted, part.map(|p| 2.0 * p));
    }
}
