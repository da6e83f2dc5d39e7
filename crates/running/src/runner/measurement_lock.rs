//! The measurement lock: each user measures one run at a time on a host. Sessions hold it run by run.

use dbdyno_foundation::process::held_by;
use etcetera::BaseStrategy;
use rustix::{
    fs::{Mode, OFlags, open, openat},
    process::geteuid,
};
use std::{
    env,
    fs::{DirBuilder, File, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::PathBuf,
};

/// The folder that holds the lock's file; only this user can enter it.
const FOLDER: &str = "dbdyno";
const FILE: &str = "measurement.lock";

/// Held while a run is measured.
#[derive(Debug)]
pub struct MeasurementLock {
    _files: Vec<File>,
    /// Whether the lock was held by another session's run, so that this one waited.
    pub(super) waited: bool,
}

/// A possible location of the lock's file.
#[derive(Debug, Clone)]
struct LockLocation {
    folder: PathBuf,
    file: String,
}

impl MeasurementLock {
    /// Takes the lock, and waits for another session's run if necessary; `waiting` is called before the wait, with the processes that hold
    /// the lock, if the system reports them. Blocks.
    ///
    /// # Errors
    /// The reasons why no place can be used for it, one for each place.
    pub fn take(waiting: impl FnOnce(Option<String>)) -> Result<Self, String> {
        let user = geteuid().as_raw();
        Self::take_in(
            &places(user),
            &LockLocation::new(env::temp_dir().join(format!("{FOLDER}-{user}")), FILE),
            waiting,
        )
    }

    /// Takes the lock in every usable place, so that sessions that see fewer places still exclude each other. The last resort is used if
    /// there is no other place. All take the locks in the same order, so no two wait for each other.
    fn take_in(
        places: &[LockLocation],
        last_resort: &LockLocation,
        waiting: impl FnOnce(Option<String>),
    ) -> Result<Self, String> {
        let (mut files, mut reasons) = (Vec::new(), Vec::new());
        let mut waiting = Some(waiting);
        for place in places.iter().chain([last_resort]) {
            if place.folder == last_resort.folder && !files.is_empty() {
                break;
            }
            let locked = place.open().and_then(|file| match file.try_lock() {
                Ok(()) => Ok(file),
                Err(TryLockError::WouldBlock) => {
                    let holder = held_by(&[&place.folder.join(&place.file)]);
                    if let Some(waiting) = waiting.take() {
                        waiting(holder);
                    }
                    file.lock().map(|()| file)
                }
                Err(TryLockError::Error(error)) => Err(error),
            });
            match locked {
                Ok(file) => files.push(file),
                Err(error) => reasons.push(format!("{}: {error}", place.folder.display())),
            }
        }
        let lock = Self { _files: files, waited: waiting.is_none() };
        if lock._files.is_empty() { Err(reasons.join("; ")) } else { Ok(lock) }
    }
}

/// Returns the places that belong to the user: the runtime folder, and the cache folder, which is also available to sessions started
/// without a login.
fn places(user: u32) -> Vec<LockLocation> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let runtime = runtime.unwrap_or_else(|| PathBuf::from(format!("/run/user/{user}")));
    // The system creates and removes the runtime folder. One created here would be hidden at the next login.
    let runtime = runtime.is_dir().then(|| LockLocation::new(runtime.join(FOLDER), FILE));
    // Several hosts may share a home.
    let host = rustix::system::uname().nodename().to_string_lossy().replace('/', "-");
    let cache = etcetera::choose_base_strategy().ok().map(|base| base.cache_dir());
    let cache = cache.map(|cache| LockLocation::new(cache.join(FOLDER), &format!("{host}-{FILE}")));
    runtime.into_iter().chain(cache).collect()
}

impl LockLocation {
    fn new(folder: impl Into<PathBuf>, file: &str) -> Self {
        Self { folder: folder.into(), file: file.to_owned() }
    }

    /// Opens the lock's file in a folder of this user, and creates it if it is missing. Neither may be a link.
    fn open(&self) -> io::Result<File> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let folder = File::from(open(&self.folder, flags | OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty())?);
        own(&folder)?;
        let making = flags | OFlags::RDWR | OFlags::CREATE;
        let file = File::from(openat(&folder, &self.file, making, Mode::RUSR | Mode::WUSR)?);
        own(&file)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("its lock is not a regular file")) }
    }
}

fn own(file: &File) -> io::Result<()> {
    if file.metadata()?.uid() == geteuid().as_raw() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, mknodat};
    use std::{
        fs,
        os::unix::fs::{chown, symlink},
    };

    fn is_free(folder: PathBuf) -> bool {
        LockLocation::new(folder, FILE).open().unwrap().try_lock().is_ok()
    }

    #[test]
    fn places_that_are_not_the_users_own_are_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("target")).unwrap();
        symlink(at("target"), at("link")).unwrap();
        for folder in ["file-link", "pipe", "folder"] {
            fs::create_dir(at(folder)).unwrap();
        }
        symlink(at("target/file"), at("file-link/measurement.lock")).unwrap();
        mknodat(CWD, at("pipe/measurement.lock"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        fs::create_dir(at("folder/measurement.lock")).unwrap();
        fs::write(at("file"), "").unwrap();
        let mut odd = vec!["file/dbdyno", "link", "file-link", "pipe", "folder", "file"];
        fs::create_dir(at("other-users")).unwrap();
        // Only an administrator can change the owner of a folder.
        if chown(at("other-users"), Some(12345), None).is_ok() {
            odd.push("other-users");
        }
        let places: Vec<_> = odd.iter().map(|folder| LockLocation::new(at(folder), FILE)).collect();
        let reasons = MeasurementLock::take_in(&places, &LockLocation::new(at("file/last"), FILE), |_| ()).unwrap_err();
        assert_eq!(reasons.split("; ").count(), odd.len() + 1, "{reasons}");
        assert_eq!(fs::read_dir(at("target")).unwrap().count(), 0, "no link was followed");
        let held = MeasurementLock::take_in(&places, &LockLocation::new(at("last"), FILE), |_| ()).unwrap();
        assert!(!held.waited && !is_free(at("last")));
    }

    #[test]
    fn sessions_agree_although_one_sees_fewer_places() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let [runtime, cache, last] = ["runtime", "cache", "last"].map(|name| LockLocation::new(at(name), FILE));
        let held = MeasurementLock::take_in(&[runtime, cache.clone()], &last, |_| ()).unwrap();
        assert!(!is_free(at("runtime")) && !is_free(at("cache")) && !at("last").exists());
        let mut held = Some(held);
        let other = MeasurementLock::take_in(&[cache], &last, |_| drop(held.take())).unwrap();
        assert!(other.waited && !is_free(at("cache")) && is_free(at("runtime")));
    }
}
