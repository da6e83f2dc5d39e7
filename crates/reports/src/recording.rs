//! A recording as a sheet: an answer, the statements by time, concurrency, and gaps.

use super::sheet::{BarInterval, Cell, Column, ColumnRole, Row, Section, Sheet, Table, Tone, magnitude, shortened};
use dbdyno_foundation::base::units::{bytes, count, counted, duration};
use dbdyno_recorded::{
    DatabaseSummary, FingerprintSummary, QueryPlan, RecordingSummary, StatementKind, WorkingSetSummary,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most statements that are listed.
const LISTED: usize = 30;
/// The share of the time from which one statement, or the commits, are the answer.
const MOST_OF_IT: f64 = 0.5;
/// The share of the calls that took so much time that few statements are named for it.
const HALF: f64 = 0.5;
/// The longest statement in a sentence, and width of one in a table.
const IN_SENTENCE: usize = 80;
const NAME: usize = 36;
/// Length of a bar.
const BAR: usize = 10;

/// A recording with the plans of its statements, by their place.
#[derive(Debug, Serialize)]
pub struct RecordingReport {
    #[serde(flatten)]
    pub summary: RecordingSummary,
    pub plans: BTreeMap<usize, QueryPlan>,
}

/// Builds the sheet of a recording. `command`: the command that requested it.
pub fn sheet(report: &RecordingReport, command: &str) -> Sheet {
    let summary = &report.summary;
    let head = vec![format!("recorded: {} · {}", summary.command.join(" "), summary.started_at), processes(summary)];
    let databases = summary.databases.iter().filter(|_| !summary.keys).map(database);
    let sections = [
        Section::toned(Tone::Answer, "", answer(report)),
        Section::toned(Tone::Head, "", head.into_iter().chain(databases).collect()),
        Some(Section {
            heading: Some(format!(
                "{} by {}",
                if summary.keys { "Operations" } else { "Statements" },
                if summary.busy_ns > 0 { "time" } else { "number of calls" }
            )),
            ..Section::table(statements(report))
        }),
        Section::toned(Tone::Plain, "Keys", summary.working_set.iter().flat_map(working_set).collect()),
        Section::toned(Tone::Plain, "At once", at_once(summary)),
        Section::toned(Tone::Plain, "PRAGMAs", summary.pragmas.clone()),
        Section::toned(Tone::Warnings, "What is missing", missing(summary)),
    ];
    Sheet {
        title: "A recording".to_owned(),
        sections: sections.into_iter().flatten().collect(),
        command: command.to_owned(),
        ..Sheet::default()
    }
}

/// Returns the answer: where the time goes, and how much there is.
pub fn answer(report: &RecordingReport) -> Vec<String> {
    let summary = &report.summary;
    if summary.calls == 0 {
        return vec!["The recording has no calls.".to_owned()];
    }
    let statements = summary.fingerprints.len();
    // What was imported without times has only their order.
    let span = match summary.span_ns < summary.calls {
        true => String::new(),
        false => format!(" in {}", duration(summary.span_ns as f64)),
    };
    let many = format!(
        "{} of {}{span} on {}.",
        counted(summary.calls, "call"),
        counted(statements, if summary.keys { "operation" } else { "statement" }),
        counted(summary.concurrency.connections, "connection"),
    );
    if summary.busy_ns == 0 {
        let what = if summary.keys { "operations" } else { "statements" };
        return vec![many, format!("It has no durations, so {what} are listed by their number of calls.")];
    }
    vec![where_time_goes(report), format!("{many} They took {}.", duration(summary.busy_ns as f64))]
}

/// `94 % of the time is one statement, which reads all of entry: SELECT ...`.
fn where_time_goes(report: &RecordingReport) -> String {
    let summary = &report.summary;
    let total = summary.busy_ns.max(1);
    let commits: u64 =
        summary.fingerprints.iter().filter(|one| one.kind == StatementKind::Commit).map(|one| one.time_ns).sum();
    if commits as f64 >= MOST_OF_IT * total as f64 {
        return format!(
            "{} of the time is COMMIT: the program waits for its data to reach the disk.",
            percent(commits, total)
        );
    }
    match summary.fingerprints.first() {
        Some(first) if first.time_ns as f64 >= MOST_OF_IT * total as f64 => {
            let scanned = report.plans.get(&0).map(QueryPlan::scanned).unwrap_or_default();
            let scans = match scanned.as_slice() {
                [] => String::new(),
                tables => format!(", which reads all of {} because no index helps", tables.join(" and ")),
            };
            format!(
                "{} of the time is one statement{scans}: {}",
                percent(first.time_ns, total),
                shortened(&first.sql, IN_SENTENCE)
            )
        }
        _ => {
            let mut sum = 0;
            let needed = summary.fingerprints.iter().take_while(|one| {
                let is_needed = (sum as f64) < HALF * total as f64;
                sum += one.time_ns;
                is_needed
            });
            let needed = needed.count();
            let all = counted(summary.fingerprints.len(), "statement");
            format!("Half of the time is in {needed} of {all}.")
        }
    }
}

fn processes(summary: &RecordingSummary) -> String {
    let mut versions: Vec<&str> = summary.processes.iter().map(|process| process.sqlite_version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    let processes = match summary.processes.len() {
        1 => "1 process".to_owned(),
        several => format!("{} processes", count(several as u64)),
    };
    if summary.keys { processes } else { format!("{processes} with SQLite {}", versions.join(", ")) }
}

fn database(one: &DatabaseSummary) -> String {
    let path = if one.path.is_empty() { "a private database" } else { &one.path };
    let state = match (one.bytes, &one.not_copied) {
        (Some(size), _) => format!("{} at the beginning", bytes(size)),
        (None, Some(why)) => format!("not copied: {why}"),
        (None, None) => "empty at the beginning".to_owned(),
    };
    format!("{path}: {state}, {}", counted(one.connections, "connection"))
}

/// The columns that a recording of keys does not have, and those that one without durations does not.
const OF_SQL: &str = "scans";
const OF_TIME: [&str; 5] = ["time_ns", "share", "bar", "p50_ns", "p99_ns"];

fn statements(report: &RecordingReport) -> Table {
    let summary = &report.summary;
    let total = summary.busy_ns.max(1);
    let column = |name: &'static str, title: &str, role| Column::new(name, title, role);
    let ranked = |name: &'static str, title: &str, rank: u8| Column { rank, ..column(name, title, ColumnRole::Figure) };
    let columns = vec![
        column("statement", if summary.keys { "operation" } else { "statement" }, ColumnRole::Name).at_least(NAME),
        column("calls", "calls", ColumnRole::Figure),
        column("time_ns", "time", ColumnRole::Figure),
        column("share", "share", ColumnRole::Figure),
        Column { rank: 3, ..column("bar", "", ColumnRole::Magnitude) },
        ranked("p50_ns", "p50", 1),
        ranked("p99_ns", "p99", 2),
        ranked("rows", "rows", 4),
        ranked("changes", "changed", 5),
        ranked("errors", "errors", 6),
        ranked("different_values", "values", 7),
        Column { rank: 8, ..column(OF_SQL, "reads all of", ColumnRole::Verdict) },
    ];
    let most = summary.fingerprints.first().map_or(1, |first| first.time_ns).max(1) as f64;
    let time = |ns: u64| Cell::figure(duration(ns as f64), Some(ns as f64));
    let whole = |number: u64| Cell::figure(count(number), Some(number as f64));
    let row = |(place, one): (usize, &FingerprintSummary)| {
        let share = one.time_ns as f64;
        let interval = BarInterval { at: share, low: share, high: share };
        let scanned = report.plans.get(&place).map(QueryPlan::scanned).unwrap_or_default().join(", ");
        vec![
            Cell::new(&one.sql),
            whole(one.calls),
            time(one.time_ns),
            Cell::figure(percent(one.time_ns, total), Some(share / total as f64)),
            Cell { interval: Some(interval), ..Cell::new(magnitude(interval, BAR, most)) },
            time(one.p50_ns),
            time(one.p99_ns),
            whole(one.rows),
            whole(one.changes),
            whole(one.errors),
            whole(one.different_values as u64),
            Cell::new(scanned),
        ]
    };
    let has_times = summary.busy_ns > 0;
    let is_known = |column: &Column| match &*column.name {
        OF_SQL => !summary.keys,
        name => has_times || !OF_TIME.contains(&name),
    };
    let known: Vec<bool> = columns.iter().map(is_known).collect();
    let row = |(place, one)| {
        Row::Cells(row((place, one)).into_iter().zip(&known).filter_map(|(cell, is)| is.then_some(cell)).collect())
    };
    let columns = columns.into_iter().filter(is_known).collect();
    let mut rows: Vec<Row> = summary.fingerprints.iter().enumerate().take(LISTED).map(row).collect();
    let rest = &summary.fingerprints[summary.fingerprints.len().min(LISTED)..];
    if !rest.is_empty() {
        let time: u64 = rest.iter().map(|one| one.time_ns).sum();
        let calls: u64 = rest.iter().map(|one| one.calls).sum();
        let part = match has_times {
            true => format!("{} of the time", percent(time, total)),
            false => counted(calls, "call"),
        };
        rows.push(Row::Detail(format!("{} more statements: {part}", rest.len())));
    }
    Table { columns, rows, is_headed: true, ..Table::default() }
}

/// Returns what the operations of a store of keys and values work on.
fn working_set(set: &WorkingSetSummary) -> Vec<String> {
    let keys = format!(
        "{}, whose largest values take {}",
        counted(set.different_keys as u64, "different key"),
        bytes(set.value_bytes)
    );
    let hottest = set
        .hottest_share
        .map(|share| format!("{:.0} % of the operations go to the hottest 1 % of the keys", share * 100.0));
    std::iter::once(keys).chain(hottest).collect()
}

fn at_once(summary: &RecordingSummary) -> Vec<String> {
    let RecordingSummary { concurrency: at_once, transactions, .. } = summary;
    if summary.keys {
        let connections = counted(at_once.connections, "client");
        return vec![format!("at most {} of {connections} at once", at_once.connections_at_once)];
    }
    let busy = match at_once.busy {
        0 => "no call met a lock of another connection".to_owned(),
        busy => format!("{} met a lock of another connection", counted(busy, "call")),
    };
    let rolled_back = match transactions.rolled_back {
        0 => String::new(),
        rolled_back => format!(", {} rolled back", count(rolled_back)),
    };
    vec![
        format!(
            "at most {} of {} open, in {}; at most {} at work",
            at_once.connections_at_once,
            counted(at_once.connections, "connection"),
            counted(at_once.threads, "thread"),
            counted(at_once.calls_at_once, "statement"),
        ),
        format!(
            "{} that wrote, at most {} at once; {} that only read, at most {} at once; {busy}",
            counted(transactions.writing, "transaction"),
            at_once.writers_at_once,
            counted(transactions.reading, "transaction"),
            at_once.readers_at_once,
        ),
        format!(
            "{} of them with BEGIN{rolled_back}; at most {} in one",
            count(transactions.explicit),
            counted(transactions.longest, "statement")
        ),
    ]
}

/// Returns what a reader must know about the recording's gaps.
fn missing(summary: &RecordingSummary) -> Vec<String> {
    let lost = (summary.lost > 0).then(|| {
        format!(
            "{} missing: the recorder could not keep up, or reached its limit of bytes",
            counted(summary.lost, "call")
        )
    });
    let ended_early = summary.processes.iter().filter(|process| !process.ended_in_order);
    let ended_early = ended_early.map(|process| {
        format!("process {} ({}) was killed or still runs: its last calls may be missing", process.pid, process.program)
    });
    let slots = (summary.lost_slots > 0).then(|| {
        let connections = counted(summary.lost_slots, "connection");
        format!("{connections}: the program set a trace of its own, and later calls are unknown")
    });
    lost.into_iter().chain(slots).chain(ended_early).collect()
}

/// `94 %`; below one percent with a digit.
fn percent(part: u64, whole: u64) -> String {
    let percent = part as f64 / whole.max(1) as f64 * 100.0;
    if percent >= 0.95 || part == 0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}
