//! The table of a publication's claims as text.

use super::{
    command::shell,
    format::{Format, WriteError},
};
use crate::{
    base::{
        grid::Grid,
        units::{counted, plain},
    },
    claims::{ClaimedDirection, ClaimsTable, JudgedClaim, JudgedComparison, Reproduction, RunOrigin},
};
use console::Alignment;
use std::fmt::Write as _;

/// How judged claims can be written.
pub const FORMATS: &[Format] = &[Format::Table, Format::Json];

/// Judged claims as text.
///
/// # Errors
/// Why they could not be written.
pub fn text(table: &ClaimsTable, format: Format) -> Result<String, WriteError> {
    match format {
        Format::Table => Ok(claims_table(table)),
        Format::Json => Ok(serde_json::to_string_pretty(table)? + "\n"),
        _ => Err(WriteError::Unsupported { asked: format, supported: FORMATS }),
    }
}

/// Claims beside measurements, with what to know about them. All of the publication is shown, measured or not.
fn claims_table(table: &ClaimsTable) -> String {
    with_comparisons(table, |comparisons| {
        comparisons.iter().map(|comparison| format!("\n{}", one(comparison))).collect()
    })
}

/// The same at the end of a bench: of comparisons of which nothing is measured, only what measures them.
pub fn closing_table(table: &ClaimsTable) -> String {
    with_comparisons(table, |comparisons| {
        let is_open = |comparison: &&JudgedComparison| {
            comparison.rows.iter().all(|row| row.reproduction == Reproduction::NotMeasured)
        };
        let (open, begun): (Vec<&JudgedComparison>, Vec<_>) = comparisons.iter().partition(is_open);
        let mut text: String = begun.into_iter().map(|comparison| format!("\n{}", one(comparison))).collect();
        if !open.is_empty() {
            text.push_str("\nnothing of these is measured yet\n");
            for comparison in open {
                let _ = writeln!(text, "  {}: {}", plain(&comparison.title), how_to_measure(comparison));
            }
        }
        text
    })
}

/// What stands around the comparisons of a publication.
fn with_comparisons(table: &ClaimsTable, comparisons: impl FnOnce(&[JudgedComparison]) -> String) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}\n{}: {}", plain(&table.title), plain(&table.source), plain(&table.setup));
    for caveat in &table.caveats {
        let _ = writeln!(text, "!  {}", plain(caveat));
    }
    text.push_str(&comparisons(&table.comparisons));
    let counts: Vec<String> = table
        .counts()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.words()))
        .collect();
    let _ = writeln!(text, "\n{}. Ratios are time A / time B: below 1 A is faster.", counts.join(", "));
    text
}

fn one(comparison: &JudgedComparison) -> String {
    let (runs_a, runs_b) = comparison.runs;
    let mut grid = Grid::new([Alignment::Left, Alignment::Left, Alignment::Left, Alignment::Left]);
    let here = match comparison.origin {
        RunOrigin::Measured => "here",
        RunOrigin::Imported => "imported",
    };
    grid.title(format!(
        "{} · A {} ({} {here}) · B {} ({} {here})",
        plain(&comparison.title),
        plain(&comparison.a_name),
        counted(runs_a, "run"),
        plain(&comparison.b_name),
        counted(runs_b, "run")
    ));
    grid.row(["test", "published", "measured", "verdict"].map(str::to_owned));
    for row in &comparison.rows {
        grid.row([name(row), published(row), measured(row), verdict(row)]);
    }
    let mut text = grid.render();
    for note in notes(comparison) {
        let _ = writeln!(text, "  !  {}", plain(&note));
    }
    let missing = comparison.origin == RunOrigin::Measured
        && (comparison.is_at_other_sizes()
            || comparison.rows.iter().any(|row| row.reproduction == Reproduction::NotMeasured));
    if missing {
        let _ = writeln!(text, "  {}", how_to_measure(comparison));
    }
    text
}

/// The command that measures a comparison, or what it is judged by if no preset measures it.
fn how_to_measure(comparison: &JudgedComparison) -> String {
    let (a, b) = (plain(&comparison.selections.0), plain(&comparison.selections.1));
    match measured_by(comparison) {
        Some(command) => format!("`{}` measures it", plain(&command)),
        None => format!("no preset measures it; it is judged by runs that match A `{a}` and B `{b}`"),
    }
}

/// What to know about a comparison: which of its claims have no direction, which runs it is judged by, and at which sizes.
pub(crate) fn notes(comparison: &JudgedComparison) -> Vec<String> {
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

/// The command that measures a comparison, at the published size where there is one only: presets have several themselves.
pub(crate) fn measured_by(comparison: &JudgedComparison) -> Option<String> {
    let mut words = vec!["dbdyno", "--preset", comparison.preset.as_ref()?];
    if let [size] = comparison.published_sizes.as_slice() {
        words.extend(["--size", size]);
    }
    Some(shell(words))
}

fn name(row: &JudgedClaim) -> String {
    let name = plain(&row.name);
    if row.test == row.name { format!("  {name}") } else { format!("  {} {name}", plain(&row.test)) }
}

/// The published ratio, with the figures of both sides where there are any.
pub(crate) fn published(row: &JudgedClaim) -> String {
    match &row.figures {
        Some((a, b)) => format!("{} ({} / {})", row.published, plain(a), plain(b)),
        None => row.published.clone(),
    }
}

/// The measured ratio with its interval, or `-`.
pub(crate) fn measured(row: &JudgedClaim) -> String {
    match row.measured {
        None => "-".to_owned(),
        Some(measured) => match measured.interval {
            Some((low, high)) => format!("{:.2}x [{low:.2}, {high:.2}]", measured.ratio),
            None => format!("{:.2}x, need >= 6 runs", measured.ratio),
        },
    }
}

/// The verdict with its sign, and what stood against comparing.
pub(crate) fn verdict(row: &JudgedClaim) -> String {
    let reproduction = row.reproduction;
    let obstacle = row.obstacle.as_ref().map(|obstacle| format!(": {}", plain(obstacle)));
    format!("{} {}{}", reproduction.sign(), reproduction.words(), obstacle.unwrap_or_default())
}
