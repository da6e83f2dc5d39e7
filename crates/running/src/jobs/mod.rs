//! Jobs: whatever measures is watched, and told things, by any terminal of the same user.
//!
//! A job has a folder of its own, `FOLDER/dbdyno/HOST-job-ID/`, in the user's cache folder, which outlives a login, or else in his runtime
//! folder, or in one of his own among the system's temporary files:
//!
//! | file | what |
//! |---|---|
//! | `job.json` | what it is: [`JobFacts`] |
//! | `lock` | locked for as long as the job lives |
//! | `events.jsonl` | its events as `--json` prints them, without progress and histograms; the last says how it ended |
//! | `control.socket` | takes a line of JSON each: [`JobRequest`]; gives progress, and the histograms of finished tests, to those who ask for it |
//! | `turn.lock`, `measuring.lock` | who uses the machine: see [`Turn`](crate::runner::Turn) |
//!
//! The log alone gives the whole picture to whoever comes late. Nobody who watches is waited for: a watcher that does not read loses
//! progress, and no event. The folder is kept for a day after the job has ended.

mod channel;
mod event;
mod folder;
mod log;
mod start;
mod watch;

pub use channel::JobRequest;
pub use event::{JobKind, Telling};
pub use folder::{FoundJob, JobFacts, jobs};
pub use start::{DETACHED, StartedJob, detach};
pub use watch::{JobEnd, Told, ask, follow, run_under_way};

use crate::runner::SessionHandle;
use channel::Progress;
use folder::JobFolder;
use log::Log;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

/// Something that measures, as others see it.
#[derive(Debug)]
pub struct Job {
    /// Locked for as long as it lives.
    _folder: JobFolder,
    log: SharedLog,
    progress: Progress,
}

/// What a job says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Announced<'a> {
    pub kind: JobKind,
    /// Whether it has no terminal of its own: screens have started it.
    pub detached: bool,
    /// What was typed.
    pub command: &'a str,
    /// Arguments that another command needs to mean the same store and files.
    pub places: &'a [String],
}

type SharedLog = Arc<Mutex<Log>>;

impl Job {
    /// Makes what this process measures one that others can watch, and tell things through `handle`. Within a runtime.
    ///
    /// # Errors
    /// No folder can be used for it.
    pub fn announce(announced: &Announced<'_>, handle: Arc<SessionHandle>) -> io::Result<Self> {
        let folder = JobFolder::create(announced)?;
        let log = Arc::new(Mutex::new(Log::create(folder.events())?));
        handle.quiet().share(folder.path())?;
        let progress = channel::serve(folder.listen()?, handle, Arc::clone(&log))?;
        folder.publish()?;
        Ok(Self { _folder: folder, log, progress })
    }

    /// Tells those who watch. Never waits for them; what cannot be written is lost to them and to nobody else.
    pub fn tell(&self, event: &impl Telling) {
        if !event.is_progress() {
            self.log.lock().unwrap_or_else(PoisonError::into_inner).append(event);
        }
        // After the log, which whoever hears of progress reads first.
        if event.is_progress() || event.has_histogram() {
            self.progress.tell(event);
        }
    }

    /// Says that it came to its end: without that it was killed. `failed`: why it could not do what it was started for.
    pub fn end(self, failed: Option<String>) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).end(failed);
    }
}
