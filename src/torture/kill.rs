//! Kills of a committing worker.

use super::{TortureError, desk::Desk, subject::Subject, verdict::Contradiction, worker};
use dbdyno_workload::rng::SplitMix64;
use std::{path::Path, time::Duration};

/// The longest time from a worker's first commit to its end.
const LONGEST: Duration = Duration::from_millis(250);

/// Kills one worker at a random moment, and opens its database; what is missing or wrong.
pub(super) fn one(
    subject: &Subject,
    folder: &Path,
    rng: &mut SplitMix64,
) -> Result<Option<Contradiction>, TortureError> {
    let desk = Desk::cleared(folder.to_owned())?;
    let after = Duration::from_micros(rng.below(LONGEST.as_micros() as u64));
    let acknowledged = worker::commit_until_killed(subject, &desk, after).map_err(TortureError::Worker)?;
    let found = worker::recover(subject, &desk).map_err(TortureError::Worker)?;
    let what = match found {
        Ok(commits) if commits >= acknowledged => return Ok(None),
        Ok(commits) => format!("{commits} of {acknowledged} acknowledged commits are there"),
        Err(message) => format!("after {acknowledged} acknowledged commits: {message}"),
    };
    Ok(Some(Contradiction { what, image: None }))
}
