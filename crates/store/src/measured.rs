//! The runs of a running session, read again at its end: a session of thousands of runs holds only the last ones in memory.

use super::{ActorRecord, Batch, RunRecord, Store, StoreError, TestRecord};
use std::collections::HashMap;

/// Runs with their results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeasuredRuns {
    pub runs: Vec<RunRecord>,
    /// Finished tests of the runs.
    pub results: Vec<TestRecord>,
    /// The records of the actors of tests with several threads.
    pub actors: Vec<ActorRecord>,
}

/// The records found of one run; the newest record of an item counts.
#[derive(Debug, Default)]
struct RunRecords {
    run: Option<RunRecord>,
    results: Vec<TestRecord>,
    actors: Vec<ActorRecord>,
}

impl Store {
    /// Returns the runs of a session with these identifiers, in that order. Reads the store if some may be there, and what this process
    /// has journaled or could not journal.
    ///
    /// # Errors
    /// The store or the journal cannot be read.
    pub fn measured_runs(
        &self,
        session: &str,
        runs: &[String],
        may_be_stored: bool,
    ) -> Result<MeasuredRuns, StoreError> {
        let mut found: HashMap<&str, RunRecords> =
            runs.iter().map(|run| (run.as_str(), RunRecords::default())).collect();
        if may_be_stored {
            let _open_once = self.read_together();
            let of_runs = "run_id IN (SELECT run_id FROM run WHERE session_id = ?)";
            let stored = Batch {
                runs: self.records("session_id = ?", "ordinal", &[&session])?,
                results: self.records(of_runs, "finished_at, test", &[&session])?,
                actors: self.records(of_runs, "finished_at, test", &[&session])?,
                ..Batch::default()
            };
            take(&mut found, stored);
        }
        self.each_journaled(|batch| take(&mut found, batch))?;
        let mut all = MeasuredRuns::default();
        for RunRecords { run, results, actors } in runs.iter().filter_map(|run| found.remove(run.as_str())) {
            all.runs.extend(run);
            all.results.extend(results);
            all.actors.extend(actors);
        }
        Ok(all)
    }
}

fn take(found: &mut HashMap<&str, RunRecords>, batch: Batch) {
    for run in batch.runs {
        if let Some(found) = found.get_mut(run.run_id.as_str()) {
            found.run = Some(run);
        }
    }
    for result in batch.results {
        if let Some(found) = found.get_mut(result.run_id.as_str()) {
            put(&mut found.results, result, |one, other| one.test == other.test);
        }
    }
    for actor in batch.actors {
        if let Some(found) = found.get_mut(actor.run_id.as_str()) {
            put(&mut found.actors, actor, |one, other| (one.test, &one.actor) == (other.test, &other.actor));
        }
    }
}

/// Replaces the record of the same item, or adds the record.
fn put<R>(records: &mut Vec<R>, record: R, is_same: fn(&R, &R) -> bool) {
    match records.iter_mut().find(|older| is_same(older, &record)) {
        Some(older) => *older = record,
        None => records.push(record),
    }
}
