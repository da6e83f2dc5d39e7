//! Control groups that limit the memory of a worker, including the page cache of the files it reads and writes. They are of cgroup v2 if
//! its memory controller is available, otherwise of version 1.

use super::cgroup::{Cgroup, ROOT, make, members, own_groups, version_2};
use crate::base::identifier::identifier;
use rustix::fs::{Mode, OFlags};
use std::{
    ffi::CString,
    fs::{self, File},
    io,
    os::unix::{ffi::OsStringExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
};

/// The mechanism that limits memory on this machine.
#[derive(Debug)]
pub struct MemoryControl {
    version: CgroupVersion,
    /// The parent of the workers' control groups.
    parent: PathBuf,
    /// The group into which this process moved, so that its own group could be divided.
    _entered: Option<EnteredCgroup>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CgroupVersion {
    One,
    Two,
}

/// A control group with a memory limit; all its processes are ended when it is dropped.
#[derive(Debug)]
pub(super) struct LimitedGroup {
    group: Cgroup,
    version: CgroupVersion,
    limit: u64,
}

/// The limit that is set to test whether limits work, bytes.
const TRIED: u64 = 64 << 20;

impl MemoryControl {
    /// Returns the mechanism that limits memory here, after testing it with a group without processes.
    ///
    /// # Errors
    /// There is none: the error says what was tried, and what to do.
    pub fn find() -> Result<Self, String> {
        Self::find_below(Path::new(ROOT), &own_groups(), std::process::id())
    }

    /// Does the same with control groups mounted at `root`, for this process with the number `own` in `groups`.
    fn find_below(root: &Path, groups: &str, own: u32) -> Result<Self, String> {
        let tried = |control: Self| control.group(&identifier(), TRIED).map(|_| control);
        let two = version_2(root, groups).ok_or_else(|| "is not mounted".to_owned());
        let two = two.and_then(|parent| Self::version_2(parent, own)).and_then(tried);
        two.or_else(|of_two| {
            let one = version_1(root, groups).ok_or_else(|| "has no memory controller mounted".to_owned());
            let one = one.map(|parent| Self { version: CgroupVersion::One, parent, _entered: None }).and_then(tried);
            one.map_err(|of_one| {
                format!(
                    "memory cannot be limited here: cgroup v2 {of_two}; cgroup v1 {of_one}. Run dbdyno as root, in a container that \
                     has the memory controller, or in its own scope: systemd-run --user --scope -p Delegate=yes dbdyno ..."
                )
            })
        })
    }

    /// Enables the memory controller of a version 2 group for the groups below it. A group that does so may have no processes itself, so
    /// this process moves into a new group below.
    fn version_2(parent: PathBuf, own: u32) -> Result<Self, String> {
        let place = parent.display();
        let has = |file: &str| {
            let text = fs::read_to_string(parent.join(file)).unwrap_or_default();
            text.split_whitespace().any(|controller| controller == "memory")
        };
        let control = |entered| Self { version: CgroupVersion::Two, parent: parent.clone(), _entered: entered };
        if has("cgroup.subtree_control") {
            return Ok(control(None));
        }
        if !has("cgroup.controllers") {
            return Err(format!("has no memory controller in {place}"));
        }
        let hand_down = || fs::write(parent.join("cgroup.subtree_control"), "+memory");
        match hand_down() {
            Ok(()) => return Ok(control(None)),
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            Err(error) => return Err(format!("cannot enable its memory controller below {place}: {error}")),
        }
        let others = members(&parent).into_iter().filter(|process| *process != own).count();
        if others > 0 {
            return Err(format!(
                "cannot enable its memory controller below {place} while other processes are in it ({others})"
            ));
        }
        let entered = EnteredCgroup::step(&parent, own)
            .map_err(|error| format!("cannot move this process into a new group in {place}: {error}"))?;
        hand_down().map_err(|error| format!("cannot enable its memory controller below {place}: {error}"))?;
        Ok(control(Some(entered)))
    }

    /// Whether its groups can end all their processes at once.
    pub(super) fn ends_processes(&self) -> bool {
        self.version == CgroupVersion::Two
    }

    /// Returns the name of the mechanism that limits memory.
    pub fn in_words(&self) -> String {
        let version = match self.version {
            CgroupVersion::One => "v1",
            CgroupVersion::Two => "v2",
        };
        format!("cgroup {version} in {}", self.parent.display())
    }

    /// Creates a group with a limit, in bytes.
    pub(super) fn group(&self, name: &str, limit: u64) -> Result<LimitedGroup, String> {
        let place = self.parent.display();
        let group =
            Cgroup::below(&self.parent, name).map_err(|error| format!("cannot create a group in {place}: {error}"))?;
        let limit = set(self.version, group.path(), limit)
            .map_err(|error| format!("cannot set a limit in {place}: {error}"))?;
        Ok(LimitedGroup { group, version: self.version, limit })
    }
}

impl LimitedGroup {
    /// Returns the limit in force, bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Makes the process of a command enter the group before it runs the program, so that everything that it starts and allocates counts.
    /// The command cannot start if the group does not accept it.
    #[expect(unsafe_code, reason = "what a process does between fork and exec is unsafe to give")]
    pub(super) fn begin(&self, command: &mut Command) {
        // All allocation happens before the fork, because another thread may hold the allocator's lock then.
        let members = CString::new(self.group.path().join("cgroup.procs").into_os_string().into_vec());
        let go_in = move || {
            let members = members.as_deref().map_err(|_| io::ErrorKind::InvalidFilename)?;
            let members = rustix::fs::open(members, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
            // 0 means the writing process.
            rustix::io::write(members, b"0").map(drop).map_err(io::Error::from)
        };
        // SAFETY: the closure makes system calls only, and touches nothing else of this process.
        unsafe { command.pre_exec(go_in) };
    }

    /// Kills all processes in the group.
    pub(super) fn kill(&self) {
        self.group.kill();
    }

    /// Whether the system has killed one of its processes because of the limit.
    pub(super) fn has_killed(&self) -> bool {
        let file = match self.version {
            CgroupVersion::One => "memory.oom_control",
            CgroupVersion::Two => "memory.events",
        };
        let text = fs::read_to_string(self.group.path().join(file)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
        count.is_some_and(|count: u64| count > 0)
    }
}

/// Returns the group of version 1's memory controller among those of a process. In a container it may be the root of the mount.
pub(super) fn version_1(root: &Path, groups: &str) -> Option<PathBuf> {
    let of_memory = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|controller| controller == "memory").then(|| path.trim_start_matches('/').to_owned())
    };
    let path = groups.lines().find_map(of_memory)?;
    let mount = root.join("memory");
    [mount.join(path), mount].into_iter().find(|folder| folder.join("memory.limit_in_bytes").exists())
}

/// Sets the limit of a group without additional swap, and returns the limit in force, bytes.
fn set(version: CgroupVersion, group: &Path, limit: u64) -> io::Result<u64> {
    let write = |file: &str, value: u64| fs::write(group.join(file), value.to_string());
    // A kernel without swap has no file for it.
    let write_if_there = |file: &str, value: u64| match group.join(file).exists() {
        true => write(file, value).map(|()| true),
        false => Ok(false),
    };
    let file = match version {
        CgroupVersion::Two => {
            write("memory.max", limit)?;
            write_if_there("memory.swap.max", 0)?;
            "memory.max"
        }
        CgroupVersion::One => {
            write("memory.limit_in_bytes", limit)?;
            if !write_if_there("memory.memsw.limit_in_bytes", limit)? {
                write_if_there("memory.swappiness", 0)?;
            }
            "memory.limit_in_bytes"
        }
    };
    let text = fs::read_to_string(group.join(file))?;
    text.trim().parse().map_err(|_| io::Error::other(format!("{file} is `{}` afterwards", text.trim())))
}

/// A control group that this process entered, and leaves when this is dropped. It is never ended like a worker's, because this process is
/// in it.
#[derive(Debug)]
struct EnteredCgroup {
    parent: PathBuf,
    path: PathBuf,
    own: u32,
    /// Shows other processes that the group is in use, while this process lives.
    _lock: File,
}

impl EnteredCgroup {
    fn step(parent: &Path, own: u32) -> io::Result<Self> {
        let (path, lock) = make(parent, &identifier())?;
        let entered = Self { parent: parent.to_owned(), path, own, _lock: lock };
        fs::write(entered.path.join("cgroup.procs"), own.to_string())?;
        Ok(entered)
    }

    /// Whether the parent has other groups, which need the controller that it enables.
    fn has_others(&self) -> bool {
        let entries = fs::read_dir(&self.parent).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).any(|entry| entry.path() != self.path)
    }
}

impl Drop for EnteredCgroup {
    fn drop(&mut self) {
        // The parent may have processes again once it enables no controller. If that fails it stays as it is: its owner may divide it
        // too, and a later session removes the empty group.
        if self.has_others() {
            return;
        }
        let back = fs::write(self.parent.join("cgroup.subtree_control"), "-memory")
            .and_then(|()| fs::write(self.parent.join("cgroup.procs"), self.own.to_string()))
            .and_then(|()| fs::remove_dir(&self.path));
        drop(back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessFamily;
    use dbdyno_engine::confine::Confinement;

    /// Creates a folder that looks like a mounted control group: `files` with their contents.
    fn mounted(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_group_is_found_in_either_version() {
        let groups = "4:memory:/a/b\n1:cpu,cpuacct:/\n0::/c\n";
        let root = mounted(&[("memory/a/b/memory.limit_in_bytes", ""), ("unified/c/cgroup.controllers", "pids")]);
        assert_eq!(version_1(root.path(), groups), Some(root.path().join("memory/a/b")));
        assert_eq!(version_2(root.path(), groups), Some(root.path().join("unified/c")));
        let container = mounted(&[("memory/memory.limit_in_bytes", "")]);
        assert_eq!(version_1(container.path(), groups), Some(container.path().join("memory")));
        assert_eq!(version_1(container.path(), "3:cpu:/a\n"), None);
        assert_eq!(version_2(container.path(), groups), None);
    }

    #[test]
    fn a_group_that_hands_memory_down_needs_nothing_more() {
        let root = mounted(&[("own/cgroup.subtree_control", "cpu memory pids")]);
        let control = MemoryControl::version_2(root.path().join("own"), 7).unwrap();
        assert!(control._entered.is_none() && control.ends_processes(), "{control:?}");
        assert!(control.in_words().starts_with("cgroup v2 in "));
        let root = mounted(&[("own/cgroup.controllers", "cpu memory"), ("own/cgroup.subtree_control", "")]);
        let control = MemoryControl::version_2(root.path().join("own"), 7).unwrap();
        assert!(control._entered.is_none());
        assert_eq!(fs::read_to_string(root.path().join("own/cgroup.subtree_control")).unwrap(), "+memory");
        let root = mounted(&[("own/cgroup.controllers", "cpu pids")]);
        let refused = MemoryControl::version_2(root.path().join("own"), 7).unwrap_err();
        assert!(refused.contains("has no memory controller"), "{refused}");
    }

    #[test]
    fn who_stepped_aside_comes_back() {
        let root = mounted(&[("cgroup.subtree_control", "+memory"), ("cgroup.procs", "7")]);
        let read = |file: &str| fs::read_to_string(root.path().join(file)).unwrap();
        let entered = EnteredCgroup::step(root.path(), 7).unwrap();
        assert_eq!(fs::read_to_string(entered.path.join("cgroup.procs")).unwrap(), "7");
        // The files of a real control group are removed with it.
        fs::remove_file(entered.path.join("cgroup.procs")).unwrap();
        let path = entered.path.clone();
        fs::create_dir(root.path().join("other")).unwrap();
        drop(entered);
        assert!(
            path.exists() && read("cgroup.subtree_control") == "+memory",
            "another group needs what is handed down"
        );
        fs::remove_dir(&path).unwrap();
        fs::remove_dir(root.path().join("other")).unwrap();
        let entered = EnteredCgroup::step(root.path(), 7).unwrap();
        fs::remove_file(entered.path.join("cgroup.procs")).unwrap();
        let path = entered.path.clone();
        drop(entered);
        assert!(!path.exists() && read("cgroup.subtree_control") == "-memory" && read("cgroup.procs") == "7");
    }

    #[test]
    fn limits_are_written_and_read_back() {
        let limit = 64 << 20;
        let read = |root: &tempfile::TempDir, file: &str| fs::read_to_string(root.path().join(file)).unwrap();
        let two = mounted(&[("memory.swap.max", "max")]);
        assert_eq!(set(CgroupVersion::Two, two.path(), limit).unwrap(), limit);
        assert_eq!((read(&two, "memory.max"), read(&two, "memory.swap.max")), (limit.to_string(), "0".to_owned()));
        let one = mounted(&[("memory.memsw.limit_in_bytes", ""), ("memory.swappiness", "60")]);
        assert_eq!(set(CgroupVersion::One, one.path(), limit).unwrap(), limit);
        assert_eq!(
            (read(&one, "memory.memsw.limit_in_bytes"), read(&one, "memory.swappiness")),
            (limit.to_string(), "60".to_owned())
        );
        let without = mounted(&[("memory.swappiness", "60")]);
        set(CgroupVersion::One, without.path(), limit).unwrap();
        assert_eq!(read(&without, "memory.swappiness"), "0");
    }

    #[test]
    fn a_machine_without_a_memory_controller_says_what_was_looked_for() {
        let root = mounted(&[("unified/cgroup.controllers", "")]);
        let refused = MemoryControl::find_below(root.path(), "0::/\n", 7).unwrap_err();
        assert!(refused.contains("cgroup v2 has no memory controller") && refused.contains("systemd-run"), "{refused}");
        assert!(refused.contains("cgroup v1 has no memory controller mounted"), "{refused}");
    }

    #[test]
    fn what_needs_more_than_the_limit_is_killed_and_leaves_nothing() {
        let control = match MemoryControl::find() {
            Ok(control) => control,
            Err(refused) => {
                dbdyno_engine::say!("not checked: {refused}");
                return;
            }
        };
        let limit = 8 << 20;
        let mut family = ProcessFamily::limited(&control, limit).unwrap();
        assert_eq!((family.memory_limit(), family.met_limit()), (Some(limit), None));
        let script = "read -r go; head -c 100000000 /dev/zero | tail -c 50000000 | wc -c";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let confinement = Confinement::answering(std::time::Duration::from_secs(600));
        let birth = family.begin(&mut command, confinement).unwrap();
        let mut child = command.spawn().unwrap();
        family.take_in(birth, child.id());
        io::Write::write_all(&mut child.stdin.take().unwrap(), b"go\n").unwrap();
        child.wait().unwrap();
        assert_eq!(family.met_limit(), Some(limit));
        let path = family.limited.as_ref().unwrap().group.path().to_owned();
        drop(family);
        assert!(!path.exists());
    }
}
