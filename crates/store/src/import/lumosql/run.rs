//! One run of a benchmark database as rows of the store.

use super::{
    Converted, SUITE,
    findings::{FindingCounts, ImportFinding},
    identifier,
    names::{TestNumber, folded, number},
    read::{FactMap, RawRun},
    rows::{HostRow, KeyRow, OptionRow, ResultKeyRow, RunRow, SessionRow},
    size::DataSize,
};
use crate::TestRecord;
use dbdyno_engine::size::Size;
use dbdyno_foundation::metric::{Figures, Metric};
use jiff::Timestamp;
use std::collections::HashSet;

/// The values of options that old files do not record.
const ASSUMED: [(&str, &str); 3] = [("discard_output", "off"), ("rowsum", "off"), ("sqlite3_journal", "default")];
/// Keys of run_data with a meaning here.
const RUN_KEYS: [&str; 24] = [
    "when-run",
    "end-run",
    "tests-ok",
    "tests-fail",
    "tests-intr",
    "target",
    "title",
    "sqlite-version",
    "sqlite-name",
    "sqlite-id",
    "sqlite-date",
    "backend-name",
    "backend-version",
    "backend",
    "backend-id",
    "backend-date",
    "notforking-id",
    "cpu-comment",
    "disk-comment",
    "cpu-type",
    "os-type",
    "os-version",
    "byte-order",
    "word-size",
];
/// Keys about the machine's disk, also with a meaning here; stored as keys too.
const DISK_KEYS: [&str; 2] = ["disk-read-time", "disk-write-time"];
/// Keys of test_data that become columns.
const TEST_KEYS: [&str; 5] = ["test-name", "real-time", "user-cpu-time", "system-cpu-time", "status"];
/// A key of test_data that is known, and stored as a key.
pub(super) const OUTPUT_SIZE: &str = "output-size";
/// The key of runs whose file does not record their size: it says where the size comes from.
const SIZE_FROM: &str = "size_from";
/// Why the tier is unknown.
const TIER_REASON: &str = "not known: LumoSQL does not record what a commit survives";

/// The end state of a run.
enum LumoSqlState {
    Done,
    Failed(String),
    Interrupted(String),
    Crashed,
    Invalid(String),
}

impl LumoSqlState {
    fn from_facts(facts: &FactMap, started_at: Option<Timestamp>) -> Self {
        let count = |key: &str| facts.get(key).and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0);
        match (started_at, facts.get("when-run")) {
            (None, None) => return Self::Invalid("the database does not record when it ran".to_owned()),
            (None, Some(when)) => return Self::Invalid(format!("its when-run `{when}` is not a valid time")),
            (Some(_), _) => {}
        }
        if !facts.contains_key("end-run") {
            return Self::Crashed;
        }
        match (count("tests-intr"), count("tests-fail")) {
            (0, 0) => Self::Done,
            (0, failed) => Self::Failed(format!("{failed} of its tests failed")),
            (interrupted, _) => Self::Interrupted(format!("{interrupted} of its tests were interrupted")),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed(_) => "failed",
            Self::Interrupted(_) => "interrupted",
            Self::Crashed => "crashed",
            Self::Invalid(_) => "invalid",
        }
    }

    fn finding(&self) -> Option<ImportFinding> {
        match self {
            Self::Done => None,
            Self::Failed(_) => Some(ImportFinding::FailedRun),
            Self::Interrupted(_) => Some(ImportFinding::InterruptedRun),
            Self::Crashed => Some(ImportFinding::CrashedRun),
            Self::Invalid(_) => Some(ImportFinding::InvalidRun),
        }
    }

    fn failure(self) -> Option<String> {
        match self {
            Self::Done => None,
            Self::Crashed => Some("the database does not record when it ended: it crashed".to_owned()),
            Self::Failed(why) | Self::Interrupted(why) | Self::Invalid(why) => Some(why),
        }
    }
}

/// Adds the rows of a run.
pub(super) fn convert(lumosql_id: &str, raw: &RawRun, file: &str, to: &mut Converted, findings: &mut FindingCounts) {
    let facts = &raw.facts;
    if facts.is_empty() {
        findings.add(ImportFinding::NoRunData);
    }
    if !(lumosql_id.len() == 64 && lumosql_id.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        findings.add(ImportFinding::OddRunId);
    }
    let id = lumosql_id.to_uppercase();
    let (run_id, session_id) = (identifier(&id), identifier(&format!("session {id}")));
    let fact = |key: &str| facts.get(key).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let started_at = fact("when-run").and_then(|when| timestamp(&when));
    let finished_at = fact("end-run").and_then(|end| timestamp(&end));
    let state = LumoSqlState::from_facts(facts, started_at);
    if let Some(finding) = state.finding() {
        findings.add(finding);
    }
    let host = host(facts);
    let (engine, engine_version) = engine(facts);
    let size = DataSize::of(raw);
    if size.as_str().parse::<Size>().is_err() {
        findings.add(ImportFinding::OddSize);
    }
    add_options(&run_id, facts, &size, to, findings);
    add_keys(&run_id, lumosql_id, (facts, &size), to, findings);
    add_tests(&run_id, raw, to, findings);
    to.sessions.push(SessionRow {
        session_id: session_id.clone(),
        host_id: host.host_id.clone(),
        started_at,
        finished_at,
        status: state.word().to_owned(),
        suite: SUITE.to_owned(),
        rounds: 1,
        planned_runs: 1,
        kernel: fact("os-version"),
        disk_model: fact("disk-comment"),
        source: SUITE.to_owned(),
        source_file: file.to_owned(),
    });
    to.hosts.push(host);
    to.runs.push(RunRow {
        run_id,
        session_id,
        ordinal: 0,
        round: 0,
        started_at,
        finished_at,
        status: state.word().to_owned(),
        failure: state.failure(),
        label: fact("target").unwrap_or_else(|| format!("{engine} {engine_version}")),
        engine,
        engine_version,
        suite: SUITE.to_owned(),
        size: size.as_str().to_owned(),
        tier_reason: TIER_REASON.to_owned(),
        other_run_waited: false,
    });
}

/// Parses Unix seconds, with or without a fraction.
fn timestamp(text: &str) -> Option<Timestamp> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0)?;
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()
}

/// Parses seconds and returns ns.
fn nanoseconds(text: &str) -> Option<u64> {
    let seconds = text.trim().parse::<f64>().ok().filter(|seconds| (0.0..1e9).contains(seconds))?;
    Some((seconds * 1e9).round() as u64)
}

fn host(facts: &FactMap) -> HostRow {
    let fact = |key: &str| facts.get(key).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let (cpu_model, architecture, os) = (fact("cpu-comment"), fact("cpu-type"), fact("os-type"));
    let known: Vec<String> = [&cpu_model, &architecture, &os].into_iter().flatten().cloned().collect();
    HostRow {
        host_id: identifier(&format!("host {}", known.join("\n"))),
        name: if known.is_empty() { "unknown".to_owned() } else { known.join(" ") },
        cpu_model,
        architecture,
        os,
    }
}

/// Returns the storage engine with its version: the backend, or SQLite itself if there is none.
fn engine(facts: &FactMap) -> (String, String) {
    let fact = |key: &str| facts.get(key).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let unknown = || "unknown".to_owned();
    // `backend` is the name with the version, as `lmdb-0.9.29`.
    let both = fact("backend");
    let parted = both.as_deref().map(|both| {
        let at =
            both.char_indices().find(|(at, c)| *c == '-' && both[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
        at.map_or((both, None), |(at, _)| (&both[..at], Some(&both[at + 1..])))
    });
    let name = fact("backend-name").or_else(|| parted.map(|(name, _)| name.to_owned()));
    let version = fact("backend-version").or_else(|| parted.and_then(|(_, version)| version.map(str::to_owned)));
    match name {
        Some(name) => (name, version.unwrap_or_else(unknown)),
        None if facts.keys().any(|key| key.starts_with("sqlite-") || key == "target") => {
            ("sqlite".to_owned(), fact("sqlite-version").unwrap_or_else(unknown))
        }
        None => (unknown(), unknown()),
    }
}

fn add_options(run_id: &str, facts: &FactMap, size: &DataSize, to: &mut Converted, findings: &mut FindingCounts) {
    let mut add = |name: &str, value: &str, assumed: bool| {
        to.options.push(OptionRow {
            run_id: run_id.to_owned(),
            scope: if matches!(name, "datasize" | "discard_output") { "suite" } else { "engine" }.to_owned(),
            name: name.to_owned(),
            asked: Some(value.to_owned()),
            assumed,
        });
    };
    let told = |name: &str| facts.contains_key(&format!("option-{name}"));
    for (key, value) in facts {
        if let Some(name) = option_name(key) {
            add(name, value, false);
        }
    }
    if !told("datasize") {
        findings.add(match size {
            DataSize::FromNames(_) => ImportFinding::SizeFromNames,
            DataSize::Told(_) | DataSize::Default => ImportFinding::AssumedOption,
        });
        add("datasize", size.as_str(), true);
    }
    for (name, value) in ASSUMED.into_iter().filter(|(name, _)| !told(name)) {
        findings.add(ImportFinding::AssumedOption);
        add(name, value, true);
    }
}

fn option_name(key: &str) -> Option<&str> {
    key.strip_prefix("option-").filter(|name| !name.is_empty())
}

/// Stores every fact that is not an option as a key, including those with a column. Users can then find all of them as the file has them.
/// them.
fn add_keys(
    run_id: &str,
    lumosql_id: &str,
    (facts, size): (&FactMap, &DataSize),
    to: &mut Converted,
    findings: &mut FindingCounts,
) {
    let mut add = |key: &str, value: &str| {
        to.keys.push(KeyRow { run_id: run_id.to_owned(), key: key.to_owned(), value: value.to_owned() });
    };
    if !facts.contains_key("lumosql-run-id") {
        add("lumosql-run-id", lumosql_id);
    }
    if matches!(size, DataSize::FromNames(_)) && !facts.contains_key(SIZE_FROM) {
        add(SIZE_FROM, "names");
    }
    for (key, value) in facts.iter().filter(|(key, _)| option_name(key).is_none()) {
        if !RUN_KEYS.contains(&key.as_str()) && !DISK_KEYS.contains(&key.as_str()) {
            findings.add(ImportFinding::KeptRunKey);
        }
        add(key, value);
    }
}

fn add_tests(run_id: &str, raw: &RawRun, to: &mut Converted, findings: &mut FindingCounts) {
    let mut taken = HashSet::new();
    for (&in_file, facts) in &raw.tests {
        let (test, test_name) = numbered(in_file, facts, &mut taken, findings);
        let mut add = |key: &str, value: &str| {
            let (key, value) = (key.to_owned(), value.to_owned());
            to.result_keys.push(ResultKeyRow { run_id: run_id.to_owned(), test, key, value });
        };
        if i64::from(test) != in_file {
            add("lumosql-test-number", &in_file.to_string());
        }
        let mut time = |key: &str| {
            let text = facts.get(key)?;
            let time = nanoseconds(text);
            if time.is_none() {
                findings.add(ImportFinding::OddTime);
                add(key, text);
            }
            time
        };
        let times = [(Metric::Wall, "real-time"), (Metric::User, "user-cpu-time"), (Metric::System, "system-cpu-time")];
        let mut figures = Figures::default();
        times.into_iter().for_each(|(metric, key)| figures.set(metric, time(key)));
        for (key, value) in facts.iter().filter(|(key, _)| !TEST_KEYS.contains(&key.as_str())) {
            if key != OUTPUT_SIZE {
                findings.add(ImportFinding::KeptTestKey);
            }
            add(key, value);
        }
        let failure = match facts.get("status").map(|status| status.trim()) {
            Some("OK") => None,
            Some(status) => Some(status.to_owned()),
            None => Some("no status".to_owned()),
        };
        if failure.is_some() {
            findings.add(ImportFinding::FailedTest);
        }
        let run_id = run_id.to_owned();
        to.results.push(TestRecord { run_id, test, test_name, figures, failure, ..TestRecord::default() });
    }
}

/// Returns a test's number and name. A repeated name, and a test without a name, get a number of their own.
fn numbered(in_file: i64, facts: &FactMap, taken: &mut HashSet<u32>, findings: &mut FindingCounts) -> (u32, String) {
    let name = facts.get("test-name").map(|name| name.trim()).filter(|name| !name.is_empty());
    let (mut test, mut name) = match name {
        Some(name) => (number(&folded(name)), name.to_owned()),
        None => (number(&format!("unnamed {in_file}")), format!("unnamed test {in_file}")),
    };
    let first = name.clone();
    let mut times = 1;
    while !taken.insert(test.get()) {
        times += 1;
        name = format!("{first} ({times})");
        // Not folded: the count distinguishes the tests.
        test = number(&format!("{} ({times})", folded(&first)));
    }
    if matches!(test, TestNumber::Unknown(_)) {
        findings.add(ImportFinding::UnknownTest);
    }
    (test.get(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&str, &str)]) -> FactMap {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_backend_is_the_engine_and_none_is_sqlite() {
        let pair = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        let native = facts(&[("sqlite-version", "3.39.2")]);
        assert_eq!(engine(&native), pair("sqlite", "3.39.2"));
        assert_eq!(engine(&facts(&[("backend-name", "lmdb"), ("backend-version", "0.9.29")])), pair("lmdb", "0.9.29"));
        assert_eq!(engine(&facts(&[("backend", "bdb-sql-18.1.40")])), pair("bdb-sql", "18.1.40"));
        assert_eq!(engine(&facts(&[])), pair("unknown", "unknown"));
    }

    #[test]
    fn seconds_become_nanoseconds_exactly() {
        assert_eq!(nanoseconds(" 0.123"), Some(123_000_000));
        assert_eq!(nanoseconds("20.4"), Some(20_400_000_000));
        for odd in ["", "abc", "-1", "NaN", "inf", "1e300"] {
            assert_eq!(nanoseconds(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_run_ends_in_one_of_five_ways() {
        let word = |pairs: &[(&str, &str)]| {
            let facts = facts(pairs);
            LumoSqlState::from_facts(&facts, facts.get("when-run").and_then(|when| timestamp(when))).word()
        };
        assert_eq!(word(&[("when-run", "1600000000"), ("end-run", "1600000100"), ("tests-ok", "18")]), "done");
        assert_eq!(word(&[("when-run", "1600000000"), ("end-run", "1"), ("tests-fail", "2")]), "failed");
        assert_eq!(
            word(&[("when-run", "1600000000"), ("end-run", "1"), ("tests-intr", "1"), ("tests-fail", "2")]),
            "interrupted"
        );
        assert_eq!(word(&[("when-run", "1600000000")]), "crashed");
        assert_eq!(word(&[("end-run", "1600000000")]), "invalid");
        assert_eq!(word(&[("when-run", "yesterday"), ("end-run", "1600000000")]), "invalid");
    }
}
