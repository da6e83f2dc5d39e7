//! `dbdyno doctor`: is this machine fit to measure on?

use super::{
    args::{Places, WorkArgs},
    error::CliError,
    output::print,
};
use crate::{
    base::units::{bytes, duration, plain},
    host::{HostFacts, Load, NoiseDelta, NoiseSample, WorkFolderFacts, measure_fsync},
    process::MemoryControl,
};
use dbdyno_engine::confine::landlock_version;
use std::{process::ExitCode, thread, time::Duration};

struct Patient {
    host: HostFacts,
    folder: WorkFolderFacts,
    load: Load,
    noise: NoiseDelta,
    /// By what memory can be limited, or why it cannot.
    memory_limits: Result<String, String>,
    /// The version of Landlock that engines are confined by.
    landlock: Option<u32>,
    debug_build: bool,
}

enum DoctorFinding {
    /// What is only needed for some benches.
    Note(String),
    /// As it should be.
    Fit(String),
    /// Not as it should be, and what to do.
    Unfit(String, &'static str),
}

/// How long others are watched.
const WATCH: Duration = Duration::from_secs(1);
/// A synced write faster than this did not reach a disk (the fastest with power-loss protection take about 10 µs).
const IMPLAUSIBLE_FSYNC_NS: u64 = 5_000;
/// CPU time taken by other guests that is worth a word.
const STEAL: f64 = 0.01;
/// CPU time in use by others that is worth a word.
const BUSY: f64 = 0.10;
/// Free space that is worth a word, bytes.
const LITTLE_SPACE: u64 = 2 << 30;

/// Prints the findings. Exit code 1 when something should be changed before measuring.
pub(super) fn doctor(places: &Places, args: &WorkArgs) -> Result<ExitCode, CliError> {
    let folder = args.folder()?;
    std::fs::create_dir_all(&folder).map_err(|error| CliError::Failed(format!("{}: {error}", folder.display())))?;
    let before = NoiseSample::now();
    thread::sleep(WATCH);
    let noise = NoiseSample::now().since(&before);
    let mut facts = WorkFolderFacts::read(&folder);
    facts.fsync_ns = measure_fsync(&folder).ok();
    let patient = Patient {
        host: HostFacts::read(),
        folder: facts,
        load: Load::read(),
        noise,
        memory_limits: MemoryControl::find().map(|control| control.in_words()),
        landlock: landlock_version(),
        debug_build: cfg!(debug_assertions),
    };
    let mut findings = examine(&patient);
    let store = places.store()?;
    findings.push(match store.prepare() {
        Ok(_) => DoctorFinding::Fit(format!("results are kept in {}", store.path().display())),
        Err(error) => DoctorFinding::Unfit(error.to_string(), "results could not be kept"),
    });
    let unfit = findings.iter().any(|finding| matches!(finding, DoctorFinding::Unfit(..)));
    let lines = findings.iter().map(|finding| match finding {
        DoctorFinding::Note(what) => format!("·  {}\n", plain(what)),
        DoctorFinding::Fit(what) => format!("✓  {}\n", plain(what)),
        DoctorFinding::Unfit(what, advice) => format!("!  {}: {advice}\n", plain(what)),
    });
    print(&lines.collect::<String>())?;
    Ok(if unfit { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn examine(patient: &Patient) -> Vec<DoctorFinding> {
    let Patient { host, folder, load, noise, memory_limits, landlock, debug_build } = patient;
    let mut findings = Vec::new();
    let mut judge = |fit: bool, what: String, advice: &'static str| {
        findings.push(if fit { DoctorFinding::Fit(what) } else { DoctorFinding::Unfit(what, advice) });
    };
    let cpu = host.cpu_model.as_deref().unwrap_or("an unknown CPU");
    let cores = host.cores.unwrap_or(1);
    let place = host.virtualisation.as_deref().map_or_else(String::new, |what| format!(", virtualised by {what}"));
    judge(
        cores > 1,
        format!("{cores} cores of {cpu}{place}"),
        "with one core, reporting progress takes time from the test",
    );
    let kind = folder.file_system.as_deref().unwrap_or("an unknown file system");
    judge(
        !folder.is_memory_backed() && !folder.is_network(),
        format!("databases are put on {kind} ({})", folder.path),
        "syncs mean nothing in memory or over a network; choose a folder on a local disk with --work-dir",
    );
    if let Some(fsync) = folder.fsync_ns {
        judge(
            fsync >= IMPLAUSIBLE_FSYNC_NS,
            format!("a small synced write takes {}", duration(fsync as f64)),
            "no disk is that fast: syncs are ignored, and tiers 2 and 3 cost what tier 1 does",
        );
    }
    if let Some(free) = folder.free_bytes {
        judge(free >= LITTLE_SPACE, format!("{} free there", bytes(free)), "larger sizes will be refused");
    }
    if let Some(governor) = &load.cpu_governor {
        judge(
            governor == "performance",
            format!("the CPU governor is `{governor}`"),
            "clock speeds follow the load; `cpupower frequency-set -g performance` holds them",
        );
    }
    if let Some(source) = &load.clock_source {
        judge(
            source == "tsc",
            format!("the clock source is {source}"),
            "reading the clock is a system call, and short operations are bound by the harness",
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
        Ok(control) => DoctorFinding::Fit(format!("memory limits (--memory-limit) can be set, by {control}")),
        Err(refused) => DoctorFinding::Note(refused.clone()),
    });
    findings.push(match landlock {
        Some(version) => DoctorFinding::Fit(format!("engines can write to the folder of their run only, by Landlock {version}")),
        None => DoctorFinding::Note(
            "engines and the libraries they load can write wherever you can: the kernel has no Landlock, as Linux 5.19 and newer have where \
             it is built in and in the list lsm="
                .to_owned(),
        ),
    });
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patient() -> Patient {
        Patient {
            host: HostFacts::read(),
            folder: WorkFolderFacts {
                path: "/data".to_owned(),
                file_system: Some("ext4".to_owned()),
                mount_point: None,
                mount_options: None,
                device: None,
                disk_model: None,
                rotational: None,
                free_bytes: Some(1 << 40),
                total_bytes: None,
                fsync_ns: Some(2_000_000),
            },
            load: Load::default(),
            noise: NoiseDelta {
                elapsed_ns: 1,
                steal_share: Some(0.0),
                busy_share: Some(0.0),
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

    /// What is unfit, in the first words of each finding.
    fn unfit(patient: &Patient) -> Vec<String> {
        let mut patient_findings = examine(patient);
        // The machine that runs this test may have one core.
        patient_findings.remove(0);
        let unfit = |finding| match finding {
            DoctorFinding::Unfit(what, _) => Some(what),
            DoctorFinding::Fit(_) | DoctorFinding::Note(_) => None,
        };
        patient_findings.into_iter().filter_map(unfit).collect()
    }

    #[test]
    fn a_quiet_machine_with_a_disk_is_fit() {
        assert_eq!(unfit(&patient()), [""; 0]);
    }

    #[test]
    fn each_trouble_is_found() {
        let mut sick = patient();
        sick.folder.file_system = Some("tmpfs".to_owned());
        sick.folder.fsync_ns = Some(400);
        sick.folder.free_bytes = Some(1 << 20);
        sick.load.cpu_governor = Some("powersave".to_owned());
        sick.load.clock_source = Some("hpet".to_owned());
        sick.load.swap_used_bytes = Some(1 << 30);
        sick.noise.steal_share = Some(0.2);
        sick.noise.busy_share = Some(0.9);
        sick.debug_build = true;
        assert_eq!(unfit(&sick).len(), 9, "{:?}", unfit(&sick));
    }
}
