//! A text chart of a figure over sessions: a point for each session, the levels or the drift behind them, and a numbered line where the
//! level changes.

use super::pane;
use crate::tui::widgets::{
    Target,
    paint::{Paint, width},
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{TrendChange, TrendSeries};
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::median;
use jiff::{civil::DateTime, tz::TimeZone};
use ratatui::layout::Rect;

/// Columns for the labels.
const AXIS: u16 = 10;
/// Rows below which the chart is unreadable.
const LEAST: u16 = 4;

/// The positions of sessions and values in a chart.
#[derive(Debug, Clone, PartialEq)]
struct TrendScale {
    least: f64,
    most: f64,
    rows: u16,
    /// The column of each session, from the left.
    columns: Vec<u16>,
}

impl TrendScale {
    /// Returns the scale of values at moments in seconds, which are in order. Without different moments, sessions are equally far apart.
    fn new(values: &[f64], moments: &[Option<f64>], columns: u16, rows: u16) -> Self {
        let known: Option<Vec<f64>> = moments.iter().copied().collect();
        let known = known.filter(|known| known.last() > known.first());
        let places = known.unwrap_or_else(|| (0..values.len()).map(|at| at as f64).collect());
        let (first, last) = (places.first().copied().unwrap_or(0.0), places.last().copied().unwrap_or(0.0));
        let share = |place: &f64| if last > first { (place - first) / (last - first) } else { 0.0 };
        let column = |place: &f64| (share(place) * f64::from(columns.saturating_sub(1))).round() as u16;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { least, most, rows, columns: places.iter().map(column).collect() }
    }

    /// Returns the column of a session, from the left.
    fn column(&self, session: usize) -> u16 {
        self.columns.get(session).copied().unwrap_or(0)
    }

    /// Returns the row of a value, from the top; the middle if all values are equal.
    fn row(&self, value: f64) -> u16 {
        let last = f64::from(self.rows.saturating_sub(1));
        let share = if self.most > self.least { (self.most - value) / (self.most - self.least) } else { 0.5 };
        (last * share).round().clamp(0.0, last) as u16
    }
}

/// Returns the roles of a series' changes and drift; their descriptions state the direction too.
pub(super) fn roles(series: &TrendSeries) -> impl Iterator<Item = Role> {
    series.changes.iter().map(role).chain(series.drift.map(|drift| of_direction(drift.better)))
}

fn role(change: &TrendChange) -> Role {
    of_direction(change.better)
}

fn of_direction(better: Option<bool>) -> Role {
    match better {
        Some(true) => Role::Good,
        Some(false) => Role::Bad,
        None => Role::Warn,
    }
}

/// Paints a series, with the session under the cursor.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, series: &TrendSeries, metric: Metric, session: usize) {
    let values: Vec<f64> = series.points.iter().map(|point| point.median).collect();
    if area.height < LEAST || area.width <= AXIS * 2 || values.is_empty() {
        return;
    }
    // The numbers of changes are above the plot, the start times of the first and the last session below it.
    let plot = Rect { x: area.x + AXIS, y: area.y + 1, width: area.width - AXIS, height: area.height - 2 };
    let moments: Vec<Option<f64>> = series.points.iter().map(|point| seconds(&point.started_at)).collect();
    let scale = &TrendScale::new(&values, &moments, plot.width, plot.height);
    let label = |row: u16| Rect { y: plot.y + row, width: AXIS - 1, height: 1, ..area };
    paint.right(label(scale.row(scale.most)), &metric.shown(scale.most), Role::Dim);
    if scale.most > scale.least {
        paint.right(label(scale.row(scale.least)), &metric.shown(scale.least), Role::Dim);
    }
    draw_levels(paint, plot, scale, series, &values);
    for (number, change) in (1..).zip(&series.changes) {
        let x = plot.x + boundary(scale, change.at);
        for y in plot.top()..plot.bottom() {
            paint.text(Rect { x, y, width: 1, height: 1 }, "│", role(change));
        }
        let sign = if change.ratio > 1.0 { "▲" } else { "▼" };
        let text = format!("{number}{sign}");
        let place = Rect { x, y: area.y, width: (width(&text) as u16).min(area.right() - x), height: 1 };
        paint.text(place, &text, role(change));
    }
    // Sessions of one column cover each other, but never the one under the cursor.
    let in_order = values.iter().enumerate().filter(|(at, _)| *at != session);
    for (at, value) in in_order.chain(values.iter().enumerate().filter(|(at, _)| *at == session)) {
        let x = plot.x + scale.column(at);
        let place = Rect { x, y: plot.y + scale.row(*value), width: 1, height: 1 };
        let (sign, role) = if at == session { ("◆", Role::Focus) } else { ("●", Role::Accent) };
        paint.text(place, sign, role);
        paint.hit(Rect { x, y: plot.y, width: 1, height: plot.height }, Target::Spot { pane: pane::SESSIONS, row: at });
    }
    let foot = Rect { x: plot.x, y: plot.bottom(), width: plot.width, height: 1 };
    let day = |at: Option<&dbdyno_comparing::compare::TrendPoint>| {
        at.map_or("", |point| point.started_at.get(..10).unwrap_or(&point.started_at)).to_owned()
    };
    paint.text(foot, &day(series.points.first()), Role::Dim);
    if values.len() > 1 {
        paint.right(foot, &day(series.points.last()), Role::Dim);
    }
}

/// Returns the seconds of a start in UTC since 1970; none if it is not known.
fn seconds(started_at: &str) -> Option<f64> {
    let moment: DateTime = started_at.replacen(' ', "T", 1).parse().ok()?;
    Some(moment.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() as f64)
}

/// Returns the column before the first session of a level.
fn boundary(scale: &TrendScale, at: usize) -> u16 {
    let here = scale.column(at);
    let before = at.checked_sub(1).map_or(0, |before| scale.column(before));
    before + (here - before).div_ceil(2).max(u16::from(here > before + 1)).min(here - before)
}

/// Paints the median of each level as a dotted line over its sessions, or the line of a drift with a dot for each session.
fn draw_levels(paint: &mut Paint<'_>, plot: Rect, scale: &TrendScale, series: &TrendSeries, values: &[f64]) {
    if let Some(drift) = series.drift {
        let last = values.len().saturating_sub(1).max(1) as f64;
        for at in 0..values.len() {
            let value = drift.from + (drift.to - drift.from) * at as f64 / last;
            let place = Rect { x: plot.x + scale.column(at), y: plot.y + scale.row(value), width: 1, height: 1 };
            paint.text(place, "┄", Role::Ghost);
        }
        return;
    }
    let places = || series.changes.iter().map(|change| change.at);
    let begins = std::iter::once(0).chain(places());
    for (begin, end) in begins.zip(places().chain([values.len()])) {
        let Ok(level) = median(&values[begin..end]) else { continue };
        let (from, to) = (scale.column(begin), scale.column(end - 1));
        let line = Rect { x: plot.x + from, y: plot.y + scale.row(level), width: to - from + 1, height: 1 };
        paint.text(line, &"┄".repeat(usize::from(line.width)), Role::Ghost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_a_place_however_many_there_are() {
        for sessions in [1, 2, 7, 66, 67, 500] {
            let values: Vec<f64> = (0..sessions).map(|at| at as f64).collect();
            let scale = TrendScale::new(&values, &vec![None; sessions], 66, 9);
            let columns: Vec<u16> = (0..sessions).map(|at| scale.column(at)).collect();
            assert!(columns.is_sorted() && columns.iter().all(|column| *column < 66), "{sessions}: {columns:?}");
            assert_eq!(
                (scale.row(0.0), scale.row(scale.most)),
                (if sessions > 1 { 8 } else { 4 }, if sessions > 1 { 0 } else { 4 })
            );
        }
    }

    #[test]
    fn a_change_stands_between_two_levels_where_there_is_room() {
        let scale = &TrendScale::new(&[1.0; 10], &[None; 10], 60, 5);
        assert!(scale.column(3) < boundary(scale, 4) && boundary(scale, 4) < scale.column(4));
        let dense = &TrendScale::new(&[1.0; 60], &[None; 60], 60, 5);
        assert_eq!(boundary(dense, 4), dense.column(4));
    }

    #[test]
    fn sessions_stand_at_their_time_and_the_last_at_the_right_edge() {
        let day = |day: u32| seconds(&format!("2026-11-{day:02} 12:00:00.25"));
        let scale = TrendScale::new(&[1.0; 4], &[day(1), day(2), day(3), day(21)], 81, 5);
        assert_eq!(scale.columns, [0, 4, 8, 80]);
        assert_eq!(TrendScale::new(&[1.0], &[day(1)], 81, 5).columns, [0]);
        assert_eq!(seconds("somewhen"), None);
    }
}
