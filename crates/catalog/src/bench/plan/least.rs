//! Sizes that are too small for what a suite's tests do.

use super::PlanError;
use crate::{Suite, TestPick};
use dbdyno_engine::{
    protocol::SuiteJob,
    settings::Settings,
    size::Size,
    suite::{KvTest, Operation},
};
use dbdyno_foundation::base::units::counted;

/// No suite is looked through for its least size beyond this.
const LARGEST_LEAST: u64 = 10_000;

/// # Errors
/// A picked test moves money between two accounts, and has fewer at this size.
pub(super) fn check_least(suite: &Suite, pick: &TestPick, settings: &Settings, size: Size) -> Result<(), PlanError> {
    let Some(test) = lonely(suite, pick, settings, size) else { return Ok(()) };
    let enough = |first: &u64| lonely(suite, pick, settings, Size { first: *first, ..size }).is_none();
    let expected = match (size.first + 1..=LARGEST_LEAST).find(enough) {
        Some(least) => format!("expected a size of at least {}", Size { first: least, ..size }),
        None => "expected a larger size".to_owned(),
    };
    let message = format!("size `{size}`: {test} transfers money between two: {expected}");
    Err(PlanError::Request(message))
}

/// The first test that has transfers and fewer than two accounts, in words.
fn lonely(suite: &Suite, pick: &TestPick, settings: &Settings, size: Size) -> Option<String> {
    let SuiteJob::Kv(resolved) = suite.resolve(size, settings, pick) else { return None };
    let transfers = |test: &KvTest| {
        let mut works = test.works().into_iter().flat_map(|work| &work.work);
        works.any(|work| matches!(work.operation, Operation::Transfer { .. }))
    };
    let test = resolved.tests.iter().find(|test| test.records < 2 && transfers(test))?;
    let KvTest { number, name, records, .. } = test;
    Some(format!("test {number} {name} has {} there, and", counted(*records, "account")))
}
