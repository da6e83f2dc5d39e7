//! The columns that a benchmark database fills.

#![allow(unreachable_pub, reason = "the macro makes records of the store's interface too")]

use super::super::super::{
    record::{Record, record},
    value::StoredField,
};
use duckdb::types::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// A machine.
    HostRow in "host" {
        /// Identifier derived from the known facts of the machine.
        host_id: String,
        /// A description by which readers can recognise it: no database has its name.
        name: String,
        /// CPU, as the user described it.
        cpu_model: Option<String>,
        /// CPU architecture.
        architecture: Option<String>,
        /// Operating system.
        os: Option<String>,
    }
}

record! {
    /// A session of one run.
    SessionRow in "session" {
        /// UUID.
        session_id: String,
        /// The machine.
        host_id: String,
        /// Start.
        started_at: Option<Timestamp>,
        /// End.
        finished_at: Option<Timestamp>,
        /// The same as the run's.
        status: String,
        /// `lumosql`.
        suite: String,
        /// 1.
        rounds: u32,
        /// 1.
        planned_runs: u32,
        /// Version of the operating system.
        kernel: Option<String>,
        /// Disk, as the user described it.
        disk_model: Option<String>,
        /// `lumosql`.
        source: String,
        /// Name of the file.
        source_file: String,
    }
}

record! {
    RunRow in "run" {
        /// UUID.
        run_id: String,
        session_id: String,
        /// 0.
        ordinal: u32,
        /// 0.
        round: u32,
        /// Start.
        started_at: Option<Timestamp>,
        /// End.
        finished_at: Option<Timestamp>,
        /// `done`, `failed`, `interrupted`, `crashed` or `invalid`.
        status: String,
        /// Why it is not `done`.
        failure: Option<String>,
        /// The backend, or `sqlite`.
        engine: String,
        engine_version: String,
        /// The target, where there is one.
        label: String,
        /// `lumosql`.
        suite: String,
        /// Data size, as the option or the test names give it.
        size: String,
        /// Why the tier is unknown.
        tier_reason: String,
        /// Always false: unknown.
        other_run_waited: bool,
    }
}

record! {
    OptionRow in "run_option" {
        run_id: String,
        /// `engine` or `suite`.
        scope: String,
        name: String,
        /// Its value.
        asked: Option<String>,
        /// Whether the file lacks the value, and LumoSQL's default is assumed.
        assumed: bool,
    }
}

record! {
    /// Any other fact of a run.
    KeyRow in "run_key" {
        run_id: String,
        key: String,
        value: String,
    }
}

record! {
    /// Any other fact of a test.
    ResultKeyRow in "result_key" {
        run_id: String,
        /// The test's number.
        test: u32,
        key: String,
        value: String,
    }
}
