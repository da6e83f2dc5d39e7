//! Counts of irregularities in a benchmark database.

use std::collections::BTreeMap;

/// An irregularity that readers of the figures should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ImportFinding {
    InvalidRun,
    CrashedRun,
    InterruptedRun,
    FailedRun,
    FailedTest,
    DifferingOutput,
    SuspiciousOutput,
    DuplicateRunKey,
    DuplicateTestKey,
    OddTime,
    OddSize,
    OddRunId,
    UnknownTest,
    SizeFromNames,
    AssumedOption,
    KeptRunKey,
    KeptTestKey,
    NoRunData,
    OddText,
    SkippedRow,
}

/// The number of occurrences of each finding.
#[derive(Debug, Default)]
pub(super) struct FindingCounts(BTreeMap<ImportFinding, usize>);

impl FindingCounts {
    /// Counts one more occurrence.
    pub(super) fn add(&mut self, finding: ImportFinding) {
        *self.0.entry(finding).or_default() += 1;
    }

    /// Returns a sentence for each finding.
    pub(super) fn sentences(&self) -> Vec<String> {
        self.0.iter().map(|(finding, count)| finding.sentence(*count)).collect()
    }
}

impl ImportFinding {
    fn sentence(self, n: usize) -> String {
        let (what, then) = match self {
            Self::InvalidRun => ("runs without a valid when-run", "kept as `invalid`, excluded from statistics"),
            Self::CrashedRun => ("runs without end-run", "kept as `crashed`"),
            Self::InterruptedRun => ("runs with interrupted tests", "kept as `interrupted`"),
            Self::FailedRun => ("runs with failed tests", "kept as `failed`"),
            Self::FailedTest => ("tests with a status other than OK", "kept, excluded from statistics"),
            Self::DifferingOutput => {
                ("tests whose output length always differs from other engines'", "marked `disagrees`, with warnings")
            }
            Self::SuspiciousOutput => {
                ("tests whose output length varies and differs from other engines'", "kept, with warnings")
            }
            Self::DuplicateRunKey => ("rows of run_data that repeat a key of their run", "the last one counts"),
            Self::DuplicateTestKey => ("rows of test_data that repeat a key of their test", "the last one counts"),
            Self::OddTime => ("times that are not a number of seconds", "kept as keys, excluded from statistics"),
            Self::OddSize => ("runs with a datasize that is neither `n` nor `r,w`", "kept as it is"),
            Self::OddRunId => ("run_ids that are not 64 hexadecimal digits", "kept"),
            Self::UnknownTest => ("tests other than LumoSQL's 18", "numbered by their names"),
            Self::SizeFromNames => (
                "runs without a recorded datasize",
                "taken from the names of their tests, and marked by the key `size_from`",
            ),
            Self::AssumedOption => ("options that runs do not record", "LumoSQL's default is shown as assumed"),
            Self::KeptRunKey => ("facts of runs with unknown keys", "kept"),
            Self::KeptTestKey => ("facts of tests with unknown keys", "kept"),
            Self::NoRunData => ("runs of test_data that are missing from run_data", "kept"),
            Self::OddText => ("texts that are not UTF-8", "kept, with `\u{fffd}` for invalid bytes"),
            Self::SkippedRow => {
                ("rows without run_id, key or value, or with a test number that is not a number", "skipped")
            }
        };
        format!("{what}: {n}, {then}")
    }
}
