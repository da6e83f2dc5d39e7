//! Whether an engine answers correctly: each test of small suites, compared with known answers.
//!
//! The suites are files like any other. Their answers are in `answers.json` in the same folder. Models that share no code with any engine
//! computed them for the seed of a check.

use super::{
    Check, CheckOutcome, CheckReceiver,
    workspace::{CheckWorkspace, Errand, Stopped},
};
use dbdyno_catalog::{Catalog, CatalogError, Suite, TestInfo, TestPick, engines::HARNESS_ENGINE};
use dbdyno_engine::{
    describe::Description,
    protocol::{DIGEST, INVARIANTS_HELD, StatementDone, SuiteJob, TestDone},
    suite::SuiteKind,
};
use dbdyno_foundation::base::units::counted;
use std::collections::BTreeMap;

/// A suite whose tests have known answers.
#[derive(Debug, Clone, Copy)]
struct ModelSuite {
    /// Also the prefix of the names of its checks.
    name: &'static str,
    text: &'static str,
    kind: SuiteKind,
    /// Whether an engine may refuse a test of the suite.
    may_be_refused: bool,
}

const SUITES: [ModelSuite; 4] = [
    ModelSuite {
        name: "kv",
        text: include_str!("../../assets/conformance/kv.toml"),
        kind: SuiteKind::Kv,
        may_be_refused: false,
    },
    ModelSuite {
        name: "kv-more",
        text: include_str!("../../assets/conformance/kv-more.toml"),
        kind: SuiteKind::Kv,
        may_be_refused: true,
    },
    ModelSuite {
        name: "sql",
        text: include_str!("../../assets/conformance/sql.toml"),
        kind: SuiteKind::Sql,
        may_be_refused: false,
    },
    ModelSuite {
        name: "sql-more",
        text: include_str!("../../assets/conformance/sql-more.toml"),
        kind: SuiteKind::Sql,
        may_be_refused: true,
    },
];

/// Tests that do not end by themselves, by kind of suite.
const ENDLESS: [(SuiteKind, &str, &str); 2] = [
    (SuiteKind::Kv, "endless-kv", include_str!("../../assets/conformance/endless-kv.toml")),
    (SuiteKind::Sql, "endless-sql", include_str!("../../assets/conformance/endless-sql.toml")),
];

const ANSWERS: &str = include_str!("../../assets/conformance/answers.json");

/// The right answers by suite and test.
type RightAnswers = BTreeMap<String, BTreeMap<u32, RightAnswer>>;

/// Rows, the digest, and the digests under the names of steps.
type RightAnswer = (u64, String, BTreeMap<String, String>);

/// Returns the first test of a suite that the engine has to run.
pub(super) fn first(description: &Description) -> Option<Errand> {
    let model = SUITES.iter().find(|model| description.suites.contains(&model.kind))?;
    let suite = suite(model.name, model.text).ok()?;
    let first = suite.tests().next()?;
    Some(errand(&suite, first.number))
}

/// Returns a test that does not end by itself, of a kind that the engine runs.
pub(super) fn endless(description: &Description) -> Option<Errand> {
    let (_, name, text) = ENDLESS.iter().find(|(kind, ..)| description.suites.contains(kind))?;
    let suite = suite(name, text).ok()?;
    let last = suite.tests().last()?;
    Some(errand(&suite, last.number))
}

pub(super) async fn check(workspace: &CheckWorkspace<'_>, tell: CheckReceiver<'_>) {
    let answers: RightAnswers = serde_json::from_str(ANSWERS).unwrap_or_default();
    for model in &SUITES {
        if !workspace.description().suites.contains(&model.kind) {
            if !model.may_be_refused {
                tell(Check::skipped(model.name, format!("the engine has no suites of kind {}", model.kind.word())));
            }
            continue;
        }
        let suite = match suite(model.name, model.text) {
            Ok(suite) => suite,
            Err(error) => {
                tell(Check::failed(model.name, error.to_string()));
                continue;
            }
        };
        let expected = answers.get(model.name);
        for test in suite.tests() {
            let name = format!("{}, {}", model.name, test.name);
            let expected = expected.and_then(|answers| answers.get(&test.number));
            tell(match unfit(workspace.description(), &suite, test.number) {
                Some(reason) => Check::skipped(name, reason),
                None => {
                    Check::new(name, answered(workspace, model, errand(&suite, test.number), &test, expected).await)
                }
            });
        }
    }
}

/// Returns why the engine cannot run a test, according to its description.
fn unfit(description: &Description, suite: &Suite, test: u32) -> Option<String> {
    let pick = TestPick([test].into());
    if suite.needs_threads(&pick) && !description.threads.contains_key(&suite.kind) {
        return Some("its description has no threads for this kind of suite".to_owned());
    }
    match errand(suite, test).suite {
        SuiteJob::Kv(resolved) => description.unfit(&resolved),
        SuiteJob::Sql(_) => suite.refusal(&pick).filter(|_| description.tables_as_data).map(str::to_owned),
    }
}

/// Runs a test, together with the tests that it needs.
async fn answered(
    workspace: &CheckWorkspace<'_>,
    model: &ModelSuite,
    errand: Errand,
    test: &TestInfo,
    expected: Option<&RightAnswer>,
) -> CheckOutcome {
    let results = match workspace.done(errand).await {
        Ok(results) => results,
        Err(Stopped::Refused(message)) if model.may_be_refused => {
            return CheckOutcome::Skipped(format!("the engine does not support it: {message}"));
        }
        Err(stopped) => return CheckOutcome::Failed(stopped.to_string()),
    };
    let Some(done) = results.iter().find(|done| done.test == test.number) else {
        return CheckOutcome::Failed("it was not run".to_owned());
    };
    if let Some(name) = undeclared(workspace.description(), done) {
        let message = format!("the counter `counter:{name}` is not among the description's `counters`");
        return CheckOutcome::Failed(message);
    }
    judged(&workspace.description().name, done, expected)
}

/// Returns a counter of the engine's own that its description does not have.
fn undeclared<'d>(description: &Description, done: &'d TestDone) -> Option<&'d str> {
    done.counters.own().map(|(name, _)| name).find(|name| !description.counters.contains_key(*name))
}

/// Compares an engine's answer with the correct one. `expected`: none if the order of threads decides.
fn judged(engine: &str, done: &TestDone, expected: Option<&RightAnswer>) -> CheckOutcome {
    let operations = counted(done.operations, "operation");
    match (done.verification.as_deref(), expected) {
        (None, _) if engine == HARNESS_ENGINE => {
            CheckOutcome::Skipped("no answers to check: this engine measures the cost of the harness".to_owned())
        }
        (None, None) => CheckOutcome::Skipped(format!("{operations}, but no expected answer to check against")),
        (None, Some(_)) if !done.actors.is_empty() => {
            CheckOutcome::Skipped(format!("{operations}, but `verification` is null: its answers are not verified"))
        }
        (None, Some(_)) => {
            CheckOutcome::Failed("`verification` is null: expected the checksum of its answers".to_owned())
        }
        (Some(INVARIANTS_HELD), None) => CheckOutcome::Passed(format!("{operations}, and all invariants held")),
        (Some(found), None) => {
            CheckOutcome::Failed(format!("`verification` is `{found}`: expected `{INVARIANTS_HELD}`"))
        }
        (Some(found), Some((_, right, _))) if !found.starts_with(DIGEST) && right.starts_with(DIGEST) => {
            CheckOutcome::Skipped(format!(
                "the checksum `{found}` is of another version (expected `{DIGEST}...`): it cannot be checked"
            ))
        }
        (Some(found), Some((rows, right, _))) if found != right => CheckOutcome::Failed(format!(
            "wrong answers: checksum {found} with {}, expected {right} with {}",
            counted(done.rows, "row"),
            counted(*rows, "row")
        )),
        (Some(_), Some((rows, ..))) if done.rows != *rows => {
            CheckOutcome::Failed(format!("`rows` is {}, expected {rows}", done.rows))
        }
        (Some(_), Some((.., named))) if of_names(done) != *named => {
            CheckOutcome::Failed(format!("wrong answers of `statements`: {:?}, expected {named:?}", of_names(done)))
        }
        (Some(_), Some(_)) => CheckOutcome::Passed(format!("{operations}, answers equal to the model's")),
    }
}

/// Returns the checksums under the names of steps that have answers.
fn of_names(done: &TestDone) -> BTreeMap<String, String> {
    let of = |statement: &StatementDone| Some((statement.name.clone(), statement.verification.clone()?));
    done.statements.iter().filter_map(of).collect()
}

fn suite(name: &str, text: &str) -> Result<Suite, CatalogError> {
    Catalog::suite_of(name, &format!("built-in conformance/{name}.toml"), text.to_owned())
}

/// Returns a test with those that it needs, which are not measured, at the suite's size.
fn errand(suite: &Suite, test: u32) -> Errand {
    let size = suite.default_sizes[0];
    let settings = suite.settings(&BTreeMap::new()).unwrap_or_default();
    Errand::new(suite.resolve(size, &settings, &TestPick([test].into())), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_has_its_answer_but_those_whose_threads_decide() {
        let answers: RightAnswers = serde_json::from_str(ANSWERS).unwrap();
        for model in &SUITES {
            let suite = suite(model.name, model.text).unwrap();
            for test in suite.tests() {
                let known = answers[model.name].contains_key(&test.number);
                let is_fixed = match errand(&suite, test.number).suite {
                    SuiteJob::Kv(job) => job.tests.last().is_some_and(|last| job.has_fixed_answers(last)),
                    SuiteJob::Sql(_) => true,
                };
                assert_eq!(known, is_fixed, "{} {}", model.name, test.name);
            }
            assert_eq!(suite.kind, model.kind);
        }
        for (kind, name, text) in ENDLESS {
            assert_eq!(suite(name, text).unwrap().kind, kind);
        }
    }

    #[test]
    fn an_answer_is_right_in_its_checksum_and_its_rows() {
        let right = (2, "3:a".to_owned(), BTreeMap::new());
        let answer = |verification: Option<&str>, rows: u64| {
            let done =
                TestDone { verification: verification.map(str::to_owned), rows, operations: 3, ..TestDone::default() };
            judged("x", &done, Some(&right))
        };
        assert_eq!(
            answer(Some("3:a"), 2),
            CheckOutcome::Passed("3 operations, answers equal to the model's".to_owned())
        );
        assert!(
            matches!(answer(Some("3:b"), 2), CheckOutcome::Failed(reason) if reason.contains("checksum 3:b with 2 rows"))
        );
        assert_eq!(answer(Some("3:a"), 1), CheckOutcome::Failed("`rows` is 1, expected 2".to_owned()));
        assert!(
            matches!(answer(Some("a"), 2), CheckOutcome::Skipped(_))
                && matches!(answer(None, 2), CheckOutcome::Failed(_))
        );
        let held = TestDone { verification: Some(INVARIANTS_HELD.to_owned()), ..TestDone::default() };
        assert!(matches!(judged("x", &held, None), CheckOutcome::Passed(_)));
        let lost = TestDone { verification: Some("invariants:lost".to_owned()), ..TestDone::default() };
        assert!(matches!(judged("x", &lost, None), CheckOutcome::Failed(_)));
        assert!(matches!(judged(HARNESS_ENGINE, &TestDone::default(), Some(&right)), CheckOutcome::Skipped(_)));
    }
}
