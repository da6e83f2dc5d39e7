//! Tests of runs, and what the harness takes in them.

use super::{Record, record};
use crate::value::{Blob, StoredField};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_workload::histogram::from_bytes;
use duckdb::types::Value;
use hdrhistogram::Histogram;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// One test of one run: what is stored of it, and what is read.
    TestRecord in "result" {
        run_id: String,
        /// The test's number.
        test: u32,
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

    /// Whether there is anything to hold its answers against: a checksum, or what holds in any order of threads.
    pub fn is_verified(&self) -> bool {
        self.verification.is_some() || self.agrees.is_some()
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
    /// What one actor did in a test of several threads.
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
        /// Operations a second that were due; none: each when the one before it was done.
        arrival_rate: Option<u64>,
        arrival_gaps: Option<String>,
        /// All that was counted.
        #[serde(flatten)]
        figures: Figures,
        /// Whether what holds for the answers of the test held; none: nothing was to be held against them.
        agrees: Option<bool>,
        /// Operations in one sample of the histogram.
        operations_per_sample: Option<u64>,
        /// Service times, HdrHistogram V2 compressed.
        histogram: Option<Blob>,
        /// Response times, where operations were due at times.
        response_histogram: Option<Blob>,
        /// As a test's; of an actor there is none.
        failure: Option<String>,
    }
}

impl ActorRecord {
    /// Its response times, where operations were due at times; else its service times.
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
    /// What an actor did in a slot of a test that is followed.
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
        /// How often another transaction was in the way.
        busy: u64,
        /// Operations due and not begun at its end; none where they have no times at which they are due.
        backlog: Option<u64>,
        /// Snapshots held at its end; none where it never holds one.
        held: Option<u64>,
        /// 99th percentile of the latencies, ns: from when operations were due, where they were.
        p99_ns: Option<u64>,
        /// The latencies, HdrHistogram V2 compressed.
        histogram: Option<Blob>,
    }
}

record! {
    /// A figure at a moment of a test that is followed.
    ReadingRecord in "reading" {
        run_id: String,
        /// The test's number.
        test: u32,
        /// From the beginning of the test, ns.
        at_ns: u64,
        /// `database_bytes`, `side_bytes`, `rss_bytes`, `written_bytes`, or what the engine calls it.
        name: String,
        value: u64,
    }
}

record! {
    /// What an engine that does nothing took.
    HarnessRecord in "harness_cost" {
        session_id: String,
        size: String,
        /// Which one it was: there is one for each measured loop. `null`, dbdyno's own, in journals that do not say.
        #[serde(default = "own_loop")]
        engine: String,
        /// The test's number.
        test: u32,
        /// Time of one operation, ns.
        ns_per_operation: f64,
    }
}

/// The engine of every cost before there were several.
fn own_loop() -> String {
    "null".to_owned()
}
