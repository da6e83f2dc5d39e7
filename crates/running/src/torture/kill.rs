//! Kills a worker while it commits.

use super::{
    TortureError,
    folder::TortureFolder,
    subject::TortureSubject,
    verdict::Contradiction,
    worker::{self, Unkilled},
};
use dbdyno_workload::rng::SplitMix64;
use std::{path::Path, time::Duration};

/// The longest time from a worker's first commit to its end.
const LONGEST: Duration = Duration::from_millis(250);
/// How many threads commit in every second worker, if the engine supports several.
const SEVERAL: u32 = 3;

/// Kills one worker at a random moment, and opens its database. Returns what is missing or wrong. `number`: its number among the kills.
pub(super) fn one(
    subject: &TortureSubject,
    (folder, patience): (&Path, Duration),
    number: u32,
    rng: &mut SplitMix64,
) -> Result<Option<Contradiction>, TortureError> {
    let torture_folder = TortureFolder::cleared(folder.to_owned(), patience)?;
    let threads = if subject.has_several_writers() && number % 2 == 1 { SEVERAL } else { 1 };
    let after = Duration::from_micros(rng.below(LONGEST.as_micros() as u64));
    let (threads, torture_folder, acknowledged) =
        match worker::commit_until_killed(subject, &torture_folder, threads, after) {
            Ok(acknowledged) => (threads, torture_folder, acknowledged),
            // Some options support one thread only.
            Err(Unkilled { has_committed: false, .. }) if threads > 1 => {
                let torture_folder = TortureFolder::cleared(folder.to_owned(), patience)?;
                let acknowledged =
                    worker::commit_until_killed(subject, &torture_folder, 1, after).map_err(Unkilled::into_error)?;
                (1, torture_folder, acknowledged)
            }
            Err(unkilled) => return Err(unkilled.into_error()),
        };
    let found = worker::recover(subject, &torture_folder, threads).map_err(TortureError::Worker)?;
    let all: u64 = acknowledged.iter().sum();
    let what = match found {
        Ok(found) => {
            let mut sides = found.iter().zip(&acknowledged);
            let Some((found, acknowledged)) = sides.find(|(found, acknowledged)| found < acknowledged) else {
                return Ok(None);
            };
            format!("{found} of {acknowledged} acknowledged commits of a thread survived")
        }
        // There need not be a database before the first commit has returned.
        Err(_) if all == 0 => return Ok(None),
        Err(message) => format!("after {all} acknowledged commits: {message}"),
    };
    Ok(Some(Contradiction { what, image: None }))
}
