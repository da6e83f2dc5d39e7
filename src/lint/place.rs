//! Whether the machine and the folder are fit to measure on.

use super::{Linter, SessionEvidence};

/// The work folder is in memory.
pub(super) struct MemoryBacked;

impl Linter for MemoryBacked {
    fn name(&self) -> &'static str {
        "memory file system"
    }

    fn summary(&self) -> &'static str {
        "sessions ran on a file system in memory"
    }

    fn explain(&self) -> &'static str {
        "Syncs do nothing there, so every durability tier costs the same: choose a work folder on a disk."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        if !evidence.folder.is_in_memory_unasked() {
            return Vec::new();
        }
        let kind = evidence.folder.file_system.as_deref().unwrap_or("a memory file system");
        vec![format!("databases were on {kind}, where a sync does nothing")]
    }
}

/// The work folder is on another machine.
pub(super) struct NetworkFolder;

impl Linter for NetworkFolder {
    fn name(&self) -> &'static str {
        "network file system"
    }

    fn summary(&self) -> &'static str {
        "sessions ran on a network file system"
    }

    fn explain(&self) -> &'static str {
        "Locks, maps and syncs behave differently over a network, and some engines are not safe there."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        if !evidence.folder.is_network() {
            return Vec::new();
        }
        let kind = evidence.folder.file_system.as_deref().unwrap_or("a network file system");
        vec![format!("databases were on {kind}, on another machine")]
    }
}

/// Others used the machine.
pub(super) struct NoisyHost;

/// More of the CPU time than this taken by other guests is noise (bencher calls up to 5 % moderate).
const STEAL: f64 = 0.05;
/// Tasks waiting for a CPU for more of the time than this: something else is running.
const CPU_PRESSURE: f64 = 0.25;

impl Linter for NoisyHost {
    fn name(&self) -> &'static str {
        "noisy host"
    }

    fn summary(&self) -> &'static str {
        "runs were disturbed by others"
    }

    fn explain(&self) -> &'static str {
        "Another guest or another program took CPU time. Runs of one round suffer about alike: trust ratios more than single times."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let runs = evidence.runs.len();
        let over = |share: Option<f64>, limit: f64| share.is_some_and(|share| share > limit);
        let stolen = evidence.runs.iter().filter(|run| over(run.steal_share, STEAL)).count();
        let pressed = evidence.runs.iter().filter(|run| over(run.psi_cpu_share, CPU_PRESSURE)).count();
        let mut found = Vec::new();
        if stolen > 0 {
            found.push(format!(
                "in {stolen} of {runs} runs other guests took more than {:.0} % of the CPU time",
                STEAL * 100.0
            ));
        }
        if pressed > 0 {
            found.push(format!(
                "in {pressed} of {runs} runs programs waited for a CPU more than {:.0} % of the time",
                CPU_PRESSURE * 100.0
            ));
        }
        found
    }
}

/// Other sessions were let run at the same time.
pub(super) struct Concurrent;

impl Linter for Concurrent {
    fn name(&self) -> &'static str {
        "concurrent"
    }

    fn summary(&self) -> &'static str {
        "sessions did not hold the measurement lock"
    }

    fn explain(&self) -> &'static str {
        "Without the measurement lock, runs of two sessions may share the disk and the caches: run one session at a time."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        if evidence.concurrent {
            vec!["without the measurement lock: other sessions may have been measuring too".to_owned()]
        } else {
            Vec::new()
        }
    }
}

/// dbdyno was built without optimisation.
pub(super) struct DebugBuild;

impl Linter for DebugBuild {
    fn name(&self) -> &'static str {
        "debug build"
    }

    fn summary(&self) -> &'static str {
        "sessions were run by a debug build"
    }

    fn explain(&self) -> &'static str {
        "Without optimisation the harness and engines in Rust are many times slower: measure with a release build."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        if evidence.session.debug_build {
            vec!["dbdyno was built without optimisation: measure with a release build".to_owned()]
        } else {
            Vec::new()
        }
    }
}
