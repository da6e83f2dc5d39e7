//! The folders of jobs, in which other processes find them. Each job has one, owned by the user.

use super::{Announced, JobKind};
use crate::runner::QuietTurn;
use dbdyno_foundation::base::{
    identifier::identifier,
    leftovers::{self, JOB_EVENTS, JOB_LOCK, jobs_of_host, reached},
    own_folders::{in_a_meeting_place, meeting_places, own_folder},
    scratch::gate,
};
use jiff::Timestamp;
use rustix::fs::{Mode, OFlags, openat};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read},
    os::unix::{
        fs::{DirBuilderExt, OpenOptionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

const FACTS: &str = "job.json";
const CONTROL: &str = "control.socket";
/// More than any command that can be typed.
const LONGEST_FACTS: u64 = 4 << 20;

/// The description of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFacts {
    /// The version of the folder's content.
    pub version: String,
    /// Its name: eight hexadecimal digits.
    pub id: String,
    pub kind: JobKind,
    /// Whether the job has no terminal of its own because the screens started it.
    pub detached: bool,
    /// The command line that started it.
    pub command: String,
    /// Arguments that another command needs to refer to the same store and files.
    pub places: Vec<String>,
    pub process: u32,
    pub started: Timestamp,
}

/// A job of this process. Its lock shows other processes that it is alive.
#[derive(Debug)]
pub(super) struct JobFolder {
    facts: JobFacts,
    path: PathBuf,
    _lock: File,
}

/// A job that was found.
#[derive(Debug)]
pub struct FoundJob {
    pub facts: JobFacts,
    folder: File,
}

impl JobFolder {
    /// # Errors
    /// The reason why none of the places can be used.
    pub(super) fn create(announced: &Announced<'_>) -> io::Result<Self> {
        in_a_meeting_place(|folder| Self::create_in(folder, announced))
    }

    fn create_in(parent: &Path, announced: &Announced<'_>) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        own_folder(parent)?;
        leftovers::sweep(parent, leftovers::LeftoverFolder::Jobs);
        let id = identifier().split('-').next_back().map_or_else(String::new, |last| last[4..].to_owned());
        let path = parent.join(format!("{}{id}", jobs_of_host()));
        let facts = JobFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            id,
            kind: announced.kind,
            detached: announced.detached,
            command: announced.command.to_owned(),
            places: announced.places.to_vec(),
            process: std::process::id(),
            started: Timestamp::now(),
        };
        // Other processes treat an unlocked folder as the remains of a killed job.
        let _gate = gate(parent);
        DirBuilder::new().mode(0o700).create(&path)?;
        match Self::locked(&path) {
            Ok(lock) => Ok(Self { facts, path, _lock: lock }),
            Err(error) => {
                // A file system without locks cannot have jobs: no one could detect that this one is over.
                let _ = fs::remove_dir_all(&path);
                Err(error)
            }
        }
    }

    fn locked(path: &Path) -> io::Result<File> {
        let lock = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path.join(JOB_LOCK))?;
        lock.try_lock()?;
        Ok(lock)
    }

    /// Makes the job visible to others. Everything else that they look for has to be in place before.
    pub(super) fn publish(&self) -> io::Result<()> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.path.join(FACTS))?;
        Ok(serde_json::to_writer(file, &self.facts)?)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn events(&self) -> PathBuf {
        self.path.join(JOB_EVENTS)
    }

    pub(super) fn listen(&self) -> io::Result<UnixListener> {
        let listener = UnixListener::bind(reached(&File::open(&self.path)?, CONTROL))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }
}

/// Returns the jobs of this user on this host, the newest last. Those that ended within a day are included; older ones are removed.
pub fn jobs() -> Vec<FoundJob> {
    for folder in meeting_places() {
        leftovers::sweep(&folder, leftovers::LeftoverFolder::Jobs);
    }
    changed_since(SystemTime::UNIX_EPOCH)
}

/// Returns the job of a process that was started at this time. An older job belongs to another process that had the same number.
pub(super) fn job_of(process: u32, started: Timestamp) -> Option<FoundJob> {
    // The clock of the file system may be a little behind.
    let since = SystemTime::from(started) - Duration::from_secs(1);
    changed_since(since).into_iter().rfind(|job| job.facts.process == process && job.facts.started >= started)
}

/// Returns the jobs whose folders have changed since then, the newest last.
fn changed_since(since: SystemTime) -> Vec<FoundJob> {
    let prefix = jobs_of_host();
    let mut found = Vec::new();
    for folder in meeting_places() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let is_new = || entry.metadata().and_then(|facts| facts.modified()).is_ok_and(|changed| changed >= since);
            if entry.file_name().to_string_lossy().starts_with(&prefix) && is_new() {
                found.extend(FoundJob::open(&entry.path()));
            }
        }
    }
    found.sort_by(|one, other| (one.facts.started, &one.facts.id).cmp(&(other.facts.started, &other.facts.id)));
    found
}

impl FoundJob {
    /// Opens a job's folder. None if it is not a job's, not this user's, or not yet complete.
    fn open(path: &Path) -> Option<Self> {
        let folder = own_folder(path).ok()?;
        let mut text = String::new();
        file_in(&folder, FACTS).ok()?.take(LONGEST_FACTS).read_to_string(&mut text).ok()?;
        Some(Self { facts: serde_json::from_str(&text).ok()?, folder })
    }

    /// Whether the job is measuring. Otherwise it has ended, or was killed.
    pub fn is_alive(&self) -> bool {
        file_in(&self.folder, JOB_LOCK).is_ok_and(|lock| lock.try_lock_shared().is_err())
    }

    /// # Errors
    /// The log cannot be read.
    pub(super) fn events(&self) -> io::Result<File> {
        file_in(&self.folder, JOB_EVENTS)
    }

    /// Waits until the job measures nothing. It will not measure until the turn is over.
    ///
    /// # Errors
    /// The job is gone.
    pub fn turn(&self) -> io::Result<QuietTurn> {
        QuietTurn::wait(|name| file_in(&self.folder, name))
    }

    /// # Errors
    /// The job has ended.
    pub(super) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(reached(&self.folder, CONTROL))
    }
}

fn file_in(folder: &File, name: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(openat(folder, name, flags, Mode::empty())?))
}
