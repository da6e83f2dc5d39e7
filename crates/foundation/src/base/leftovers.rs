//! Everything that dbdyno creates temporarily, and leaves behind if it is killed: the names, and how the next command finds out that
//! nothing uses them any more. Every user of such a file or folder holds a lock on it, which the system releases however the program
//! ends. Process identifiers are no evidence: they are reused, and have another meaning in another container.
//!
//! A leftover is removed only if it belongs to this user, has a name from the table and is not a symbolic link.

use super::{
    own_folders::own_folder,
    scratch::{self, FOUND, gate},
};
use rustix::{
    fs::{AtFlags, Mode, OFlags, openat, unlinkat},
    process::geteuid,
};
use std::{
    fs::{self, File},
    io,
    os::{
        fd::{AsFd, AsRawFd},
        unix::fs::MetadataExt,
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// A folder that contains temporary files or folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftoverFolder {
    /// The work folder.
    Work,
    /// The folder of a store, of an output file or of a copy.
    Target,
    /// The folder of a store's journals.
    Journals,
    /// The system's folder of temporary files.
    Temporary,
    /// The folders of the user's jobs.
    Jobs,
}

/// How the next command finds out whether a leftover is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InUse {
    /// It is a folder with a marker that its user keeps locked: see [`scratch`].
    Marker,
    /// It is a file that its users keep locked.
    Lock,
    /// It is a folder in which its user keeps [`JOB_LOCK`] locked, and which stays for a while afterwards.
    Kept,
    /// Only the process with the store's write lock uses it, so the next such process removes it.
    StoreLock,
}

/// One kind of leftover.
#[derive(Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Its description for people.
    pub what: &'static str,
    place: LeftoverFolder,
    prefix: &'static str,
    ending: &'static str,
    in_use: InUse,
}

const fn folder(what: &'static str, place: LeftoverFolder, prefix: &'static str) -> Leftover {
    Leftover { what, place, prefix, ending: "", in_use: InUse::Marker }
}

const fn of_store(what: &'static str, ending: &'static str) -> Leftover {
    Leftover { what, place: LeftoverFolder::Target, prefix: "", ending, in_use: InUse::StoreLock }
}

pub static RUN: Leftover = folder("databases of a run", LeftoverFolder::Work, "run-");
pub static TORTURE: Leftover = folder("databases of a crash test", LeftoverFolder::Work, "torture-");
pub static REPAIR: Leftover = folder("copy of a store under repair", LeftoverFolder::Target, ".dbdyno-repair-");
pub static COPY: Leftover = folder("copy of runs as Parquet", LeftoverFolder::Target, ".dbdyno-copy-");
pub static OUTPUT: Leftover = folder("unfinished output file", LeftoverFolder::Target, ".dbdyno-output-");
pub static SCRATCH: Leftover = folder("scratch folder", LeftoverFolder::Temporary, "dbdyno-scratch-");
pub static JOURNAL: Leftover =
    Leftover { what: "new journal", place: LeftoverFolder::Journals, prefix: "", ending: ".new", in_use: InUse::Lock };
pub static JOB: Leftover =
    Leftover { what: "events of a job", place: LeftoverFolder::Jobs, prefix: "-job-", ending: "", in_use: InUse::Kept };
/// The file of a job's folder that the job keeps locked.
pub const JOB_LOCK: &str = "lock";
/// The file of a job's folder that grows while the job lives.
pub const JOB_EVENTS: &str = "events.jsonl";
/// How long other processes can read a job's events after its end.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
pub static NEW_STORE: Leftover = of_store("new store", "new");
pub static NEW_UNDO: Leftover = of_store("new undo file", "undo.new");
pub static SPILL: Leftover = of_store("data that DuckDB spilled to disk", "tmp");

/// Every kind of leftover.
pub static ALL: [&Leftover; 11] =
    [&RUN, &TORTURE, &REPAIR, &COPY, &OUTPUT, &SCRATCH, &JOURNAL, &JOB, &NEW_STORE, &NEW_UNDO, &SPILL];

impl Leftover {
    /// Returns the name of a leftover of this kind with `rest` as its variable part.
    pub fn name(&self, rest: &str) -> String {
        format!("{}{rest}{}", self.prefix, self.ending)
    }

    /// Returns the beginning of its name.
    pub fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// Returns the end of its name.
    pub fn ending(&self) -> &'static str {
        self.ending
    }
}

/// Removes what killed programs left in a folder of this kind, and returns the number of removed files and folders.
pub fn sweep(folder: &Path, place: LeftoverFolder) -> usize {
    let of_kind = |kind: &&Leftover| match kind.in_use {
        InUse::Marker => scratch::sweep(folder, kind),
        InUse::Lock => sweep_files(folder, kind),
        InUse::Kept => sweep_jobs(folder, SystemTime::now()),
        InUse::StoreLock => 0,
    };
    ALL.iter().filter(|kind| kind.place == place).map(of_kind).sum()
}

/// Returns the prefix of the folders of this host's jobs, because several hosts may share a home.
pub fn jobs_of_host() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().replace('/', "-");
    format!("{host}{}", JOB.prefix)
}

/// Whether a file may be removed: a plain file of this user.
pub fn is_own_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file() && facts.uid() == geteuid().as_raw())
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

/// Opens and locks a plain file of this user. Returns `None` if it is not one, or if a program that uses it holds the lock.
fn locked(folder: impl AsFd, name: &str) -> io::Result<Option<File>> {
    let file = File::from(openat(folder, name, FOUND, Mode::empty())?);
    let facts = file.metadata()?;
    let is_free = facts.is_file() && facts.uid() == geteuid().as_raw() && file.try_lock().is_ok();
    Ok(is_free.then_some(file))
}

fn remove(folder: impl AsFd, name: &str) -> bool {
    unlinkat(folder, name, AtFlags::empty()).is_ok()
}

/// Removes files named by an identifier that no program has locked.
fn sweep_files(folder: &Path, kind: &Leftover) -> usize {
    let is_of_kind = |name: &String| {
        let id = name.strip_prefix(kind.prefix).and_then(|name| name.strip_suffix(kind.ending));
        id.is_some_and(|id| uuid::Uuid::try_parse(id).is_ok())
    };
    let found: Vec<String> = names(folder).filter(is_of_kind).collect();
    let Some(gate) = Some(()).filter(|()| !found.is_empty()).and_then(|()| gate(folder)) else { return 0 };
    let removed = |name: &&String| {
        let locked = locked(&gate, name.as_str());
        locked.is_ok_and(|file| file.is_some()) && remove(&gate, name)
    };
    found.iter().filter(removed).count()
}

/// Removes the folders of jobs whose retention time is over, whether they ended or were killed.
fn sweep_jobs(parent: &Path, now: SystemTime) -> usize {
    if own_folder(parent).is_err() {
        return 0;
    }
    let prefix = jobs_of_host();
    let found: Vec<String> = names(parent).filter(|name| name.starts_with(&prefix)).collect();
    let Some(gate) = Some(()).filter(|()| !found.is_empty()).and_then(|()| gate(parent)) else { return 0 };
    let folder = |name: &String| openat(&gate, name.as_str(), FOUND | OFlags::DIRECTORY, Mode::empty()).map(File::from);
    let removed = |name: &&String| {
        let Ok(held) = folder(name) else { return false };
        let is_old = |facts: fs::Metadata| {
            let last = facts.modified().ok().and_then(|last| now.duration_since(last).ok());
            facts.uid() == geteuid().as_raw() && last.is_some_and(|ago| ago > KEPT)
        };
        // The folder itself changes when its socket is removed, the log with each event.
        let inside = |name: &str| reached(&held, name);
        let is_over = [".", JOB_EVENTS].iter().all(|name| fs::metadata(inside(name)).map_or(true, is_old));
        let lock = locked(&held, JOB_LOCK);
        let is_free = match &lock {
            Ok(lock) => lock.is_some(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        is_over && is_free && fs::remove_dir_all(parent.join(name)).is_ok()
    };
    found.iter().filter(removed).count()
}

/// Returns a path to a file in an open folder that is short enough for a socket: addresses have about a hundred bytes.
pub fn reached(folder: &impl AsRawFd, file: &str) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{file}", folder.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{output::Output, scratch::Scratch};
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    const ID: &str = "01890000-0000-7000-8000-000000000001";

    /// Creates a folder in the state in which a killed program leaves it.
    fn leave_folder(parent: &Path, kind: &Leftover) -> PathBuf {
        let (away, path) = (TempDir::new_in(parent).unwrap(), parent.join(kind.name(ID)));
        let scratch = Scratch::named(away.path(), kind, ID).unwrap();
        fs::create_dir(&path).unwrap();
        for file in fs::read_dir(scratch.path()).unwrap().flatten() {
            fs::copy(file.path(), path.join(file.file_name())).unwrap();
        }
        fs::write(path.join("data"), "").unwrap();
        path
    }

    #[test]
    fn folders_of_every_kind_go_once_nothing_uses_them() {
        let folders = ALL.iter().filter(|kind| kind.in_use == InUse::Marker);
        for kind in folders {
            let parent = TempDir::new().unwrap();
            let left = leave_folder(parent.path(), kind);
            let used = Scratch::create(parent.path(), kind).unwrap();
            let other = parent.path().join(kind.name("mine"));
            fs::create_dir(&other).unwrap();
            assert_eq!(sweep(parent.path(), kind.place), 1, "{}", kind.what);
            assert!(!left.exists() && used.path().exists() && other.exists(), "{}", kind.what);
        }
    }

    #[test]
    fn the_next_file_that_is_written_takes_what_the_one_before_left() {
        let parent = TempDir::new().unwrap();
        leave_folder(parent.path(), &OUTPUT);
        Output::check(&parent.path().join("report.csv"), &[]).unwrap().replace_with("1").unwrap();
        assert_eq!(names(parent.path()).collect::<Vec<_>>(), ["report.csv"]);
    }

    #[test]
    fn a_journal_goes_that_never_got_its_name_and_that_no_program_holds() {
        let parent = TempDir::new().unwrap();
        let at = |name: &str| parent.path().join(name);
        let held = File::create(at(&JOURNAL.name(ID))).unwrap();
        held.lock().unwrap();
        fs::write(at("mine.new"), "").unwrap();
        fs::write(at("elsewhere"), "").unwrap();
        symlink("elsewhere", at(&JOURNAL.name("01890000-0000-7000-8000-000000000002"))).unwrap();
        assert_eq!(sweep(parent.path(), LeftoverFolder::Journals), 0);
        drop(held);
        assert_eq!(sweep(parent.path(), LeftoverFolder::Journals), 1);
        assert_eq!(names(parent.path()).count(), 3);
    }

    /// Creates what a job leaves in its folder, with the time of its last write, and returns the lock.
    fn leave_job(parent: &Path, name: &str, ago: Duration) -> File {
        let folder = parent.join(name);
        fs::create_dir(&folder).unwrap();
        let lock = File::create(folder.join(JOB_LOCK)).unwrap();
        let events = File::create(folder.join(JOB_EVENTS)).unwrap();
        for file in [events, File::open(&folder).unwrap()] {
            file.set_modified(SystemTime::now() - ago).unwrap();
        }
        lock
    }

    #[test]
    fn what_a_job_told_goes_a_day_after_its_end_and_never_while_it_lives() {
        let parent = TempDir::new().unwrap();
        let name = |id: u32| format!("{}{id}", jobs_of_host());
        let living = leave_job(parent.path(), &name(1), KEPT * 2);
        living.lock().unwrap();
        leave_job(parent.path(), &name(2), KEPT * 2);
        leave_job(parent.path(), &name(3), KEPT / 2);
        leave_job(parent.path(), "other-host-job-4", KEPT * 2);
        assert_eq!(sweep(parent.path(), LeftoverFolder::Jobs), 1);
        assert!(!parent.path().join(name(2)).exists());
        let away = TempDir::new().unwrap();
        leave_job(away.path(), &name(5), KEPT * 2);
        let linked = parent.path().join("link");
        symlink(away.path(), &linked).unwrap();
        assert_eq!(sweep(&linked, LeftoverFolder::Jobs), 0, "a folder that is a link is not used");
    }
}
