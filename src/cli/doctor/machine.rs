//! The machine itself: its cores, other programs that use it, and the means to confine and limit engines.

use super::finding::DoctorFinding;
use dbdyno_engine::confine::{filters_calls, landlock_version};
use dbdyno_foundation::{
    base::units::bytes,
    host::{HostFacts, Limits, Load, NoiseDelta, Preloaded, cpus_in_words, is_system_allocator},
    process::MemoryControl,
};

/// CPU time taken by other guests that is worth a word.
const STEAL: f64 = 0.01;
/// CPU time in use by others that is worth a word.
const BUSY: f64 = 0.10;

pub(super) struct Patient<'m> {
    host: &'m HostFacts,
    load: &'m Load,
    noise: NoiseDelta,
    limits: Option<Limits>,
    preloaded: Preloaded,
    /// By what memory can be limited, or why it cannot.
    memory_limits: Result<String, String>,
    /// The version of Landlock that engines are confined by.
    landlock: Option<u32>,
    /// Whether their system calls are filtered.
    seccomp: bool,
    debug_build: bool,
}

impl<'m> Patient<'m> {
    pub(super) fn read(host: &'m HostFacts, load: &'m Load, noise: NoiseDelta) -> Self {
        Self {
            host,
            load,
            noise,
            limits: Limits::read(),
            preloaded: Preloaded::read(),
            memory_limits: MemoryControl::find().map(|control| control.in_words()),
            landlock: landlock_version(),
            seccomp: filters_calls(),
            debug_build: cfg!(debug_assertions),
        }
    }
}

pub(super) fn findings(patient: &Patient<'_>) -> Vec<DoctorFinding> {
    let Patient { host, load, noise, limits, preloaded, memory_limits, landlock, seccomp, debug_build } = patient;
    let mut findings = vec![cores(host)];
    findings.extend(limits.iter().flat_map(|limits| confined(limits, host.cores)));
    findings.extend(before_others(preloaded));
    let mut judge = |fit, what, advice| findings.push(DoctorFinding::judged(fit, what, advice));
    if let Some(governor) = &load.cpu_governor {
        judge(
            governor == "performance",
            format!("the CPU governor is `{governor}`"),
            "clock speeds follow the load; `cpupower frequency-set -g performance` fixes them",
        );
    }
    if let Some(swap) = load.swap_used_bytes {
        judge(
            swap == 0,
            format!("{} of swap in use", bytes(swap)),
            "free some memory: waits for swapped pages would count as time of the engine",
        );
    }
    if let Some(steal) = noise.steal_share {
        judge(
            steal <= STEAL,
            format!("other guests took {:.1} % of the CPU time of the last second", steal * 100.0),
            "measure when they are quiet, and trust only paired ratios",
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
    findings.extend(confinement(*landlock, *seccomp));
    findings
}

/// What engines are kept from, and what this kernel cannot keep them from.
fn confinement(landlock: Option<u32>, seccomp: bool) -> [DoctorFinding; 3] {
    /// The first version of Landlock that keeps signals inside: Linux 6.12.
    const SIGNALS: u32 = 6;
    let writes = match landlock {
        Some(version) => {
            DoctorFinding::fit(format!("engines write only to the folder of their run (Landlock {version})"))
        }
        None => DoctorFinding::advised(
            "engines and the libraries they load can write wherever you can",
            "the kernel has no Landlock: it needs Linux 5.19 or newer with Landlock built in and in the list lsm=",
        ),
    };
    let signals = match landlock {
        Some(SIGNALS..) => DoctorFinding::fit("engines cannot send signals to your other processes".to_owned()),
        _ => DoctorFinding::advised(
            "engines can send signals to your other processes, dbdyno among them",
            "Landlock 6 prevents this: Linux 6.12 or newer",
        ),
    };
    let calls = match seccomp {
        true => DoctorFinding::fit(
            "engines cannot reach Unix sockets, limits of other processes, or modes of files (seccomp)".to_owned(),
        ),
        false => DoctorFinding::advised(
            "engines can reach your Unix sockets and type into dbdyno's screens, lower the limits of your other processes, and change \
             modes and owners of your files",
            "the kernel has no seccomp filters, or a container forbids them",
        ),
    };
    [writes, signals, calls]
}

/// What of the machine this process does not get.
fn confined(limits: &Limits, cores: Option<u32>) -> Vec<DoctorFinding> {
    let Limits { cpus, cpu_quota, memory_bytes } = limits;
    let fewer = cores.filter(|cores| cpus < cores).map(|cores| {
        let what = format!("{cpus} of {cores} CPUs are available");
        DoctorFinding::advised(
            what,
            "a control group (cpuset) or taskset excludes the others; figures apply to this number of CPUs",
        )
    });
    let quota = cpu_quota.map(|quota| {
        DoctorFinding::unfit(
            format!("a control group limits CPU time to {} of {cpus} CPUs", cpus_in_words(quota)),
            "once the quota of a period is used up, everything waits for the next period, even during a test; run without it (docker: without --cpus)",
        )
    });
    let memory = memory_bytes.map(|limit| {
        let what = format!("a control group limits memory to {}, page cache included", bytes(limit));
        DoctorFinding::advised(
            what,
            "larger databases are read from the disk repeatedly; figures apply to this amount of memory",
        )
    });
    [fewer, quota, memory].into_iter().flatten().collect()
}

/// What is loaded before other libraries, and whose allocator is used.
fn before_others(Preloaded { libraries, allocator }: &Preloaded) -> Vec<DoctorFinding> {
    let advice = "it may replace the allocator, syncs or locks of every engine; unset LD_PRELOAD, unless you want to measure this library";
    let preloaded =
        libraries.as_ref().map(|libraries| DoctorFinding::advised(format!("{libraries} is preloaded"), advice));
    let replaced = allocator.as_ref().filter(|file| !is_system_allocator(file));
    let replaced = replaced.map(|file| {
        DoctorFinding::advised(
            format!("malloc comes from {file}"),
            "figures of engines in C and C++ depend on this allocator",
        )
    });
    preloaded.into_iter().chain(replaced).collect()
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
                throttled_periods: None,
                throttled_ns: None,
            },
            limits: None,
            preloaded: Preloaded::default(),
            memory_limits: Err("memory cannot be limited here".to_owned()),
            landlock: None,
            seccomp: false,
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

    #[test]
    fn what_a_kernel_cannot_keep_engines_from_is_noted() {
        let noted = |landlock, seccomp| -> Vec<bool> {
            confinement(landlock, seccomp).iter().map(|finding| finding.line().contains(" can ")).collect()
        };
        assert_eq!(noted(None, false), [true, true, true]);
        // Linux 6.2 has Landlock 3, and Linux 6.12 has 6.
        assert_eq!(noted(Some(3), true), [false, true, false]);
        assert_eq!(noted(Some(6), true), [false, false, false]);
    }

    #[test]
    fn what_a_container_does_not_give_is_told() {
        let (host, load) = (host(), Load::default());
        let mut confined = patient(&host, &load);
        confined.limits = Some(Limits { cpus: 2, cpu_quota: Some(0.2), memory_bytes: Some(512 << 20) });
        let preloaded = |name: &str| Some(name.to_owned());
        confined.preloaded =
            Preloaded { libraries: preloaded("libje\u{1b}malloc.so.2"), allocator: preloaded("libjemalloc.so.2") };
        let said: String = findings(&confined).iter().map(DoctorFinding::line).collect();
        for says in [
            "·  2 of 4 CPUs are available",
            "!  a control group limits CPU time to 0.2 of 2 CPUs",
            "·  a control group limits memory to 512 MiB",
            "·  libje\\u{1b}malloc.so.2 is preloaded",
            "·  malloc comes from libjemalloc.so.2",
        ] {
            assert!(said.contains(says), "{says} in {said}");
        }
    }
}
