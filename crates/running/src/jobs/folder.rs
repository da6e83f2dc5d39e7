//! Where jobs are found: each has a folder of the user's.

use super::{Announced, JobKind};
use crate::runner::Turn;
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

/// What a job is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFacts {
    /// Of what is in the folder.
    pub version: String,
    /// What it is called: eight hexadecimal digits.
    pub id: String,
    pub kind: JobKind,
    /// Whether it has no terminal of its own: screens have started it.
    pub detached: bool,
    /// What was typed to start it.
    pub command: String,
    /// Arguments that another command needs to mean the same store and files.
    pub places: Vec<String>,
    pub process: u32,
    pub started: Timestamp,
}

/// A job of this process's own. Others see that it lives by its lock.
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
    /// Why none of the places can be used.
    pub(super) fn create(announced: &Announced<'_>) -> io::Result<Self> {
        in_a_meeting_place(|folder| Self::create_in(folder, announced))
    }

    fn create_in(parent: &Path, announced: &Announced<'_>) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        own_folder(parent)?;
        leftovers::sweep(parent, leftovers::Place::Jobs);
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
        // Others take what is not locked for what is left of a job that was killed.
        let _gate = gate(parent);
        DirBuilder::new().mode(0o700).create(&path)?;
        match Self::locked(&path) {
            Ok(lock) => Ok(Self { facts, path, _lock: lock }),
            Err(error) => {
                // A file system without locks has no jobs, and nobody would know that this one is over.
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

    /// Lets others find it: all else that they look for has to be there.
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

/// The jobs of this user on this host, those that have ended today too; the newest last. What is older is removed.
pub fn jobs() -> Vec<FoundJob> {
    for folder in meeting_places() {
        leftovers::sweep(&folder, leftovers::Place::Jobs);
    }
    changed_since(SystemTime::UNIX_EPOCH)
}

/// The job of a process that was started at this time. An older one is of another process that had the same number.
pub(super) fn job_of(process: u32, started: Timestamp) -> Option<FoundJob> {
    // The clock of files may be a little behind.
    let since = SystemTime::from(started) - Duration::from_secs(1);
    changed_since(since).into_iter().rfind(|job| job.facts.process == process && job.facts.started >= started)
}

/// Those whose folders have changed since then; the newest last.
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
    /// None where it is not a job's, not this user's, or is being made.
    fn open(path: &Path) -> Option<Self> {
        let folder = own_folder(path).ok()?;
        let mut text = String::new();
        file_in(&folder, FACTS).ok()?.take(LONGEST_FACTS).read_to_string(&mut text).ok()?;
        Some(Self { facts: serde_json::from_str(&text).ok()?, folder })
    }

    /// Whether it measures; otherwise it has ended, or was killed.
    pub fn is_alive(&self) -> bool {
        file_in(&self.folder, JOB_LOCK).is_ok_and(|lock| lock.try_lock_shared().is_err())
    }

    /// # Errors
    /// It cannot be read.
    pub(super) fn events(&self) -> io::Result<File> {
        file_in(&self.folder, JOB_EVENTS)
    }

    /// Waits until it measures nothing; it will not until the turn is over.
    ///
    /// # Errors
    /// It is gone.
    pub fn turn(&self) -> io::Result<Turn> {
        Turn::wait(|name| file_in(&self.folder, name))
    }

    /// # Errors
    /// It has ended.
    pub(super) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(reached(&self.folder, CONTROL))
    }
}

fn file_in(folder: &File, name: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(openat(folder, name, flags, Mode::empty())?))
}
