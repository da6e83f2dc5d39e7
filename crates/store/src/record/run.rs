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
        /// Its state.
        status: Status,
        /// The reason of a failure.
        failure: Option<String>,
        engine: String,
        /// Version of the engine's library.
        engine_version: String,
        /// The engine with the options that distinguish it from others of the session.
        label: String,
        suite: String,
        size: String,
        /// Seed of its inputs.
        seed: u64,
        /// What a commit survives; NULL: unknown.
        tier: Tier,
        /// Why it has that tier.
        tier_reason: String,
        /// How long opening took, ns.
        open_ns: Option<u64>,
        /// The CPU it was pinned to.
        cpu: Option<u32>,
        /// Share of all CPU time taken by other guests during the run.
        steal_share: Option<f64>,
        /// Share of all CPU time in use.
        busy_share: Option<f64>,
        /// Average number of CPUs busy with anything but its worker; NULL: unknown.
        others_cpus: Option<f64>,
        /// Share of the time in which some task waited for a CPU.
        psi_cpu_share: Option<f64>,
        psi_io_share: Option<f64>,
        psi_memory_share: Option<f64>,
        /// Context switches of the whole machine.
        context_switches: Option<u64>,
        /// Whether it waited because another session's run held the machine.
        other_run_waited: bool,
        /// The worker's stderr.
        log: Option<String>,
        /// Compile options of the engine's library, separated by commas.
        engine_build: Option<String>,
        /// The source from which the engine's library was built.
        engine_source: Option<String>,
        /// The clock that times tests: `counter`, the processor's, or `monotonic`.
        clock: Option<String>,
        /// Memory limit of its worker, including the page cache of its reads and writes, as the system enforced it, bytes; NULL: without
        /// a limit.
        memory_limit_bytes: Option<u64>,
        /// Size of the rows on which its tests worked, without any overhead, bytes; NULL: its suite does not give it.
        data_bytes: Option<u64>,
        /// Cache state of the database when a test began: `warm`, with the existing caches, or `cold`.
        cache: Option<String>,
        /// The label of the configuration that this repeats, for an A/A comparison.
        twin_of: Option<String>,
        /// The kind of failure that ended it.
        failure_kind: Option<FailureKind>,
        /// The latest verdict on its tier; NULL: never tested.
        tier_evidence: Option<String>,
        /// Periods in which control groups had used up their CPU time, so that threads waited.
        throttled_periods: Option<u64>,
        /// Total waiting time in them, summed over CPUs, ns.
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
        /// Value in force, if it could be read back.
        in_force: Option<String>,
        /// Whether an imported file does not contain it, and its program's default is assumed; none in stores of older versions.
        assumed: Option<bool>,
    }
}

record! {
    /// A fact of a run for which there is no column.
    KeyRecord in "run_key" {
        run_id: String,
        key: String,
        value: String,
    }
}
