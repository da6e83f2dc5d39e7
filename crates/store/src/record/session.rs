//! Machines, sessions, and findings about a session.

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
        /// The hypervisor or container that virtualises it.
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
        /// Its state.
        status: Status,
        dbdyno_version: String,
        /// Whether dbdyno was built without optimisation.
        debug_build: bool,
        /// The Cargo profile with which dbdyno was built.
        build_profile: Option<String>,
        /// Compiler, target and flags with which it was built.
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
        /// Folder of the databases.
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
        /// All facts about host, folder and load, as JSON.
        details: String,
        /// The journal of the process that runs it; the process keeps that file locked while it lives.
        owner: Option<String>,
        /// The planned work as JSON, from which `resume` finishes the session.
        plan: Option<String>,
        /// The kind of import; none: dbdyno ran it.
        source: Option<String>,
        /// Name of the file imported.
        source_file: Option<String>,
        /// Whether syncs of the work folder reach a disk; none: not examined.
        syncs_believed: Option<bool>,
        /// The shortest of small synced writes there, ns.
        sync_least_ns: Option<u64>,
        /// Why the syncs are not believed.
        sync_doubt: Option<String>,
        /// CPUs that it could run on; none: unknown, as are quota and memory.
        cpus_allowed: Option<u32>,
        /// CPU time that control groups allow, in CPUs; none: without a quota.
        cpu_quota: Option<f64>,
        /// Memory that control groups allow, bytes; none: without a limit.
        memory_max_bytes: Option<u64>,
        /// `LD_PRELOAD` and `/etc/ld.so.preload`.
        preloaded: Option<String>,
        /// File of the library whose `malloc` it called.
        allocator: Option<String>,
    }
}

record! {
    /// A finding that readers of the figures should know.
    WarningRecord in "warning" {
        /// UUID.
        warning_id: String,
        session_id: String,
        /// The run, if it is about one.
        run_id: Option<String>,
        /// The test, if it is about one.
        test: Option<u32>,
        /// The linter's name.
        linter: String,
        /// The problem, in the same words for every configuration; none if the finding is not about configurations.
        matter: Option<String>,
        /// The finding: `MATTER: WHERE`, or a sentence.
        message: String,
    }
}
