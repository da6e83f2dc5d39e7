//! The current or last trial: the interval as it narrows, the verdict, and the price.

use super::{
    pane_of_view, role,
    scale::{RatioScale, ends},
};
use crate::tui::{
    screens::tune::{RoundFound, TuneScreen, WatchedTrial},
    widgets::{
        list::more_below,
        paint::{Paint, pad, piece, width, wrap},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{counted, duration, plain};
use dbdyno_reports::{
    comparison::{looks::OF_PAIRS, words::ratio},
    tune::{
        rows_of,
        words::{self, PriceLine},
    },
};
use dbdyno_running::tune::{TestEffect, Trial, TrialState};
use ratatui::layout::Rect;

/// Columns of a ratio's interval, `0.88-0.94`, and of `to round 12`.
const INTERVAL: usize = 11;

/// Paints a trial, if there is one.
pub(super) fn draw(
    paint: &mut Paint<'_>,
    area: Rect,
    tune: &TuneScreen,
    watched: Option<&WatchedTrial>,
    running: bool,
) {
    let Some(watched) = watched else {
        let inner = pane_of_view(paint, area, tune, &["What if?"], false);
        let text = "Change an option with Space and press Enter: base and change run in turns on fresh databases, and \
                    the interval of the gain narrows here.";
        paint.wrapped(inner, text, Role::Dim);
        return;
    };
    let [tests, shortly] = words::tests(&watched.trial);
    let change = &watched.trial.change;
    // A figure without its test would be taken for one about the engine.
    let titles =
        [format!("What if {change} · {tests}"), format!("{change} · {tests}"), format!("{change} · {shortly}")];
    let [whole, without_question, short] = titles.map(|title| plain(&title));
    let inner = pane_of_view(paint, area, tune, &[&whole, &without_question, &short], running);
    let mut left = inner;
    let mut next = |lines: u16| {
        let row = Rect { height: lines.min(left.height), ..left };
        left = Rect { y: left.y + row.height, height: left.height - row.height, ..left };
        row
    };
    draw_progress(paint, next(1), watched, running);
    let axis = scale(watched);
    draw_ends(paint, next(1), axis);
    let decides = watched.trial.state == TrialState::Tried;
    let columns = usize::from(inner.width);
    let price = match watched.effects.as_slice() {
        [only] if only.parts.is_empty() => {
            draw_effect(paint, next(1), only, axis, None, running);
            let style = if running || !decides { Role::Dim } else { role(only) };
            let verdict = plain(&said(only, running, decides));
            let lines = wrap(&verdict, columns).len();
            let place = next(lines as u16);
            paint.wrapped(place, &verdict, style);
            let times = if running { Vec::new() } else { times(&watched.trial, only) };
            for (text, role) in &times {
                paint.text(next(1), text, *role);
            }
            // The price is as important as the verdict, so rounds are shown only in the remaining room.
            let left = usize::from(inner.height).saturating_sub(3 + lines + times.len());
            let price = price_lines(&watched.trial, columns, left);
            let room = left.saturating_sub(price.len()).min(8);
            let from = watched.narrowing.len().saturating_sub(room);
            for found in watched.narrowing.iter().skip(from) {
                draw_round(paint, next(1), *found, axis);
            }
            price
        }
        several => {
            // They have at least half of the room.
            let height = usize::from(inner.height).saturating_sub(3);
            let price = price_lines(&watched.trial, columns, height / 2);
            let room = height.saturating_sub(price.len()).max(height / 2);
            let rows: Vec<_> = several.iter().flat_map(|effect| rows_of(effect.name.clone(), effect)).collect();
            for (name, effect) in rows.iter().take(room) {
                draw_effect(paint, next(1), effect, axis, Some(name), running || !decides);
            }
            if rows.len() > room {
                paint.text(next(1), &more_in_ledger(rows.len() - room), Role::Dim);
            }
            price
        }
    };
    paint.lines(left, &price, more_in_ledger);
}

/// Says how many lines the pane has no room for, and which key shows them.
fn more_in_ledger(hidden: usize) -> String {
    format!("{}: Enter in the ledger", more_below(hidden))
}

/// Returns the result of the only test: the ratio with its interval, and what it decides.
fn said(effect: &TestEffect, running: bool, decides: bool) -> String {
    match (running, decides, &effect.found) {
        (true, _, None) => "nothing is decided before the last round".to_owned(),
        (true, _, Some(_)) => {
            format!("ratio {} so far: nothing is decided before the last round", words::figures(effect))
        }
        (false, true, Some(_)) => format!("ratio {}", words::measured(effect)),
        (false, true, None) => words::verdict(effect),
        (false, false, Some(_)) => format!("ratio {} until it ended, which decides nothing", words::figures(effect)),
        (false, false, None) => "it decides nothing".to_owned(),
    }
}

/// Returns the median times of a trial and how sure its interval is, `medians 9.66 ms -> 5.22 ms · 98.9 % interval`, and that the ratio is
/// not that of these medians.
fn times(trial: &Trial, effect: &TestEffect) -> Vec<(String, Role)> {
    let (Some(base), Some(changed)) = (effect.base_ns, effect.changed_ns) else { return Vec::new() };
    let [base, changed] = [base, changed].map(duration);
    let level = words::confidence(trial).map_or_else(String::new, |level| format!(" · {level} interval"));
    let [of_pairs, _] = OF_PAIRS;
    let ratio = effect.found.as_ref().map(|_| (format!("ratio: {of_pairs}"), Role::Dim));
    [(format!("medians {base} -> {changed}{level}"), Role::Text)].into_iter().chain(ratio).collect()
}

fn draw_progress(paint: &mut Paint<'_>, row: Rect, watched: &WatchedTrial, running: bool) {
    let of = watched.trial.rounds;
    let text = match (&watched.trial.state, running) {
        (_, true) => {
            let whole = format!(" {}/{} · {}", watched.round, counted(of, "round"), watched.doing);
            let room = usize::from(row.width - row.width / 4);
            if width(&whole) <= room { whole } else { format!(" {}/{}", watched.round, counted(of, "round")) }
        }
        (TrialState::Tried, false) => {
            let looks = watched.trial.looks;
            let looks = if looks > 1 { format!(", {}", counted(looks, "look")) } else { String::new() };
            format!(" {}{looks}", counted(of, "round"))
        }
        (_, false) => format!(" {}", words::state(&watched.trial)),
    };
    let bar = Rect { width: row.width / 4, ..row };
    let role = if running { Role::Accent } else { Role::Good };
    paint.gauge(bar, f64::from(watched.round) / f64::from(of.max(1)), role);
    paint.text(Rect { x: bar.right(), width: row.width - bar.width, ..row }, &plain(&text), Role::Text);
}

/// Returns an axis that covers every interval so far.
fn scale(watched: &WatchedTrial) -> RatioScale {
    let ratios = watched.narrowing.iter().filter_map(|found| found.ratio);
    let intervals = watched.narrowing.iter().filter_map(|found| found.interval);
    let seen = ratios.chain(intervals.flat_map(|interval| [interval.low, interval.high]));
    let found = watched.effects.iter().flat_map(TestEffect::with_parts).filter_map(|effect| effect.found.as_ref());
    RatioScale::holding(seen.chain(found.flat_map(ends)))
}

fn bar_columns(row: Rect) -> usize {
    usize::from(row.width).saturating_sub(INTERVAL + 1)
}

fn draw_ends(paint: &mut Paint<'_>, row: Rect, axis: RatioScale) {
    let columns = bar_columns(row);
    let (faster, slower) =
        (format!("◂ {} faster", ratio((-axis.reach).exp())), format!("slower {} ▸", ratio(axis.reach.exp())));
    let gap = columns.saturating_sub(width(&faster) + width(&slower));
    paint.text(row, &format!("{faster}{}{slower}", " ".repeat(gap)), Role::Dim);
}

/// Paints an interval as a bar with its figures; if it is not the only one, also with its name and verdict.
fn draw_effect(
    paint: &mut Paint<'_>,
    row: Rect,
    effect: &TestEffect,
    axis: RatioScale,
    name: Option<&str>,
    undecided: bool,
) {
    let found = effect.found.as_ref();
    let (interval, ratio) = (found.and_then(|found| found.interval), found.map(|found| found.ratio));
    let role = if undecided { Role::Accent } else { role(effect) };
    let figures = format!(" {:>INTERVAL$}", words::shown_interval(effect));
    let Some(name) = name else {
        let bar = axis.bar(interval, ratio, bar_columns(row));
        paint.line(row, &[piece(bar, role), piece(figures, role)]);
        return;
    };
    let name = pad(&plain(name), 18.min(usize::from(row.width) / 3));
    let figures = format!(" {:>5}{figures}", words::shown_ratio(effect));
    // Nothing is decided before the last round, so figures up to then get no verdict.
    let verdict = if undecided { String::new() } else { format!(" {}", words::short_verdict(effect)) };
    let columns = usize::from(row.width).saturating_sub(width(&name) + width(&figures) + 16).max(6);
    let bar = axis.bar(interval, ratio, columns);
    paint.line(row, &[piece(name, Role::Text), piece(bar, role), piece(figures, role), piece(verdict, role)]);
}

/// Paints the ratio of all rounds up to one, with its interval if there are enough.
fn draw_round(paint: &mut Paint<'_>, row: Rect, found: RoundFound, axis: RatioScale) {
    let bar = axis.bar(found.interval, found.ratio, bar_columns(row));
    paint.line(row, &[piece(bar, Role::Ghost), piece(format!(" to round {}", found.round), Role::Dim)]);
}

/// Returns tier, memory, disk, side files and syncs, before and after the change, and its risks. If they take more than `most` lines, the
/// figures that stayed as they were are the last ones, by name only. If that is not enough, the tier has no reason.
fn price_lines(trial: &Trial, columns: usize, most: usize) -> Vec<(String, Role)> {
    let wrapped = |lines: Vec<(String, Role)>| -> Vec<(String, Role)> {
        let of_line =
            |(text, role): (String, Role)| wrap(&plain(&text), columns).into_iter().map(move |line| (line, role));
        lines.into_iter().flat_map(of_line).collect()
    };
    let lost = if trial.loses_durability() { Role::Warn } else { Role::Dim };
    let durability = |tiers: String| std::iter::once((format!("durability {tiers}"), lost));
    let figures: Vec<PriceLine> = trial.price.iter().flat_map(words::price).collect();
    let figure = |line: &PriceLine| (format!("{} {}", line.name, line.change), Role::Text);
    let risks = || trial.risks.iter().map(|risk| (format!("! {risk}"), Role::Warn));
    let whole = durability(words::durability(trial)).chain(figures.iter().map(figure)).chain(risks());
    let whole = wrapped(whole.collect());
    if whole.len() <= most {
        return whole;
    }
    let (same, changed): (Vec<PriceLine>, Vec<PriceLine>) = figures.into_iter().partition(|line| line.is_same);
    let names: Vec<&str> = same.iter().map(|line| line.name).collect();
    let as_before = (!names.is_empty()).then(|| (format!("as before: {}", names.join(", ")), Role::Dim));
    let compact = |tiers: String| {
        let lines = durability(tiers).chain(changed.iter().map(figure)).chain(risks()).chain(as_before.clone());
        wrapped(lines.collect())
    };
    let with_reason = compact(words::durability(trial));
    if with_reason.len() <= most { with_reason } else { compact(words::tiers(trial)) }
}
