//! Lines spread over two keys.

use super::{
    layout::by_size,
    load::Side,
    model::{Line, Pivot, PivotCell, PivotRow},
    options::Axis,
    sizes::{Rounds, counting},
};

/// Builds the pivot table of lines that were laid out for these keys.
pub(super) fn table(lines: &[Line], a: &Side, row: &Axis, column: &Axis) -> Pivot {
    let rounds = Rounds::of(a);
    let columns = values(lines, column);
    let rows = values(lines, row)
        .into_iter()
        .map(|value| {
            let of_row: Vec<&Line> = lines.iter().filter(|line| axis_value(line, row) == value).collect();
            let cells = columns
                .iter()
                .map(|column_value| {
                    cell(of_row.iter().copied().filter(|line| axis_value(line, column) == *column_value), &rounds)
                })
                .collect();
            PivotRow { value, cells }
        })
        .collect();
    Pivot { row: row.clone(), column: column.clone(), columns, rows }
}

/// Returns the values of a key over all lines: tests by number, other values in numeric order if they are numbers.
fn values(lines: &[Line], axis: &Axis) -> Vec<String> {
    let mut values: Vec<(u32, String)> =
        lines.iter().map(|line| (if *axis == Axis::Test { line.test } else { 0 }, axis_value(line, axis))).collect();
    values.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| by_size(&a.1, &b.1)));
    values.dedup();
    values.into_iter().map(|(_, value)| value).collect()
}

/// Returns the value of a key for a line that was laid out for it.
pub fn axis_value(line: &Line, axis: &Axis) -> String {
    match axis {
        Axis::Test => format!("{} {}", line.test, line.name),
        Axis::Size => line.size.clone(),
        axis => line.part.get(&axis.to_string()).cloned().unwrap_or_default(),
    }
}

fn cell<'l>(lines: impl Iterator<Item = &'l Line>, rounds: &Rounds) -> Option<PivotCell> {
    let (tests, actors): (Vec<&Line>, Vec<&Line>) = lines.partition(|line| line.actor.is_none());
    let lines = if tests.is_empty() { actors } else { tests };
    if let [only] = lines.as_slice() {
        let found = only.found.as_ref();
        let (ratio, interval) = (found.map(|found| found.ratio), found.and_then(|found| found.interval));
        let left_out = usize::from(found.is_none());
        return Some(PivotCell { ratio, interval, lines: 1, left_out, verdict: found.map(|found| found.verdict) });
    }
    let [found, left_out] = counting(lines.iter().copied());
    let (ratio, interval) = rounds.geometric(&found);
    let (lines, left_out) = (lines.len(), left_out.len());
    (lines > 0).then_some(PivotCell { ratio, interval, lines, left_out, verdict: None })
}
