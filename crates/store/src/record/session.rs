//! Machines, sessions, and what is said of a session.

use super::{Record, Status, record};
use crate::value::StoredField;
use duckdb::types::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// A machine.
    HostRecord in "host" {
        /// Stable identifier.
        host_id: String,
        /// Host name.
        name: String,
        cpu_model: Option<String>,
        /// Logical cores.
        cores: Option<u32>,
        /// Installed memory, bytes.
        memory_bytes: Option<u64>,
        kernel: String,
        /// CPU architecture.
        architecture: String,
        /// What virtualises it.
        virtualisation: Option<String>,
        /// Operating system.
        os: Option<String>,
    }
}

record! {
    /// The runs started together.
    SessionRecord in "session" {
        /// UUID.
        session_id: String,
        /// The machine.
        host_id: String,
        /// Start.
        started_at: Timestamp,
        /// End; none while it runs or when it was interrupted.
        finished_at: Option<Timestamp>,
        /// How it stands.
        status: Status,
        dbdyno_version: String,
        /// Whether dbdyno was built without optimisation.
        debug_build: bool,
        /// The profile of Cargo that dbdyno was built with.
        build_profile: Option<String>,
        /// Compiler, target and flags that it was built with.
        build_flags: Option<String>,
        /// The command that started it.
        command_line: String,
        preset: Option<String>,
        suite: String,
        /// Seed of all randomness.
        seed: u64,
        /// Rounds planned.
        rounds: u32,
        planned_runs: u32,
        /// Kernel at the time.
        kernel: Option<String>,
        /// Where databases were put.
        work_folder: String,
        /// Its file system's type.
        file_system: Option<String>,
        mount_options: Option<String>,
        device: Option<String>,
        disk_model: Option<String>,
        /// Median of small synced writes there, ns.
        fsync_ns: Option<u64>,
        /// CPU frequency governor.
        cpu_governor: Option<String>,
        /// The kernel's clock source.
        clock_source: Option<String>,
        /// Load average over one minute when it began.
        load_1: Option<f64>,
        /// Everything known of host, folder and load, as JSON.
        details: String,
        /// The journal of the process that runs it, which holds that file locked as long as it lives.
        owner: Option<String>,
        /// What is to be run, as JSON, for whoever finishes it.
        plan: Option<String>,
        /// What it was imported from; none: dbdyno ran it.
        source: Option<String>,
        /// Name of the file imported.
        source_file: Option<String>,
        /// Whether syncs of the work folder reach a disk; none: not examined.
        syncs_believed: Option<bool>,
        /// The shortest of small synced writes there, ns.
        sync_least_ns: Option<u64>,
        /// Why they are not believed.
        sync_doubt: Option<String>,
        /// CPUs that it could run on; none: not known, as quota and memory are.
        cpus_allowed: Option<u32>,
        /// CPUs' time that control groups let it have; none: without a quota.
        cpu_quota: Option<f64>,
        /// Memory that control groups let it have, bytes; none: without a limit.
        memory_max_bytes: Option<u64>,
        /// `LD_PRELOAD` and `/etc/ld.so.preload`.
        preloaded: Option<String>,
        /// File of the library whose `malloc` it called.
        allocator: Option<String>,
    }
}

record! {
    /// What a reader of the figures should know.
    WarningRecord in "warning" {
        /// UUID.
        warning_id: String,
        session_id: String,
        /// The run, if it is about one.
        run_id: Option<String>,
        /// The test, if it is about one.
        test: Option<u32>,
        /// Which linter.
        linter: String,
        /// What is the matter, in the same words for every configuration; none where it is no finding about configurations.
        matter: Option<String>,
        /// The finding: `MATTER: WHERE`, or a sentence.
        message: String,
    }
}
