//! Checks how engines find the rows of statements.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence};
use crate::plans::{ComparablePlan, PlanWords};
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
        let planned = evidence.actors.iter().filter_map(|part| {
            let run = runs.get(part.run_id.as_str())?;
            Some(StatementPlan {
                test: part.test,
                statement: &part.actor,
                plan: part.plan.as_deref()?,
                engine: &run.engine,
                label: &run.label,
            })
        });
        differing(planned).into_iter().map(LintFinding::from).collect()
    }
}

/// The plan of a statement in a configuration.
struct StatementPlan<'p> {
    test: u32,
    statement: &'p str,
    /// A step a line.
    plan: &'p str,
    engine: &'p str,
    label: &'p str,
}

/// The plans of a statement in the same words, each with the configurations that have it. Plans that only their versions write in another
/// way are one.
type PlansOfStatement<'p> = BTreeMap<String, (&'p str, BTreeSet<&'p str>)>;

/// Names the statements whose plans differ between configurations, in sentences.
fn differing<'p>(planned: impl Iterator<Item = StatementPlan<'p>>) -> Vec<String> {
    let mut plans: BTreeMap<(u32, &str, PlanWords<'_>), PlansOfStatement<'_>> = BTreeMap::new();
    for StatementPlan { test, statement, plan, engine, label } in planned {
        let ComparablePlan { words, steps } = ComparablePlan::new(engine, plan);
        let of_statement = plans.entry((test, statement, words)).or_default();
        of_statement.entry(steps).or_insert_with(|| (plan, BTreeSet::new())).1.insert(label);
    }
    let differ: Vec<_> = plans.iter().filter(|(_, plans)| plans.len() > 1).collect();
    let sentence = |((_, statement, _), plans): &(&(u32, &str, PlanWords<'_>), &PlansOfStatement<'_>)| {
        let each: Vec<String> = plans.values().map(|(plan, labels)| of_plan(plan, labels)).collect();
        format!("`{statement}` has different plans: {}", each.join("; "))
    };
    let mut found: Vec<String> = differ.iter().take(MOST_NAMED).map(sentence).collect();
    if differ.len() > MOST_NAMED {
        found.push(format!("{} more statements have different plans", differ.len() - MOST_NAMED));
    }
    found
}

fn of_plan(plan: &str, labels: &BTreeSet<&str>) -> String {
    let first = labels.first().copied().unwrap_or_default();
    let on = if labels.len() == 1 { first.to_owned() } else { format!("{first} and {} more", labels.len() - 1) };
    format!("{} on {on}", plan.replace('\n', ", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_statements_with_several_plans_are_named() {
        let planned = |statement, plan, label| StatementPlan { test: 1, statement, plan, engine: label, label };
        let all = [
            planned("SELECT a", "SCAN t\nUSE TEMP B-TREE FOR ORDER BY", "sqlite"),
            planned("SELECT a", "SEARCH t USING INDEX i (a=?)", "go-modernc"),
            planned("SELECT a", "SCAN t\nUSE TEMP B-TREE FOR ORDER BY", "sqlite[page_size=512]"),
            planned("SELECT b", "SCAN t", "sqlite"),
            planned("SELECT b", "SCAN t", "go-modernc"),
            planned("SELECT b", "SEQ_SCAN t", "duckdb"),
            planned("SELECT b", "SCAN TABLE t", "sqlite-lib"),
        ];
        let expected = "`SELECT a` has different plans: SCAN t, USE TEMP B-TREE FOR ORDER BY on sqlite and 1 more; \
                        SEARCH t USING INDEX i (a=?) on go-modernc";
        assert_eq!(differing(all.into_iter()), [expected]);
    }
}
