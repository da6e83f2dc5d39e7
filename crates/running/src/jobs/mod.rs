//! Jobs: whatever measures is watched, and told things, by any terminal of the same user.
//!
//! A job has a folder of its own, `FOLDER/dbdyno/HOST-job-ID/`, in the user's cache folder, which outlives a login, or else in his runtime
//! folder:
//!
//! | file | what |
//! |---|---|
//! | `job.json` | what it is: [`JobFacts`] |
//! | `lock` | locked for as long as the job lives |
//! | `events.jsonl` | its events as `--json` prints them, without progress and histograms; the last says how it ended |
//! | `control.socket` | takes a line of JSON each: [`JobRequest`]; gives progress to those who ask for it |
//!
//! The log alone gives the whole picture to whoever comes late. Nobody who watches is waited for: a watcher that does not read loses
//! progress, and no event. The folder is kept for a day after the job has ended.

mod channel;
mod folder;
mod log;
mod watch;

pub use channel::JobRequest;
pub use folder::{FoundJob, JobFacts, jobs};
pub use watch::{JobEnd, ask, run_under_way, watch};

use crate::runner::{RunnerEvent, SessionHandle};
use channel::Progress;
use dbdyno_engine::protocol::Event;
use folder::JobFolder;
use log::Log;
use serde::Serialize;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

/// What a job tells those who watch it.
pub trait Telling: Serialize {
    /// Whether it is worth nothing to those who come later.
    fn is_progress(&self) -> bool;
}

impl Telling for RunnerEvent {
    fn is_progress(&self) -> bool {
        matches!(self, Self::Uses { .. } | Self::Worker { says: Event::Progress { .. }, .. })
    }
}

/// Something that measures, as others see it.
#[derive(Debug)]
pub struct Job {
    /// Locked for as long as it lives.
    _folder: JobFolder,
    log: SharedLog,
    progress: Progress,
}

type SharedLog = Arc<Mutex<Log>>;

impl Job {
    /// Makes what this process measures one that others can watch, and tell things through `handle`. Within a runtime. `command`: what
    /// was typed.
    ///
    /// # Errors
    /// No folder can be used for it.
    pub fn announce(command: &str, handle: Arc<SessionHandle>) -> io::Result<Self> {
        let folder = JobFolder::create(command)?;
        let log = Arc::new(Mutex::new(Log::create(folder.events())?));
        let progress = channel::serve(folder.listen()?, handle, Arc::clone(&log))?;
        folder.publish()?;
        Ok(Self { _folder: folder, log, progress })
    }

    /// Tells those who watch. Never waits for them; what cannot be written is lost to them and to nobody else.
    pub fn tell(&self, event: &impl Telling) {
        if event.is_progress() {
            self.progress.tell(event);
        } else {
            self.log.lock().unwrap_or_else(PoisonError::into_inner).append(event);
        }
    }

    /// Says that it came to its end: without that it was killed.
    pub fn end(self) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).end();
    }
}
