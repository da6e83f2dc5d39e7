//! How sides find the rows of statements, in words.

use super::wording::Wording;
use crate::sheet::shortened;
use dbdyno_comparing::compare::{PlanDifference, Reason, SideName, StatementPlans};

/// The most characters of a statement and of a plan in a sentence.
const STATEMENT: usize = 40;
const PLAN: usize = 100;
/// The most characters of them in a list.
const LISTED_STATEMENT: usize = 100;
const LISTED_PLAN: usize = 300;

/// Returns a statement, its plan on the slower side and that on the other, each short enough for a sentence.
pub(super) fn words(plan: &PlanDifference, slower: SideName) -> [String; 3] {
    let [a, b] = [&plan.a, &plan.b].map(|plan| shortened(&steps(plan), PLAN));
    let [of_slower, of_faster] = if slower == SideName::A { [a, b] } else { [b, a] };
    [shortened(&one_line(&plan.statement), STATEMENT), of_slower, of_faster]
}

/// Returns a sentence for each statement with a plan. Those whose plans differ come first, in their order.
pub(super) fn sentences(reason: &Reason, wording: &Wording) -> Vec<String> {
    let place = |plans: &&StatementPlans| reason.plans.iter().position(|plan| plan.statement == plans.statement);
    let mut planned: Vec<&StatementPlans> = reason.planned.iter().collect();
    planned.sort_by_key(|plans| place(plans).unwrap_or(usize::MAX));
    planned.into_iter().map(|plans| sentence(plans, wording)).collect()
}

fn sentence(plans: &StatementPlans, wording: &Wording) -> String {
    let statement = shortened(&one_line(&plans.statement), LISTED_STATEMENT);
    let by = |plan: &String| shortened(&steps(plan), LISTED_PLAN);
    let (a, b) = (&wording.sides.a, &wording.sides.b);
    match (&plans.a, &plans.b) {
        (Some(of_a), Some(of_b)) if of_a == of_b => format!("Both find the rows of `{statement}` by {}.", by(of_a)),
        (Some(of_a), Some(of_b)) => {
            format!("{a} finds the rows of `{statement}` by {}, {b} by {}.", by(of_a), by(of_b))
        }
        (Some(plan), None) => format!("{a} finds the rows of `{statement}` by {}.", by(plan)),
        (None, Some(plan)) => format!("{b} finds the rows of `{statement}` by {}.", by(plan)),
        (None, None) => String::new(),
    }
}

fn steps(plan: &str) -> String {
    plan.replace('\n', ", ")
}

fn one_line(statement: &str) -> String {
    statement.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::SideNames;
    use dbdyno_comparing::compare::RatioForm;
    use dbdyno_foundation::metric::Metric;

    #[test]
    fn a_long_statement_is_shortened() {
        let statement = format!("SELECT a\n  FROM t WHERE {}", "b = ?1 OR ".repeat(100));
        let plan = PlanDifference { statement, a: "SCAN t\nUSE TEMP B-TREE".to_owned(), b: "SEARCH t".to_owned() };
        let [statement, of_slower, of_faster] = words(&plan, SideName::B);
        assert_eq!(statement, "SELECT a FROM t WHERE b = ?1 OR b = ?1…");
        assert_eq!((of_slower.as_str(), of_faster.as_str()), ("SEARCH t", "SCAN t, USE TEMP B-TREE"));
    }

    #[test]
    fn equal_plans_are_one_sentence() {
        let sides = SideNames { a: "sqlite".to_owned(), b: "duckdb".to_owned() };
        let wording = Wording { sides, metric: Metric::Wall, form: RatioForm::Words, parts_follow: false };
        let said = |a: Option<&str>, b: Option<&str>| {
            let [a, b] = [a, b].map(|plan| plan.map(str::to_owned));
            sentence(&StatementPlans { statement: "SELECT a FROM t".to_owned(), a, b }, &wording)
        };
        let both = said(Some("SCAN t"), Some("SCAN t"));
        assert_eq!(both, "Both find the rows of `SELECT a FROM t` by SCAN t.");
        let each = said(Some("SCAN t"), Some("UNGROUPED_AGGREGATE\nSEQ_SCAN t"));
        let expected =
            "sqlite finds the rows of `SELECT a FROM t` by SCAN t, duckdb by UNGROUPED_AGGREGATE, SEQ_SCAN t.";
        assert_eq!(each, expected);
        assert_eq!(said(None, Some("SCAN t")), "duckdb finds the rows of `SELECT a FROM t` by SCAN t.");
    }
}
