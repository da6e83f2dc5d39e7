//! The importance of each option: each value compared with its option's first, as figures and as a bar.

use super::{
    pane_of_view,
    scale::{RatioScale, ends},
};
use crate::tui::{
    screens::tune::TuneScreen,
    widgets::paint::{Paint, fit, pad, piece, rows, width, wrap},
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::JudgedRatio;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::{
    comparison::words::{interval, ratio},
    tune::effects_words as words,
};
use dbdyno_running::tune::effects::{Factor, GridEffects, RankedConfiguration, ValueEffect};
use dbdyno_stats::Verdict;
use ratatui::layout::Rect;

/// Columns of a ratio, of an interval and of a count of pairs.
const FIGURES: [usize; 3] = [6, 12, 10];

/// A line of the view.
pub(crate) enum EffectsLine<'e> {
    Text(String, Role),
    /// A value of an option, compared with its first.
    Value(&'e Factor, &'e ValueEffect),
    /// A configuration, with its rank.
    Ranked(usize, &'e RankedConfiguration),
}

/// Maximum width of a text. It is the same in every terminal, so that the number of lines to scroll is too.
const TEXT: usize = 76;

/// Returns all lines of the view.
pub(crate) fn effects_lines(found: &GridEffects) -> Vec<EffectsLine<'_>> {
    let text = |text: &str, role| wrap(&plain(text), TEXT).into_iter().map(move |line| EffectsLine::Text(line, role));
    let mut lines: Vec<EffectsLine<'_>> = text(&words::what(found), Role::Dim).collect();
    for factor in &found.factors {
        let role = if factor.shown { Role::Accent } else { Role::Text };
        lines.extend(text(&words::headline(factor), role));
        lines.extend(factor.effects.iter().map(|effect| EffectsLine::Value(factor, effect)));
    }
    lines.extend(words::interactions(found).iter().flat_map(|line| text(line, Role::Text)));
    lines.extend(text("best of each tier (partly lucky: confirm it with a trial)", Role::Title));
    lines.extend(words::best(found).iter().flat_map(|line| text(&format!("  {line}"), Role::Text)));
    lines.extend(text("ranking (time / time of the fastest)", Role::Title));
    lines.extend((1..).zip(&found.ranked).map(|(place, one)| EffectsLine::Ranked(place, one)));
    lines
}

/// Paints the view.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen) {
    let Some(found) = tune.effects.as_deref() else { return };
    let inner = pane_of_view(paint, area, tune, &[&words::title(found)], true);
    let all = found.factors.iter().flat_map(|factor| &factor.effects).filter_map(|effect| effect.found.as_ref());
    let axis = RatioScale::holding(all.flat_map(ends));
    let slowest = found.ranked.iter().map(|one| one.ratio).fold(1.1, f64::max);
    let lines = effects_lines(found);
    let name = lines.iter().map(name_width).max().unwrap_or(0).min(usize::from(inner.width) / 3);
    let last = lines.len().saturating_sub(usize::from(inner.height));
    for (line, row) in lines.iter().skip(tune.scrolled.at.min(last)).zip(rows(inner)) {
        match line {
            EffectsLine::Text(text, role) => {
                paint.text(row, text, *role);
            }
            EffectsLine::Value(factor, effect) => draw_value(paint, row, &title(factor, effect), name, effect, axis),
            EffectsLine::Ranked(place, one) => draw_ranked(paint, row, *place, one, slowest),
        }
    }
}

fn title(factor: &Factor, effect: &ValueEffect) -> String {
    plain(&format!("  {} against {}", effect.value, factor.first))
}

fn name_width(line: &EffectsLine<'_>) -> usize {
    match line {
        EffectsLine::Value(factor, effect) => width(&title(factor, effect)),
        EffectsLine::Text(..) | EffectsLine::Ranked(..) => 0,
    }
}

fn draw_value(paint: &mut Paint<'_>, row: Rect, title: &str, name: usize, effect: &ValueEffect, axis: RatioScale) {
    let found = effect.found.as_ref();
    let role = found.map_or(Role::Warn, role);
    let [of_ratio, of_interval, of_pairs] = FIGURES;
    let shown = |show: fn(&JudgedRatio) -> String| found.map_or_else(|| "-".to_owned(), show);
    let figures = format!(
        " {:>of_ratio$} {:>of_interval$} {:>of_pairs$}",
        shown(|found| ratio(found.ratio)),
        shown(interval),
        words::pairs(effect)
    );
    let left = usize::from(row.width).saturating_sub(name + width(&figures) + 2);
    // The verdict is text and has priority; the bar uses the remaining width.
    let verdict = words::verdict(effect);
    let columns = left.saturating_sub(width(&verdict).min(24) + 1);
    let bar = axis.bar(found.and_then(|found| found.interval), found.map(|found| found.ratio), columns);
    let bar = if columns < 5 { String::new() } else { format!("{bar} ") };
    let room = left.saturating_sub(width(&bar));
    paint.line(
        row,
        &[
            piece(pad(title, name), Role::Text),
            piece(" ", Role::Dim),
            piece(bar, role),
            piece(figures, role),
            piece(format!(" {}", fit(&verdict, room)), role),
        ],
    );
}

fn role(found: &JudgedRatio) -> Role {
    match found.verdict {
        Verdict::Faster => Role::Good,
        Verdict::Slower => Role::Bad,
        Verdict::Same => Role::Accent,
        Verdict::Undecided { .. } | Verdict::TooFew { .. } => Role::Dim,
    }
}

/// Paints a configuration with a bar whose length shows how much slower it is than the fastest, on a log axis.
fn draw_ranked(paint: &mut Paint<'_>, row: Rect, place: usize, one: &RankedConfiguration, slowest: f64) {
    let head = format!("{place:>4} {:>6} ", ratio(one.ratio));
    let columns = row.width / 6;
    let bar = Rect { x: row.x + width(&head) as u16, width: columns, ..row };
    paint.text(row, &head, Role::Text);
    paint.bar(bar, one.ratio.ln() / slowest.ln(), Role::Accent);
    let text = Rect { x: bar.right() + 1, width: row.right().saturating_sub(bar.right() + 1), ..row };
    paint.text(text, &words::ranked(one), Role::Text);
}
