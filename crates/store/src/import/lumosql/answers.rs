//! Checks that backends gave answers of the same length. LumoSQL checks answers at size 1 only, and its random numbers differ from run to
//! run. So a length is evidence only if it is the same in every run of an engine.

use super::{
    super::super::WarningRecord,
    Converted,
    findings::{FindingCounts, ImportFinding},
    identifier,
    names::folded,
    run::OUTPUT_SIZE,
};
use std::collections::{BTreeMap, HashMap};

/// The range of the lengths of one engine's outputs, with the number of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lengths {
    least: u64,
    most: u64,
    runs: usize,
}

impl Lengths {
    fn with(self, length: u64) -> Self {
        Self { least: self.least.min(length), most: self.most.max(length), runs: self.runs + 1 }
    }

    fn overlaps(self, other: Self) -> bool {
        self.least <= other.most && other.least <= self.most
    }

    /// Whether several runs all gave the same length.
    fn is_settled(self) -> bool {
        self.least == self.most && self.runs > 1
    }

    fn text(self) -> String {
        if self.least == self.most { self.least.to_string() } else { format!("{} to {}", self.least, self.most) }
    }
}

/// The result of comparing lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LengthVerdict {
    Agrees,
    /// Every engine always gives one length, but the engines differ.
    Disagrees,
    /// The ranges do not overlap, but the lengths vary.
    Suspicious,
}

fn verdict(own: Lengths, others: &[Lengths]) -> LengthVerdict {
    let agreeing = 1 + others.iter().filter(|other| own.overlaps(**other)).count();
    if 2 * agreeing > 1 + others.len() {
        return LengthVerdict::Agrees;
    }
    let settled = own.is_settled() && others.iter().all(|other| other.is_settled());
    if settled { LengthVerdict::Disagrees } else { LengthVerdict::Suspicious }
}

/// Marks results whose output length differs from that of most engines at the same test and size, and adds warnings.
pub(super) fn mark_disagreeing(converted: &mut Converted, findings: &mut FindingCounts) {
    let runs: HashMap<&str, (&str, &str, &str)> = converted
        .runs
        .iter()
        .map(|run| (run.run_id.as_str(), (run.engine.as_str(), run.size.as_str(), run.session_id.as_str())))
        .collect();
    let lengths: HashMap<(&str, u32), u64> = converted
        .result_keys
        .iter()
        .filter(|row| row.key == OUTPUT_SIZE)
        .filter_map(|row| Some(((row.run_id.as_str(), row.test), row.value.trim().parse().ok()?)))
        .collect();
    let mut groups: BTreeMap<(String, &str), BTreeMap<&str, Lengths>> = BTreeMap::new();
    let mut members = Vec::new();
    for (at, result) in converted.results.iter().enumerate().filter(|(_, result)| result.failure.is_none()) {
        let Some(&(engine, size, session_id)) = runs.get(result.run_id.as_str()) else { continue };
        let Some(&length) = lengths.get(&(result.run_id.as_str(), result.test)) else { continue };
        let group = (folded(&result.test_name), size);
        let fresh = Lengths { least: length, most: length, runs: 0 };
        let seen = groups.entry(group.clone()).or_default().entry(engine).or_insert(fresh);
        *seen = seen.with(length);
        members.push((at, group, engine, session_id, length));
    }
    let mut disagreeing = Vec::new();
    for (at, group, engine, session_id, length) in &members {
        let engines = &groups[group];
        let others: Vec<Lengths> = engines.iter().filter(|(of, _)| *of != engine).map(|(_, seen)| *seen).collect();
        let verdict = verdict(engines[engine], &others);
        if verdict == LengthVerdict::Agrees {
            continue;
        }
        let theirs: Vec<String> =
            engines.iter().filter(|(of, _)| *of != engine).map(|(of, seen)| format!("{of} {}", seen.text())).collect();
        let result = &converted.results[*at];
        converted.warnings.push(WarningRecord {
            warning_id: identifier(&format!("output-size {} {}", result.run_id, result.test)),
            session_id: (*session_id).to_owned(),
            run_id: Some(result.run_id.clone()),
            test: Some(result.test),
            linter: OUTPUT_SIZE.to_owned(),
            matter: None,
            message: format!(
                "the output has {length} bytes at size {}; bytes of other engines' output: {}",
                group.1,
                theirs.join(", ")
            ),
        });
        findings.add(match verdict {
            LengthVerdict::Disagrees => ImportFinding::DifferingOutput,
            LengthVerdict::Suspicious | LengthVerdict::Agrees => ImportFinding::SuspiciousOutput,
        });
        if verdict == LengthVerdict::Disagrees {
            disagreeing.push(*at);
        }
    }
    for at in disagreeing {
        converted.results[at].agrees = Some(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(least: u64, most: u64, runs: usize) -> Lengths {
        Lengths { least, most, runs }
    }

    #[test]
    fn lengths_that_always_differ_are_wrong_and_others_are_doubted() {
        let (right, wrong) = (lengths(900, 900, 3), lengths(120_000, 120_000, 2));
        assert_eq!(verdict(right, &[]), LengthVerdict::Agrees);
        assert_eq!(verdict(right, &[right]), LengthVerdict::Agrees);
        assert_eq!(verdict(right, &[wrong]), LengthVerdict::Disagrees, "of two, neither is known to be right");
        assert_eq!(verdict(right, &[right, wrong]), LengthVerdict::Agrees, "of three, two are");
        assert_eq!(verdict(wrong, &[right, right]), LengthVerdict::Disagrees);
        assert_eq!(verdict(right, &[lengths(950, 950, 1)]), LengthVerdict::Suspicious, "one run may be by chance");
        assert_eq!(verdict(lengths(10, 20, 4), &[lengths(15, 30, 4)]), LengthVerdict::Agrees);
        assert_eq!(verdict(lengths(10, 20, 4), &[lengths(21, 30, 4)]), LengthVerdict::Suspicious);
    }
}
