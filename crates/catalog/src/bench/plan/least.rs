//! Sizes and options with which a test of a suite has nothing to do.

use super::PlanError;
use crate::{Suite, TestPick};
use dbdyno_engine::{
    protocol::SuiteJob,
    settings::Settings,
    size::Size,
    suite::{KvLoad, KvTest, Operation},
};
use dbdyno_foundation::base::units::counted;

/// The search for a suite's minimum size ends here.
const LARGEST_LEAST: u64 = 10_000;

/// # Errors
/// A picked test transfers between two accounts, but has fewer than two at this size.
pub(super) fn check_least(suite: &Suite, pick: &TestPick, settings: &Settings, size: Size) -> Result<(), PlanError> {
    let Some(test) = lonely(suite, pick, settings, size) else { return Ok(()) };
    let enough = |first: &u64| lonely(suite, pick, settings, Size { first: *first, ..size }).is_none();
    let expected = match (size.first + 1..=LARGEST_LEAST).find(enough) {
        Some(least) => format!("expected a size of at least {}", Size { first: least, ..size }),
        None => "expected a larger size".to_owned(),
    };
    let message = format!("size `{size}`: {test} transfers need two: {expected}");
    Err(PlanError::Request(message))
}

/// # Errors
/// A picked test has actors, but no option gives one of them a thread.
pub(super) fn check_threads(suite: &Suite, pick: &TestPick, settings: &Settings, size: Size) -> Result<(), PlanError> {
    let SuiteJob::Kv(resolved) = suite.resolve(size, settings, pick) else { return Ok(()) };
    let idle = |test: &KvTest| {
        let KvLoad::Actors(load) = &test.load else { return None };
        let names: Vec<String> = load.actors.iter().map(|actor| format!("`{}`", actor.name)).collect();
        load.actors.iter().all(|actor| actor.threads == 0).then(|| {
            let (number, name) = (test.number, &test.name);
            format!(
                "test {number} {name} has no threads: give {} at least one (--set), or choose other tests (--test)",
                names.join(" or ")
            )
        })
    };
    resolved.tests.iter().find_map(idle).map_or(Ok(()), |message| Err(PlanError::Request(message)))
}

/// Describes the first test with transfers and fewer than two accounts.
fn lonely(suite: &Suite, pick: &TestPick, settings: &Settings, size: Size) -> Option<String> {
    let SuiteJob::Kv(resolved) = suite.resolve(size, settings, pick) else { return None };
    let transfers = |test: &KvTest| {
        let mut works = test.works().into_iter().flat_map(|work| &work.work);
        works.any(|work| matches!(work.operation, Operation::Transfer { .. }))
    };
    let test = resolved.tests.iter().find(|test| test.records < 2 && transfers(test))?;
    let KvTest { number, name, records, .. } = test;
    Some(format!("test {number} {name} has {} at this size, and", counted(*records, "account")))
}
