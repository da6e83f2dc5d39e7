//! The rows of the store's tables. Each struct is one table of schema.sql, its fields the columns (a test's figures are several, as the
//! list of metrics has them), so that a record can be stored, journaled as a line of JSON, taken in and read again without a second
//! list of columns.

use super::{
    trials::TrialRecord,
    value::{Blob, StoredField},
};
use crate::metric::{Figures, Metric};
use dbdyno_workload::histogram::from_bytes;
use duckdb::types::Value;
use hdrhistogram::Histogram;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A row that can be written.
pub(super) trait Record {
    const TABLE: &'static str;

    /// Its columns, in the order of the values.
    fn columns() -> Vec<&'static str>;

    /// The row's values.
    fn values(&self) -> Vec<Value>;
}

macro_rules! record {
    ($(#[$doc:meta])* $name:ident in $table:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Record for $name {
            const TABLE: &'static str = $table;

            fn columns() -> Vec<&'static str> {
                [$(<$type as StoredField>::columns(stringify!($field))),*].concat()
            }

            fn values(&self) -> Vec<Value> {
                [$(self.$field.to_values()),*].concat()
            }
        }
    };
}

pub(super) use record;

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
        /// Its disk's model.
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
    }
}

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
        /// Durability tier, 0 to 3.
        tier: u8,
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
        /// Share of the time that some task waited for a CPU.
        psi_cpu_share: Option<f64>,
        /// ... for I/O.
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
        /// The label of the configuration that this is once more, for an A/A comparison.
        twin_of: Option<String>,
        /// Which kind of failure ended it.
        failure_kind: Option<FailureKind>,
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
    /// One test of one run: what is stored of it, and what is read.
    TestRecord in "result" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// The test's name.
        test_name: String,
        /// When it ended.
        finished_at: Option<Timestamp>,
        /// All that was counted.
        #[serde(flatten)]
        figures: Figures,
        /// Checksum of the answers; none: the engine does not answer.
        verification: Option<String>,
        /// Whether the answers equal those of the other engines; none: not compared.
        agrees: Option<bool>,
        /// Operations in one sample of the histogram.
        operations_per_sample: Option<u64>,
        /// All latencies, HdrHistogram V2 compressed; none: not recorded, or not asked for.
        histogram: Option<Blob>,
        /// Why it failed, in another program; its figures are in no statistics.
        failure: Option<String>,
    }
}

impl Default for TestRecord {
    /// A test that nothing is known of.
    fn default() -> Self {
        Self {
            run_id: String::new(),
            test: 0,
            test_name: String::new(),
            finished_at: None,
            figures: Figures::default(),
            verification: None,
            agrees: None,
            operations_per_sample: None,
            histogram: None,
            failure: None,
        }
    }
}

impl TestRecord {
    /// A figure as it was counted.
    pub fn figure(&self, metric: Metric) -> Option<u64> {
        self.figures.get(metric)
    }

    /// Its samples, ns; none where there are none that can be read.
    pub fn samples(&self) -> Option<Histogram<u64>> {
        from_bytes(&self.histogram.as_ref()?.0).ok()
    }

    /// The same where each sample is one operation.
    pub fn latencies(&self) -> Option<Histogram<u64>> {
        if self.operations_per_sample.unwrap_or(1) == 1 { self.samples() } else { None }
    }
}

record! {
    /// A slot of a test's timeline.
    TimelineRecord in "timeline" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// End of the slot from the beginning of the test, ns.
        at_ns: u64,
        /// Length of the slot, ns.
        duration_ns: u64,
        /// Operations that ended in it.
        operations: u64,
        /// 99th percentile of their latencies, ns.
        p99_ns: Option<u64>,
        /// Their latencies.
        histogram: Option<Blob>,
    }
}

record! {
    /// What the engine that does nothing took.
    HarnessRecord in "harness_cost" {
        session_id: String,
        size: String,
        /// The test's number.
        test: u32,
        /// Time of one operation, ns.
        ns_per_operation: f64,
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
        /// The finding.
        message: String,
    }
}

/// How a session or run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not finished.
    Running,
    /// Finished.
    Done,
    Failed,
    /// Ended by the user.
    Cancelled,
    /// Its process ended before it did.
    Interrupted,
    /// Of a run: it was not finished, and was run again from its beginning.
    Superseded,
}

impl Status {
    /// The word stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Superseded => "superseded",
        }
    }
}

/// Kinds of failure of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// An option in force is not the one asked for.
    OptionsDiffer,
    /// It took too long.
    Deadline,
    /// The engine said so.
    Engine,
    /// Its process did not do what a worker does.
    Worker,
    /// What it measured could not be kept.
    Unkept,
}

impl FailureKind {
    /// The word stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::OptionsDiffer => "options_differ",
            Self::Deadline => "deadline",
            Self::Engine => "engine",
            Self::Worker => "worker",
            Self::Unkept => "unkept",
        }
    }
}

/// Rows that are committed together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Batch {
    /// Machines.
    pub hosts: Vec<HostRecord>,
    pub sessions: Vec<SessionRecord>,
    pub runs: Vec<RunRecord>,
    pub options: Vec<OptionRecord>,
    pub keys: Vec<KeyRecord>,
    pub results: Vec<TestRecord>,
    pub timelines: Vec<TimelineRecord>,
    /// Harness costs.
    pub harness: Vec<HarnessRecord>,
    pub warnings: Vec<WarningRecord>,
    pub trials: Vec<TrialRecord>,
}

impl Batch {
    /// Adds another batch, which was written later.
    pub(super) fn extend(&mut self, other: Self) {
        let Self { hosts, sessions, runs, options, keys, results, timelines, harness, warnings, trials } = other;
        self.hosts.extend(hosts);
        self.sessions.extend(sessions);
        self.runs.extend(runs);
        self.options.extend(options);
        self.keys.extend(keys);
        self.results.extend(results);
        self.timelines.extend(timelines);
        self.harness.extend(harness);
        self.warnings.extend(warnings);
        self.trials.extend(trials);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema;
    use duckdb::Connection;

    #[test]
    fn a_record_has_every_column_of_its_table() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::create(&mut connection).unwrap();
        let columns = |table: &str| -> Vec<String> {
            let sql = "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND NOT internal ORDER BY 1";
            let mut statement = connection.prepare(sql).unwrap();
            statement.query_map([table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        };
        let check = |table: &str, mut of_record: Vec<&'static str>| {
            of_record.sort_unstable();
            assert_eq!(of_record, columns(table), "{table}");
        };
        check(HostRecord::TABLE, HostRecord::columns());
        check(SessionRecord::TABLE, SessionRecord::columns());
        check(RunRecord::TABLE, RunRecord::columns());
        check(OptionRecord::TABLE, OptionRecord::columns());
        check(TestRecord::TABLE, TestRecord::columns());
        check(TimelineRecord::TABLE, TimelineRecord::columns());
        check(HarnessRecord::TABLE, HarnessRecord::columns());
        check(KeyRecord::TABLE, KeyRecord::columns());
        check(WarningRecord::TABLE, WarningRecord::columns());
        check(TrialRecord::TABLE, TrialRecord::columns());
    }
}
