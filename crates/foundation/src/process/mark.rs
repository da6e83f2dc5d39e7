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

impl Mark {
    pub(super) fn new(family: &str) -> Self {
        Self(format!("{VARIABLE}={family}"))
    }

    pub(super) fn is_on(&self, process: u32) -> bool {
        environment(process).is_some_and(|environment| self.is_in(&environment))
    }

    /// Whether a process has the mark, or is becoming another program (execve), whose environment cannot be read yet. False if it has ended,
    /// or belongs to another user and cannot be read.
    pub(super) fn may_be_on(&self, process: u32) -> bool {
        // Read once: a process between programs has its environment a moment later, and two looks would miss that.
        self.may_be_in(environment(process), || Stat::read(process).is_some_and(|stat| stat.is_alive()))
    }

    fn may_be_in(&self, environment: Option<Vec<u8>>, is_alive: impl FnOnce() -> bool) -> bool {
        match environment {
            // Threads of the kernel, and processes that have ended, never have one.
            Some(environment) => self.is_in(&environment) || environment.is_empty() && is_alive(),
            None => false,
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
        let may_be =
            |environment: Option<&[u8]>, is_alive| mark.may_be_in(environment.map(<[u8]>::to_vec), || is_alive);
        assert!(may_be(Some(b"A=1\0DBDYNO_FAMILY=one\0B=2\0"), true));
        assert!(!may_be(Some(b"A=1\0DBDYNO_FAMILY=another\0"), true));
        assert!(may_be(Some(b""), true), "it is becoming another program");
        assert!(!may_be(Some(b""), false) && !may_be(None, true));
        assert!(!mark.may_be_on(std::process::id()));
    }

    #[test]
    fn an_environment_of_any_length_is_read_whole() {
        let long = "a".repeat(100 << 10);
        let mut child = Command::new("sleep").arg("600").env("A", &long).env(VARIABLE, "long").spawn().unwrap();
        // A child that is not the program yet has its own environment a moment later.
        let mark = Mark::new("long");
        assert!(iter::repeat_with(|| mark.is_on(child.id())).take(10_000).any(|is_on| is_on));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
