//! The mark of processes that an engine's process started, whichever group or session they moved to: a variable in their environment.

use super::stat::Stat;
use rustix::{
    param::clock_ticks_per_second,
    time::{ClockId, clock_gettime},
};
use std::{fs::File, os::unix::fs::FileExt};

/// The variable's name; its value is the family's.
pub(super) const VARIABLE: &str = "DBDYNO_FAMILY";

/// The mark of a family.
#[derive(Debug)]
pub(super) struct Mark(String);

/// The result of one look at a process for a mark.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It was started with the mark.
    Marked,
    /// It was not, it has ended, or it belongs to another user and cannot be read.
    Unmarked,
    /// It is becoming another program (execve), whose environment cannot be read yet: look again.
    BetweenPrograms,
}

impl Mark {
    pub(super) fn new(family: &str) -> Self {
        Self(format!("{VARIABLE}={family}"))
    }

    pub(super) fn is_on(&self, process: u32) -> bool {
        environment(process).is_some_and(|environment| self.is_in(&environment))
    }

    /// Looks at a process. A process that is older than `since` cannot have the mark, whatever program it becomes.
    pub(super) fn look_at(&self, process: u32, since: u64) -> Sight {
        // Read once: a process between programs has its environment a moment later, and two looks would miss that.
        self.sight(environment(process), || {
            Stat::read(process).is_some_and(|stat| stat.is_alive() && stat.start >= since)
        })
    }

    fn sight(&self, environment: Option<Vec<u8>>, is_alive_and_young: impl FnOnce() -> bool) -> Sight {
        match environment {
            Some(environment) if self.is_in(&environment) => Sight::Marked,
            // Threads of the kernel, and processes that have ended, never have one.
            Some(environment) if environment.is_empty() && is_alive_and_young() => Sight::BetweenPrograms,
            _ => Sight::Unmarked,
        }
    }

    fn is_in(&self, environment: &[u8]) -> bool {
        environment.split(|&byte| byte == 0).any(|entry| entry == self.0.as_bytes())
    }
}

/// Returns the environment of a process, in one read. Between two reads it may become another program; the rest of the old environment
/// then reads as empty, as if the first part were complete.
fn environment(process: u32) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 64 << 10];
    loop {
        let length =
            File::open(format!("/proc/{process}/environ")).and_then(|file| file.read_at(&mut bytes, 0)).ok()?;
        if length < bytes.len() {
            bytes.truncate(length);
            return Some(bytes);
        }
        bytes.resize(2 * length, 0);
    }
}

/// Returns the time since boot, in the ticks in which the system counts the starts of processes.
pub(super) fn now() -> u64 {
    let boot = clock_gettime(ClockId::Boottime);
    let ticks = clock_ticks_per_second();
    boot.tv_sec as u64 * ticks + boot.tv_nsec as u64 * ticks / 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{iter, process::Command};

    #[test]
    fn one_look_tells_the_marked_from_those_that_may_be_it_in_a_moment() {
        let mark = Mark::new("one");
        let sight = |environment: Option<&[u8]>, is_alive_and_young| {
            mark.sight(environment.map(<[u8]>::to_vec), || is_alive_and_young)
        };
        assert_eq!(sight(Some(b"A=1\0DBDYNO_FAMILY=one\0B=2\0"), true), Sight::Marked);
        assert_eq!(sight(Some(b"A=1\0DBDYNO_FAMILY=another\0"), true), Sight::Unmarked);
        assert_eq!(sight(Some(b""), true), Sight::BetweenPrograms);
        assert_eq!(sight(Some(b""), false), Sight::Unmarked);
        assert_eq!(sight(None, true), Sight::Unmarked);
        assert_eq!(mark.look_at(std::process::id(), 0), Sight::Unmarked);
    }

    #[test]
    fn an_environment_of_any_length_is_read_whole() {
        let long = "a".repeat(100 << 10);
        let mut child = Command::new("sleep").arg("600").env("A", &long).env(VARIABLE, "long").spawn().unwrap();
        let mut sights = iter::repeat_with(|| Mark::new("long").look_at(child.id(), 0));
        assert_eq!(sights.find(|sight| *sight != Sight::BetweenPrograms), Some(Sight::Marked));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
