//! The progress and cancellation of a reading that a caller waits for.

use super::StoreError;
use duckdb::{Connection, InterruptHandle};
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// A watch over what a store reads, used from another thread. Clones watch the same reading.
#[derive(Debug, Clone, Default)]
pub struct ReadWatch(Arc<WatchState>);

#[derive(Default)]
struct WatchState {
    /// Number of test results that were read.
    results: AtomicUsize,
    given_up: AtomicBool,
    /// The processes that hold the store while the reading waits for them, in words.
    held_by: Mutex<Option<String>>,
    /// Whether the reading waits for them until they are done, however long that takes.
    is_endless: bool,
    /// Called with the processes that hold the store when a wait begins.
    listener: Option<fn(&str)>,
    /// One handle for each reading connection; the handle of a closed connection has no effect.
    interrupts: Mutex<Vec<Arc<InterruptHandle>>>,
}

impl fmt::Debug for WatchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("results", &self.results).field("given_up", &self.given_up).finish()
    }
}

impl ReadWatch {
    /// Returns a watch of a reading that waits until other processes are done with the store.
    pub fn endless() -> Self {
        Self(Arc::new(WatchState { is_endless: true, ..WatchState::default() }))
    }

    /// Returns a watch that calls a listener when a wait begins, with the processes that hold the store.
    pub fn with_listener(listener: fn(&str)) -> Self {
        Self(Arc::new(WatchState { listener: Some(listener), ..WatchState::default() }))
    }

    /// Returns which processes hold the store at present, in words; none unless the reading waits for them.
    pub fn held_by(&self) -> Option<String> {
        self.0.held_by.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn is_endless(&self) -> bool {
        self.0.is_endless
    }

    /// Sets the processes that hold the store, and calls the listener if there are any.
    pub(super) fn held(&self, by: Option<String>) {
        if let (Some(listener), Some(by)) = (self.0.listener, &by) {
            listener(by);
        }
        *self.0.held_by.lock().unwrap_or_else(PoisonError::into_inner) = by;
    }

    /// Returns the number of test results read so far.
    pub fn results(&self) -> usize {
        self.0.results.load(Ordering::Relaxed)
    }

    pub fn is_given_up(&self) -> bool {
        self.0.given_up.load(Ordering::SeqCst)
    }

    /// Cancels the reading: interrupts running queries, and lets none begin.
    pub fn give_up(&self) {
        self.0.given_up.store(true, Ordering::SeqCst);
        let interrupts = self.0.interrupts.lock().unwrap_or_else(PoisonError::into_inner);
        interrupts.iter().for_each(|handle| handle.interrupt());
    }

    /// Returns an error if the reading was cancelled.
    ///
    /// # Errors
    /// The reading was cancelled.
    pub fn check(&self) -> Result<(), StoreError> {
        match self.is_given_up() {
            true => Err(StoreError::Query { message: "the read was cancelled".to_owned() }),
            false => Ok(()),
        }
    }

    /// Follows a connection that reads from now on.
    pub(super) fn follow(&self, connection: &Connection) -> Result<(), StoreError> {
        // `give_up` sets the flag first: either it finds this connection, or the check finds the flag.
        self.0.interrupts.lock().unwrap_or_else(PoisonError::into_inner).push(connection.interrupt_handle());
        self.check()
    }

    /// Counts further results that were read.
    pub(super) fn count(&self, results: usize) -> Result<(), StoreError> {
        self.0.results.fetch_add(results, Ordering::Relaxed);
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_under_way_ends_when_it_is_given_up_and_none_is_begun_after() {
        let watch = ReadWatch::default();
        let connection = Connection::open_in_memory().unwrap();
        watch.follow(&connection).unwrap();
        watch.count(3).unwrap();
        assert_eq!(watch.results(), 3);
        let other = watch.clone();
        let endless = std::thread::spawn(move || {
            connection.query_row("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b", [], |row| {
                row.get::<_, Option<f64>>(0)
            })
        });
        while !endless.is_finished() {
            other.give_up();
            std::thread::yield_now();
        }
        assert!(endless.join().unwrap().is_err());
        assert!(watch.check().is_err() && watch.follow(&Connection::open_in_memory().unwrap()).is_err());
    }
}
