//! The machine itself: its cores, who else uses it, and what engines can be confined and limited by.

use super::finding::DoctorFinding;
use crate::{
    base::units::bytes,
    host::{HostFacts, Load, NoiseDelta},
    process::MemoryControl,
};
use dbdyno_engine::confine::landlock_version;

/// CPU time taken by other guests that is worth a word.
const STEAL: f64 = 0.01;
/// CPU time in use by others that is worth a word.
const BUSY: f64 = 0.10;

pub(super) struct Patient<'m> {
    host: &'m HostFacts,
    load: &'m Load,
    noise: NoiseDelta,
    /// By what memory can be limited, or why it cannot.
    memory_limits: Result<String, String>,
    /// The version of Landlock that engines are confined by.
    landlock: Option<u32>,
    debug_build: bool,
}

impl<'m> Patient<'m> {
    pub(super) fn read(host: &'m HostFacts, load: &'m Load, noise: NoiseDelta) -> Self {
        Self {
            host,
            load,
            noise,
            memory_limits: MemoryControl::find().map(|control| control.in_words()),
            landlock: landlock_version(),
            debug_build: cfg!(debug_assertions),
        }
    }
}

pub(super) fn findings(patient: &Patient<'_>) -> Vec<DoctorFinding> {
    let Patient { host, load, noise, memory_limits, landlock, debug_build } = patient;
    let mut findings = vec![cores(host)];
    let mut judge = |fit, what, advice| findings.push(DoctorFinding::judged(fit, what, advice));
    if let Some(governor) = &load.cpu_governor {
        judge(
            governor == "performance",
            format!("the CPU governor is `{governor}`"),
            "clock speeds follow the load; `cpupower frequency-set -g performance` holds them",
        );
    }
    if let Some(swap) = load.swap_used_bytes {
        judge(
            swap == 0,
            format!("{} of swap in use", bytes(swap)),
            "free some memory: waiting for swapped pages would be measured with the engine",
        );
    }
    if let Some(steal) = noise.steal_share {
        judge(
            steal <= STEAL,
            format!("other guests took {:.1} % of the CPU time of the last second", steal * 100.0),
            "measure when they are quiet, and trust paired ratios only",
        );
    }
    if let Some(busy) = noise.busy_share {
        judge(
            busy <= BUSY,
            format!("{:.0} % of the CPU time is in use", busy * 100.0),
            "close other programs before measuring",
        );
    }
    if *debug_build {
        judge(false, "dbdyno was built without optimisation".to_owned(), "build with --release");
    }
    findings.push(match memory_limits {
        Ok(control) => DoctorFinding::fit(format!("memory limits (--memory-limit) can be set, by {control}")),
        Err(refused) => DoctorFinding::note(refused),
    });
    findings.push(match landlock {
        Some(version) => {
            DoctorFinding::fit(format!("engines can write to the folder of their run only, by Landlock {version}"))
        }
        None => DoctorFinding::advised(
            "engines and the libraries they load can write wherever you can",
            "the kernel has no Landlock, as Linux 5.19 and newer have where it is built in and in the list lsm=",
        ),
    });
    findings
}

fn cores(host: &HostFacts) -> DoctorFinding {
    let cpu = host.cpu_model.as_deref().unwrap_or("an unknown CPU");
    let cores = host.cores.unwrap_or(1);
    let place = host.virtualisation.as_deref().map_or_else(String::new, |what| format!(", virtualised by {what}"));
    let advice = "with one core, reporting progress takes time from the test";
    DoctorFinding::judged(cores > 1, format!("{cores} cores of {cpu}{place}"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> HostFacts {
        HostFacts { cores: Some(4), ..HostFacts::read() }
    }

    fn patient<'m>(host: &'m HostFacts, load: &'m Load) -> Patient<'m> {
        Patient {
            host,
            load,
            noise: NoiseDelta {
                elapsed_ns: 1,
                steal_share: Some(0.0),
                busy_share: Some(0.0),
                busy_cpus: Some(0.0),
                psi_cpu_share: None,
                psi_io_share: None,
                psi_memory_share: None,
                context_switches: None,
            },
            memory_limits: Err("memory cannot be limited here".to_owned()),
            landlock: None,
            debug_build: false,
        }
    }

    fn unfit(patient: &Patient<'_>) -> Vec<DoctorFinding> {
        findings(patient).into_iter().filter(DoctorFinding::is_unfit).collect()
    }

    #[test]
    fn a_quiet_machine_is_fit() {
        assert_eq!(unfit(&patient(&host(), &Load::default())), []);
    }

    #[test]
    fn each_trouble_is_found() {
        let host = HostFacts { cores: Some(1), ..host() };
        let load =
            Load { cpu_governor: Some("powersave".to_owned()), swap_used_bytes: Some(1 << 30), ..Load::default() };
        let mut sick = patient(&host, &load);
        sick.noise.steal_share = Some(0.2);
        sick.noise.busy_share = Some(0.9);
        sick.debug_build = true;
        assert_eq!(unfit(&sick).len(), 6, "{:?}", unfit(&sick));
    }
}
