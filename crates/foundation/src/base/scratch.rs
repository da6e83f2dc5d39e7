//! Temporary folders: removed when their value is dropped, or by a later start if a crash left one behind. Their names are in
//! [`leftovers`](super::leftovers).
//!
//! A folder that may be swept has a marker, which contains the folder's name and is locked while the folder is in use. Without a marker
//! nothing is ever removed, whatever a folder's name is.

use super::{
    identifier::identifier,
    leftovers::{Leftover, SCRATCH},
};
use rustix::fs::{Mode, OFlags, open, openat};
use std::{
    env,
    fs::{self, DirBuilder, File},
    io::{self, Read, Write},
    os::{
        fd::AsRawFd,
        unix::fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// Permissions: copies of files that other users may not read are made in such folders.
const FOR_USER: u32 = 0o700;
/// The folder of a process's open files.
const OPEN: &str = "/proc/self/fd";
const MARKER: &str = ".dbdyno-scratch";
/// Maximum number of attempts to lock a gate, a millisecond apart; other processes hold it for less than that.
const GATE_TRIES: usize = 50;
/// More bytes than any marker has.
const LONGEST_MARKER: u64 = 1024;
/// Flags to open a found file or folder: they follow no link, and never block.
pub(super) const FOUND: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Open since its creation: when it is removed, an engine may have put something else at its path.
    held: File,
    /// Locked, which shows other processes that the folder is in use.
    _marker: File,
}

impl Scratch {
    /// Creates a folder of this kind in an existing one.
    ///
    /// # Errors
    /// The system's error.
    pub fn create(parent: &Path, kind: &Leftover) -> io::Result<Self> {
        Self::named(parent, kind, &identifier())
    }

    /// Does the same with `rest` at the end of its name.
    ///
    /// # Errors
    /// The system's error.
    pub fn named(parent: &Path, kind: &Leftover, rest: &str) -> io::Result<Self> {
        let name = kind.name(rest);
        let path = parent.join(&name);
        let _gate = gate(parent);
        DirBuilder::new().mode(FOR_USER).create(&path).map_err(|error| naming(&path, &error))?;
        match hold(&path).and_then(|held| Ok((mark(&inside(&held), &name)?, held))) {
            Ok((marker, held)) => Ok(Self { path, held, _marker: marker }),
            Err(error) => {
                // Report the first error.
                let _ = fs::remove_dir_all(&path);
                Err(naming(&path, &error))
            }
        }
    }

    /// Creates a folder below the system's temporary folder, after sweeping leftovers there.
    ///
    /// # Errors
    /// The system's error.
    pub fn temporary() -> io::Result<Self> {
        let parent = env::temp_dir();
        sweep(&parent, &SCRATCH);
        Self::create(&parent, &SCRATCH)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A later start sweeps what cannot be removed now.
        let _ = remove(&self.held, &self.path);
    }
}

/// Adds to an error what it is about: the folder, or `/proc`, through which open folders are reached.
fn naming(path: &Path, error: &io::Error) -> io::Error {
    let missing = match Path::new(OPEN).exists() {
        true => String::new(),
        false => format!("; {OPEN} is missing: mount /proc"),
    };
    io::Error::new(error.kind(), format!("{}: {error}{missing}", path.display()))
}

/// Opens a folder, but not through a link.
fn hold(folder: &Path) -> io::Result<File> {
    Ok(File::from(open(folder, FOUND | OFlags::DIRECTORY, Mode::empty())?))
}

/// Returns a path into an open folder, which stays the same even if the folder is replaced.
fn inside(held: &File) -> PathBuf {
    PathBuf::from(format!("{OPEN}/{}", held.as_raw_fd()))
}

/// Removes a folder, its marker last: if this program is killed in between, the rest can still be swept. Links are removed and not
/// followed, including a link that replaced the folder. An engine may have removed the marker, or replaced it with a folder.
fn remove(held: &File, folder: &Path) -> io::Result<()> {
    let inside = inside(held);
    for entry in fs::read_dir(&inside)? {
        let entry = entry?;
        let (path, is_folder) = (entry.path(), entry.file_type()?.is_dir());
        if is_folder {
            fs::remove_dir_all(path)?;
        } else if entry.file_name() != MARKER {
            fs::remove_file(path)?;
        }
    }
    match fs::remove_file(inside.join(MARKER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_dir(folder)
}

/// Creates the marker and locks it before writing its contents, so that a marker that can be swept is never in use.
fn mark(folder: &Path, name: &str) -> io::Result<File> {
    let mut marker = File::create_new(folder.join(MARKER))?;
    marker.lock()?;
    marker.write_all(marker_of(name).as_bytes())?;
    Ok(marker)
}

fn marker_of(name: &str) -> String {
    format!("dbdyno removes the folder {name} once no program has this file locked.\n")
}

/// Removes the folders of a kind that [`Scratch`] made and no process uses, and returns their number.
pub(super) fn sweep(parent: &Path, kind: &Leftover) -> usize {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let found: Vec<String> = names.filter(|name| name.starts_with(kind.prefix())).collect();
    if found.is_empty() {
        return 0;
    }
    let mut swept = 0;
    let gate = gate(parent);
    for name in found {
        let path = parent.join(&name);
        let Ok(held) = hold(&path) else { continue };
        if gate.is_some() && is_unborn(&held, &name, kind.prefix()) {
            // Its marker, if it already exists, has no complete contents yet.
            swept += usize::from(remove(&held, &path).is_ok());
            continue;
        }
        // Locked while the folder is removed, so that no other process sweeps it meanwhile.
        let Some(_marker) = left_over(&held, &name) else { continue };
        swept += usize::from(remove(&held, &path).is_ok());
    }
    swept
}

/// Locks the parent while a file or folder is created and locked. So one without a lock must belong to a program that was killed in
/// between. Returns `None` if other processes hold the lock for all of the attempts.
pub fn gate(parent: &Path) -> Option<File> {
    let folder = File::open(parent).ok()?;
    for _ in 0..GATE_TRIES {
        if folder.try_lock().is_ok() {
            return Some(folder);
        }
        thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Whether a folder is one of ours whose marker was never complete: its name is an identifier, and it contains nothing else.
fn is_unborn(held: &File, name: &str, prefix: &str) -> bool {
    let is_begun = |entry: fs::DirEntry| {
        let is_marker = entry.file_name() == MARKER && entry.file_type().is_ok_and(|kind| kind.is_file());
        is_marker && entry.metadata().is_ok_and(|facts| facts.len() < marker_of(name).len() as u64)
    };
    let has_nothing_else =
        || fs::read_dir(inside(held)).is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(is_begun)));
    uuid::Uuid::try_parse(name.trim_start_matches(prefix)).is_ok() && has_nothing_else()
}

/// Returns the locked marker of a leftover folder.
fn left_over(held: &File, name: &str) -> Option<File> {
    let marker = File::from(openat(held, MARKER, FOUND, Mode::empty()).ok()?);
    let facts = marker.metadata().ok()?;
    if !facts.is_file() || facts.uid() != rustix::process::geteuid().as_raw() || marker.try_lock().is_err() {
        return None;
    }
    let mut text = String::new();
    (&marker).take(LONGEST_MARKER).read_to_string(&mut text).ok()?;
    (text == marker_of(name)).then_some(marker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::leftovers::RUN;
    use rustix::fs::{CWD, FileType, mknodat};
    use std::os::unix::fs::symlink;

    /// Creates a folder in the state in which a killed program leaves it.
    fn leave_behind(parent: &Path, name: &str) -> PathBuf {
        let path = parent.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join(MARKER), marker_of(name)).unwrap();
        fs::write(path.join("data"), "").unwrap();
        path
    }

    #[test]
    fn only_what_was_left_behind_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let used = Scratch::named(parent.path(), &RUN, "used").unwrap();
        let left = leave_behind(parent.path(), "run-left");
        let other = leave_behind(parent.path(), "other");
        let unborn = parent.path().join("run-01890000-0000-7000-8000-000000000001");
        fs::create_dir(&unborn).unwrap();
        fs::create_dir(parent.path().join("run-mine")).unwrap();
        assert_eq!(sweep(parent.path(), &RUN), 2);
        assert!(!unborn.exists() && parent.path().join("run-mine").exists());
        assert!(used.path().exists() && other.exists() && !left.exists());
        let path = used.path().to_owned();
        fs::create_dir(path.join("databases")).unwrap();
        fs::write(path.join("databases/data"), "").unwrap();
        drop(used);
        assert!(!path.exists(), "it goes with its value");
    }

    #[test]
    fn what_is_not_marked_as_ours_stays() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let folder = |name: &str| fs::create_dir(at(name)).unwrap();
        folder("run-empty");
        folder("run-lock");
        fs::write(at("run-lock/.lock"), "").unwrap();
        folder("run-blank");
        fs::write(at("run-blank").join(MARKER), "").unwrap();
        folder("run-copy");
        fs::write(at("run-copy").join(MARKER), marker_of("run-original")).unwrap();
        folder("run-pipe");
        mknodat(CWD, at("run-pipe").join(MARKER), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        folder("run-marker-link");
        fs::write(elsewhere.path().join("marker"), marker_of("run-marker-link")).unwrap();
        symlink(elsewhere.path().join("marker"), at("run-marker-link").join(MARKER)).unwrap();
        let target = leave_behind(elsewhere.path(), "run-link");
        symlink(&target, at("run-link")).unwrap();
        fs::write(at("run-file"), "").unwrap();
        assert_eq!(sweep(parent.path(), &RUN), 0);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 8);
        assert!(target.join("data").exists());
    }

    #[test]
    fn what_took_the_place_of_a_folder_is_not_followed() {
        let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("mine"), "").unwrap();
        let scratch = Scratch::named(parent.path(), &RUN, "moved").unwrap();
        let (path, moved) = (scratch.path().to_owned(), parent.path().join("moved"));
        fs::write(path.join("data"), "").unwrap();
        symlink(elsewhere.path(), path.join("link")).unwrap();
        fs::rename(&path, &moved).unwrap();
        symlink(elsewhere.path(), &path).unwrap();
        drop(scratch);
        assert!(elsewhere.path().join("mine").exists());
        assert_eq!(fs::read_dir(&moved).unwrap().count(), 0, "what was its own is gone");
    }

    #[test]
    fn a_folder_goes_without_its_marker_too() {
        let parent = tempfile::tempdir().unwrap();
        for spoilt in [|_: &Path| Ok(()), |marker: &Path| fs::create_dir(marker)] {
            let scratch = Scratch::named(parent.path(), &RUN, "spoilt").unwrap();
            fs::remove_file(scratch.path().join(MARKER)).unwrap();
            spoilt(&scratch.path().join(MARKER)).unwrap();
            drop(scratch);
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn links_in_a_folder_that_is_swept_are_not_followed() {
        let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("mine"), "").unwrap();
        let left = leave_behind(parent.path(), "run-left");
        symlink(elsewhere.path(), left.join("link")).unwrap();
        assert_eq!(sweep(parent.path(), &RUN), 1);
        assert!(elsewhere.path().join("mine").exists() && !left.exists());
    }
}
