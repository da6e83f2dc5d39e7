//! CSV for Apache Otava (called Hunter before it joined Apache): one row per session and one column per figure; and the configuration that
//! describes it.
//!
//! Otava rejects a row without a number in a column that it reads. So the columns are the figures of the newest session. Sessions that lack
//! one of them are left out, and a note reports this. See github.com/apache/otava, docs/CSV.md.

use super::{
    OnePlace, TrackError, Tracked, TrackedSummary,
    figure::{Summary, benchmark, configuration, key, test_name},
    read_with,
};
use dbdyno_foundation::{
    base::{
        csv::{line, read_back},
        units::counted,
    },
    metric::{Better, Metric},
};
use dbdyno_store::{Selection, SessionFigures, SessionOrder, SessionOrigin, Store, TestFigures};
use jiff::Timestamp;
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    io::Write,
    ops::ControlFlow,
    path::Path,
};

/// The columns before the columns of figures.
const ATTRIBUTES: [&str; 4] = ["time", "session", "commit", "versions"];
/// The column for branches. Otava requires `--branch` if a file has several branches, and reads them from a column of this name. It exists
/// if the newest session has a branch.
const BRANCH: &str = "branch";

/// A column with a figure.
#[derive(Debug, Clone, PartialEq)]
struct FigureColumn {
    configuration: String,
    /// The name within its configuration: `02 Random reads/ns-per-op`.
    metric_name: String,
    benchmark: String,
    metric: Metric,
}

impl FigureColumn {
    fn name(&self) -> String {
        format!("{}/{}", self.configuration, self.metric_name)
    }
}

/// The columns of the newest session.
struct Header {
    columns: Vec<FigureColumn>,
    has_branch: bool,
}

pub(super) fn csv(
    store: &Store,
    selection: &Selection,
    tracked: &Tracked<'_>,
    out: &mut impl Write,
) -> Result<TrackedSummary, TrackError> {
    let Header { columns, has_branch } = header(store, selection, tracked)?;
    let names: Vec<String> = columns.iter().map(FigureColumn::name).collect();
    let attributes = ATTRIBUTES.into_iter().chain(has_branch.then_some(BRANCH));
    let head = line(attributes.chain(names.iter().map(String::as_str)), tracked.cells);
    out.write_all(head.as_bytes())?;
    let mut place = OnePlace::default();
    let mut written = TrackedSummary { figures: columns.len() as u64, ..TrackedSummary::default() };
    let mut incomplete = 0_u64;
    store.sessions(selection, &read_with(tracked.metrics), SessionOrder::OldestFirst, |session| {
        place.see(tracked.tracker, session)?;
        match figures(session, &columns) {
            Some(figures) => {
                let cells = [attributes_of(session, has_branch)?, figures].concat();
                out.write_all(line(cells.iter().map(String::as_str), tracked.cells).as_bytes())?;
                written.sessions += 1;
            }
            None => incomplete += 1,
        }
        Ok::<_, TrackError>(ControlFlow::Continue(()))
    })?;
    if incomplete > 0 {
        written.notes.push(format!(
            "{} left out, because they lack a figure of the newest session: Otava reads complete rows only; narrow the \
             selection to what all sessions have, for example one engine",
            counted(incomplete, "session")
        ));
    }
    Ok(written)
}

/// Returns the columns of the newest session that has any.
fn header(store: &Store, selection: &Selection, tracked: &Tracked<'_>) -> Result<Header, TrackError> {
    let mut header = None;
    store.sessions(selection, &read_with(tracked.metrics), SessionOrder::NewestFirst, |session| {
        let of_test = |test: &TestFigures| -> Vec<FigureColumn> {
            let with_figure = tracked.metrics.iter().filter(|metric| Summary::of(test, **metric).is_some());
            let column = |metric: &Metric| FigureColumn {
                configuration: configuration(test),
                metric_name: format!("{}/{}", test_name(test), key(*metric)),
                benchmark: benchmark(test),
                metric: *metric,
            };
            with_figure.map(column).collect()
        };
        let columns: Vec<FigureColumn> = session.tests.iter().flat_map(of_test).collect();
        if columns.is_empty() {
            return Ok::<_, TrackError>(ControlFlow::Continue(()));
        }
        header = Some(Header { columns, has_branch: session.origin.branch.is_some() });
        Ok(ControlFlow::Break(()))
    })?;
    header.ok_or(TrackError::Empty)
}

/// Returns the figures of a session; none if one is missing.
fn figures(session: &SessionFigures, columns: &[FigureColumn]) -> Option<Vec<String>> {
    let tests: HashMap<String, &TestFigures> = session.tests.iter().map(|test| (benchmark(test), test)).collect();
    let figure = |column: &FigureColumn| {
        let test = tests.get(&column.benchmark)?;
        Some(Summary::of(test, column.metric)?.median.to_string())
    };
    columns.iter().map(figure).collect()
}

fn attributes_of(session: &SessionFigures, has_branch: bool) -> Result<Vec<String>, TrackError> {
    let SessionOrigin { session_id, started_us, git_commit, branch, .. } = &session.origin;
    let started = started_us.and_then(|us| Timestamp::from_microsecond(us).ok());
    let started = started.ok_or(TrackError::NoTime { session: *session_id })?;
    let versions: BTreeSet<String> =
        session.tests.iter().map(|test| format!("{} {}", test.engine, test.engine_version)).collect();
    let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
    let mut cells = vec![started.to_string(), session_id.to_string(), git_commit.clone().unwrap_or_default(), versions];
    cells.extend(has_branch.then(|| branch.clone().unwrap_or_default()));
    Ok(cells)
}

/// Writes one Otava test per configuration, whose metrics are its columns.
pub(super) fn config(
    store: &Store,
    selection: &Selection,
    tracked: &Tracked<'_>,
    out: &mut impl Write,
) -> Result<TrackedSummary, TrackError> {
    let Header { columns, .. } = header(store, selection, tracked)?;
    // On stdout the configuration has no name that the CSV could follow.
    let named = tracked.named.unwrap_or(Path::new("results.csv"));
    let file = named.with_extension("csv").display().to_string();
    let note =
        tracked.named.is_none().then(|| format!("the configuration reads {file}: write the CSV with --out {file}"));
    let mut text = "tests:\n".to_owned();
    for test in columns.chunk_by(|one, next| one.configuration == next.configuration) {
        let Some(first) = test.first() else { continue };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}:", quoted(&first.configuration)?);
        let _ = writeln!(text, "    type: csv\n    file: {}", quoted(&file)?);
        let [time, attributes @ ..] = ATTRIBUTES;
        let _ = writeln!(text, "    time_column: {time}\n    attributes: [{}]", attributes.join(", "));
        text.push_str("    metrics:\n");
        for column in test {
            let direction = if column.metric.better() == Better::More { 1 } else { -1 };
            let name = column.name();
            let _ = writeln!(text, "      {}:", quoted(&column.metric_name)?);
            let _ = writeln!(text, "        column: {}", quoted(&read_back(&name, tracked.cells))?);
            let _ = writeln!(text, "        direction: {direction}");
        }
    }
    out.write_all(text.as_bytes())?;
    Ok(TrackedSummary { figures: columns.len() as u64, sessions: 1, notes: note.into_iter().collect() })
}

/// Quotes a text as JSON, which is also valid YAML.
fn quoted(text: &str) -> Result<String, serde_json::Error> {
    serde_json::to_string(text)
}
