//! How a connection waits for another connection's lock, if the options do not select SQLite's own way.

use dbdyno_engine::{EngineError, settings::Settings};
use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// The option.
pub(crate) const BUSY_HANDLER: &str = "busy_handler";
/// Its value for SQLite's own handler, which sleeps 1, 2, 5, 10 and so on up to 100 ms (`sqliteDefaultBusyCallback`).
pub(crate) const OWN: &str = "sleep";

/// Called by SQLite when it meets a lock, with the number of previous calls for this lock; returns whether to retry.
pub type BusyHandler = fn(i32) -> bool;

/// A brief sleep: about the duration of a short write transaction.
const BRIEF: Duration = Duration::from_micros(100);

/// The option `busy_timeout`, ms, which is the same for all connections of a process.
static TIMEOUT_MS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The time since which this thread has waited for the current lock.
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Returns the handler that the options select; `None` for SQLite's own.
pub(crate) fn handler(settings: &Settings) -> Result<Option<BusyHandler>, EngineError> {
    let handler: BusyHandler = match settings.text(BUSY_HANDLER)? {
        "yield" => |tries| again(tries, thread::yield_now),
        "brief" => |tries| again(tries, || thread::sleep(BRIEF)),
        _ => return Ok(None),
    };
    TIMEOUT_MS.store(settings.integer("busy_timeout")? as u64, Relaxed);
    Ok(Some(handler))
}

fn again(tries: i32, wait: impl FnOnce()) -> bool {
    let begun = SINCE.with(|since| {
        if tries == 0 || since.get().is_none() {
            since.set(Some(Instant::now()));
        }
        since.get()
    });
    let in_time = begun.is_none_or(|begun| begun.elapsed() < Duration::from_millis(TIMEOUT_MS.load(Relaxed)));
    if in_time {
        wait();
    }
    in_time
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{connection, describe::describe};
    use rusqlite::Connection;
    use std::collections::BTreeMap;

    #[test]
    fn a_lock_is_waited_for_as_long_as_busy_timeout_says_with_each_handler() {
        let folder = tempfile::tempdir().unwrap();
        let open = |handler: &str| {
            let asked = [("busy_timeout", "60"), (BUSY_HANDLER, handler)];
            let asked: BTreeMap<String, String> =
                asked.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let settings = Settings::resolve(&describe(), &asked).unwrap();
            connection::open_in::<Connection>(folder.path(), &settings).unwrap()
        };
        let owner = open(OWN);
        owner.execute_batch("CREATE TABLE t (a); BEGIN EXCLUSIVE").unwrap();
        for (handler, own_ms) in [(OWN, 60), ("yield", 0), ("brief", 0)] {
            // Opening sets pragmas, so no lock may be held then.
            owner.execute_batch("COMMIT").unwrap();
            let waiting = open(handler);
            owner.execute_batch("BEGIN EXCLUSIVE").unwrap();
            let begun = Instant::now();
            assert!(waiting.execute_batch("INSERT INTO t VALUES (1)").is_err(), "{handler}");
            assert!(begun.elapsed() >= Duration::from_millis(55), "{handler}: {:?}", begun.elapsed());
            // SQLite forgets its own handler's timeout when it gets another handler.
            let told: i64 = waiting.query_row("PRAGMA busy_timeout", [], |row| row.get(0)).unwrap();
            assert_eq!(told, own_ms, "{handler}");
        }
    }
}
