//! A control group for each worker: what it starts cannot leave it, so all of it can be ended at once. Of cgroup v2; with a limit of memory
//! it may be one of version 1 ([`memory`](super::memory)).

use super::{LOOKS, PAUSE, kill_if, memory};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    thread,
};

/// What names of our control groups begin with.
const PREFIX: &str = "dbdyno-";
/// Where control groups are mounted.
pub(super) const ROOT: &str = "/sys/fs/cgroup";

/// A control group of ours; ended and removed when it is dropped.
#[derive(Debug)]
pub(super) struct Cgroup {
    path: PathBuf,
    /// Tells others that the group is in use, for as long as this process lives.
    _lock: File,
}

impl Cgroup {
    /// Makes one below our own; none where there is no cgroup v2, or it is not ours to write.
    pub(super) fn create(name: &str) -> Option<Self> {
        Self::below(&own()?, name).ok()
    }

    /// Makes one below another.
    pub(super) fn below(parent: &Path, name: &str) -> io::Result<Self> {
        let (path, lock) = make(parent, name)?;
        Ok(Self { path, _lock: lock })
    }

    /// Its folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Moves a process into the group; whether that worked.
    pub(super) fn take_in(&self, process: u32) -> bool {
        fs::write(self.path.join("cgroup.procs"), process.to_string()).is_ok()
    }

    /// Kills whatever is in the group.
    pub(super) fn kill(&self) {
        kill(&self.path);
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        end(&self.path);
    }
}

/// Ends and removes the control groups of sessions that were killed.
pub fn sweep() {
    let parents = own().into_iter().chain(memory::version_1(Path::new(ROOT), &own_groups()));
    for entry in parents.filter_map(|parent| fs::read_dir(parent).ok()).flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if ours && let Some(_lock) = locked(&entry.path()) {
            end(&entry.path());
        }
    }
}

/// Makes a control group below another, with the lock that tells others that it is in use.
pub(super) fn make(parent: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let path = parent.join(format!("{PREFIX}{name}"));
    fs::create_dir(&path)?;
    match locked(&path) {
        Some(lock) => Ok((path, lock)),
        None => {
            // Who swept it meanwhile has removed it already.
            let _ = fs::remove_dir(&path);
            Err(io::ErrorKind::ResourceBusy.into())
        }
    }
}

/// The control group of this process.
fn own() -> Option<PathBuf> {
    version_2(Path::new(ROOT), &own_groups())
}

/// The control groups of this process, in the kernel's words.
pub(super) fn own_groups() -> String {
    fs::read_to_string("/proc/self/cgroup").unwrap_or_default()
}

/// The group of cgroup v2 among those of a process: it is mounted alone, or beside version 1.
pub(super) fn version_2(root: &Path, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let candidates = [root.join(path), root.join("unified").join(path)];
    candidates.into_iter().find(|folder| folder.join("cgroup.controllers").exists())
}

fn locked(path: &Path) -> Option<File> {
    let folder = File::open(path).ok()?;
    folder.try_lock().is_ok().then_some(folder)
}

fn kill(path: &Path) {
    // Kernels before 5.14 have no such file.
    if fs::write(path.join("cgroup.kill"), "1").is_err() {
        for process in members(path) {
            kill_if(process, || members(path).contains(&process));
        }
    }
}

pub(super) fn members(path: &Path) -> Vec<u32> {
    let text = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Kills and removes. What stays, because a killed process is not gone yet, is left to a later [`sweep`].
fn end(path: &Path) {
    for _ in 0..LOOKS {
        kill(path);
        match remove(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
            _ => return,
        }
    }
}

/// Removes a control group with those that an engine made in it.
fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path())?;
        }
    }
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_killed_sessions_are_swept() {
        let Some(used) = Cgroup::create("test-used") else {
            dbdyno_engine::say!("not checked: no control group can be made here");
            return;
        };
        let left = own().unwrap().join("dbdyno-test-left");
        fs::create_dir(&left).unwrap();
        sweep();
        assert!(used.path.exists() && !left.exists());
        let path = used.path.clone();
        drop(used);
        assert!(!path.exists());
    }
}
