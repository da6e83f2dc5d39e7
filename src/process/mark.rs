//! The mark by which a process is known as one that an engine's process started, whatever group or session it went to: a variable in the
//! environment that it was given.

use rustix::{
    param::clock_ticks_per_second,
    time::{ClockId, clock_gettime},
};
use std::fs;

/// The variable's name; its value is the family's.
pub(super) const VARIABLE: &str = "DBDYNO_FAMILY";

/// The mark of a family.
#[derive(Debug)]
pub(super) struct Mark(String);

impl Mark {
    pub(super) fn new(family: &str) -> Self {
        Self(format!("{VARIABLE}={family}"))
    }

    /// Whether a process was started with it. What cannot be read belongs to another user, or has ended.
    pub(super) fn is_on(&self, process: u32) -> bool {
        let environment = fs::read(format!("/proc/{process}/environ"));
        environment.is_ok_and(|bytes| bytes.split(|&byte| byte == 0).any(|entry| entry == self.0.as_bytes()))
    }
}

/// The time since boot, in the ticks that the system counts the starts of processes in.
pub(super) fn now() -> u64 {
    let boot = clock_gettime(ClockId::Boottime);
    let ticks = clock_ticks_per_second();
    boot.tv_sec as u64 * ticks + boot.tv_nsec as u64 * ticks / 1_000_000_000
}

/// Whether a process that is no older than `since` has no environment: while it becomes another program (execve), the new one's is not yet
/// there to be read. Threads of the kernel, and processes that have ended, have none for good.
pub(super) fn is_between_programs(process: u32, since: u64) -> bool {
    let is_empty = || fs::read(format!("/proc/{process}/environ")).is_ok_and(|bytes| bytes.is_empty());
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    Stat::parse(&stat).is_some_and(|stat| stat.is_alive() && stat.start >= since) && is_empty()
}

/// What `/proc/PID/stat` says of a process, by proc_pid_stat(5).
struct Stat {
    state: char,
    flags: u64,
    /// Ticks since boot.
    start: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        // The name before it may have any characters.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self { state: fields.first()?.chars().next()?, flags: number(6)?, start: number(19)? })
    }

    fn is_alive(&self) -> bool {
        /// PF_KTHREAD of the kernel's `include/linux/sched.h`.
        const KERNEL_THREAD: u64 = 0x0020_0000;
        !matches!(self.state, 'Z' | 'X') && self.flags & KERNEL_THREAD == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_those_behind_a_name_of_any_characters() {
        let stat = "77 (a) b) S 1 77 77 0 -1 4194304 172 0 1 0 0 0 0 0 20 0 1 0 728489 2994176 299";
        let stat = Stat::parse(stat).unwrap();
        assert_eq!((stat.state, stat.flags, stat.start), ('S', 4_194_304, 728_489));
        assert!(stat.is_alive());
        let own = Stat::parse(&fs::read_to_string("/proc/self/stat").unwrap()).unwrap();
        assert!(own.start <= now(), "{} of {}", own.start, now());
    }

    #[test]
    fn this_process_has_its_environment() {
        assert!(!is_between_programs(std::process::id(), 0));
    }
}
