//! Pins each thread to its own core, if there are enough cores.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores of a test's threads.
pub(crate) struct Cores(Vec<usize>);

impl Cores {
    /// Picks one core for each of `threads` threads, from those that this process may run on; none if there are fewer cores than threads.
    pub(crate) fn for_threads(threads: usize) -> Self {
        let allowed = sched_getaffinity(None);
        let cores: Vec<usize> = allowed
            .map(|allowed| (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect())
            .unwrap_or_default();
        Self(if cores.len() >= threads { cores } else { Vec::new() })
    }

    /// Pins the calling thread, the `ordinal`-th of the test.
    pub(crate) fn pin(&self, ordinal: usize) {
        let Some(core) = self.0.get(ordinal) else { return };
        let mut set = CpuSet::new();
        set.set(*core);
        // Best effort: an unpinned thread runs too, but may be moved from core to core.
        let _ = sched_setaffinity(None, &set);
    }
}
