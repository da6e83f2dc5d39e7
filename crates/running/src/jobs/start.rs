//! A job that is started for somebody who will watch it: the same program, in a process session of its own, which no terminal ends.

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

/// The flag of a command that screens have started: no terminal ends it, and it prints nothing at its end. Nobody types it.
pub const DETACHED: &str = "--detached";
/// The variable by which commands are told where databases are put.
const WORK_DIR: &str = "DBDYNO_WORK_DIR";
/// Bytes of what it said last that are told.
const MOST_LAST_WORDS: u64 = 4096;

/// A job that this process has started.
#[derive(Debug)]
pub struct StartedJob {
    child: Child,
    started: Timestamp,
    /// Its standard error: a file without a name, which a job that outlives these screens can go on writing to.
    said: File,
}

/// Makes this process one that no terminal ends.
///
/// # Errors
/// It leads a group of processes already.
pub fn detach() -> io::Result<()> {
    rustix::process::setsid().map(drop).map_err(io::Error::from)
}

impl StartedJob {
    /// Starts this program with these arguments, detached, and with databases in this folder.
    ///
    /// # Errors
    /// What the system said.
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

    /// The job, once it has announced itself.
    pub fn found(&self) -> Option<FoundJob> {
        job_of(self.child.id(), self.started)
    }

    /// Whether its process has ended.
    ///
    /// # Errors
    /// What the system said.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits until its process has ended.
    ///
    /// # Errors
    /// What the system said.
    pub fn wait(&mut self) -> io::Result<()> {
        self.child.wait().map(drop)
    }

    /// What it said last.
    pub fn last_words(&self) -> String {
        let read = || {
            // The job writes at the same place in the file: it is read only once that is over.
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
