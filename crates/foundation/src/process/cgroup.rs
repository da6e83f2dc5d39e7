//! A control group for each worker: the processes that it starts cannot leave it, so all of them can be ended at once. It is one of
//! cgroup v2; with a memory limit it may be one of version 1 ([`memory`](super::memory)).

use super::{LOOKS, PAUSE, kill_if, memory};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    thread,
};

/// The prefix of our control groups' names.
const PREFIX: &str = "dbdyno-";
/// The mount point of control groups.
pub(super) const ROOT: &str = "/sys/fs/cgroup";

/// A control group of ours; its processes are ended and it is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Cgroup {
    path: PathBuf,
    /// Shows other processes that the group is in use, while this process lives.
    _lock: File,
}

impl Cgroup {
    /// Creates a group below our own; `None` if there is no cgroup v2, or this process may not write to it.
    pub(super) fn create(name: &str) -> Option<Self> {
        Self::below(&own()?, name).ok()
    }

    /// Creates a group below another.
    pub(super) fn below(parent: &Path, name: &str) -> io::Result<Self> {
        let (path, lock) = make(parent, name)?;
        Ok(Self { path, _lock: lock })
    }

    /// Its folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Moves a process into the group, and returns whether that worked.
    pub(super) fn take_in(&self, process: u32) -> bool {
        fs::write(self.path.join("cgroup.procs"), process.to_string()).is_ok()
    }

    /// Kills all processes in the group.
    pub(super) fn kill(&self) {
        kill(&self.path);
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        end(&self.path);
    }
}

/// Ends and removes the control groups of killed sessions.
pub fn sweep() {
    let parents = own().into_iter().chain(memory::version_1(Path::new(ROOT), &own_groups()));
    for entry in parents.filter_map(|parent| fs::read_dir(parent).ok()).flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if ours && let Some(_lock) = locked(&entry.path()) {
            end(&entry.path());
        }
    }
}

/// Creates a control group below another, with the lock that shows other processes that it is in use.
pub(super) fn make(parent: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let path = parent.join(format!("{PREFIX}{name}"));
    fs::create_dir(&path)?;
    match locked(&path) {
        Some(lock) => Ok((path, lock)),
        None => {
            // If a sweep has the lock, it has removed the group already.
            let _ = fs::remove_dir(&path);
            Err(io::ErrorKind::ResourceBusy.into())
        }
    }
}

/// Returns the control group of this process.
fn own() -> Option<PathBuf> {
    version_2(Path::new(ROOT), &own_groups())
}

/// Returns the kernel's text about the control groups of this process.
pub(super) fn own_groups() -> String {
    fs::read_to_string("/proc/self/cgroup").unwrap_or_default()
}

/// Returns the cgroup v2 group among those of a process: version 2 is mounted alone, or alongside version 1.
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

/// Kills the processes and removes the group. If a killed process has not ended yet, the group is left to a later [`sweep`].
fn end(path: &Path) {
    for _ in 0..LOOKS {
        kill(path);
        match remove(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
            _ => return,
        }
    }
}

/// Removes a control group with the groups that an engine created in it.
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
