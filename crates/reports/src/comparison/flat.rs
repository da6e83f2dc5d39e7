//! A comparison as one flat table with one row per line. It contains everything that an export needs: for CSV and Parquet.

use super::{Wording, words};
use crate::doubts::doubt_messages;
use dbdyno_comparing::compare::{Comparison, Figure, Line, SideFacts};
use dbdyno_store::{CellKind, FlatValue};

/// The columns, in order.
pub(super) const COLUMNS: &[(&str, CellKind)] = &[
    ("part", CellKind::Text),
    ("size", CellKind::Text),
    ("test", CellKind::Count),
    ("test_name", CellKind::Text),
    ("actor", CellKind::Text),
    ("metric", CellKind::Text),
    ("a_label", CellKind::Text),
    ("a_tier", CellKind::Count),
    ("a_runs", CellKind::Count),
    ("a_median", CellKind::Number),
    ("a_values", CellKind::Text),
    ("a_p50_ns", CellKind::Count),
    ("a_p99_ns", CellKind::Count),
    ("b_label", CellKind::Text),
    ("b_tier", CellKind::Count),
    ("b_runs", CellKind::Count),
    ("b_median", CellKind::Number),
    ("b_values", CellKind::Text),
    ("b_p50_ns", CellKind::Count),
    ("b_p99_ns", CellKind::Count),
    ("verdict", CellKind::Text),
    ("verdict_words", CellKind::Text),
    ("ratio", CellKind::Number),
    ("median_ratio", CellKind::Number),
    ("ratio_low", CellKind::Number),
    ("ratio_high", CellKind::Number),
    ("confidence", CellKind::Number),
    ("paired", CellKind::Text),
    ("p", CellKind::Number),
    ("p_adjusted", CellKind::Number),
    ("noise_floor", CellKind::Number),
    ("obstacles", CellKind::Text),
    ("a_selection", CellKind::Text),
    ("a_configurations", CellKind::Text),
    ("b_selection", CellKind::Text),
    ("b_configurations", CellKind::Text),
    ("sessions", CellKind::Text),
    ("warnings", CellKind::Text),
    ("dbdyno_version", CellKind::Text),
    ("command", CellKind::Text),
];

/// The number of columns, at the end, that are about the whole comparison: the same in each of its rows.
pub(super) const OF_WHOLE: usize = 8;

/// Returns the rows, with one cell per column. Lists and facts about the whole comparison are JSON.
pub(super) fn rows(comparison: &Comparison) -> Result<Vec<Vec<FlatValue>>, serde_json::Error> {
    let whole = whole(comparison)?;
    let wording = Wording::of(comparison);
    comparison.lines.iter().map(|line| Ok([line_cells(line, &wording)?, whole.clone()].concat())).collect()
}

fn line_cells(line: &Line, wording: &Wording) -> Result<Vec<FlatValue>, serde_json::Error> {
    let mut cells = vec![
        FlatValue::Text(words::part(&line.part)),
        FlatValue::Text(line.size.clone()),
        FlatValue::Count(line.test.into()),
        FlatValue::Text(line.name.clone()),
        line.actor.clone().map_or(FlatValue::Missing, FlatValue::Text),
        FlatValue::Text(wording.metric.name().to_owned()),
    ];
    for figure in [&line.a, &line.b] {
        cells.extend(figure_cells(figure.as_ref())?);
    }
    let found = line.found.as_ref();
    let interval = found.and_then(|found| found.interval);
    let number = |value: Option<f64>| value.map_or(FlatValue::Missing, FlatValue::Number);
    cells.extend([
        FlatValue::Text(words::verdict_word(line).to_owned()),
        FlatValue::Text(found.map_or("not comparable".to_owned(), |found| wording.verdict(found))),
        number(found.map(|found| found.ratio)),
        number(found.map(|found| found.median_ratio)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(interval.map(|interval| interval.confidence)),
        found.map_or(FlatValue::Missing, |found| FlatValue::Text(found.paired.to_string())),
        number(found.and_then(|found| found.p)),
        number(found.and_then(|found| found.p_adjusted)),
        FlatValue::Number(line.noise_floor.value),
        FlatValue::Text(serde_json::to_string(&line.obstacles)?),
    ]);
    Ok(cells)
}

fn figure_cells(figure: Option<&Figure>) -> Result<Vec<FlatValue>, serde_json::Error> {
    let Some(figure) = figure else { return Ok(vec![FlatValue::Missing; 7]) };
    let latency = figure.latency.as_ref();
    let count = |value: Option<u64>| value.map_or(FlatValue::Missing, FlatValue::Count);
    Ok(vec![
        FlatValue::Text(figure.label.clone()),
        figure.tier.map_or(FlatValue::Missing, |tier| FlatValue::Count(tier.into())),
        FlatValue::Count(figure.values.len() as u64),
        FlatValue::Number(figure.median),
        FlatValue::Text(serde_json::to_string(&figure.values)?),
        count(latency.and_then(|latency| latency.p50_ns)),
        count(latency.and_then(|latency| latency.p99_ns)),
    ])
}

fn whole(comparison: &Comparison) -> Result<Vec<FlatValue>, serde_json::Error> {
    let side = |side: &SideFacts| -> Result<[FlatValue; 2], serde_json::Error> {
        Ok([FlatValue::Text(side.selection.clone()), FlatValue::Text(serde_json::to_string(&side.configurations)?)])
    };
    let mut sessions = comparison.a.sessions.clone();
    for session in &comparison.b.sessions {
        if !sessions.contains(session) {
            sessions.push(session.clone());
        }
    }
    let rest = [
        FlatValue::Text(serde_json::to_string(&sessions)?),
        FlatValue::Text(serde_json::to_string(&doubt_messages(&comparison.doubts))?),
        FlatValue::Text(comparison.dbdyno_version.clone()),
        FlatValue::Text(comparison.command.clone()),
    ];
    Ok([&side(&comparison.a)?[..], &side(&comparison.b)?, &rest].concat())
}
