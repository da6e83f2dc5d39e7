//! Whether what is compared is alike.

use super::{Linter, SessionEvidence, series, some_of};
use crate::{
    base::units,
    engines::HARNESS_ENGINE,
    metric::Metric,
    store::{FailureKind, RunRecord},
};
use dbdyno_engine::durability::Tier;
use std::collections::{BTreeMap, BTreeSet};

/// Engines gave different answers.
pub(super) struct Disagreement;

impl Linter for Disagreement {
    fn name(&self) -> &'static str {
        "failed verification"
    }

    fn summary(&self) -> &'static str {
        "results have answers that differ from those of other engines"
    }

    fn explain(&self) -> &'static str {
        "A fast wrong answer is worth nothing: the figures of these results are withheld from every comparison."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let runs: BTreeMap<&str, &str> =
            evidence.runs.iter().map(|run| (run.run_id.as_str(), run.label.as_str())).collect();
        let places: BTreeSet<String> = evidence
            .results
            .iter()
            .filter(|result| result.agrees == Some(false))
            .map(|result| {
                let label = runs.get(result.run_id.as_str()).copied().unwrap_or("?");
                format!("{} on {label}", result.test_name)
            })
            .collect();
        if places.is_empty() {
            return Vec::new();
        }
        vec![format!("answers differ between engines: {}", some_of(places.into_iter().collect()))]
    }
}

/// Nobody else answered.
pub(super) struct NotCrossChecked;

impl Linter for NotCrossChecked {
    fn name(&self) -> &'static str {
        "not cross-checked"
    }

    fn summary(&self) -> &'static str {
        "sessions have answers that nothing was held against"
    }

    fn explain(&self) -> &'static str {
        "One implementation cannot show that it is right: run another engine beside it, best of all sqlite. Configurations of one \
         library, and engines that SQL reaches through one layer, are one implementation."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let unchecked =
            evidence.results.iter().filter(|result| result.verification.is_some() && result.agrees.is_none());
        let tests: BTreeSet<String> = unchecked.map(|result| result.test_name.clone()).collect();
        if tests.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "answers are not cross-checked, as one implementation gave them: {}",
            some_of(tests.into_iter().collect())
        )]
    }
}

/// Configurations promise different durability.
pub(super) struct UnequalTiers;

impl Linter for UnequalTiers {
    fn name(&self) -> &'static str {
        "unequal tiers"
    }

    fn summary(&self) -> &'static str {
        "durability tiers are compared with each other"
    }

    fn explain(&self) -> &'static str {
        "A commit that waits for the disk and one that does not are different services: choose options of one tier."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let mut tiers: BTreeMap<Tier, BTreeSet<&str>> = BTreeMap::new();
        for run in evidence.runs.iter().filter(|run| run.engine != HARNESS_ENGINE) {
            tiers.entry(run.tier).or_default().insert(if evidence.is_open {
                without_rate(&run.label)
            } else {
                &run.label
            });
        }
        // What is unknown may differ from anything, and from another that is unknown.
        let unknown = tiers.contains_key(&Tier::Unknown);
        if tiers.len() < 2 && !(unknown && tiers.values().map(BTreeSet::len).sum::<usize>() > 1) {
            return Vec::new();
        }
        let one = |(tier, labels): (Tier, BTreeSet<&str>)| {
            format!("{tier}: {}", labels.into_iter().collect::<Vec<_>>().join(", "))
        };
        let says = if unknown { "commits are not known to be" } else { "commits are not" };
        let tiers: Vec<String> = tiers.into_iter().rev().map(one).collect();
        vec![format!("{says} equally durable everywhere ({})", tiers.join("; "))]
    }
}

/// The label of a run that was chosen as the session went, without the rate that tells it from others: `lmdb@1200`.
fn without_rate(label: &str) -> &str {
    label
        .rsplit_once('@')
        .filter(|(_, rate)| rate.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(label, |(base, _)| base)
}

/// Options in force are not those asked for, and the run was let go on.
pub(super) struct DifferingOptions;

impl Linter for DifferingOptions {
    fn name(&self) -> &'static str {
        "options differ"
    }

    fn summary(&self) -> &'static str {
        "runs failed because options in force differ from those asked for"
    }

    fn explain(&self) -> &'static str {
        "An engine may change or ignore a value without saying so. What was measured is what it says is in force."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let differ = |run: &&RunRecord| run.failure_kind == Some(FailureKind::OptionsDiffer);
        let failures: BTreeSet<&String> =
            evidence.runs.iter().filter(differ).filter_map(|run| run.failure.as_ref()).collect();
        failures.into_iter().cloned().collect()
    }
}

/// Engines used very different amounts of memory.
pub(super) struct UnequalMemory;

/// Peaks closer than this factor are alike: allocators and maps differ by as much.
const MEMORY_FACTOR: u64 = 4;

impl Linter for UnequalMemory {
    fn name(&self) -> &'static str {
        "unequal memory"
    }

    fn summary(&self) -> &'static str {
        "engines used very different amounts of memory at one size"
    }

    fn explain(&self) -> &'static str {
        "An engine with a larger cache reads less from the system: give all engines caches of about the same size."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let runs: BTreeMap<&str, (&str, &str)> =
            evidence.runs.iter().map(|run| (run.run_id.as_str(), (run.size.as_str(), run.label.as_str()))).collect();
        let mut peaks: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for result in evidence.results {
            if let Some((size, label)) = runs.get(result.run_id.as_str()) {
                let peak = peaks.entry(size).or_default().entry(label).or_default();
                *peak = (*peak).max(result.figure(Metric::PeakMemory).unwrap_or(0));
            }
        }
        peaks
            .into_iter()
            .filter_map(|(size, labels)| {
                let (least, low) =
                    labels.iter().filter(|(label, _)| **label != HARNESS_ENGINE).min_by_key(|(_, peak)| **peak)?;
                let (most, high) = labels.iter().max_by_key(|(_, peak)| **peak)?;
                let unequal = *low > 0 && high / low >= MEMORY_FACTOR;
                unequal.then(|| {
                    format!("at {size}, {most} peaked at {} and {least} at {}", units::bytes(*high), units::bytes(*low))
                })
            })
            .collect()
    }
}

/// Operations so fast that the harness is a part of what is measured.
pub(super) struct HarnessBound;

/// An operation should take this many times what the harness takes around it.
pub const HARNESS_FACTOR: f64 = 20.0;

impl Linter for HarnessBound {
    fn name(&self) -> &'static str {
        "harness-bound"
    }

    fn summary(&self) -> &'static str {
        "tests are so fast that the harness is a part of what is measured"
    }

    fn explain(&self) -> &'static str {
        "Making a key, reading the clock and checking the answer take time too, the same for every engine. It pulls ratios \
         towards 1: a true difference is larger than the one shown."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let cost: BTreeMap<(&str, u32), f64> =
            evidence.harness.iter().map(|cost| ((cost.size.as_str(), cost.test), cost.ns_per_operation)).collect();
        let mut places = Vec::new();
        for series in series(evidence).iter().filter(|series| series.run.engine != HARNESS_ENGINE) {
            let harness = cost.get(&(series.run.size.as_str(), series.test));
            if let (Some(&harness), Some(median)) = (harness, series.median()) {
                let own = median / series.operations.max(1) as f64;
                if own < HARNESS_FACTOR * harness {
                    places.push(format!("{} ({own:.0} ns, harness {harness:.0} ns)", series.place()));
                }
            }
        }
        if places.is_empty() {
            return Vec::new();
        }
        vec![format!("an operation takes less than {HARNESS_FACTOR}x the harness around it: {}", some_of(places))]
    }
}
