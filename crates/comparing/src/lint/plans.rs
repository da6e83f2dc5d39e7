//! Checks how engines find the rows of statements.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence};
use dbdyno_store::RunRecord;
use std::collections::{BTreeMap, BTreeSet};

/// The most statements that are named.
const MOST_NAMED: usize = 5;

/// Configurations find the rows of a statement in different ways.
pub(super) struct PlansDiffer;

impl Linter for PlansDiffer {
    fn name(&self) -> &'static str {
        "plans differ"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "statements have different query plans"
    }

    fn explain(&self) -> &'static str {
        "An engine may read a whole table where another one uses an index. The difference in time is then that of the \
         plans. ANALYZE, an index or another version of the library may change a plan."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        // By statement and plan: the configurations that have it.
        let mut plans: BTreeMap<(u32, &str), BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for part in evidence.actors {
            let (Some(plan), Some(run)) = (&part.plan, runs.get(part.run_id.as_str())) else { continue };
            plans.entry((part.test, &part.actor)).or_default().entry(plan).or_default().insert(&run.label);
        }
        let differ: Vec<_> = plans.iter().filter(|(_, plans)| plans.len() > 1).collect();
        let sentence = |((_, statement), plans): &(&(u32, &str), &BTreeMap<&str, BTreeSet<&str>>)| {
            let of_plan = |(plan, labels): (&&str, &BTreeSet<&str>)| {
                let more = labels.len() - 1;
                let first = labels.first().copied().unwrap_or_default();
                let on = if more == 0 { first.to_owned() } else { format!("{first} and {more} more") };
                format!("{} on {on}", plan.replace('\n', ", "))
            };
            let each: Vec<String> = plans.iter().map(of_plan).collect();
            format!("`{statement}` has different plans: {}", each.join("; "))
        };
        let mut found: Vec<String> = differ.iter().take(MOST_NAMED).map(sentence).collect();
        if differ.len() > MOST_NAMED {
            found.push(format!("{} more statements have different plans", differ.len() - MOST_NAMED));
        }
        found.into_iter().map(LintFinding::from).collect()
    }
}
