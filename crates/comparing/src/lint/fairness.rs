//! Checks that the compared configurations have equal conditions.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration};
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::{base::units, metric::Metric};
use dbdyno_store::{ActorRecord, FailureKind, RunRecord, TestRecord};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the tests of configurations with matching results, each once, in the order of the runs.
fn places<'e>(evidence: &SessionEvidence<'e>, is_meant: impl Fn(&TestRecord) -> bool) -> Vec<(&'e RunRecord, String)> {
    places_with(evidence, is_meant, |_| String::new())
}

/// Does the same, and adds to the name of each place what `more` says of its first result.
fn places_with<'e>(
    evidence: &SessionEvidence<'e>,
    is_meant: impl Fn(&TestRecord) -> bool,
    more: impl Fn(&TestRecord) -> String,
) -> Vec<(&'e RunRecord, String)> {
    let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
    let mut seen = BTreeSet::new();
    let meant = evidence.results.iter().filter(|result| is_meant(result));
    meant
        .filter_map(|result| {
            let run = *runs.get(result.run_id.as_str())?;
            let is_new = seen.insert((&run.label, &run.size, result.test));
            is_new.then(|| (run, format!("{} on {}{}", result.test_name, run.label, more(result))))
        })
        .collect()
}

/// Names the statements of a test whose answers differ, if it has any: ` (newest, added)`.
fn differing_statements(evidence: &SessionEvidence<'_>, result: &TestRecord) -> String {
    let differs = |part: &&ActorRecord| {
        let is_of = (&part.run_id, part.test) == (&result.run_id, result.test);
        is_of && part.verification.is_some() && part.agrees == Some(false)
    };
    let names: Vec<&str> = evidence.actors.iter().filter(differs).map(|part| part.actor.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

/// Engines gave different answers.
pub(super) struct Disagreement;

impl Linter for Disagreement {
    fn name(&self) -> &'static str {
        "failed verification"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Comparability
    }

    fn summary(&self) -> &'static str {
        "results have answers that differ from those of other engines"
    }

    fn explain(&self) -> &'static str {
        "A fast wrong answer is worth nothing: comparisons leave out the figures of these results."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let statements = |result: &TestRecord| differing_statements(evidence, result);
        let differing = places_with(evidence, |result| result.agrees == Some(false), statements);
        by_configuration("answers differ between engines", differing)
    }
}

/// No other implementation gave answers.
pub(super) struct NotCrossChecked;

impl Linter for NotCrossChecked {
    fn name(&self) -> &'static str {
        "not cross-checked"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Comparability
    }

    fn summary(&self) -> &'static str {
        "sessions have answers that no other implementation confirmed"
    }

    fn explain(&self) -> &'static str {
        "One implementation cannot show that it is right: also run another engine, preferably sqlite. Configurations \
         of one library count as one implementation, and so do engines behind one SQL layer."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let unchecked = places(evidence, |result| result.verification.is_some() && result.agrees.is_none());
        by_configuration("answers are not cross-checked, because only one implementation gave them", unchecked)
    }
}

/// There was nothing to check answers against.
pub(super) struct NotVerified;

impl Linter for NotVerified {
    fn name(&self) -> &'static str {
        "not verified"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Comparability
    }

    fn summary(&self) -> &'static str {
        "tests have answers that could not be checked"
    }

    fn explain(&self) -> &'static str {
        "The answers of threads depend on their order, and no invariant is known that holds in any order. Give each \
         thread a number of operations and let no thread write what others read, or let threads work with accounts."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let unverified = places(evidence, |result| !result.is_verified());
        let of_engines = unverified.into_iter().filter(|(run, _)| run.engine != HARNESS_ENGINE);
        by_configuration("the answers were not checked", of_engines)
    }
}

/// Something stands in for what the user's own statements take from elsewhere.
pub(super) struct StandIn;

impl Linter for StandIn {
    fn name(&self) -> &'static str {
        "stand-in"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "things of your statements have stand-ins"
    }

    fn explain(&self) -> &'static str {
        "Statements that ask for the time, for random values or for something of your application would give each \
         engine another answer, or none. A stand-in is the same on every engine. Check that it costs about as much as \
         what it replaces."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        evidence.stand_ins.iter().cloned().map(LintFinding::from).collect()
    }
}

/// A replay differs from what was recorded.
pub(super) struct ReplayDiffers;

impl Linter for ReplayDiffers {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "parts of the recording are not replayed as they were"
    }

    fn explain(&self) -> &'static str {
        "A replay does what a program did, as far as the recording and the database allow. A call that fails, or is left \
         out, takes another time than it took in the program, and so may what comes after it. Every engine does the same."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        evidence.replay.iter().cloned().map(LintFinding::from).collect()
    }
}

/// Configurations promise different durability.
pub(super) struct UnequalTiers;

impl Linter for UnequalTiers {
    fn name(&self) -> &'static str {
        "unequal tiers"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Comparability
    }

    fn summary(&self) -> &'static str {
        "durability tiers are compared with each other"
    }

    fn explain(&self) -> &'static str {
        "A commit that waits for the disk and one that does not are different services: choose options of one tier."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let mut tiers: BTreeMap<Tier, BTreeSet<&str>> = BTreeMap::new();
        for run in evidence.runs.iter().filter(|run| run.engine != HARNESS_ENGINE) {
            tiers.entry(run.tier).or_default().insert(if evidence.is_open {
                without_rate(&run.label)
            } else {
                &run.label
            });
        }
        // An unknown tier may differ from any tier, including another unknown one.
        let unknown = tiers.contains_key(&Tier::Unknown);
        if tiers.len() < 2 && !(unknown && tiers.values().map(BTreeSet::len).sum::<usize>() > 1) {
            return Vec::new();
        }
        let one = |(tier, labels): (Tier, BTreeSet<&str>)| {
            format!("{tier}: {}", labels.into_iter().collect::<Vec<_>>().join(", "))
        };
        let says = if unknown { "commits may not be" } else { "commits are not" };
        let tiers: Vec<String> = tiers.into_iter().rev().map(one).collect();
        vec![format!("{says} equally durable everywhere ({})", tiers.join("; ")).into()]
    }
}

/// Returns the label of a run that was chosen during the session, without the rate that distinguishes it: `lmdb@1200`.
fn without_rate(label: &str) -> &str {
    label
        .rsplit_once('@')
        .filter(|(_, rate)| rate.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(label, |(base, _)| base)
}

/// Options in force differ from the requested ones, and the run was allowed to continue.
pub(super) struct DifferingOptions;

impl Linter for DifferingOptions {
    fn name(&self) -> &'static str {
        "options differ"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Comparability
    }

    fn summary(&self) -> &'static str {
        "runs failed because options in force differ from the requested ones"
    }

    fn explain(&self) -> &'static str {
        "An engine may change or ignore a value without an error. The runs used the values that it reports as in force."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let differ = |run: &&RunRecord| run.failure_kind == Some(FailureKind::OptionsDiffer);
        let mut failures: BTreeMap<&String, &RunRecord> = BTreeMap::new();
        for run in evidence.runs.iter().filter(differ) {
            if let Some(failure) = &run.failure {
                failures.entry(failure).or_insert(run);
            }
        }
        let found =
            |(message, run): (&String, _)| LintFinding { matter: None, message: message.clone(), run: Some(run) };
        failures.into_iter().map(found).collect()
    }
}

/// Engines used very different amounts of memory.
pub(super) struct UnequalMemory;

/// Whether two peaks of memory, in bytes, are unequal: by a factor, because allocators and maps differ by less, and by enough that a cache
/// of that size may matter.
pub fn is_unequal_memory(one: u64, other: u64) -> bool {
    let (low, high) = (one.min(other), one.max(other));
    low > 0 && high / low >= MEMORY_FACTOR && high - low >= LEAST_MEMORY
}

const MEMORY_FACTOR: u64 = 4;
const LEAST_MEMORY: u64 = 16 << 20;

impl Linter for UnequalMemory {
    fn name(&self) -> &'static str {
        "unequal memory"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Comparability
    }

    fn summary(&self) -> &'static str {
        "engines used very different amounts of memory at one size"
    }

    fn explain(&self) -> &'static str {
        "An engine with a larger cache reads less from the system: give all engines caches of about the same size."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let runs: BTreeMap<&str, (&str, &str)> =
            evidence.runs.iter().map(|run| (run.run_id.as_str(), (run.size.as_str(), run.label.as_str()))).collect();
        let mut peaks: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for result in evidence.results {
            if let Some((size, label)) = runs.get(result.run_id.as_str()) {
                let peak = peaks.entry(size).or_default().entry(label).or_default();
                *peak = (*peak).max(result.figures.value(Metric::EngineMemory).unwrap_or(0.0) as u64);
            }
        }
        peaks
            .into_iter()
            .filter_map(|(size, labels)| {
                let (least, low) =
                    labels.iter().filter(|(label, _)| **label != HARNESS_ENGINE).min_by_key(|(_, peak)| **peak)?;
                let (most, high) = labels.iter().max_by_key(|(_, peak)| **peak)?;
                is_unequal_memory(*low, *high).then(|| {
                    let (high, low) = (units::bytes(*high), units::bytes(*low));
                    format!("at {size}, {most} peaked at {high} and {least} at {low}").into()
                })
            })
            .collect()
    }
}
