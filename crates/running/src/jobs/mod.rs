//! Jobs: any terminal of the same user can watch and control a process that measures.
//!
//! A job has a folder of its own, `FOLDER/dbdyno/HOST-job-ID/`. It is in the user's cache folder, which outlives a login. Otherwise it is
//! in the user's runtime folder, or in a folder of the user's among the system's temporary files:
//!
//! | file | what |
//! |---|---|
//! | `job.json` | what it is: [`JobFacts`] |
//! | `lock` | locked while the job lives |
//! | `events.jsonl` | its events as `--json` prints them, without progress and histograms; the last one says how it ended |
//! | `control.socket` | accepts [`JobRequest`]s, a line of JSON each; sends progress and finished tests' histograms to clients that ask |
//! | `turn.lock`, `measuring.lock` | which process uses the machine: see [`QuietTurn`](crate::runner::QuietTurn) |
//!
//! The log alone gives late watchers the whole picture. The job never waits for watchers: one that does not read loses progress, but no
//! event. The folder is kept for a day after the job has ended.

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
pub use watch::{JobEnd, JobLine, ask, follow, run_under_way};

use crate::runner::SessionHandle;
use channel::ProgressChannel;
use folder::JobFolder;
use log::JobLog;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

/// A measuring process, as others see it.
#[derive(Debug)]
pub struct AnnouncedJob {
    /// Locked while the job lives.
    _folder: JobFolder,
    log: SharedLog,
    progress: ProgressChannel,
}

/// The facts that a job announces about itself.
#[derive(Debug, Clone, Copy)]
pub struct Announced<'a> {
    pub kind: JobKind,
    /// Whether the job has no terminal of its own because the screens started it.
    pub detached: bool,
    /// The command line that started it.
    pub command: &'a str,
    /// Arguments that another command needs to refer to the same store and files.
    pub places: &'a [String],
}

type SharedLog = Arc<Mutex<JobLog>>;

impl AnnouncedJob {
    /// Announces this process as a job that others can watch, and control through `handle`. Must be called within a runtime.
    ///
    /// # Errors
    /// No folder can be used for it.
    pub fn announce(announced: &Announced<'_>, handle: Arc<SessionHandle>) -> io::Result<Self> {
        let folder = JobFolder::create(announced)?;
        let log = Arc::new(Mutex::new(JobLog::create(folder.events())?));
        handle.quiet().share(folder.path())?;
        let progress = channel::serve(folder.listen()?, handle, Arc::clone(&log))?;
        folder.publish()?;
        Ok(Self { _folder: folder, log, progress })
    }

    /// Sends an event to the watchers. Never waits for them. An event that cannot be written is lost to watchers, and only to them.
    pub fn tell(&self, event: &impl Telling) {
        if !event.is_progress() {
            self.log.lock().unwrap_or_else(PoisonError::into_inner).append(event);
        }
        // Sent after the log is written, because a client that receives progress reads the log first.
        if event.is_progress() || event.has_histogram() {
            self.progress.tell(event);
        }
    }

    /// Records that the job came to its end. A log without this record belongs to a killed job. `failed`: the reason why it could not do
    /// its task.
    pub fn end(self, failed: Option<String>) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).end(failed);
    }
}
