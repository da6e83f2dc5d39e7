//! Runs that contradict themselves or are incomplete, by name.

use super::read::{RawRun, RawRuns};
use dbdyno_foundation::base::units::counted;

/// Maximum number of runs of each kind that are listed by name.
const NAMED: usize = 10;
/// Number of digits of a run's identifier that are shown.
const PREFIX: usize = 8;

/// Returns a sentence for each doubtful run. If there are too many, it says how many more there are.
pub(super) fn doubts(runs: &RawRuns) -> Vec<String> {
    let named = |what: &str, more: &str, reasons: &dyn Fn(&RawRun) -> Vec<String>| {
        let doubted: Vec<String> = runs
            .iter()
            .map(|(id, run)| (id, reasons(run)))
            .filter(|(_, reasons)| !reasons.is_empty())
            .map(|(id, reasons)| {
                format!("run {} {what}: {}", id.chars().take(PREFIX).collect::<String>(), reasons.join("; "))
            })
            .collect();
        let beyond = doubted.len().saturating_sub(NAMED);
        let more = (beyond > 0).then(|| format!("more runs {more}: {beyond}"));
        doubted.into_iter().take(NAMED).chain(more).collect::<Vec<_>>()
    };
    let mut sentences = named("contradicts itself", "that contradict themselves", &contradictions);
    sentences.extend(named("is incomplete", "that are incomplete", &gaps));
    sentences
}

/// Returns the facts of a run that cannot all be true.
fn contradictions(run: &RawRun) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if !run.differing.is_empty() {
        let keys: Vec<&str> = run.differing.iter().map(String::as_str).collect();
        found.push(format!("several values of {}", listed(&keys)));
    }
    let number = |key: &str| run.facts.get(key)?.trim().parse::<f64>().ok();
    if let (Some(began), Some(ended)) = (number("when-run"), number("end-run"))
        && ended < began
    {
        found.push("its end-run is before its when-run".to_owned());
    }
    let Some(said) = TestCounts::said(run) else { return found };
    let there = TestCounts::there(run);
    if there.all() > said.all() {
        found.push(format!("it reports {}, but has {}", counted(said.all(), "test"), there.all()));
    } else if there.ok > said.ok {
        found.push(format!("tests-ok is {}, but the status of {} is OK", said.ok, counted(there.ok, "test")));
    } else if there.others > said.others {
        found.push(format!(
            "tests-fail and tests-intr add up to {}, but the status of {} is not OK",
            said.others,
            counted(there.others, "test")
        ));
    }
    found
}

/// Returns what a run lacks.
fn gaps(run: &RawRun) -> Vec<String> {
    if run.facts.is_empty() {
        return vec!["run_data has no data for it".to_owned()];
    }
    let time = |key: &'static str| match run.facts.get(key) {
        None => Some(format!("no {key}")),
        Some(time) if time.trim().parse::<f64>().is_err() => Some(format!("its {key} is not a valid time")),
        Some(_) => None,
    };
    let mut found: Vec<String> = ["when-run", "end-run"].into_iter().filter_map(time).collect();
    if let Some((said, there)) = TestCounts::said(run).map(|said| (said.all(), run.tests.len()))
        && there < said
    {
        found.push(format!("{} of its {said} tests are missing", said - there));
    }
    for key in ["test-name", "real-time", "status"] {
        let without: Vec<String> =
            run.tests.iter().filter(|(_, facts)| !facts.contains_key(key)).map(|(test, _)| test.to_string()).collect();
        if !without.is_empty() {
            let tests: Vec<&str> = without.iter().map(String::as_str).collect();
            found.push(format!("no {key} of test {}", listed(&tests)));
        }
    }
    found
}

/// Lists the first of several things, and how many more there are.
fn listed(all: &[&str]) -> String {
    const SHOWN: usize = 3;
    let shown = all.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN { format!("{shown} and {} more", all.len() - SHOWN) } else { shown }
}

/// The number of a run's tests that ended well, and of those that did not.
struct TestCounts {
    ok: usize,
    others: usize,
}

impl TestCounts {
    fn all(&self) -> usize {
        self.ok + self.others
    }

    /// Returns the counts that the run states, or `None` if it states none.
    fn said(run: &RawRun) -> Option<Self> {
        let count = |key: &str| run.facts.get(key)?.trim().parse::<usize>().ok();
        let others = count("tests-fail").unwrap_or(0).checked_add(count("tests-intr").unwrap_or(0))?;
        let ok = count("tests-ok")?;
        ok.checked_add(others).map(|_| Self { ok, others })
    }

    /// Counts tests by their status. A test without a status is in neither count.
    fn there(run: &RawRun) -> Self {
        let statuses = || run.tests.values().filter_map(|test| test.get("status"));
        let ok = statuses().filter(|status| status.trim() == "OK").count();
        Self { ok, others: statuses().count() - ok }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::findings::FindingCounts, *};

    fn run(facts: &[(&str, &str)], statuses: &[&str]) -> RawRun {
        let (mut run, mut findings) = (RawRun::default(), FindingCounts::default());
        for (key, value) in facts {
            run.add_fact((*key).to_owned(), (*value).to_owned(), &mut findings);
        }
        for (status, test) in statuses.iter().zip(1..) {
            for (key, value) in [("test-name", "x"), ("real-time", "1"), ("status", *status)] {
                run.add_test_fact(test, key.to_owned(), value.to_owned(), &mut findings);
            }
        }
        run
    }

    #[test]
    fn counts_that_do_not_match_contradict_and_fewer_tests_are_a_gap() {
        let whole = [("when-run", "5"), ("end-run", "6"), ("tests-ok", "2"), ("tests-fail", "1"), ("tests-intr", "0")];
        assert!(contradictions(&run(&whole, &["OK", "OK", "ERR1"])).is_empty());
        assert!(gaps(&run(&whole, &["OK", "OK", "ERR1"])).is_empty());
        let said = |statuses: &[&str]| contradictions(&run(&whole, statuses)).join("; ");
        assert_eq!(said(&["OK", "OK", "OK"]), "tests-ok is 2, but the status of 3 tests is OK");
        assert_eq!(
            said(&["OK", "ERR1", "SIGINT"]),
            "tests-fail and tests-intr add up to 1, but the status of 2 tests is not OK"
        );
        assert_eq!(said(&["OK", "OK", "ERR1", "OK"]), "it reports 3 tests, but has 4");
        assert_eq!(said(&["OK"]), "");
        assert_eq!(gaps(&run(&whole, &["OK"])), ["2 of its 3 tests are missing"]);
    }

    #[test]
    fn many_runs_in_doubt_are_counted() {
        let crashed = || run(&[("when-run", "5")], &[]);
        let runs: RawRuns = (0..13).map(|at| (format!("{at:064X}"), crashed())).collect();
        let sentences = doubts(&runs);
        assert_eq!(sentences.len(), NAMED + 1);
        assert_eq!(sentences[0], "run 00000000 is incomplete: no end-run");
        assert_eq!(sentences[NAMED], "more runs that are incomplete: 3");
    }
}
