//! Several threads that commit at the same time, each rows of its own.

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

/// How many threads commit.
pub(super) const THREADS: &str = "DBDYNO_COMMIT_THREADS";
const MOST: u32 = 16;

/// How many threads the environment asks for.
pub(super) fn asked_for() -> Result<u32, EngineError> {
    let Some(text) = env::var_os(THREADS) else { return Ok(1) };
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| {
        EngineError::new(format!("{THREADS}={}: expected a number of threads from 1 to {MOST}", text.display()))
    })
}

/// The threads of a kill test that has several.
pub(crate) struct Committers<'c> {
    pub(super) worker: &'c Worker,
    pub(super) statements: &'c KvStatements,
    /// Of each thread.
    pub(super) formats: Vec<Formats<'c>>,
}

/// What the threads share while they commit.
struct Course {
    start: Barrier,
    /// The first that a thread met. It ends the others, which may fail too because of it.
    failure: OnceLock<EngineError>,
}

impl Committers<'_> {
    /// Commits in each thread again and again until the process is killed or one of them fails.
    pub(crate) fn commit_forever<E: KvThreads>(&self, engine: &E) -> Result<(), EngineError> {
        let course = Course { start: Barrier::new(self.formats.len()), failure: OnceLock::new() };
        thread::scope(|scope| {
            for (thread, formats) in (0..).zip(&self.formats) {
                let course = &course;
                scope.spawn(move || {
                    if let Err(error) = caught(|| self.commit_as(thread, *formats, engine, course)).flatten() {
                        // An error means that another thread was the first.
                        let _ = course.failure.set(error);
                    }
                });
            }
        });
        course.failure.into_inner().map_or(Ok(()), Err)
    }

    fn commit_as<E: KvThreads>(
        &self,
        thread: u32,
        formats: Formats<'_>,
        engine: &E,
        course: &Course,
    ) -> Result<(), EngineError> {
        let getting_ready = GettingReady(&course.start);
        let mut handle = engine.handle()?;
        let mut session = handle.session(self.statements)?;
        drop(getting_ready);
        let mut commit = 1;
        while course.failure.get().is_none() {
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

/// A thread that gets ready: nobody commits before all have ended that, as those who do may be in the way of who does not expect it. It ends too
/// where it fails, since the others wait for it.
struct GettingReady<'c>(&'c Barrier);

impl Drop for GettingReady<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}
