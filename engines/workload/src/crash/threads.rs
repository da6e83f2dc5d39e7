//! Several threads that commit at the same time, each to its own rows.

use super::{found::Formats, make};
use dbdyno_engine::{
    EngineError,
    error::caught,
    kv::{KvHandle, KvThreads},
    protocol::Event,
    serve::Worker,
    suite::KvStatements,
};
use std::{
    env,
    sync::{Barrier, OnceLock},
    thread,
};

/// The number of threads that commit.
pub(super) const THREADS: &str = "DBDYNO_COMMIT_THREADS";
const MOST: u32 = 16;

/// Returns the number of threads that the environment requests.
pub(super) fn asked_for() -> Result<u32, EngineError> {
    let Some(text) = env::var_os(THREADS) else { return Ok(1) };
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| {
        EngineError::new(format!("{THREADS}={}: expected a number of threads from 1 to {MOST}", text.display()))
    })
}

/// The threads of a kill test with several threads.
pub(crate) struct Committers<'c> {
    pub(super) worker: &'c Worker,
    pub(super) statements: &'c KvStatements,
    /// The formats of each thread.
    pub(super) formats: Vec<Formats<'c>>,
}

/// The state that the threads share while they commit.
struct CommitState {
    start: Barrier,
    /// The first error of any thread. It ends the other threads, which may then fail because of it too.
    failure: OnceLock<EngineError>,
}

impl Committers<'_> {
    /// Commits repeatedly in each thread until the process is killed or a thread fails.
    pub(crate) fn commit_forever<E: KvThreads>(&self, engine: &E) -> Result<(), EngineError> {
        let state = CommitState { start: Barrier::new(self.formats.len()), failure: OnceLock::new() };
        thread::scope(|scope| {
            for (thread, formats) in (0..).zip(&self.formats) {
                let state = &state;
                scope.spawn(move || {
                    if let Err(error) = caught(|| self.commit_as(thread, *formats, engine, state)).flatten() {
                        // An error here means that another thread failed first.
                        let _ = state.failure.set(error);
                    }
                });
            }
        });
        state.failure.into_inner().map_or(Ok(()), Err)
    }

    fn commit_as<E: KvThreads>(
        &self,
        thread: u32,
        formats: Formats<'_>,
        engine: &E,
        state: &CommitState,
    ) -> Result<(), EngineError> {
        let getting_ready = GettingReady(&state.start);
        let mut handle = engine.handle()?;
        let mut session = handle.session(self.statements)?;
        drop(getting_ready);
        let mut commit = 1;
        while state.failure.get().is_none() {
            match make(&mut session, formats, commit) {
                Ok(()) => {
                    self.worker.emit(&Event::Committed { commits: commit, thread });
                    commit += 1;
                }
                Err(error) if error.is_busy => thread::yield_now(),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A thread that is preparing. No thread commits before all are prepared, because a commit may block a thread that does not expect it.
/// Dropping it ends the preparation even if the thread fails, because the other threads wait for it.
struct GettingReady<'c>(&'c Barrier);

impl Drop for GettingReady<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}
