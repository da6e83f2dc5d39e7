//! Checks that the machine and the folder are suitable for measuring.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration};
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::{
    base::units::counted,
    host::{MountEffect, MountOption},
};
use dbdyno_store::RunRecord;
use std::collections::{BTreeMap, BTreeSet};

/// Synced data in the work folder does not survive a power loss.
pub(super) struct NoDisk;

impl Linter for NoDisk {
    fn name(&self) -> &'static str {
        "syncs reach no disk"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "sessions ran where syncs reach no disk"
    }

    fn explain(&self) -> &'static str {
        "A power loss loses commits, whatever tier was requested, and syncs do not cost what they cost on a disk: \
         choose a work folder on a disk."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let Some(doubt) = &evidence.session.sync_doubt else { return Vec::new() };
        let mut asked: BTreeMap<Tier, BTreeSet<&str>> = BTreeMap::new();
        for run in evidence.runs.iter().filter(|run| run.engine != HARNESS_ENGINE && run.tier.needs_syncs()) {
            asked.entry(run.tier).or_default().insert(&run.label);
        }
        if asked.is_empty() {
            // Users who choose a folder in memory, and do not need safe commits, get both.
            let asked = evidence.folder.is_in_memory_by_name();
            return if asked {
                Vec::new()
            } else {
                vec![format!("{doubt}; every durability tier costs the same").into()]
            };
        }
        let one = |(tier, labels): (Tier, BTreeSet<&str>)| {
            format!("tier {tier} ({})", labels.into_iter().collect::<Vec<_>>().join(", "))
        };
        let asked: Vec<String> = asked.into_iter().rev().map(one).collect();
        vec![format!("{doubt}; {} was requested, but is not upheld here", asked.join(" and ")).into()]
    }
}

/// The work folder's mount options change the measured times.
pub(super) struct ChangingMount;

impl Linter for ChangingMount {
    fn name(&self) -> &'static str {
        "mount options"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "sessions ran on mounts with options that change what is measured"
    }

    fn explain(&self) -> &'static str {
        "Figures apply to this mount only: mount the file system of the work folder with its usual options, or choose another folder."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let known = evidence.folder.all_mount_options().filter_map(MountOption::find);
        let changes = |option: &&MountOption| matches!(option.effect, MountEffect::MoreWaits | MountEffect::KeepsLess);
        let said = |option: &MountOption| format!("mounted with {}, so {}", option.name, option.meaning);
        let messages: BTreeSet<String> = known.filter(changes).map(said).collect();
        messages.into_iter().map(LintFinding::from).collect()
    }
}

/// The work folder is on another machine.
pub(super) struct NetworkFolder;

impl Linter for NetworkFolder {
    fn name(&self) -> &'static str {
        "network file system"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "sessions ran on a network file system"
    }

    fn explain(&self) -> &'static str {
        "Locks, maps and syncs behave differently over a network, and some engines are not safe there."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        if !evidence.folder.is_network() {
            return Vec::new();
        }
        let kind = evidence.folder.file_system.as_deref().unwrap_or("a network file system");
        vec![format!("databases were on {kind}, on another machine").into()]
    }
}

/// Other programs used the machine.
pub(super) struct NoisyHost;

/// The share of CPU time taken by other guests above which it is noise (bencher calls up to 5 % moderate).
const STEAL: f64 = 0.05;
/// The share of time with tasks waiting for a CPU above which something else is running.
const CPU_PRESSURE: f64 = 0.25;
/// The CPU use of other programs, in CPUs, below which they cannot cause so much waiting.
const OTHERS: f64 = 0.25;

impl Linter for NoisyHost {
    fn name(&self) -> &'static str {
        "noisy host"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "runs were disturbed by other programs or guests"
    }

    fn explain(&self) -> &'static str {
        "Another guest or another program took CPU time; waits of the engine's own threads do not count. Runs of one \
         round suffer about equally: trust ratios more than single times."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let stolen = disturbed(evidence, |run| run.steal_share.is_some_and(|share| share > STEAL));
        let pressed = disturbed(evidence, |run| is_pressed(run.psi_cpu_share, run.others_cpus));
        let guests = format!("other guests took more than {:.0} % of the CPU time", STEAL * 100.0);
        let programs = format!("runnable threads waited for a CPU more than {:.0} % of the time", CPU_PRESSURE * 100.0);
        let mut found = by_configuration(&guests, stolen);
        found.extend(by_configuration(&programs, pressed));
        found
    }
}

/// Whether other programs caused waits for a CPU. The engine's own threads also wait, if there are more of them than cores.
fn is_pressed(psi_cpu_share: Option<f64>, others_cpus: Option<f64>) -> bool {
    psi_cpu_share.is_some_and(|share| share > CPU_PRESSURE) && others_cpus.is_none_or(|cpus| cpus > OTHERS)
}

/// Returns the configurations with matching runs, each with their number: `in 3 of 10 runs of lmdb at 1000`.
pub(super) fn disturbed<'e>(
    evidence: &SessionEvidence<'e>,
    is_meant: impl Fn(&RunRecord) -> bool,
) -> Vec<(&'e RunRecord, String)> {
    let mut configurations: BTreeMap<(&str, &str), (&RunRecord, usize, usize)> = BTreeMap::new();
    for run in evidence.runs {
        let (_, meant, all) = configurations.entry((&run.size, &run.label)).or_insert((run, 0, 0));
        *meant += usize::from(is_meant(run));
        *all += 1;
    }
    let some = configurations.into_values().filter(|(_, meant, _)| *meant > 0);
    some.map(|(run, meant, all)| {
        (run, format!("in {meant} of {} of {} at {}", counted(all, "run"), run.label, run.size))
    })
    .collect()
}

/// Other sessions were allowed to run at the same time.
pub(super) struct Concurrent;

impl Linter for Concurrent {
    fn name(&self) -> &'static str {
        "concurrent"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "sessions did not hold the measurement lock"
    }

    fn explain(&self) -> &'static str {
        "Without the measurement lock, runs of two sessions may share the disk and the caches: run one session at a time."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        if evidence.concurrent {
            vec!["without the measurement lock: other sessions may have been measuring too".to_owned().into()]
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_engine_that_wait_for_each_other_are_no_noise() {
        assert!(!is_pressed(Some(0.99), Some(0.03)), "more threads than cores, and nothing else runs");
        assert!(is_pressed(Some(0.99), Some(0.8)));
        assert!(is_pressed(Some(0.99), None), "runs of older versions do not say who waited for whom");
        assert!(!is_pressed(Some(0.1), Some(0.8)) && !is_pressed(None, Some(0.8)));
    }
}
