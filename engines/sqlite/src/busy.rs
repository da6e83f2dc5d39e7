//! How a connection waits for another one's lock, where SQLite's own way is not asked for.

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

/// Called by SQLite when a lock is in the way, with how often it was called for this lock; whether to try again.
pub type BusyHandler = fn(i32) -> bool;

/// A brief sleep: about what a short write transaction takes.
const BRIEF: Duration = Duration::from_micros(100);

/// The option `busy_timeout`, ms, which all connections of a process have alike.
static TIMEOUT_MS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Since when this thread has waited for the lock that is in its way.
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The handler that the options ask for; none: SQLite's own.
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
