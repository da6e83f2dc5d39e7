//! The results under one of the names that a test has for its statements or its work.

use crate::{
    digest::Digest,
    histogram::{empty, to_base64},
};
use dbdyno_engine::protocol::StatementDone;
use hdrhistogram::Histogram;

/// The results under one name.
#[derive(Debug, Clone)]
pub(crate) struct NamedResults {
    wall_ns: u64,
    rows: u64,
    times: Histogram<u64>,
    /// The sum of the checksums of all executions: it does not depend on their order.
    sum: u64,
    /// Executions that failed, and what the engine said about the first.
    failures: u64,
    failure: Option<String>,
}

impl Default for NamedResults {
    fn default() -> Self {
        Self { wall_ns: 0, rows: 0, times: empty(), sum: 0, failures: 0, failure: None }
    }
}

impl NamedResults {
    /// Adds an execution that took this time.
    pub(crate) fn take(&mut self, ns: u64) {
        self.wall_ns += ns;
        self.times.saturating_record(ns.max(1));
    }

    /// Adds an answer: its checksum, and its number of rows.
    pub(crate) fn answer(&mut self, word: u64, rows: u64) {
        self.sum = self.sum.wrapping_add(word);
        self.rows += rows;
    }

    /// The execution that was added has failed, with what the engine said.
    pub(crate) fn failed(&mut self, message: String) {
        self.failures += 1;
        self.failure.get_or_insert(message);
    }

    /// Adds the results of another thread.
    pub(crate) fn add(&mut self, other: &Self) {
        self.wall_ns += other.wall_ns;
        self.rows += other.rows;
        self.sum = self.sum.wrapping_add(other.sum);
        self.failures += other.failures;
        if self.failure.is_none() {
            self.failure.clone_from(&other.failure);
        }
        // Both have the same layout.
        let _ = self.times.add(&other.times);
    }

    /// Returns its report. `answers`: whether there are answers under this name.
    pub(crate) fn done(&self, name: &str, answers: bool) -> StatementDone {
        let verification = || {
            let mut digest = Digest::default();
            digest.word(self.sum);
            digest.word(self.rows);
            digest.to_text()
        };
        StatementDone {
            name: name.to_owned(),
            wall_ns: self.wall_ns,
            operations: self.times.len(),
            rows: self.rows,
            histogram: to_base64(&self.times),
            verification: answers.then(verification),
            failures: self.failures,
            failure: self.failure.clone(),
            plan: Vec::new(),
        }
    }
}
