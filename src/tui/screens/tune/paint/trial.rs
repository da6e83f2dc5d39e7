//! The trial under way or last: the interval as it narrows, the verdict, and the price.

use super::role;
use crate::{
    base::units::plain,
    catalog::Role,
    compare::RatioRange,
    report::{comparison::words::ratio, tune::words},
    tui::{
        screens::tune::{TuneScreen, WatchedTrial},
        widgets::paint::{Paint, pad, piece, width, wrap},
    },
    tune::{TestEffect, TrialState},
};
use ratatui::layout::Rect;

/// Columns of a ratio with its interval: `0.88-0.94`.
const INTERVAL: usize = 10;

/// Paints the trial.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen) {
    let Some(watched) = &tune.watched else {
        let inner = paint.pane(area, "What if?", false);
        let text = "Change an option with Space and press Enter: base and change run in turns on fresh databases, and \
                    the interval of what it gains narrows here.";
        paint.wrapped(inner, text, Role::Dim);
        return;
    };
    let title = format!("What if {}", watched.trial.change);
    let inner = paint.pane(area, &plain(&title), tune.running);
    let mut left = inner;
    let mut next = |lines: u16| {
        let row = Rect { height: lines.min(left.height), ..left };
        left = Rect { y: left.y + row.height, height: left.height - row.height, ..left };
        row
    };
    draw_progress(paint, next(1), watched, tune.running);
    let axis = RatioScale::for_trial(watched);
    draw_ends(paint, next(1), axis);
    let price = prices(watched);
    let lines_of = |text: &str| wrap(&plain(text), usize::from(inner.width)).len();
    // The price is the answer's other half: rounds are shown where it leaves room.
    let priced: usize = price.iter().map(|(text, _)| lines_of(text)).sum();
    match watched.effects.as_slice() {
        [only] => {
            draw_effect(paint, next(1), only, axis, false, tune.running);
            let verdict =
                if tune.running { "nothing is decided before the last round".to_owned() } else { words::verdict(only) };
            let style = if tune.running { Role::Dim } else { role(only) };
            paint.text(next(1), &plain(&verdict), style);
            let room = usize::from(inner.height).saturating_sub(4 + priced).min(8);
            let from = watched.narrowing.len().saturating_sub(room);
            for (round, interval) in watched.narrowing.iter().skip(from) {
                draw_round(paint, next(1), *round, *interval, axis);
            }
        }
        several => {
            let room = usize::from(inner.height).saturating_sub(3 + priced).max(1);
            for effect in several.iter().take(room) {
                draw_effect(paint, next(1), effect, axis, true, tune.running);
            }
            if several.len() > room {
                paint.text(next(1), &format!("and {} more tests: the export has all", several.len() - room), Role::Dim);
            }
        }
    }
    for (text, role) in price {
        let place = next(lines_of(&text) as u16);
        paint.wrapped(place, &text, role);
    }
}

fn draw_progress(paint: &mut Paint<'_>, row: Rect, watched: &WatchedTrial, running: bool) {
    let of = watched.trial.rounds;
    let text = match (&watched.trial.state, running) {
        (_, true) => {
            let whole = format!(" {}/{of} rounds · {}", watched.round, watched.doing);
            let room = usize::from(row.width - row.width / 4);
            if width(&whole) <= room { whole } else { format!(" {}/{of} rounds", watched.round) }
        }
        (TrialState::Tried, false) => format!(" {of} rounds, looked at {}x", watched.trial.looks),
        (_, false) => format!(" {}", words::state(&watched.trial)),
    };
    let bar = Rect { width: row.width / 4, ..row };
    let role = if running { Role::Accent } else { Role::Good };
    paint.gauge(bar, f64::from(watched.round) / f64::from(of.max(1)), role);
    paint.text(Rect { x: bar.right(), width: row.width - bar.width, ..row }, &plain(&text), Role::Text);
}

/// A log axis around 1 that holds every interval seen.
#[derive(Debug, Clone, Copy)]
struct RatioScale {
    /// The natural logarithm of the ratio at the right end; the left end is its reciprocal.
    reach: f64,
}

impl RatioScale {
    fn for_trial(watched: &WatchedTrial) -> Self {
        let ends = watched.narrowing.iter().filter_map(|(_, interval)| *interval);
        let effects = watched.effects.iter().filter_map(|effect| effect.found.as_ref());
        let of_effects = effects.clone().filter_map(|found| found.interval);
        let reach = ends
            .chain(of_effects)
            .flat_map(|interval| [interval.low, interval.high])
            .chain(effects.map(|found| found.ratio))
            .map(|ratio| ratio.ln().abs())
            .filter(|reach| reach.is_finite())
            .fold(0.05, f64::max);
        Self { reach: reach * 1.05 }
    }

    /// The column of a ratio in a bar of so many.
    fn column(self, ratio: f64, columns: usize) -> usize {
        let last = columns.saturating_sub(1) as f64;
        ((ratio.ln() / self.reach + 1.0) / 2.0 * last).round().clamp(0.0, last) as usize
    }

    /// The interval as a bar: a line at 1, the ends, and the point.
    fn bar(self, interval: Option<RatioRange>, ratio: Option<f64>, columns: usize) -> String {
        let mut cells = vec![' '; columns];
        if let Some(one) = cells.get_mut(self.column(1.0, columns)) {
            *one = '│';
        }
        if let Some(interval) = interval {
            let (low, high) = (self.column(interval.low, columns), self.column(interval.high, columns));
            cells[low..=high].fill('━');
        }
        if let Some(ratio) = ratio {
            cells[self.column(ratio, columns)] = '◆';
        }
        cells.into_iter().collect()
    }
}

fn bar_columns(row: Rect) -> usize {
    usize::from(row.width).saturating_sub(INTERVAL + 1)
}

fn draw_ends(paint: &mut Paint<'_>, row: Rect, axis: RatioScale) {
    let columns = bar_columns(row);
    let (faster, slower) = (format!("◂ {} faster", ratio((-axis.reach).exp())), "slower ▸");
    let gap = columns.saturating_sub(width(&faster) + width(slower));
    paint.text(row, &format!("{faster}{}{slower}", " ".repeat(gap)), Role::Dim);
}

/// A test's interval as a bar with its figures; its name and verdict too where there are several tests.
fn draw_effect(paint: &mut Paint<'_>, row: Rect, effect: &TestEffect, axis: RatioScale, several: bool, running: bool) {
    let found = effect.found.as_ref();
    let (interval, ratio) = (found.and_then(|found| found.interval), found.map(|found| found.ratio));
    let role = if running { Role::Accent } else { role(effect) };
    let figures = format!(" {:>INTERVAL$}", words::shown_interval(effect));
    if !several {
        let bar = axis.bar(interval, ratio, bar_columns(row));
        paint.line(row, &[piece(bar, role), piece(figures, role)]);
        return;
    }
    let name = pad(&plain(&effect.name), 18.min(usize::from(row.width) / 3));
    // What the figures say before the last round decides nothing.
    let verdict = if running { String::new() } else { format!(" {}", words::short_verdict(effect)) };
    let columns = usize::from(row.width).saturating_sub(width(&name) + width(&figures) + 16).max(6);
    let bar = axis.bar(interval, ratio, columns);
    paint.line(row, &[piece(name, Role::Text), piece(bar, role), piece(figures, role), piece(verdict, role)]);
}

fn draw_round(paint: &mut Paint<'_>, row: Rect, round: u32, interval: Option<RatioRange>, axis: RatioScale) {
    let bar = axis.bar(interval, None, bar_columns(row));
    paint.line(row, &[piece(bar, Role::Ghost), piece(format!(" round {round}"), Role::Dim)]);
}

/// Tier, memory, disk, side files, syncs: before and after.
fn prices(watched: &WatchedTrial) -> Vec<(String, Role)> {
    let trial = &watched.trial;
    let lost = if trial.loses_durability() { Role::Warn } else { Role::Dim };
    let mut lines = vec![(format!("durability {}", words::durability(trial)), lost)];
    if let Some(price) = &trial.price {
        lines.extend(words::price(price).map(|(name, change)| (format!("{name} {change}"), Role::Text)));
    }
    lines.extend(trial.risks.iter().map(|risk| (format!("! {risk}"), Role::Warn)));
    lines
}
