//! The right to use the machine: a session holds it while it measures, and releases it between tests. Watchers in other processes read the
//! store only then, so DuckDB's threads never run during a test.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// The file that watchers lock, with a shared lock, while they wait for their turn or have it. No test begins while it is locked.
const TURN: &str = "turn.lock";
/// The file that the session locks while it measures.
const MEASURING: &str = "measuring.lock";
/// How long a session waits for watchers to end their turn. It waits only once for one that was stopped.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(2);

/// The session's end of the lock. Until it is shared, no one waits for it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quiet(Arc<OnceLock<Shared>>);

#[derive(Debug)]
struct Shared {
    turn: File,
    measuring: File,
    /// Whether a watcher did not end its turn in time.
    is_hopeless: AtomicBool,
    patience: Duration,
}

/// Held while something is measured.
#[derive(Debug)]
pub(super) struct MeasurementGuard(Quiet);

/// Held by a watcher while nothing is measured. Nothing is measured until it is dropped.
#[derive(Debug)]
pub struct QuietTurn {
    // Released first: a session that gets the turn takes this lock at once.
    _measuring: File,
    _turn: File,
}

impl Quiet {
    /// Lets others that have this folder wait for their turn from now on.
    pub(crate) fn share(&self, folder: &Path) -> io::Result<()> {
        self.share_patiently(folder, PATIENCE)
    }

    fn share_patiently(&self, folder: &Path, patience: Duration) -> io::Result<()> {
        let make = |name| OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(name));
        let shared =
            Shared { turn: make(TURN)?, measuring: make(MEASURING)?, is_hopeless: AtomicBool::new(false), patience };
        // Sharing once is enough.
        let _ = self.0.set(shared);
        Ok(())
    }

    /// Begins to measure, once no watcher uses the machine.
    pub(super) async fn begin(&self) -> MeasurementGuard {
        if let Some(shared) = self.0.get() {
            shared.begin().await;
        }
        MeasurementGuard(self.clone())
    }
}

impl Shared {
    async fn begin(&self) {
        let until = Instant::now() + if self.is_hopeless.load(Relaxed) { Duration::ZERO } else { self.patience };
        loop {
            if self.turn.try_lock().is_ok() {
                // Free: watchers release this lock before they release their turn.
                let _ = self.measuring.try_lock();
                let _ = self.turn.unlock();
                return self.is_hopeless.store(false, Relaxed);
            }
            if Instant::now() >= until {
                return self.is_hopeless.store(true, Relaxed);
            }
            sleep(LOOK).await;
        }
    }
}

impl Drop for MeasurementGuard {
    fn drop(&mut self) {
        if let Some(shared) = self.0.0.get() {
            // Unlocking has no effect if the file was not locked.
            let _ = shared.measuring.unlock();
        }
    }
}

impl QuietTurn {
    /// Waits until nothing is measured. `open` opens a file of the session's folder.
    ///
    /// # Errors
    /// The file does not exist.
    pub(crate) fn wait(open: impl Fn(&str) -> io::Result<File>) -> io::Result<Self> {
        let (turn, measuring) = (open(TURN)?, open(MEASURING)?);
        turn.lock_shared()?;
        measuring.lock_shared()?;
        Ok(Self { _measuring: measuring, _turn: turn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[tokio::test(flavor = "current_thread")]
    async fn who_waits_has_the_machine_between_two_tests_and_no_test_begins_before_he_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let quiet = Quiet::default();
        drop(quiet.begin().await);
        quiet.share(folder.path()).unwrap();
        let first = quiet.begin().await;
        let path = folder.path().to_owned();
        let waiting = thread::spawn(move || QuietTurn::wait(|name| File::open(path.join(name))).unwrap());
        let turn = File::open(folder.path().join(TURN)).unwrap();
        while turn.try_lock().is_ok() {
            turn.unlock().unwrap();
            sleep(LOOK).await;
        }
        assert!(!waiting.is_finished(), "a test is under way");
        drop(first);
        let has_it = waiting.join().unwrap();
        let mut next = Box::pin(quiet.begin());
        tokio::select! {
            biased;
            _ = &mut next => panic!("a test began beside a reader"),
            () = sleep(LOOK * 10) => {}
        }
        drop(has_it);
        drop(next.await);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn who_does_not_end_his_turn_is_waited_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let (quiet, patience) = (Quiet::default(), Duration::from_millis(50));
        quiet.share_patiently(folder.path(), patience).unwrap();
        let is_hopeless = || quiet.0.get().unwrap().is_hopeless.load(Relaxed);
        let stopped = QuietTurn::wait(|name| File::open(folder.path().join(name))).unwrap();
        let begun = Instant::now();
        drop(quiet.begin().await);
        assert!(begun.elapsed() >= patience && is_hopeless());
        drop(quiet.begin().await);
        assert!(is_hopeless(), "he still has it");
        drop(stopped);
        drop(quiet.begin().await);
        assert!(!is_hopeless(), "who ended his turn is waited for again");
    }
}
