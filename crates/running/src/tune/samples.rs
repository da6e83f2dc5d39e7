//! The measurements of variants by round, so that runs of one round can be paired.

use crate::runner::SessionReport;
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_engine::suite::REPLAY_ACTOR;
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_store::{ActorRecord, RunRecord, Status, TestRecord};
use std::collections::{BTreeMap, BTreeSet};

/// A round: its session and its number in it. Runs of a round had the same inputs.
pub type RoundKey = (String, u32);

/// The measurements of a finished test of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Wall time, ns. For a test that ended after a set time, the time of an operation.
    pub time_ns: f64,
    pub figures: Figures,
    /// Whether its answers equal those of the other variants; none if there was nothing to compare.
    pub agrees: Option<bool>,
}

impl Sample {
    /// Creates a sample; none without a time.
    pub fn new(figures: Figures, agrees: Option<bool>) -> Option<Self> {
        figures.compared(Metric::Wall).map(|time_ns| Self { time_ns, figures, agrees })
    }
}

/// A test's number, and the name of its part: an actor or a statement. None: the whole test.
pub type TestPart = (u32, Option<String>);

/// The samples of a run.
type SamplesByTest = BTreeMap<TestPart, Sample>;

/// Samples of several variants of a workload. The caller assigns a number to each variant.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    runs: BTreeMap<(usize, RoundKey), SamplesByTest>,
    failures: BTreeMap<usize, String>,
}

impl Samples {
    /// Adds a finished test, or a part of it.
    pub fn add(&mut self, variant: usize, round: RoundKey, test: TestPart, sample: Sample) {
        self.runs.entry((variant, round)).or_default().insert(test, sample);
    }

    /// Records that a run of a variant failed. The first reason is kept.
    pub fn fail(&mut self, variant: usize, reason: String) {
        self.failures.entry(variant).or_insert(reason);
    }

    /// Returns why a run of the variant failed, if one did.
    pub fn failure(&self, variant: usize) -> Option<&str> {
        self.failures.get(&variant).map(String::as_str)
    }

    /// Adds the measurements of a session; `variant` returns the variant of a configuration of the plan. Runs that did not succeed are
    /// ignored.
    pub fn add_report(&mut self, plan: &BenchPlan, report: &SessionReport, variant: impl Fn(usize) -> usize) {
        self.add_session(plan, (&report.runs, &report.results, &report.actors), variant);
    }

    /// Does the same with the records of a session: its runs, their tests, and the actors of these.
    pub fn add_session(
        &mut self,
        plan: &BenchPlan,
        (runs, results, actors): (&[RunRecord], &[TestRecord], &[ActorRecord]),
        variant: impl Fn(usize) -> usize,
    ) {
        for run in runs {
            let Some(planned) = plan.runs.get(run.ordinal as usize) else { continue };
            let variant = variant(planned.configuration);
            if let Some(failure) = &run.failure {
                self.fail(variant, failure.clone());
            }
            if run.status != Status::Done {
                continue;
            }
            for result in results.iter().filter(|result| result.run_id == run.run_id) {
                if let Some(sample) = Sample::new(result.figures, result.agrees) {
                    self.add(variant, (run.session_id.clone(), run.round), (result.test, None), sample);
                }
            }
            for part in actors.iter().filter(|part| part.run_id == run.run_id) {
                if let Some(sample) = Sample::new(part.figures, part.agrees) {
                    let of = (part.test, Some(part.actor.clone()));
                    self.add(variant, (run.session_id.clone(), run.round), of, sample);
                }
            }
        }
    }

    /// Adds the measurements of another session; `variant` returns the variant here of a variant there.
    pub fn absorb(&mut self, other: Self, variant: impl Fn(usize) -> usize) {
        self.runs.extend(other.runs.into_iter().map(|((of, round), tests)| ((variant(of), round), tests)));
        other.failures.into_iter().for_each(|(of, reason)| self.fail(variant(of), reason));
    }

    /// Returns in how many rounds a variant ran.
    pub fn round_count(&self, variant: usize) -> usize {
        self.runs_of(variant).count()
    }

    /// Returns how many runs succeeded.
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Returns the mean over the tests of ln(time of `a` / time of `b`) in one round; none unless both have a time for each test.
    pub fn mean_log_ratio(&self, a: usize, b: usize, round: &RoundKey, tests: &[(u32, String)]) -> Option<f64> {
        let of = |variant: usize| self.runs.get(&(variant, round.clone()));
        let (a, b) = (of(a)?, of(b)?);
        let log = |(test, _): &(u32, String)| {
            let (a, b) = (a.get(&(*test, None))?.time_ns, b.get(&(*test, None))?.time_ns);
            (a > 0.0 && b > 0.0).then(|| (a / b).ln())
        };
        let logs: Vec<f64> = tests.iter().map(log).collect::<Option<_>>()?;
        (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
    }

    fn runs_of(&self, variant: usize) -> impl Iterator<Item = &SamplesByTest> {
        self.runs.iter().filter(move |((of, _), _)| *of == variant).map(|(_, tests)| tests)
    }

    /// Returns every sample of a variant, of all tests.
    pub fn of_variant(&self, variant: usize) -> impl Iterator<Item = &Sample> {
        self.runs_of(variant).flatten().filter(|((_, part), _)| part.is_none()).map(|(_, sample)| sample)
    }

    pub fn of_test(&self, variant: usize, test: u32) -> impl Iterator<Item = &Sample> {
        self.runs_of(variant).filter_map(move |tests| tests.get(&(test, None)))
    }

    /// Returns the names of a test's parts that the variant has, by name. The connections of a replay are left out: they do all of it.
    pub fn parts(&self, variant: usize, test: u32) -> BTreeSet<&str> {
        let of_run = |tests: &'_ SamplesByTest| {
            let operations =
                |part: Option<&str>| tests.get(&(test, part.map(str::to_owned)))?.figures.get(Metric::Operations);
            operations(Some(REPLAY_ACTOR)).is_some_and(|all| Some(all) == operations(None))
        };
        let is_whole = self.runs_of(variant).any(of_run);
        let parts = self.runs_of(variant).flatten().filter(|((of, _), _)| *of == test);
        let parts = parts.filter_map(|((_, part), _)| part.as_deref());
        parts.filter(|part| !(is_whole && *part == REPLAY_ACTOR)).collect()
    }

    /// Returns the rounds in which both variants ran, in order.
    pub fn rounds(&self, a: usize, b: usize) -> BTreeSet<&RoundKey> {
        let of = |variant: usize| -> BTreeSet<&RoundKey> {
            self.runs.keys().filter(|(of, _)| *of == variant).map(|(_, round)| round).collect()
        };
        of(a).intersection(&of(b)).copied().collect()
    }

    /// Returns the samples of `a` and `b` in one test or part, in pairs of one round.
    pub fn pairs(&self, a: usize, b: usize, test: &TestPart) -> Vec<(&Sample, &Sample)> {
        let of = |variant: usize, round: &RoundKey| self.runs.get(&(variant, round.clone()))?.get(test);
        self.rounds(a, b).into_iter().filter_map(|round| Some((of(a, round)?, of(b, round)?))).collect()
    }
}
