//! A reading that somebody waits for: how far it is, and that it is given up.

use super::StoreError;
use duckdb::{Connection, InterruptHandle};
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Watches what a store reads, from another thread. Clones watch the same reading.
#[derive(Debug, Clone, Default)]
pub struct ReadWatch(Arc<Watched>);

#[derive(Default)]
struct Watched {
    /// Results of tests that were read.
    results: AtomicUsize,
    given_up: AtomicBool,
    /// One of each connection that reads; of one that is closed it does nothing.
    interrupts: Mutex<Vec<Arc<InterruptHandle>>>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("results", &self.results).field("given_up", &self.given_up).finish()
    }
}

impl ReadWatch {
    /// How many results of tests were read so far.
    pub fn results(&self) -> usize {
        self.0.results.load(Ordering::Relaxed)
    }

    pub fn is_given_up(&self) -> bool {
        self.0.given_up.load(Ordering::SeqCst)
    }

    /// Nobody waits for it any more: queries under way are interrupted, and none is begun.
    pub fn give_up(&self) {
        self.0.given_up.store(true, Ordering::SeqCst);
        let interrupts = self.0.interrupts.lock().unwrap_or_else(PoisonError::into_inner);
        interrupts.iter().for_each(|handle| handle.interrupt());
    }

    /// Says so where it was given up.
    ///
    /// # Errors
    /// It was given up.
    pub fn check(&self) -> Result<(), StoreError> {
        match self.is_given_up() {
            true => Err(StoreError::Query { message: "the reading was given up".to_owned() }),
            false => Ok(()),
        }
    }

    /// A connection reads from now on.
    pub(super) fn follow(&self, connection: &Connection) -> Result<(), StoreError> {
        // Whoever gives up sets the flag first: either it finds this connection, or the check finds the flag.
        self.0.interrupts.lock().unwrap_or_else(PoisonError::into_inner).push(connection.interrupt_handle());
        self.check()
    }

    /// Further results were read.
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
