//! Tests of runs, and the harness's own cost in them.

use super::{Record, record};
use crate::value::{Blob, StoredField};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_workload::histogram::from_bytes;
use duckdb::types::Value;
use hdrhistogram::Histogram;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// One test of one run, as it is stored and read.
    TestRecord in "result" {
        run_id: String,
        /// The test's number.
        test: u32,
        test_name: String,
        /// When it ended.
        finished_at: Option<Timestamp>,
        /// All figures that were counted.
        #[serde(flatten)]
        figures: Figures,
        /// Checksum of the answers; none: the engine gives no answers.
        verification: Option<String>,
        /// Whether the answers equal those of the other engines; none: not compared.
        agrees: Option<bool>,
        /// Operations in one sample of the histogram.
        operations_per_sample: Option<u64>,
        /// All latencies, HdrHistogram V2 compressed; none: not recorded, or not requested.
        histogram: Option<Blob>,
        /// Why it failed, in another program; statistics exclude its figures.
        failure: Option<String>,
    }
}

impl Default for TestRecord {
    /// Returns a test with no known values.
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
    /// Returns a figure as it was counted.
    pub fn figure(&self, metric: Metric) -> Option<u64> {
        self.figures.get(metric)
    }

    /// Whether its answers can be checked: by a checksum, or by invariants that hold in any order of threads.
    pub fn is_verified(&self) -> bool {
        self.verification.is_some() || self.agrees.is_some()
    }

    /// Returns its samples, ns; `None` if there are none that can be read.
    pub fn samples(&self) -> Option<Histogram<u64>> {
        from_bytes(&self.histogram.as_ref()?.0).ok()
    }

    /// Returns the same if each sample is one operation.
    pub fn latencies(&self) -> Option<Histogram<u64>> {
        if self.operations_per_sample.unwrap_or(1) == 1 { self.samples() } else { None }
    }
}

record! {
    /// The record of a part of a test: of one actor of several threads, or of the steps of SQL that have one name.
    ActorRecord in "actor_result" {
        run_id: String,
        /// The test's number.
        test: u32,
        actor: String,
        /// The test's name and the actor's.
        test_name: String,
        /// When the test ended.
        finished_at: Option<Timestamp>,
        threads: Option<u32>,
        /// Operations due a second; none: each operation begins when the previous one ends.
        arrival_rate: Option<u64>,
        arrival_gaps: Option<String>,
        /// All figures that were counted.
        #[serde(flatten)]
        figures: Figures,
        /// Checksum of a statement's answers; none for actors, whose test has it.
        verification: Option<String>,
        /// Whether the answers are right; none: there were none to check.
        agrees: Option<bool>,
        /// Operations in one sample of the histogram.
        operations_per_sample: Option<u64>,
        /// Service times, HdrHistogram V2 compressed.
        histogram: Option<Blob>,
        /// Response times, if operations were due at set times.
        response_histogram: Option<Blob>,
        /// The same as a test's; always none for an actor.
        failure: Option<String>,
        /// How the engine finds the rows of a statement, a step a line.
        plan: Option<String>,
    }
}

impl ActorRecord {
    /// Returns its response times if operations were due at set times, otherwise its service times.
    pub fn latencies(&self) -> Option<Histogram<u64>> {
        from_bytes(&self.response_histogram.as_ref().or(self.histogram.as_ref())?.0).ok()
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
    /// The record of an actor in a slot of a followed test.
    ActorSlotRecord in "actor_slot" {
        run_id: String,
        /// The test's number.
        test: u32,
        actor: String,
        /// End of the slot from the beginning of the test, ns.
        at_ns: u64,
        /// Length of the slot, ns.
        duration_ns: u64,
        /// Operations that ended in it.
        operations: u64,
        /// How often another transaction blocked it.
        busy: u64,
        /// Operations that were due and not begun at its end; none if operations have no due times.
        backlog: Option<u64>,
        /// Snapshots held at its end; none if the actor never holds one.
        held: Option<u64>,
        /// 99th percentile of the latencies, ns, counted from the due time of operations that have one.
        p99_ns: Option<u64>,
        /// The latencies, HdrHistogram V2 compressed.
        histogram: Option<Blob>,
    }
}

record! {
    /// Slices of a test that took turns with the other runs of its round.
    SliceRecord in "slice" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// The number of its first slice, from 0.
        slice: u32,
        /// How many slices there are in it, one after the other.
        slices: u32,
        operations: u64,
        /// Their measured time, ns.
        wall_ns: u64,
    }
}

record! {
    /// A figure at one moment of a followed test.
    ReadingRecord in "reading" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// From the beginning of the test, ns.
        at_ns: u64,
        /// `database_bytes`, `side_bytes`, `rss_bytes`, `written_bytes`, or a name that the engine gives.
        name: String,
        value: u64,
    }
}

record! {
    /// What an engine itself counted in a test, for all threads.
    CounterRecord in "engine_counter" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// As the engine's description has it.
        name: String,
        value: u64,
    }
}

record! {
    /// How an engine finds the rows of a statement that has no name.
    QueryPlanRecord in "query_plan" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// Its text, with placeholders.
        statement: String,
        /// A step a line.
        plan: String,
    }
}

record! {
    /// A test that was repeated to find out what its time goes to.
    ExplainedRecord in "explained_test" {
        /// The run that was repeated.
        run_id: String,
        /// The test's number.
        test: u32,
        /// The time of the repetition, ns.
        wall_ns: u64,
        operations: u64,
        /// Its parts, as those of a result, ns.
        part_user_ns: Option<u64>,
        part_kernel_ns: Option<u64>,
        part_sync_ns: Option<u64>,
        part_sleep_ns: Option<u64>,
        part_queue_ns: Option<u64>,
        part_rest_ns: Option<u64>,
        /// Sampled call stacks, one a line: the functions from the outermost, separated by `;`, and the number of samples.
        stacks: Option<String>,
    }
}

record! {
    /// The time of a kind of calls and waits in a repeated test, of all threads.
    SpentRecord in "explained_spent" {
        /// The run that was repeated.
        run_id: String,
        /// The test's number.
        test: u32,
        /// `read`, `write`, `lock`, `fault`, `sync` or `sleep`.
        kind: String,
        /// None: they were not counted.
        calls: Option<u64>,
        /// On a CPU, ns.
        cpu_ns: u64,
        /// Waiting, ns.
        wait_ns: u64,
    }
}

record! {
    /// The cost of an engine that does nothing.
    HarnessRecord in "harness_cost" {
        session_id: String,
        size: String,
        /// The engine's name: there is one for each measured loop. `null`, dbdyno's own, in journals that do not record it.
        #[serde(default = "own_loop")]
        engine: String,
        /// The test's number.
        test: u32,
        /// Time of one operation, ns.
        ns_per_operation: f64,
    }
}

/// Returns the engine of every cost in records from before there were several.
fn own_loop() -> String {
    "null".to_owned()
}
