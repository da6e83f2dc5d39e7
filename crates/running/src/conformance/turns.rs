//! Whether an engine that takes turns with other workers rests while they have theirs.

use super::{
    Check, CheckOutcome, CheckReceiver, answers,
    workspace::{CheckWorkspace, CheckedWorker, Errand, PROGRESS, Stopped},
};
use dbdyno_engine::protocol::{Event, SliceTerms};
use dbdyno_foundation::base::units;
use std::time::Duration;
use tokio::time::timeout;

/// The measured time of a slice.
const SLICE: Duration = Duration::from_millis(10);
/// How long a slice may take from outside.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long others have their turn: several progress events are due in it.
const AWAY: Duration = PROGRESS.saturating_mul(4);

pub(super) async fn check(workspace: &CheckWorkspace<'_>, tell: CheckReceiver<'_>) {
    let outcome = match answers::endless(workspace.description()) {
        None => CheckOutcome::Failed("its description has no kind of suite".to_owned()),
        Some(errand) => {
            turns(workspace, errand).await.unwrap_or_else(|stopped| CheckOutcome::Failed(stopped.to_string()))
        }
    };
    tell(Check::new("turns", outcome));
}

async fn turns(workspace: &CheckWorkspace<'_>, errand: Errand) -> Result<CheckOutcome, Stopped> {
    let tests = errand.suite.tests().last().map(|test| test.number).into_iter().collect();
    let mut attempt = workspace.begin(errand.in_slices(SliceTerms { ns: SLICE.as_nanos() as u64, tests }))?;
    attempt.measuring().await?;
    let outcome = two_slices(&mut attempt).await;
    attempt.end().await;
    outcome
}

async fn two_slices(attempt: &mut CheckedWorker) -> Result<CheckOutcome, Stopped> {
    let Some(first) = slice(attempt).await? else {
        return Ok(CheckOutcome::Skipped("it takes none: its tests run in one go".to_owned()));
    };
    if let Ok(event) = timeout(AWAY, attempt.next()).await {
        let word = event?.word();
        return Err(Stopped::Broke(format!(
            "it sent `{word}` while other workers had their turns, before it was told to go on"
        )));
    }
    attempt.resume();
    let Some(second) = slice(attempt).await? else {
        return Err(Stopped::Broke(format!("it sent no second `turn` within {}", units::clock(PATIENCE))));
    };
    if second <= first {
        return Err(Stopped::Broke(format!(
            "its second slice ended with {second} operations, after {first} in the first"
        )));
    }
    Ok(CheckOutcome::Passed(format!("did {first} operations in a slice, rested, and had done {second} after the next")))
}

/// Returns the operations of the test at the end of a slice; none if it does not end.
async fn slice(attempt: &mut CheckedWorker) -> Result<Option<u64>, Stopped> {
    let ended = async {
        loop {
            if let Event::Turn { operations, .. } = attempt.next().await? {
                return Ok(operations);
            }
        }
    };
    timeout(PATIENCE, ended).await.ok().transpose()
}
