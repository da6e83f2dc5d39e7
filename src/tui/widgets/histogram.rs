//! Latencies on a logarithmic scale: one bar for each power of two.

use crate::tui::widgets::paint::{Paint, pad, piece, rows};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use hdrhistogram::Histogram;
use ratatui::layout::Rect;

/// Counts samples by power of two: `counts[k]` have a latency from 2^k to 2^(k+1) - 1 ns; the first has 0 too.
pub(crate) fn octaves(latencies: &Histogram<u64>) -> Vec<u64> {
    let mut counts = Vec::new();
    for value in latencies.iter_recorded() {
        let at = value.value_iterated_to().max(1).ilog2() as usize;
        if counts.len() <= at {
            counts.resize(at + 1, 0);
        }
        counts[at] += value.count_at_value();
    }
    counts
}

/// Paints a histogram; the rows are the powers of two from the fastest to the slowest. If there are more powers than rows, the slowest are
/// merged in the last row, and its label shows this.
pub(crate) fn histogram(paint: &mut Paint<'_>, area: Rect, latencies: &Histogram<u64>, role: Role) {
    const LABEL: usize = 9;
    let counts = octaves(latencies);
    let Some(first) = counts.iter().position(|count| *count > 0) else {
        paint.text(Rect { height: 1, ..area }, "no operation is timed yet", Role::Dim);
        return;
    };
    let height = usize::from(area.height).max(1);
    let mut shown: Vec<(String, u64)> = Vec::new();
    for (at, &count) in counts.iter().enumerate().skip(first) {
        let from = units::duration((1_u64 << at) as f64);
        if shown.len() < height {
            shown.push((from, count));
        } else if let Some((label, last)) = shown.last_mut() {
            if !label.starts_with('≥') {
                *label = format!("≥{}", units::duration((1_u64 << (at - 1)) as f64));
            }
            *last += count;
        }
    }
    let most = shown.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let all: u64 = counts.iter().sum();
    let share_of = |count: u64| match count as f64 / all.max(1) as f64 * 100.0 {
        percent if count > 0 && percent < 0.1 => format!(" {}", units::count(count)),
        percent if count > 0 => format!(" {percent:.1} %"),
        _ => String::new(),
    };
    for ((label, count), row) in shown.iter().zip(rows(area)) {
        let pieces = [piece(format!("{}{label} ", " ".repeat(LABEL.saturating_sub(label.chars().count()))), Role::Dim)];
        let taken = paint.line(row, &pieces);
        let share = share_of(*count);
        let room = row.width.saturating_sub(taken + 8);
        let bar = Rect { x: row.x + taken, width: room, ..row };
        // A latency that occurred is visible, however rare.
        let length = (*count as f64 / most as f64).max(if *count > 0 { 0.125 / f64::from(room.max(1)) } else { 0.0 });
        paint.bar(bar, length, role);
        let end = bar.x + (length * f64::from(room)).ceil() as u16;
        let after = Rect { x: end.min(bar.right()), width: 8.min(row.right().saturating_sub(end)), ..row };
        paint.text(after, &pad(&share, usize::from(after.width)), Role::Dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::histogram::empty;

    #[test]
    fn every_sample_is_in_the_octave_of_its_latency() {
        let mut latencies = empty();
        for ns in [1, 2, 3, 4, 1000, 1023, 1024] {
            latencies.saturating_record(ns);
        }
        let counts = octaves(&latencies);
        assert_eq!((counts[0], counts[1], counts[2], counts[9], counts[10]), (1, 2, 1, 2, 1));
    }
}
