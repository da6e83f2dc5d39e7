//! The contents of `/proc` about processes.

use std::{collections::BTreeMap, fs};

/// The fields of `/proc/PID/stat` about a process, by proc_pid_stat(5).
#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    state: char,
    /// The process that must reap it.
    pub(super) parent: u32,
    flags: u64,
    /// Ticks since boot.
    pub(super) start: u64,
}

impl Stat {
    /// Returns `None` if there is no such process.
    pub(super) fn read(process: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        // The name before it may contain any characters.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            flags: number(6)?,
            start: number(19)?,
        })
    }

    pub(super) fn is_alive(&self) -> bool {
        /// PF_KTHREAD of the kernel's `include/linux/sched.h`.
        const KERNEL_THREAD: u64 = 0x0020_0000;
        !matches!(self.state, 'Z' | 'X') && self.flags & KERNEL_THREAD == 0
    }
}

/// Returns the numbers of all processes.
pub(super) fn numbers() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns all processes, each with a parent that is in the list or that this process may not see.
pub(super) fn all() -> BTreeMap<u32, Stat> {
    let mut processes: BTreeMap<u32, Stat> =
        numbers().filter_map(|process| Some((process, Stat::read(process)?))).collect();
    // The parent of a process may have ended before it was read itself: the process has another parent then.
    let orphans: Vec<u32> = processes
        .iter()
        .filter(|(_, stat)| !processes.contains_key(&stat.parent))
        .map(|(process, _)| *process)
        .collect();
    processes.extend(orphans.into_iter().filter_map(|process| Some((process, Stat::read(process)?))));
    processes
}

/// How far the system confines a process: no new privileges, and the number of filters of its system calls. Both are permanent, whatever
/// program it becomes, and are inherited by all processes that it starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cage {
    no_new_privileges: u32,
    filters: u32,
}

impl Cage {
    pub(super) fn of(process: u32) -> Self {
        Self::parse(&fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default())
    }

    /// Parses the text by proc_pid_status(5). Kernels before 5.9 do not count filters.
    fn parse(status: &str) -> Self {
        let number = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        Self { no_new_privileges: number("NoNewPrivs"), filters: number("Seccomp_filters") }
    }

    /// Whether it confines more than another does.
    pub(super) fn is_narrower_than(self, other: Self) -> bool {
        self.no_new_privileges > other.no_new_privileges || self.filters > other.filters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::mark::now;

    #[test]
    fn the_fields_are_those_behind_a_name_of_any_characters() {
        let stat = "77 (a) b) S 1 77 77 0 -1 4194304 172 0 1 0 0 0 0 0 20 0 1 0 728489 2994176 299";
        let stat = Stat::parse(stat).unwrap();
        assert_eq!((stat.state, stat.parent, stat.flags, stat.start), ('S', 1, 4_194_304, 728_489));
        assert!(stat.is_alive());
        let own = Stat::read(std::process::id()).unwrap();
        assert!(own.start <= now(), "{} of {}", own.start, now());
    }

    #[test]
    fn a_cage_is_narrower_by_either() {
        let cage = |status| Cage::parse(status);
        let free = cage("Name:\tNoNewPrivs: 1\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n");
        assert_eq!(free, Cage { no_new_privileges: 0, filters: 1 });
        assert!(cage("NoNewPrivs:\t1\n").is_narrower_than(free));
        assert!(cage("NoNewPrivs:\t0\nSeccomp_filters:\t2\n").is_narrower_than(free));
        assert!(!free.is_narrower_than(free));
    }
}
