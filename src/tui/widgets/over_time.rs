//! A figure over time, such as throughput: one column for each stretch of time.

use crate::tui::widgets::paint::{Paint, width};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use ratatui::layout::Rect;

const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// The value of a figure in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    /// Its end, from the beginning, ns.
    pub(crate) end_ns: u64,
    /// Its length, ns.
    pub(crate) duration_ns: u64,
    pub(crate) value: f64,
}

/// A figure over the time of a test.
#[derive(Debug, Clone)]
pub(crate) struct OverTime<'t> {
    pub(crate) stretches: &'t [Stretch],
    pub(crate) span_ns: u64,
    /// The selected moment, with its text.
    pub(crate) moment: Option<(u64, String)>,
}

/// The least and greatest value of the stretches that touch a column. A column without stretches has none.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    least: f64,
    most: f64,
}

/// Returns the column that a moment is in.
fn column_of(ns: u64, span_ns: u64, width: usize) -> usize {
    ((ns as f64 / span_ns.max(1) as f64 * width as f64) as usize).min(width.saturating_sub(1))
}

/// Groups the stretches into columns of equal time. Each column keeps its least and greatest value, so that no stall and no peak is lost.
fn columns(stretches: &[Stretch], span_ns: u64, width: usize) -> Vec<Option<Bounds>> {
    let mut columns: Vec<Option<Bounds>> = vec![None; width];
    for stretch in stretches {
        let place = |ns: u64| column_of(ns, span_ns, width);
        let from = place(stretch.end_ns.saturating_sub(stretch.duration_ns));
        let to = place(stretch.end_ns.saturating_sub(1)).max(from);
        let value = stretch.value;
        for column in columns.iter_mut().take(to + 1).skip(from) {
            *column = Some(match column {
                None => Bounds { least: value, most: value },
                Some(known) => Bounds { least: known.least.min(value), most: known.most.max(value) },
            });
        }
    }
    columns
}

/// Paints a figure over its span: solid up to the least value of a column, shaded up to its greatest. `unit` formats the greatest value,
/// which is the height of the picture.
pub(crate) fn over_time(paint: &mut Paint<'_>, area: Rect, timed: &OverTime<'_>, unit: impl Fn(f64) -> String) {
    let OverTime { stretches, span_ns, ref moment } = *timed;
    if area.height < 2 || area.width < 12 {
        return;
    }
    let plot = Rect { height: area.height - 1, ..area };
    let room = usize::from(plot.width);
    let columns = columns(stretches, span_ns, room);
    let top = columns.iter().flatten().map(|column| column.most).fold(0.0, f64::max);
    if top <= 0.0 {
        paint.text(Rect { height: 1, ..area }, "no stretch of 100 ms has passed yet", Role::Dim);
        return;
    }
    let height = f64::from(plot.height);
    for (at, column) in columns.iter().enumerate() {
        let x = plot.x + at as u16;
        if let Some(column) = column {
            let (least, most) = (column.least / top * height, column.most / top * height);
            for level in 0..plot.height {
                let cell = Rect { x, y: plot.bottom() - 1 - level, width: 1, height: 1 };
                let full = (least - f64::from(level)).clamp(0.0, 1.0);
                if full > 0.0 {
                    paint.text(cell, EIGHTHS[((full * 8.0).round() as usize).max(1)], Role::Accent);
                } else if f64::from(level) < most {
                    paint.text(cell, "░", Role::Accent);
                }
            }
        }
    }
    let foot = Rect { y: area.bottom() - 1, height: 1, ..area };
    paint.text(foot, "0", Role::Dim);
    let span = units::duration(span_ns as f64);
    let until = moment.as_ref().map_or(0, |(ns, said)| {
        let column = column_of(*ns, span_ns, room);
        draw_moment(paint, plot, foot, column, said)
    });
    paint.right(Rect { height: 1, ..plot }, &format!(" {} ", unit(top)), Role::Dim);
    if until + width(&span) < room {
        paint.right(foot, &span, Role::Dim);
    }
}

/// Paints a line through the picture at a moment, with the text next to its lower end. Returns the columns used there.
fn draw_moment(paint: &mut Paint<'_>, plot: Rect, foot: Rect, column: usize, said: &str) -> usize {
    let x = plot.x + column as u16;
    let style = paint.style(Role::Focus);
    for y in plot.top()..plot.bottom() {
        let Some(cell) = paint.buffer.cell_mut((x, y)) else { continue };
        // A bar stays visible: the colour and the sign below mark its column.
        if cell.symbol() == " " {
            cell.set_char('│');
        }
        cell.set_style(style);
    }
    paint.text(Rect { x, width: 1, ..foot }, "▲", Role::Focus);
    let room = usize::from(foot.width) - column - 1;
    if room > width(said) {
        let after = Rect { x: x + 1, width: room as u16, ..foot };
        return column + 1 + usize::from(paint.text(after, &format!(" {said}"), Role::Focus));
    }
    let text = format!("{said} ");
    let taken = width(&text).min(column) as u16;
    paint.text(Rect { x: x - taken, width: taken, ..foot }, &text, Role::Focus);
    column + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(end: u64, value: f64) -> Stretch {
        Stretch { end_ns: end * 100, duration_ns: 100, value }
    }

    #[test]
    fn a_stall_between_fast_slots_is_kept() {
        let stretches: Vec<Stretch> = (1..=100).map(|at| stretch(at, if at == 50 { 0.0 } else { 10.0 })).collect();
        let columns = columns(&stretches, 10_000, 10);
        let stalled = columns.iter().flatten().filter(|column| column.least == 0.0).count();
        assert_eq!(stalled, 1);
        assert!(columns.iter().flatten().all(|column| column.most > 0.0));
    }

    #[test]
    fn one_slot_fills_its_time() {
        let all = columns(&[stretch(1, 5.0)], 100, 4);
        assert!(all.iter().all(Option::is_some), "one sample is drawn and not lost");
        assert_eq!(columns(&[], 0, 3), [None, None, None]);
    }
}
