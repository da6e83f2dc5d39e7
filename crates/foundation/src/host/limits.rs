//! The limits that the surrounding control groups, such as those of a container, set for this process.

use super::{cpu, memory, text};
use crate::base::units::bytes;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The mount point of control groups.
const ROOT: &str = "/sys/fs/cgroup";
/// In version 1, a limit from here on means no limit: it is the largest possible value, rounded to pages.
const NO_LIMIT: u64 = 1 << 62;

/// The resources that this process may use of its machine: the minimum over its control groups, up to the topmost visible one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// CPUs on which it may run (`Cpus_allowed_list` of `/proc/self/status`, which follows `cpuset.cpus.effective` and `taskset`).
    pub cpus: u32,
    /// CPU time in a period, in CPUs (`cpu.max`, or `cpu.cfs_quota_us`); `None`: no quota below these CPUs.
    pub cpu_quota: Option<f64>,
    /// Bytes of memory (`memory.max`, or `memory.limit_in_bytes`); `None`: no limit below the installed memory.
    pub memory_bytes: Option<u64>,
}

impl Limits {
    /// Reads the limits of this process; `None` if the kernel does not report on which CPUs it may run.
    pub fn read() -> Option<Self> {
        let read = |path| text::read(path).unwrap_or_default();
        Self::of(Path::new(ROOT), &read("/proc/self/cgroup"), &read("/proc/self/status"), &read("/proc/meminfo"))
    }

    /// Does the same with control groups mounted at `root`, from the kernel's texts about the process and about memory.
    fn of(root: &Path, groups: &str, status: &str, meminfo: &str) -> Option<Self> {
        let cpus = cpu::count_list(text::field(status, "Cpus_allowed_list")?)?;
        let quotas = group_folders(root, groups, "cpu").into_iter().filter_map(|group| quota(&group));
        let limits = group_folders(root, groups, "memory").into_iter().filter_map(|group| memory_limit(&group));
        let all = memory::bytes(meminfo, "MemTotal").unwrap_or(u64::MAX);
        Some(Self {
            cpus,
            // A limit above the available amount has no effect.
            cpu_quota: quotas.min_by(f64::total_cmp).filter(|quota| *quota < f64::from(cpus)),
            memory_bytes: limits.min().filter(|limit| *limit < all),
        })
    }
}

/// Formats CPU time in CPUs: `0.2`, `1.5`, `2`.
pub fn cpus_in_words(cpus: f64) -> String {
    let text = format!("{cpus:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How often groups around this process used up their CPU time before a period was over, so that threads waited, since the groups were
/// created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Throttling {
    pub periods: u64,
    /// Waiting time of their threads, summed over CPUs, ns.
    pub ns: u64,
}

impl Throttling {
    /// Reads the counters; `None` if no group has them.
    pub fn now() -> Option<Self> {
        Self::of(Path::new(ROOT), &text::read("/proc/self/cgroup")?)
    }

    fn of(root: &Path, groups: &str) -> Option<Self> {
        let stats =
            group_folders(root, groups, "cpu").into_iter().filter_map(|group| text::read(group.join("cpu.stat")));
        // Each group counts only the periods of its own quota, and any of them may stop this process.
        stats.filter_map(|stat| Self::parse(&stat)).reduce(|sum, one| Self {
            periods: sum.periods.saturating_add(one.periods),
            ns: sum.ns.saturating_add(one.ns),
        })
    }

    /// Parses `cpu.stat`: in microseconds in version 2, in nanoseconds in version 1.
    fn parse(stat: &str) -> Option<Self> {
        let figure = |key: &str| -> Option<u64> {
            stat.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?.trim().parse().ok()
        };
        let micros = || figure("throttled_usec").map(|us| us.saturating_mul(1000));
        Some(Self { periods: figure("nr_throttled")?, ns: micros().or_else(|| figure("throttled_time"))? })
    }

    /// Returns the difference from `earlier` to this.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self { periods: self.periods.saturating_sub(earlier.periods), ns: self.ns.saturating_sub(earlier.ns) }
    }
}

/// Returns the folders of a process's groups for a controller, from its own to the topmost: of version 2, and of version 1 if that has
/// the controller. In a container the own group's name may not match a folder; then only the topmost folder, the container's, is
/// returned.
fn group_folders(root: &Path, groups: &str, controller: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let mount = match controllers {
            // Version 2 is mounted alone, or alongside version 1.
            "" => [root.to_owned(), root.join("unified")].into_iter().find(|mount| mount.join("cgroup.procs").exists()),
            named if named.split(',').any(|one| one == controller) => {
                [root.join(named), root.join(controller)].into_iter().find(|mount| mount.is_dir())
            }
            _ => None,
        };
        let Some(mount) = mount else { continue };
        let own = mount.join(group.trim_start_matches('/'));
        let up = own.ancestors().take_while(|folder| folder.starts_with(&mount)).map(Path::to_owned);
        folders.extend(up);
    }
    folders
}

/// Returns a group's CPU time in CPUs; `None` without a quota.
fn quota(group: &Path) -> Option<f64> {
    let of = |quota: &str, period: &str| -> Option<f64> {
        let (quota, period) = (quota.trim().parse::<u64>().ok()?, period.trim().parse::<u64>().ok()?);
        (period > 0).then(|| quota as f64 / period as f64)
    };
    match text::read(group.join("cpu.max")) {
        Some(both) => both.split_once(' ').and_then(|(quota, period)| of(quota, period)),
        // -1 means no quota; it does not parse as an unsigned number.
        None => of(&text::read(group.join("cpu.cfs_quota_us"))?, &text::read(group.join("cpu.cfs_period_us"))?),
    }
}

/// Returns the bytes that a group may use; `None` without a limit.
fn memory_limit(group: &Path) -> Option<u64> {
    let limit = text::read(group.join("memory.max")).or_else(|| text::read(group.join("memory.limit_in_bytes")))?;
    limit.parse::<u64>().ok().filter(|limit| *limit < NO_LIMIT)
}

impl fmt::Display for Limits {
    /// Writes the limits below the machine's resources: `a CPU quota of 0.2, a memory limit of 512 MiB`; nothing without a limit. CPUs are
    /// left to the caller, which knows how many there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quota = self.cpu_quota.map(|quota| format!("a CPU quota of {}", cpus_in_words(quota)));
        let memory = self.memory_bytes.map(|limit| format!("a memory limit of {}", bytes(limit)));
        f.write_str(&quota.into_iter().chain(memory).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::scratch::TestFolder, *};
    use std::fs;

    const STATUS: &str = "Name:\tdbdyno\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n";
    const MEMINFO: &str = "MemTotal:       16167948 kB\n";

    struct Groups(TestFolder);

    impl Groups {
        fn new() -> Self {
            Self(TestFolder::new("groups"))
        }

        fn file(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn limits(&self, groups: &str) -> Limits {
            Limits::of(self.0.path(), groups, STATUS, MEMINFO).unwrap()
        }

        fn throttling(&self, groups: &str) -> Option<Throttling> {
            Throttling::of(self.0.path(), groups)
        }
    }

    #[test]
    fn the_least_of_all_groups_up_to_the_root_holds() {
        let groups = Groups::new();
        groups.file("cgroup.procs", "");
        groups.file("cpu.max", "max 100000\n");
        groups.file("box/cpu.max", "20000 100000\n");
        groups.file("box/memory.max", "536870912\n");
        groups.file("box/task/cpu.max", "150000 100000\n");
        groups.file("box/task/memory.max", "max\n");
        groups.file("other/cpu.max", "1000 100000\n");
        let limits = groups.limits("0::/box/task");
        assert_eq!(limits, Limits { cpus: 4, cpu_quota: Some(0.2), memory_bytes: Some(1 << 29) });
        assert_eq!(limits.to_string(), "a CPU quota of 0.2, a memory limit of 512 MiB");
        assert_eq!(groups.limits("0::/"), Limits { cpus: 4, cpu_quota: None, memory_bytes: None });
        assert_eq!(groups.limits(""), Limits { cpus: 4, cpu_quota: None, memory_bytes: None });
    }

    #[test]
    fn a_container_sees_its_group_as_the_root() {
        let groups = Groups::new();
        groups.file("cgroup.procs", "");
        groups.file("cpu.max", "50000 100000\n");
        assert_eq!(groups.limits("0::/../../unseen").cpu_quota, Some(0.5), "the name of another namespace");
        assert_eq!(groups.limits("0::/docker/0123").cpu_quota, Some(0.5));
    }

    #[test]
    fn version_1() {
        let groups = Groups::new();
        let own = "4:memory:/box\n3:cpuset:/\n2:cpu,cpuacct:/box\n0::/\n";
        groups.file("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
        groups.file("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
        groups.file("cpu,cpuacct/box/cpu.cfs_quota_us", "120000\n");
        groups.file("cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
        groups.file("cpu,cpuacct/box/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 700\n");
        groups.file("memory/memory.limit_in_bytes", "9223372036854771712\n");
        groups.file("memory/box/memory.limit_in_bytes", "1073741824\n");
        let limits = groups.limits(own);
        assert_eq!((limits.cpu_quota, limits.memory_bytes), (Some(1.2), Some(1 << 30)));
        assert_eq!(groups.throttling(own), Some(Throttling { periods: 4, ns: 700 }));
    }

    #[test]
    fn what_is_more_than_there_is_limits_nothing() {
        let groups = Groups::new();
        groups.file("cgroup.procs", "");
        groups.file("cpu.max", "800000 100000\n");
        groups.file("memory.max", "99999999999999\n");
        assert_eq!(groups.limits("0::/").to_string(), "");
    }

    #[test]
    fn throttled_periods_of_all_groups_are_counted() {
        let groups = Groups::new();
        groups.file("cgroup.procs", "");
        groups.file("cpu.stat", "usage_usec 5\n");
        groups
            .file("box/cpu.stat", "usage_usec 5\nnr_periods 100\nnr_throttled 60\nthrottled_usec 4000\nnr_bursts 0\n");
        groups.file("box/task/cpu.stat", "nr_periods 100\nnr_throttled 1\nthrottled_usec 5\n");
        let now = groups.throttling("0::/box/task").unwrap();
        assert_eq!(now, Throttling { periods: 61, ns: 4_005_000 });
        assert_eq!(groups.throttling("0::/"), None, "the uppermost has no quota to count");
        let earlier = Throttling { periods: 51, ns: 5_000 };
        assert_eq!(now.since(earlier), Throttling { periods: 10, ns: 4_000_000 });
        assert_eq!(earlier.since(now), Throttling::default());
    }

    #[test]
    fn cpu_time_in_words() {
        assert_eq!([0.2, 1.5, 2.0, 0.25, 10.0].map(cpus_in_words), ["0.2", "1.5", "2", "0.25", "10"]);
    }

    #[test]
    fn this_process_may_run_somewhere() {
        assert!(Limits::read().is_none_or(|limits| limits.cpus > 0));
    }
}
