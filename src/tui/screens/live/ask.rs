//! What the Live screen asks of the world outside: what is stored.

use super::{RecordedSlot, RecordedTest, Recording};
use crate::{
    engines::Registry,
    runner::{Owed, ResumeError},
    store::Store,
    tui::{launch::OwedSession, setup::Setup},
};
use dbdyno_engine::histogram::{bytes_from_base64, from_bytes};
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

/// What is read.
#[derive(Debug)]
pub enum Request {
    /// What tests of a suite took in earlier sessions.
    Usual {
        /// Its name.
        suite: String,
    },
    /// A stored run.
    Recording {
        /// Its identifier.
        run: String,
    },
    /// The last session that was interrupted.
    Owed,
}

/// What was read.
#[derive(Debug)]
pub enum Response {
    /// Median times by engine, size and test, ns.
    Usual(BTreeMap<(String, String, u32), f64>),
    /// The run, or why it cannot be had.
    Recording(Result<Box<Recording>, String>),
    /// What an interrupted session owes, or why none can be resumed.
    Owed(Result<Box<OwedSession>, String>),
}

/// Reads it.
pub(super) fn respond(request: Request, setup: &Setup) -> Response {
    match request {
        Request::Usual { suite } => Response::Usual(usual(&setup.store, &suite)),
        Request::Owed => Response::Owed(owed(setup).map(Box::new)),
        Request::Recording { run } => Response::Recording(
            recording(&setup.store, &run)
                .map(Box::new)
                .ok_or_else(|| format!("run {run} cannot be replayed: it is not stored, or has no finished test")),
        ),
    }
}

/// The last session that was interrupted.
fn owed(setup: &Setup) -> Result<OwedSession, String> {
    let nothing = || ResumeError::Nothing.to_string();
    let store = &setup.store;
    if !store.exists() && !store.has_journals() {
        return Err(nothing());
    }
    store.settle().map_err(|error| error.to_string())?;
    let owed = Owed::find(store, &Registry::discover(), None, false).map_err(|error| error.to_string())?;
    Ok(OwedSession {
        session_id: owed.session_id().to_owned(),
        runs: owed.runs(),
        expected_run: owed.expected_run,
        plan: owed.plan,
    })
}

/// Median times of a suite's tests; nothing where nothing can be read.
fn usual(store: &Store, suite: &str) -> BTreeMap<(String, String, u32), f64> {
    if !store.exists() {
        return BTreeMap::new();
    }
    let sql = "SELECT r.engine, r.size, t.test, median(t.wall_ns)::DOUBLE FROM result t JOIN run r USING (run_id)
               WHERE r.suite = ? AND t.wall_ns IS NOT NULL GROUP BY ALL";
    let rows = store.query(sql, &[&suite]).unwrap_or_default().rows;
    let entry = |row: Vec<Option<String>>| {
        let [engine, size, test, ns]: [Option<String>; 4] = row.try_into().ok()?;
        Some(((engine?, size?, test?.parse().ok()?), ns?.parse().ok()?))
    };
    rows.into_iter().filter_map(entry).collect()
}

fn recording(store: &Store, run: &str) -> Option<Recording> {
    let run_of = "SELECT label || ' · ' || suite || ' ' || size FROM run WHERE run_id::VARCHAR = ?";
    let title = store.query(run_of, &[&run]).ok()?.rows.into_iter().next()?.into_iter().next()??;
    let tests = "SELECT test, test_name, operations, wall_ns, base64(histogram) FROM result
                 WHERE run_id::VARCHAR = ? AND wall_ns IS NOT NULL ORDER BY test";
    let slots = "SELECT test, at_ns, operations, base64(histogram) FROM timeline
                 WHERE run_id::VARCHAR = ? ORDER BY test, at_ns";
    let mut of_test: BTreeMap<u32, Vec<RecordedSlot>> = BTreeMap::new();
    for row in store.query(slots, &[&run]).ok()?.rows {
        let [test, end_ns, operations, latencies]: [Option<String>; 4] = row.try_into().ok()?;
        of_test.entry(test?.parse().ok()?).or_default().push(RecordedSlot {
            end_ns: end_ns?.parse().ok()?,
            operations: operations?.parse().ok()?,
            latencies: latencies.as_deref().and_then(decoded),
        });
    }
    let mut recorded = Vec::new();
    for row in store.query(tests, &[&run]).ok()?.rows {
        let [number, name, operations, wall_ns, latencies]: [Option<String>; 5] = row.try_into().ok()?;
        let number = number?.parse().ok()?;
        recorded.push(RecordedTest {
            number,
            name: name?,
            // An imported test may not be counted in operations.
            operations: operations.and_then(|operations| operations.parse().ok()).unwrap_or(1),
            wall_ns: wall_ns?.parse().ok()?,
            latencies: latencies.as_deref().and_then(decoded),
            slots: of_test.remove(&number).unwrap_or_default(),
        });
    }
    (!recorded.is_empty()).then_some(Recording { title, tests: recorded })
}

fn decoded(text: &str) -> Option<Histogram<u64>> {
    from_bytes(&bytes_from_base64(text).ok()?).ok()
}
