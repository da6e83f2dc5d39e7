//! Whether plans of a statement can be compared: two engines may describe the same way to its rows in different words.

/// The words in which a plan is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlanWords<'e> {
    /// The words of SQLite's `EXPLAIN QUERY PLAN`, in any library or driver.
    Sqlite,
    /// SQLite's words around words of a module that finds the rows.
    VirtualTable,
    /// The words of one engine.
    Own(&'e str),
}

/// A plan in a form that can be compared with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparablePlan<'e> {
    pub(crate) words: PlanWords<'e>,
    /// A step a line, as newer versions of SQLite write it.
    pub(crate) steps: String,
}

impl<'e> ComparablePlan<'e> {
    /// `plan`: a step a line.
    pub(crate) fn new(engine: &'e str, plan: &str) -> Self {
        let is_step = |step: &str| step.starts_with("SCAN ") || step.starts_with("SEARCH ");
        let words = match plan.lines().any(is_step) {
            true if plan.contains(" VIRTUAL TABLE ") => PlanWords::VirtualTable,
            true => PlanWords::Sqlite,
            false => PlanWords::Own(engine),
        };
        let steps = match words {
            PlanWords::Own(_) => plan.to_owned(),
            _ => plan.lines().map(newer).collect::<Vec<_>>().join("\n"),
        };
        Self { words, steps }
    }

    /// Whether they are different ways to the rows. Plans in different words are not compared.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        self.words == other.words && self.steps != other.steps
    }
}

/// Returns the number of steps that read a table or an index from beginning to end.
pub(crate) fn scans(plan: &str) -> usize {
    // SQLite says SCAN of every virtual table, also if conditions limit what is read. The conditions are in brackets.
    let is_limited = |step: &str| step.contains(" VIRTUAL TABLE ") && step.contains('(');
    let is_scan = |step: &&str| step.starts_with("full scan ") || step.starts_with("SCAN ") && !is_limited(step);
    plan.lines().filter(is_scan).count()
}

/// Returns a step as SQLite writes it since version 3.36: `SCAN x`, and not `SCAN TABLE t AS x`.
fn newer(step: &str) -> String {
    let Some((how, rest)) = step.split_once(" TABLE ").filter(|(how, _)| matches!(*how, "SCAN" | "SEARCH")) else {
        return step.to_owned();
    };
    let words: Vec<&str> = rest.split(' ').collect();
    let rest = match words.as_slice() {
        [_, "AS", alias, rest @ ..] => [&[*alias], rest].concat(),
        words => words.to_vec(),
    };
    format!("{how} {}", rest.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plans_in_the_same_words_differ() {
        let differ = |a: (&str, &str), b: (&str, &str)| {
            ComparablePlan::new(a.0, a.1).differs_from(&ComparablePlan::new(b.0, b.1))
        };
        let (scan, search) = ("SCAN t", "SEARCH t USING INDEX i (a=?)");
        assert!(differ(("sqlite", scan), ("sqlite", search)));
        assert!(differ(("sqlite", scan), ("go-modernc", search)), "a driver has the words of its library");
        assert!(differ(("duckdb", "SEQ_SCAN t"), ("duckdb", "INDEX_SCAN t")));
        assert!(!differ(("sqlite", scan), ("duckdb", "SEQ_SCAN t")));
        assert!(!differ(("sqlite", scan), ("lmdb", "SCAN t VIRTUAL TABLE INDEX 0:rowid order")));
        assert!(!differ(("lmdb", "SCAN t VIRTUAL TABLE INDEX 0:rowid order"), ("lmdb", "full scan of t")));
        assert!(!differ(("sqlite", scan), ("sqlite", scan)));
    }

    #[test]
    fn what_reads_a_whole_table_is_counted() {
        assert_eq!(scans("SCAN t\nSCAN u USING COVERING INDEX i\nSEARCH v USING INDEX j (a=?)"), 2);
        assert_eq!(scans("SCAN t VIRTUAL TABLE INDEX 0:rowid order"), 1);
        assert_eq!(scans("SCAN t VIRTUAL TABLE INDEX 67:index i (a=?)"), 0);
        assert_eq!((scans("full scan of t"), scans("search of index i of t"), scans("SEQ_SCAN t")), (1, 0, 0));
    }

    #[test]
    fn the_same_plan_of_an_older_sqlite_is_no_other_plan() {
        for (older, later) in [
            ("SCAN TABLE t", "SCAN t"),
            ("SCAN TABLE items AS x USING COVERING INDEX i", "SCAN x USING COVERING INDEX i"),
            (
                "SEARCH TABLE t USING INDEX i (a=?)\nUSE TEMP B-TREE FOR ORDER BY",
                "SEARCH t USING INDEX i (a=?)\nUSE TEMP B-TREE FOR ORDER BY",
            ),
        ] {
            assert!(
                !ComparablePlan::new("sqlite-lib", older).differs_from(&ComparablePlan::new("sqlite", later)),
                "{older}"
            );
        }
        assert_eq!(newer("SCAN t VIRTUAL TABLE INDEX 0:"), "SCAN t VIRTUAL TABLE INDEX 0:");
    }
}
