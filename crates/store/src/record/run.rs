//! Runs, with their options and keys.

use super::{FailureKind, Record, Status, record};
use crate::value::StoredField;
use dbdyno_engine::durability::Tier;
use duckdb::types::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// One execution of a configuration.
    RunRecord in "run" {
        /// UUID.
        run_id: String,
        session_id: String,
        /// Place in the session, from 0.
        ordinal: u32,
        /// Round, from 0.
        round: u32,
        /// Start.
        started_at: Timestamp,
        /// End.
        finished_at: Option<Timestamp>,
        /// How it stands.
        status: Status,
        /// Why it failed.
        failure: Option<String>,
        engine: String,
        /// Version of the engine's library.
        engine_version: String,
        /// The engine with the options that tell it from others of the session.
        label: String,
        suite: String,
        size: String,
        /// Seed of its inputs.
        seed: u64,
        /// What a commit survives; NULL: unknown.
        tier: Tier,
        /// Why that tier.
        tier_reason: String,
        /// How long opening took, ns.
        open_ns: Option<u64>,
        /// The CPU it was pinned to.
        cpu: Option<u32>,
        /// Share of all CPU time taken by other guests during the run.
        steal_share: Option<f64>,
        /// Share of all CPU time in use.
        busy_share: Option<f64>,
        /// How many CPUs were busy on average with anything but its worker; NULL: not known.
        others_cpus: Option<f64>,
        /// Share of the time that some task waited for a CPU.
        psi_cpu_share: Option<f64>,
        psi_io_share: Option<f64>,
        psi_memory_share: Option<f64>,
        /// Context switches of the whole machine.
        context_switches: Option<u64>,
        /// Whether another session's run held the machine before it.
        other_run_waited: bool,
        /// What the worker wrote to stderr.
        log: Option<String>,
        /// Compile options of the engine's library, separated by commas.
        engine_build: Option<String>,
        /// Which source the engine's library was built from.
        engine_source: Option<String>,
        /// What times of tests are read from: `counter`, the processor's, or `monotonic`.
        clock: Option<String>,
        /// Memory that its worker had, with the page cache of what it read and wrote, as the system had it in force, bytes; NULL: without
        /// a limit.
        memory_limit_bytes: Option<u64>,
        /// Rows that its tests worked on, without any overhead, bytes; NULL: its suite does not say.
        data_bytes: Option<u64>,
        /// What of a database could be in memory when a test began: `warm`, whatever was, or `cold`.
        cache: Option<String>,
        /// The label of the configuration that this is once more, for an A/A comparison.
        twin_of: Option<String>,
        /// Which kind of failure ended it.
        failure_kind: Option<FailureKind>,
        /// The latest verdict on its tier; NULL: never tried.
        tier_evidence: Option<String>,
        /// Periods in which control groups had used up their CPU time, and threads waited.
        throttled_periods: Option<u64>,
        /// How long they waited, summed over CPUs, ns.
        throttled_ns: Option<u64>,
    }
}

record! {
    OptionRecord in "run_option" {
        run_id: String,
        /// `engine` or `suite`.
        scope: String,
        name: String,
        /// Value asked for.
        asked: Option<String>,
        /// Value in force, where it could be read back.
        in_force: Option<String>,
        /// Whether an imported file does not say it, and the default of its program is taken; none in stores of older versions.
        assumed: Option<bool>,
    }
}

record! {
    /// What is kept of a run beyond the columns.
    KeyRecord in "run_key" {
        run_id: String,
        key: String,
        value: String,
    }
}
