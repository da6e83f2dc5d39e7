//! Checks that a store still has everything it must have.

use crate::support::Done;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    process::Command,
};

/// The tables that hold results and the rows that belong to them. The store's other tables are internal.
const TABLES: [&str; 13] = [
    "host",
    "session",
    "run",
    "run_option",
    "run_key",
    "result",
    "result_key",
    "timeline",
    "harness_cost",
    "warning",
    "tag",
    "note",
    "trial",
];

/// A finished test that was reported to watchers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Told {
    session: String,
    run: String,
    test: u64,
    wall_ns: u64,
}

/// Returns the measured tests that the events of a session report as done.
pub(crate) fn told<'l>(events: impl IntoIterator<Item = &'l str>) -> Vec<Told> {
    let (mut session, mut runs, mut told) = (String::new(), BTreeMap::new(), Vec::new());
    for line in events {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let says = &event["says"];
        match event["event"].as_str() {
            Some("session_started") => session = text("session_id"),
            Some("run_started") => _ = runs.insert(event["ordinal"].as_u64(), text("run_id")),
            Some("worker") if says["event"] == "test_done" && says["measured"] == true => told.push(Told {
                session: session.clone(),
                run: runs[&event["ordinal"].as_u64()].clone(),
                test: says["test"].as_u64().unwrap(),
                wall_ns: says["wall_ns"].as_u64().unwrap(),
            }),
            _ => {}
        }
    }
    told
}

/// Every row of a store: its table and a digest.
pub(crate) type Rows = BTreeSet<String>;

/// The required contents of a store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    /// Whether a store must exist.
    pub(crate) store: bool,
    /// Results that were reported.
    pub(crate) told: Vec<Told>,
    /// Rows that existed before.
    pub(crate) earlier: Rows,
    /// All allowed states of the rows. If empty, any further rows are allowed.
    pub(crate) either: Vec<Rows>,
}

/// A fault of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failing {
    /// A command on it failed.
    Refused(String),
    /// This many reported results are missing or different from the report.
    Lost(usize),
    /// This many earlier rows are missing or changed.
    Changed(usize),
    /// A change was made partially, or was reported and is missing.
    InPart,
}

impl Failing {
    /// The kind of fault, for counting.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Refused(_) => "cannot be opened",
            Self::Lost(_) => "told results are lost",
            Self::Changed(_) => "earlier rows are lost or changed",
            Self::InPart => "a change is there in part or not at all",
        }
    }
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "{}: {}", self.kind(), why.trim_end()),
            Self::Lost(count) | Self::Changed(count) => write!(f, "{}: {count}", self.kind()),
            Self::InPart => f.write_str(self.kind()),
        }
    }
}

/// Runs dbdyno on a store that belongs to no `Place`, without a configuration folder. Returns its output.
fn answer(store: &Path, arguments: &[&str]) -> Result<String, Failing> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
    let no_folder = store.with_file_name("no-folder");
    command.args(arguments).env("DBDYNO_STORE", store).env("DBDYNO_CONFIG", no_folder);
    let done = Done::of(command.output().unwrap());
    if done.code == Some(0) {
        return Ok(done.stdout);
    }
    let code = done.code.map_or("killed".to_owned(), |code| format!("exit code {code}"));
    Err(Failing::Refused(format!("{code}: {}", done.stderr)))
}

/// Reads every row of a store.
pub(crate) fn rows(store: &Path) -> Result<Rows, Failing> {
    let of = |table: &str| format!("SELECT '{table} ' || md5(t::VARCHAR) AS row FROM {table} t");
    let sql = TABLES.map(of).join(" UNION ALL ");
    let csv = answer(store, &["sql", &sql, "--format", "csv"])?;
    Ok(csv.lines().skip(1).map(str::to_owned).collect())
}

/// Reads the results of a store.
pub(crate) fn results(store: &Path) -> Result<BTreeSet<Told>, Failing> {
    let sql = "SELECT session_id, run_id, test, wall_ns FROM result JOIN run USING (run_id)";
    let csv = answer(store, &["sql", sql, "--format", "csv"])?;
    let told = |line: &str| {
        let mut cells = line.split(',').map(str::to_owned);
        let mut next = || cells.next().unwrap();
        let (session, run) = (next(), next());
        Told { session, run, test: next().parse().unwrap(), wall_ns: next().parse().unwrap() }
    };
    Ok(csv.lines().skip(1).map(told).collect())
}

/// Runs the next command on a store, then checks its rows. Returns the number of its results.
pub(crate) fn judge(store: &Path, expected: &Expected) -> Result<usize, Failing> {
    match answer(store, &["results", "--count"]) {
        // Nothing was stored yet, and the program reports that.
        Err(Failing::Refused(why)) if !expected.store && why.contains("there is no store") => return Ok(0),
        other => other?,
    };
    let stored = results(store)?;
    match expected.told.iter().filter(|told| !stored.contains(told)).count() {
        0 => {}
        lost => return Err(Failing::Lost(lost)),
    }
    if expected.earlier.is_empty() && expected.either.is_empty() {
        return Ok(stored.len());
    }
    let rows = rows(store)?;
    match expected.earlier.difference(&rows).count() {
        0 => {}
        changed => return Err(Failing::Changed(changed)),
    }
    if expected.either.is_empty() || expected.either.contains(&rows) { Ok(stored.len()) } else { Err(Failing::InPart) }
}
