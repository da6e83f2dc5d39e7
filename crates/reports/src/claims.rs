//! A publication's claims next to measurements as a sheet, and the words that the screens share with it.

use super::{
    command::shell,
    sheet::{Cell, Column, ColumnRole, Row, Section, Sheet, Table, TableStyle, text},
};
use dbdyno_comparing::claims::{ClaimedDirection, ClaimsTable, JudgedClaim, JudgedComparison, Reproduction, RunOrigin};
use dbdyno_foundation::base::units::counted;

/// Builds the sheet of all claims of the publication, measured or not, with notes on them. `command`: the command that requested it.
pub fn sheet(table: &ClaimsTable, command: &str) -> Sheet {
    with_comparisons(table, command, table.comparisons.iter().map(section).collect())
}

/// Builds the text for the end of a bench. For comparisons without measurements it shows only the command that measures them.
pub fn closing_text(table: &ClaimsTable) -> String {
    let is_open = |comparison: &&JudgedComparison| {
        comparison.rows.iter().all(|row| row.reproduction == Reproduction::NotMeasured)
    };
    let (open, begun): (Vec<&JudgedComparison>, Vec<_>) = table.comparisons.iter().partition(is_open);
    let mut sections: Vec<Section> = begun.into_iter().map(section).collect();
    if !open.is_empty() {
        let lines = open.iter().map(|comparison| format!("  {}: {}", comparison.title, how_to_measure(comparison)));
        sections.push(Section {
            heading: Some("not measured yet".to_owned()),
            after: lines.collect(),
            ..Section::default()
        });
    }
    text(&with_comparisons(table, "", sections), TableStyle::FILE)
}

/// Adds title, source and caveats to the comparisons of a publication.
fn with_comparisons(table: &ClaimsTable, command: &str, comparisons: Vec<Section>) -> Sheet {
    let caveats = table.caveats.iter().map(|caveat| format!("!  {caveat}"));
    let first = Section {
        heading: Some(table.title.clone()),
        before: [format!("{}: {}", table.source, table.setup)].into_iter().chain(caveats).collect(),
        ..Section::default()
    };
    let counts = table.counts().into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(kind, count)| format!("{count} {}", kind.words())).collect();
    let last = format!("{}. Ratios are time A / time B: below 1 A is faster.", counts.join(", "));
    Sheet {
        title: table.title.clone(),
        sections: [first].into_iter().chain(comparisons).chain([Section::lines(vec![last])]).collect(),
        records: Some(records(table)),
        command: command.to_owned(),
    }
}

fn section(comparison: &JudgedComparison) -> Section {
    let (runs_a, runs_b) = comparison.runs;
    let here = match comparison.origin {
        RunOrigin::Measured => "here",
        RunOrigin::Imported => "imported",
    };
    let heading = format!(
        "{} · A {} ({} {here}) · B {} ({} {here})",
        comparison.title,
        comparison.a_name,
        counted(runs_a, "run"),
        comparison.b_name,
        counted(runs_b, "run")
    );
    let columns = [
        ("test", ColumnRole::Name),
        ("published", ColumnRole::Figure),
        ("measured", ColumnRole::Figure),
        ("verdict", ColumnRole::Verdict),
    ];
    let row = |row: &JudgedClaim| {
        Row::Cells([name(row), published(row), measured(row), verdict(row)].map(Cell::new).to_vec())
    };
    let missing = comparison.origin == RunOrigin::Measured
        && (comparison.is_at_other_sizes()
            || comparison.rows.iter().any(|row| row.reproduction == Reproduction::NotMeasured));
    let notes = notes(comparison).into_iter().map(|note| format!("  !  {note}"));
    Section {
        heading: Some(heading),
        table: Some(Table {
            columns: Column::all(columns.map(|(name, role)| (name, name, role))),
            rows: comparison.rows.iter().map(row).collect(),
            is_headed: true,
            indent: 2,
        }),
        after: notes.chain(missing.then(|| format!("  {}", how_to_measure(comparison)))).collect(),
        ..Section::default()
    }
}

/// Builds a record for each claim.
fn records(table: &ClaimsTable) -> Table {
    const COLUMNS: [&str; 16] = [
        "claims",
        "comparison",
        "origin",
        "a",
        "b",
        "test",
        "name",
        "published",
        "published_a",
        "published_b",
        "ratio",
        "low",
        "high",
        "verdict",
        "obstacle",
        "measured_by",
    ];
    let record = |comparison: &JudgedComparison, claim: &JudgedClaim| {
        let interval = claim.measured.and_then(|measured| measured.interval);
        let (a, b) = claim.figures.clone().unwrap_or_default();
        let origin = match comparison.origin {
            RunOrigin::Measured => "measured",
            RunOrigin::Imported => "imported",
        };
        Row::Cells(vec![
            Cell::new(&table.name),
            Cell::new(&comparison.title),
            Cell::new(origin),
            Cell::new(&comparison.selections.0),
            Cell::new(&comparison.selections.1),
            Cell::new(&claim.test),
            Cell::new(&claim.name),
            Cell::new(&claim.published),
            Cell::new(a),
            Cell::new(b),
            Cell::number(claim.measured.map(|measured| measured.ratio)),
            Cell::number(interval.map(|(low, _)| low)),
            Cell::number(interval.map(|(_, high)| high)),
            Cell::new(claim.reproduction.words()),
            Cell::new(claim.obstacle.clone().unwrap_or_default()),
            Cell::new(measured_by(comparison).unwrap_or_default()),
        ])
    };
    let of_comparison =
        |comparison: &JudgedComparison| comparison.rows.iter().map(|row| record(comparison, row)).collect::<Vec<_>>();
    Table::records(COLUMNS, table.comparisons.iter().flat_map(of_comparison))
}

/// Returns the command that measures a comparison, or the selections that it is judged by if no preset measures it.
fn how_to_measure(comparison: &JudgedComparison) -> String {
    let (a, b) = &comparison.selections;
    match measured_by(comparison) {
        Some(command) => format!("`{command}` measures it"),
        None => format!("no preset measures it; it is judged by runs that match A `{a}` and B `{b}`"),
    }
}

/// Returns the notes on a comparison: which of its claims have no direction, which runs it is judged by, and at which sizes.
pub fn notes(comparison: &JudgedComparison) -> Vec<String> {
    let JudgedComparison { others: (of_a, of_b), selections: (a, b), unclaimed, measured_sizes, .. } = comparison;
    let mut notes = Vec::new();
    let has_no_direction = |row: &&JudgedClaim| row.direction == ClaimedDirection::Neither && row.has_range;
    let open: Vec<&str> = comparison.rows.iter().filter(has_no_direction).map(|row| row.test.as_str()).collect();
    if !open.is_empty() {
        notes.push(format!("the published range includes 1, so no direction is claimed: {}", open.join(", ")));
    }
    if of_a + of_b > 0 {
        let also = format!("{} of A, {} of B", counted(*of_a, "configuration"), counted(*of_b, "configuration"));
        notes.push(format!("judged by A `{a}`, B `{b}`; others match too: {also}"));
    }
    if !unclaimed.is_empty() {
        notes.push(format!("options that the claim does not name: {}", unclaimed.join(", ")));
    }
    let published = comparison.published_sizes.join(", ");
    if comparison.is_at_other_sizes() {
        let here = measured_sizes.join(", ");
        notes.push(format!("measured at size {here}, published at {published}: only the direction can be judged"));
    } else if !comparison.other_sizes.is_empty() {
        let others = comparison.other_sizes.join(", ");
        notes.push(format!("published at size {published}; also measured at {others}, which is not judged"));
    }
    notes
}

/// Returns the command that measures a comparison. Names the published size if there is only one: presets have several themselves.
pub fn measured_by(comparison: &JudgedComparison) -> Option<String> {
    let mut words = vec!["dbdyno", "--preset", comparison.preset.as_ref()?];
    if let [size] = comparison.published_sizes.as_slice() {
        words.extend(["--size", size]);
    }
    Some(shell(words))
}

fn name(row: &JudgedClaim) -> String {
    let JudgedClaim { test, name, .. } = row;
    if test == name { name.clone() } else { format!("{test} {name}") }
}

/// Formats the published ratio, with the figures of both sides if there are any.
pub fn published(row: &JudgedClaim) -> String {
    match &row.figures {
        Some((a, b)) => format!("{} ({a} / {b})", row.published),
        None => row.published.clone(),
    }
}

/// Formats the measured ratio with its interval, or `-`.
pub fn measured(row: &JudgedClaim) -> String {
    match row.measured {
        None => "-".to_owned(),
        Some(measured) => match measured.interval {
            Some((low, high)) => format!("{:.2}x [{low:.2}, {high:.2}]", measured.ratio),
            None => format!("{:.2}x, need >= 6 runs", measured.ratio),
        },
    }
}

/// Formats the verdict with its sign, and the obstacle to comparing.
pub fn verdict(row: &JudgedClaim) -> String {
    let reproduction = row.reproduction;
    let obstacle = row.obstacle.as_ref().map(|obstacle| format!(": {obstacle}"));
    format!("{} {}{}", reproduction.sign(), reproduction.words(), obstacle.unwrap_or_default())
}
