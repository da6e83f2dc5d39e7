//! A job that is started for a user who will watch it: the same program, in a process session of its own, which no terminal ends.

use super::folder::{FoundJob, job_of};
use jiff::Timestamp;
use std::{
    env,
    ffi::OsStr,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    process::{Child, Command, Stdio},
};

/// The flag of a command that the screens started: no terminal ends it, and it prints nothing at its end. Users do not type it.
pub const DETACHED: &str = "--detached";
/// The environment variable that gives commands the folder for databases.
const WORK_DIR: &str = "DBDYNO_WORK_DIR";
/// How many of the last bytes of its standard error are shown.
const MOST_LAST_WORDS: u64 = 4096;

/// A job that this process has started.
#[derive(Debug)]
pub struct StartedJob {
    child: Child,
    started: Timestamp,
    /// Its standard error: an unnamed file, so that a job that outlives the screens can continue to write to it.
    said: File,
}

/// Detaches this process from its terminal, so that no terminal ends it.
///
/// # Errors
/// The process already leads a process group.
pub fn detach() -> io::Result<()> {
    rustix::process::setsid().map(drop).map_err(io::Error::from)
}

impl StartedJob {
    /// Starts this program with these arguments, detached, and with databases in this folder.
    ///
    /// # Errors
    /// The system's error.
    pub fn start(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>, work_dir: &Path) -> io::Result<Self> {
        let (said, started) = (tempfile::tempfile()?, Timestamp::now());
        let child = Command::new(env::current_exe()?)
            .arg(DETACHED)
            .args(arguments)
            .env(WORK_DIR, work_dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said.try_clone()?)
            .spawn()?;
        Ok(Self { child, started, said })
    }

    /// Returns the job, once it has announced itself.
    pub fn found(&self) -> Option<FoundJob> {
        job_of(self.child.id(), self.started)
    }

    /// Whether its process has ended.
    ///
    /// # Errors
    /// The system's error.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits until its process has ended.
    ///
    /// # Errors
    /// The system's error.
    pub fn wait(&mut self) -> io::Result<()> {
        self.child.wait().map(drop)
    }

    /// Returns the end of the job's standard error.
    pub fn last_words(&self) -> String {
        let read = || {
            // Reading moves the offset in the file at which the job also writes, so it waits until the job is over.
            let mut said = &self.said;
            let length = said.seek(SeekFrom::End(0))?;
            said.seek(SeekFrom::Start(length.saturating_sub(MOST_LAST_WORDS)))?;
            let mut words = Vec::new();
            said.read_to_end(&mut words)?;
            Ok::<_, io::Error>(String::from_utf8_lossy(&words).trim_end().to_owned())
        };
        read().unwrap_or_default()
    }
}
