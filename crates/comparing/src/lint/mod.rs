//! Linters: facts that a reader of a session's figures should know before believing them.

mod builds;
mod cold;
mod fairness;
mod harness;
mod outside;
mod place;
mod plans;
mod reads;
mod repeats;
mod throttled;
mod turns;

pub use builds::{ENGINE_BUILD, built_to_debug};
pub use fairness::is_unequal_memory;
pub use harness::{HARNESS_FACTOR, HarnessCosts};
pub use outside::OUTSIDE_SHARE;
pub use reads::ReadingTests;
pub use turns::{prolonged_by_turns, worked_in_others_turns};

use crate::doubt::{Doubt, DoubtAbout};
use dbdyno_foundation::{
    base::units::counted,
    host::WorkFolderFacts,
    metric::{Figures, Metric},
};
use dbdyno_stats::median;
use dbdyno_store::{ActorRecord, RunRecord, SessionRecord, TestRecord, WarningRecord};
use std::collections::BTreeMap;

/// The input of linters: a session that has ended.
#[derive(Debug, Clone, Copy)]
pub struct SessionEvidence<'e> {
    pub session: &'e SessionRecord,
    /// The folder of its databases.
    pub folder: &'e WorkFolderFacts,
    /// Whether other sessions were allowed to run at the same time.
    pub concurrent: bool,
    pub runs: &'e [RunRecord],
    /// Finished tests of its runs.
    pub results: &'e [TestRecord],
    /// The results of its tests' actors.
    pub actors: &'e [ActorRecord],
    /// What stands in for what the user's own statements take from the moment, from chance or from their application, in sentences.
    pub stand_ins: &'e [String],
    /// What a replay does not do as it was recorded, in sentences.
    pub replay: &'e [String],
    /// The parts of its suite that only read.
    pub reading: &'e ReadingTests,
    /// The time that the harness takes around operations, by engine and test.
    pub harness: &'e HarnessCosts,
    /// Whether its runs were chosen during the session, so that they do not repeat each other.
    pub is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub linter: &'static str,
    /// A run of the configuration that it concerns; none: it concerns the whole session.
    pub run_id: Option<String>,
    /// The problem, in the same words for every configuration that has it.
    pub matter: Option<String>,
    /// The finding in one sentence: the problem, and after a colon where it occurs.
    pub message: String,
}

/// The finding of a linter, with a run of the configuration that it concerns.
#[derive(Debug, Clone)]
pub struct LintFinding<'e> {
    matter: Option<String>,
    message: String,
    run: Option<&'e RunRecord>,
}

impl From<String> for LintFinding<'_> {
    /// The finding concerns the whole session.
    fn from(message: String) -> Self {
        Self { matter: None, message, run: None }
    }
}

/// Groups a problem by configuration, each with a label and a size: `matter: PLACE, PLACE and 3 more`.
fn by_configuration<'e>(
    matter: &str,
    places: impl IntoIterator<Item = (&'e RunRecord, String)>,
) -> Vec<LintFinding<'e>> {
    let mut configurations: Vec<(&RunRecord, Vec<String>)> = Vec::new();
    for (run, place) in places {
        let same = |(other, _): &&mut (&RunRecord, Vec<String>)| (&other.label, &other.size) == (&run.label, &run.size);
        match configurations.iter_mut().find(same) {
            Some((_, places)) => places.push(place),
            None => configurations.push((run, vec![place])),
        }
    }
    let found = |(run, places): (&'e RunRecord, Vec<String>)| LintFinding {
        matter: Some(matter.to_owned()),
        message: format!("{matter}: {}", some_of(places)),
        run: Some(run),
    };
    configurations.into_iter().map(found).collect()
}

/// Returns findings for readers: a problem of several configurations is reported once, for the first of them.
pub fn summed(warnings: &[WarningRecord]) -> Vec<Doubt> {
    summed_up(warnings.iter().map(|warning| (&*warning.linter, warning.matter.as_deref(), &*warning.message)))
}

/// Sums up findings, each with linter, problem and message.
pub(crate) fn summed_up<'w>(warnings: impl Iterator<Item = (&'w str, Option<&'w str>, &'w str)>) -> Vec<Doubt> {
    let mut said: Vec<(&str, Option<&str>, &str, usize)> = Vec::new();
    for (linter, matter, message) in warnings {
        let is_alike = |(of, known, ..): &&mut (&str, Option<&str>, &str, usize)| {
            matter.is_some() && (*of, *known) == (linter, matter)
        };
        match said.iter_mut().find(is_alike) {
            Some((.., more)) => *more += 1,
            None => said.push((linter, matter, message, 0)),
        }
    }
    let doubt = |(linter, _, message, more): (&str, Option<&str>, &str, usize)| {
        let known = LINTERS.iter().find(|known| known.name() == linter);
        // A session of another version may have findings that this one does not know.
        let about = known.map_or(DoubtAbout::Amount, |known| known.about());
        let message = match more {
            0 => format!("{linter}: {message}"),
            more => format!("{linter}: {message}; and {}", counted(more, "more configuration")),
        };
        Doubt::new(about, linter, message)
    };
    said.into_iter().map(doubt).collect()
}

/// One kind of check.
pub trait Linter: Sync {
    /// The short name, stored with the finding.
    fn name(&self) -> &'static str;

    /// What its findings could change.
    fn about(&self) -> DoubtAbout;

    /// The words that follow a count of findings: `tests are bound by the harness`.
    fn summary(&self) -> &'static str;

    /// The reason why it matters, and what to do.
    fn explain(&self) -> &'static str;

    /// Whether it checks repeats of the same thing.
    fn is_of_repeats(&self) -> bool {
        false
    }

    /// Returns the findings, in sentences.
    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>>;
}

/// All linters, in the order in which their findings are shown.
pub const LINTERS: &[&dyn Linter] = &[
    &fairness::Disagreement,
    &fairness::NotCrossChecked,
    &fairness::NotVerified,
    &fairness::StandIn,
    &fairness::ReplayDiffers,
    &plans::PlansDiffer,
    &reads::ReadsNothing,
    &fairness::UnequalTiers,
    &fairness::DifferingOptions,
    &fairness::UnequalMemory,
    &harness::HarnessBound,
    &harness::UnknownHarness,
    &outside::OutsideTheTimer,
    &place::NoDisk,
    &place::ChangingMount,
    &place::NetworkFolder,
    &cold::NotCold,
    &place::NoisyHost,
    &throttled::Throttled,
    &place::Concurrent,
    &turns::WorkInOthersTurns,
    &turns::ColdCaches,
    &builds::DebugBuild,
    &builds::EngineBuild,
    &builds::PreloadedLibraries,
    &repeats::FailedRuns,
    &repeats::TooFew,
    &repeats::FirstRunOutlier,
    &repeats::Unsettled,
];

pub fn findings(evidence: &SessionEvidence<'_>) -> Vec<Finding> {
    let applies = |linter: &&&dyn Linter| !(evidence.is_open && linter.is_of_repeats());
    LINTERS
        .iter()
        .filter(applies)
        .flat_map(|linter| {
            let finding = |LintFinding { matter, message, run }: LintFinding<'_>| Finding {
                linter: linter.name(),
                run_id: run.map(|run| run.run_id.clone()),
                matter,
                message,
            };
            linter.check(evidence).into_iter().map(finding)
        })
        .collect()
}

/// Wall times of one test of one configuration, ns, in the order of the rounds.
struct TestSeries<'e> {
    run: &'e RunRecord,
    test_name: &'e str,
    test: u32,
    operations: u64,
    wall_ns: Vec<f64>,
    /// The times by which runs are compared; per operation for a test that ended after a fixed time.
    compared_ns: Vec<f64>,
    /// The time spent outside the timer, in ns, for the runs that record it. Opening the database is a part of the compared time if the
    /// test began cold.
    outside_ns: Vec<f64>,
    figures: Vec<&'e Figures>,
}

impl TestSeries<'_> {
    /// `Random reads on sqlite at 10000`.
    fn place(&self) -> String {
        format!("{} on {} at {}", self.test_name, self.run.label, self.run.size)
    }

    fn median(&self) -> Option<f64> {
        median(&self.wall_ns).ok()
    }
}

/// Results with their runs.
type Members<'e> = Vec<(&'e RunRecord, &'e TestRecord)>;

/// Groups the results of finished tests by configuration and test.
fn series<'e>(evidence: &SessionEvidence<'e>) -> Vec<TestSeries<'e>> {
    let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
    let mut all: BTreeMap<(&str, &str, u32), Members<'e>> = BTreeMap::new();
    for result in evidence.results {
        if let Some(run) = runs.get(result.run_id.as_str()) {
            all.entry((&run.size, &run.label, result.test)).or_default().push((run, result));
        }
    }
    all.into_values()
        .filter_map(|mut members| {
            members.sort_by_key(|(run, _)| run.round);
            let (run, result) = *members.first()?;
            let values = |metric| members.iter().filter_map(move |(_, result)| result.figures.value(metric)).collect();
            Some(TestSeries {
                run,
                test_name: &result.test_name,
                test: result.test,
                operations: result.figure(Metric::Operations)?,
                wall_ns: values(Metric::Wall),
                compared_ns: members.iter().filter_map(|(_, result)| result.figures.compared(Metric::Wall)).collect(),
                outside_ns: members.iter().filter_map(|(_, result)| result.figures.outside_unit_ns()).collect(),
                figures: members.iter().map(|(_, result)| &result.figures).collect(),
            })
        })
        .collect()
}

/// `a, b, c and 4 more`.
fn some_of(mut places: Vec<String>) -> String {
    const SHOWN: usize = 3;
    let more = places.len().saturating_sub(SHOWN);
    places.truncate(SHOWN);
    let shown = places.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
