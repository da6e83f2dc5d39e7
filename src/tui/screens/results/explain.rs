//! Explanations of a figure: its meaning, how it was measured, and the SQL that fetches it.

use super::{ListedColumn, OpenedRun, filter::TypedSelection};
use crate::tui::overlay::Overlay;
use dbdyno_foundation::{
    base::units::{count, counted, duration, rate},
    metric::Metric,
};
use dbdyno_store::{ConfigurationRow, GroupColumn, GroupRow, ResultColumn, ResultRow, RunRow, SelectionKey};

/// Explains a figure of a test.
pub(super) fn result(row: &ResultRow, label: &str, column: &ResultColumn) -> Overlay {
    let Some(test) = row.test else {
        let lines = vec![
            "This run has no finished test, so there is no figure.".to_owned(),
            "Enter opens it and shows the reason.".to_owned(),
        ];
        return Overlay::page(format!("{label} · {}", row.status), lines);
    };
    let operations = row.operations.map_or_else(|| "an unknown number of".to_owned(), count);
    let latency = |share: &str| {
        vec![
            format!("{share} of {operations} operations took no longer than this: a quantile of their histogram, three digits."),
            "The clock is read once per operation: the end of one is the start of the next. A commit belongs to the last operation of its batch.".to_owned(),
            "A quantile q is shown only where n(1-q) is at least 10, and where single operations were timed.".to_owned(),
        ]
    };
    let ns = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64));
    let (value, sql, mut lines) = match column {
        ResultColumn::Rate => (
            row.rate.map_or_else(|| "-".to_owned(), rate),
            "rate",
            vec![format!("{operations} operations, divided by the wall time of {}.", ns(row.wall_ns))],
        ),
        ResultColumn::P50 => (ns(row.p50_ns), "p50_ns", latency("Half")),
        ResultColumn::P99 => (ns(row.p99_ns), "p99_ns", latency("99 %")),
        ResultColumn::Status => (row.status.clone(), "status", vec![
            "ok: the test ended, and its answers agree with those of other engines, if they could be compared.".to_owned(),
            "not verified: the test ended, and there are no answers to compare its own with.".to_owned(),
            "disagrees: its answers differ from those of most engines. failed, invalid: statistics leave its figures out.".to_owned(),
        ]),
        ResultColumn::Tier => (row.tier.map_or_else(|| "-".to_owned(), |tier| tier.to_string()), "tier", vec![
            "What a commit survives under the run's options: 3 a power loss, 2 a power loss without the latest commits, 1 a crash of the program, 0 nothing; none where it is unknown.".to_owned(),
        ]),
        ResultColumn::Wall => (
            ns(row.wall_ns),
            "wall_ns",
            vec![
                format!("The wall-clock time of the whole test: {operations} operations, its transactions and their commits."),
                "It is measured in a process of its own, on a fresh database.".to_owned(),
            ],
        ),
        _ => return facts(row, label),
    };
    lines.insert(0, format!("{} {} · {label} · {} {}", test, row.test_name, row.suite, row.size));
    if row.run_status != "done" {
        lines.insert(1, format!("! the run was {} after this test had ended", row.run_status));
    }
    lines.extend([
        "n = 1 run. A single run does not show the spread: g groups runs, and c compares two sides.".to_owned()
    ]);
    let sql = format!("SELECT {sql} FROM results WHERE run_id = '{}' AND test = {test}", row.run_id);
    with_sql(format!("{} {value}", ListedColumn::Result(column.clone()).word(None)), lines, sql)
}

/// Returns an explanation that ends with the query for its data.
fn with_sql(title: impl Into<String>, mut lines: Vec<String>, sql: String) -> Overlay {
    lines.extend([String::new(), sql.clone()]);
    Overlay::explanation(title, lines, Some(sql))
}

/// Describes the row, if the cursor is not on a figure.
fn facts(row: &ResultRow, label: &str) -> Overlay {
    let lines = vec![
        format!("run {}, {}", row.run_id, row.run_status),
        format!("{label} {} · {} {} · round {}, counted from 0", row.version, row.suite, row.size, row.round),
        format!("started {} UTC on {}", row.started, row.host),
        "h and l move to a number; x explains it.".to_owned(),
    ];
    with_sql("About this row", lines, of_run(&row.run_id))
}

fn of_run(run_id: &str) -> String {
    format!("SELECT * FROM results WHERE run_id = '{run_id}'")
}

/// Describes a run.
pub(super) fn run(row: &RunRow, label: &str) -> Overlay {
    let wall = row.wall_ns.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64));
    let lines = vec![
        format!("run {}, {}", row.run_id, row.status),
        format!("{label} {} · {} {} · round {}, counted from 0", row.version, row.suite, row.size, row.round),
        format!("wall {wall}: the sum of the wall-clock times of its {} that count", counted(row.tests, "test")),
        format!("{} of them failed, or disagree with the answers of other engines", count(row.bad_tests)),
        format!("started {} UTC on {}", row.started, row.host),
    ];
    with_sql("About this run", lines, of_run(&row.run_id))
}

/// Describes a configuration of a session, and how its runs ended.
pub(super) fn configuration(row: &ConfigurationRow, label: &str) -> Overlay {
    let tier = row.tier.map_or_else(|| "not known".to_owned(), |tier| tier.to_string());
    let verdict = row.tier_evidence.as_deref().unwrap_or("never tried");
    let lines = vec![
        format!("{label} {} · {} {}", row.version, row.suite, row.sizes),
        format!("session {}, {} UTC on {}", row.session_id, row.started, row.host),
        format!("rounds: {} of {} planned rounds are finished", row.finished_rounds, row.rounds),
        format!(
            "runs: {} done, {} failed, {} cancelled, {} interrupted, {} running",
            row.done, row.failed, row.cancelled, row.interrupted, row.running
        ),
        format!(
            "tests in these runs that failed, or disagree with the answers of other engines: {}",
            count(row.bad_tests)
        ),
        format!("tier {tier}; evidence from kills and power losses: {verdict}"),
        "Enter shows the runs; v all results one by one.".to_owned(),
    ];
    let label = row.label.replace('\'', "''");
    let sql = format!("SELECT * FROM runs WHERE session_id = '{}' AND label = '{label}'", row.session_id);
    with_sql("About this configuration", lines, sql)
}

/// Explains a figure of a group. `filter` selects its results, if a selection can.
pub(super) fn group(
    row: &GroupRow,
    key: &SelectionKey,
    column: GroupColumn,
    filter: Option<&TypedSelection>,
) -> Overlay {
    let ns = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), duration);
    let of = format!(
        "the wall times of {} results that count, of {} in {} runs",
        count(row.counted),
        count(row.results),
        count(row.runs)
    );
    let (value, sql, line) = match column {
        GroupColumn::Median => (ns(row.median_ns), "median(wall_ns)", format!("The median of {of}.")),
        GroupColumn::Least => (ns(row.least_ns.map(|ns| ns as f64)), "min(wall_ns)", format!("The minimum of {of}.")),
        GroupColumn::Most => (ns(row.most_ns.map(|ns| ns as f64)), "max(wall_ns)", format!("The maximum of {of}.")),
        GroupColumn::CutShort => (
            count(row.cut_short),
            "count(DISTINCT run_id) FILTER (run_status IN ('cancelled', 'interrupted'))",
            "Runs that were cancelled or interrupted: their tests that had ended count.".to_owned(),
        ),
        GroupColumn::Runs => {
            (count(row.runs), "count(DISTINCT run_id)", "Runs, including those without a finished test.".to_owned())
        }
        GroupColumn::Sessions => {
            (count(row.sessions), "count(DISTINCT session_id)", "Sessions that the runs belong to.".to_owned())
        }
        GroupColumn::Value | GroupColumn::Results => (count(row.results), "count(*)", "Tests of runs.".to_owned()),
    };
    let mut lines = vec![line];
    if matches!(column, GroupColumn::Median | GroupColumn::Least | GroupColumn::Most) && !row.alike {
        lines = vec![
            "No single figure fits these results: they mix tests, sizes or suites, or some are of a test's actors."
                .to_owned(),
            "Filter by one test, size and suite, or group by the key that differs.".to_owned(),
        ];
    }
    let title = format!(
        "{} {value} · {} = {}",
        ListedColumn::Group(column).word(Some(key)),
        key.word(),
        row.value.as_deref().unwrap_or("none")
    );
    match filter {
        Some(filter) => with_sql(title, lines, format!("SELECT {sql} FROM results WHERE {}", filter.selection.shown())),
        None => Overlay::page(title, lines),
    }
}

/// Explains the figures of the test selected on an open run.
pub(super) fn test(opened: &OpenedRun, label: &str) -> Option<Overlay> {
    let test = &opened.chosen()?.test;
    let run = &opened.run;
    let operations = test.figure(Metric::Operations).map_or_else(|| "an unknown number of".to_owned(), count);
    let sample = match test.operations_per_sample.unwrap_or(1) {
        0 | 1 => {
            "Each operation is one sample of the histogram: its bars count operations by latency, one bar for each power of two."
                .to_owned()
        }
        many => format!("One sample of the histogram is {many} operations, so it does not show single operations."),
    };
    let lines = vec![
        format!("{label} on {} {}, n = 1 run, {}", run.suite, run.size, run.status),
        format!("wall: the wall-clock time of {operations} operations with their transactions and commits."),
        "rate: operations divided by the wall time.".to_owned(),
        "p50, p99: quantiles of the histogram, three digits; shown only where n(1-q) is at least 10.".to_owned(),
        sample,
        "Over time: each column is a stretch of the test, with the operations that ended in it and the 99th percentile of their latencies.".to_owned(),
        String::new(),
        format!("SELECT * FROM timeline WHERE run_id = '{}' AND test = {} ORDER BY at_ns", run.run_id, test.test),
    ];
    let sql = format!("{} AND test = {}", of_run(&run.run_id), test.test);
    Some(with_sql(format!("{} {}", test.test, test.test_name), lines, sql))
}
