//! How the sides of a line find the rows of its statements.

use super::{
    model::{Figure, SideName},
    reason::PlanDifference,
};
use crate::plans::{ComparablePlan, scans};
use dbdyno_store::PlannedStatement;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How each side finds the rows of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementPlans {
    /// Its name, or its text if it has none.
    pub statement: String,
    /// A's plan, a step a line; none if it is unknown.
    pub a: Option<String>,
    pub b: Option<String>,
}

/// The plans of a side, by statement.
pub(super) type SidePlans<'p> = BTreeMap<&'p str, &'p PlannedStatement>;

/// Returns the plans of the statements of a side, each as its first run has it.
pub(super) fn plans_of<'p>(side: Option<&Figure>, test: u32, planned: &'p [PlannedStatement]) -> SidePlans<'p> {
    let Some(first) = side.and_then(|side| side.run_ids.first()) else { return BTreeMap::new() };
    let of_run = planned.iter().filter(|planned| planned.run_id == *first && planned.test == test);
    of_run.map(|planned| (planned.statement.as_str(), planned)).collect()
}

/// Returns the statements whose plans differ, first those for which the slower side reads whole tables and the other does not. Plans of
/// engines that describe them in different words are not compared.
pub(super) fn differing(a: &SidePlans<'_>, b: &SidePlans<'_>, slower: SideName) -> Vec<PlanDifference> {
    let differs = |(statement, of_a): (&&str, &&PlannedStatement)| {
        let of_b = b.get(statement).filter(|of_b| comparable(of_a).differs_from(&comparable(of_b)))?;
        Some(PlanDifference { statement: (*statement).to_owned(), a: of_a.plan.clone(), b: of_b.plan.clone() })
    };
    let mut plans: Vec<PlanDifference> = a.iter().filter_map(differs).collect();
    plans.sort_by_key(|plan| {
        let more = scans(&plan.a) as i64 - scans(&plan.b) as i64;
        if slower == SideName::A { -more } else { more }
    });
    plans
}

fn comparable(planned: &PlannedStatement) -> ComparablePlan<'_> {
    ComparablePlan::new(&planned.engine, &planned.plan)
}

/// Returns the plans of both sides.
pub(super) fn planned_by(a: &SidePlans<'_>, b: &SidePlans<'_>) -> Vec<StatementPlans> {
    let statements: BTreeSet<&str> = a.keys().chain(b.keys()).copied().collect();
    let plan = |of: &SidePlans<'_>, statement: &str| of.get(statement).map(|planned| planned.plan.clone());
    let of_both = |statement: &str| StatementPlans {
        statement: statement.to_owned(),
        a: plan(a, statement),
        b: plan(b, statement),
    };
    statements.into_iter().map(of_both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn planned(engine: &str, statement: &str, plan: &str) -> PlannedStatement {
        let (run_id, statement, plan) = (Uuid::nil(), statement.to_owned(), plan.to_owned());
        PlannedStatement { run_id, engine: engine.to_owned(), test: 1, statement, plan }
    }

    fn side(planned: &[PlannedStatement]) -> SidePlans<'_> {
        planned.iter().map(|planned| (planned.statement.as_str(), planned)).collect()
    }

    #[test]
    fn the_plan_that_reads_a_whole_table_comes_first() {
        let a = [
            planned("sqlite", "count", "SCAN t"),
            planned("sqlite", "look up", "SCAN t"),
            planned("sqlite", "same", "SCAN t"),
        ];
        let b = [
            planned("go-modernc", "count", "SCAN t USING COVERING INDEX i"),
            planned("go-modernc", "look up", "SEARCH t USING INDEX i (a=?)"),
            planned("go-modernc", "same", "SCAN TABLE t"),
            planned("go-modernc", "unknown to a", "SCAN t"),
        ];
        let (a, b) = (side(&a), side(&b));
        let named = |plans: Vec<PlanDifference>| plans.into_iter().map(|plan| plan.statement).collect::<Vec<_>>();
        assert_eq!(named(differing(&a, &b, SideName::A)), ["look up", "count"]);
        assert_eq!(named(differing(&a, &b, SideName::B)), ["count", "look up"], "the search is no reason for B's time");
        let all = planned_by(&a, &b);
        assert_eq!(all.len(), 4);
        assert_eq!((all[3].a.as_deref(), all[3].b.as_deref()), (None, Some("SCAN t")));
    }

    #[test]
    fn plans_in_different_words_are_shown_and_not_compared() {
        let (a, b) = ([planned("sqlite", "count", "SCAN t")], [planned("duckdb", "count", "SEQ_SCAN t")]);
        let (a, b) = (side(&a), side(&b));
        assert_eq!((differing(&a, &b, SideName::A), planned_by(&a, &b).len()), (Vec::new(), 1));
    }
}
