//! A sweep's result: its configurations ranked within each tier and compared with the base; below, the effects of its options.

use super::{heat, joined, lines};
use crate::tui::{
    screens::compare::{CompareScreen, Sweep, SweepPlace, SweepRank, SweepRow},
    widgets::{
        paint::{Paint, fit, piece, width},
        table::{ListTable, TableColumn, TableLine},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_reports::{
    comparison::{sentence, words},
    tune::effects_words::percent,
};
use dbdyno_running::tune::effects::ValueEffect;
use dbdyno_stats::Verdict;
use dbdyno_store::tier_words;
use ratatui::layout::{Constraint, Layout, Rect};

/// Rows below which the ranking is unreadable.
const LEAST: u16 = 6;

/// Paints the ranking by a place, and the effects of the options there.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen) {
    let (Some(sweep), Some((place, ranking))) = (screen.sweep(), screen.sweep_rows()) else { return };
    let head = draw_head(paint, area, screen, sweep, place);
    let below = Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area };
    let wanted = below_rows(sweep, place);
    let needed = (ranking.len() as u16 + 1).min((below.height / 2).max(LEAST));
    let foot = wanted.min(below.height.saturating_sub(needed));
    let [list, foot] = below.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(foot)]));
    draw_ranking(paint, list, screen, sweep, &ranking);
    draw_options(paint, foot, screen, sweep, place);
}

/// `all 8 tests, geometric mean · size 10000`.
fn words_of(place: &SweepPlace) -> String {
    let what = match &place.test {
        Some((test, name)) => format!("{test} {name}"),
        None => "all tests, geometric mean".to_owned(),
    };
    format!("{what} · size {}", place.size)
}

fn draw_head(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, sweep: &Sweep, place: &SweepPlace) -> u16 {
    let options: Vec<&str> = sweep.options.iter().map(|option| option.name.as_str()).collect();
    let what = counted(sweep.configurations.len(), "configuration");
    let base = sweep.configurations.first().map_or("", |base| base.label.as_str());
    let texts = [format!("{what} of {}", options.join(" x ")), format!("base {base}")];
    let [first, second] = [0, 1].map(|down| Rect { y: area.y + down, height: 1, ..area });
    paint.text(first, &joined(&texts, " · ", usize::from(area.width)), Role::Text);
    let at = format!("{} of {}: h and l", screen.looked.ranked_by + 1, sweep.places.len());
    let by = format!("ranked by ‹{}›", words_of(place));
    let taken = paint.text(second, &by, Role::Title);
    if usize::from(taken) + width(&at) + 2 < usize::from(area.width) {
        paint.right(second, &at, Role::Dim);
    }
    2
}

/// Returns the number of rows for the effects of the options.
fn below_rows(sweep: &Sweep, place: &SweepPlace) -> u16 {
    let heat = if sweep.options.len() == 2 { heat::height(sweep) } else { 0 };
    let shares = place.effects.as_ref().map_or(1, |effects| effects.factors.len() + effects.interactions.len() + 4);
    (heat.max(shares) + 1) as u16
}

/// A configuration with its rank within its tier.
type RankColumn<'t> = TableColumn<'t, (usize, SweepRank)>;

fn draw_ranking(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, sweep: &Sweep, ranking: &[SweepRow]) {
    let interval = |ranked: &SweepRank| match ranked.configuration {
        0 => "the base".to_owned(),
        _ => words::range(ranked.interval),
    };
    let columns = vec![
        RankColumn::number("#", 0, |(place, _)| place.to_string()).coloured(|_| Role::Dim),
        RankColumn::text("", 0, |(_, ranked)| name(sweep, ranked.configuration)).at_most(usize::MAX),
        RankColumn::number(title(screen), 0, |(_, ranked)| {
            ranked.value.map_or_else(String::new, |value| sweep.metric().shown(value))
        }),
        RankColumn::number("/base", 0, |(_, ranked)| ratio_cell(ranked).0).coloured(|(_, ranked)| ratio_cell(ranked).1),
        RankColumn::text("95 %", 0, move |(_, ranked)| interval(ranked)).whole(),
    ];
    let base = sweep.configurations.first().and_then(|base| base.tier);
    let mut in_tier = 0;
    let lines = ranking.iter().map(|row| match row {
        SweepRow::Tier(tier, count) => {
            in_tier = 0;
            let differs = if *tier == base { "" } else { " · ! another tier than the base" };
            let text = format!("tier {} · {}{differs}", tier_words(*tier), counted(*count, "configuration"));
            TableLine::Title(vec![piece(text, Role::Title)])
        }
        SweepRow::Configuration(ranked) => {
            in_tier += 1;
            TableLine::Row((in_tier, *ranked))
        }
    });
    ListTable::new(columns, lines, screen.cursor(), 0).paint(paint, area);
}

fn title(screen: &CompareScreen) -> &'static str {
    if screen.metric() == dbdyno_foundation::metric::Metric::Wall { "time" } else { "figure" }
}

/// Returns the values of a configuration, as `option=value`.
fn name(sweep: &Sweep, at: usize) -> String {
    let Some(one) = sweep.configurations.get(at) else { return String::new() };
    let values = sweep.options.iter().zip(&one.values).map(|(option, value)| format!("{}={value}", option.name));
    values.collect::<Vec<_>>().join(" ")
}

/// `0.42 ▼`, with the role of the side that is better.
pub(super) fn ratio_cell(ranked: &SweepRank) -> (String, Role) {
    let role = match ranked.verdict {
        Some(Verdict::Faster) => Role::A,
        Some(Verdict::Slower) => Role::B,
        Some(Verdict::Undecided { .. } | Verdict::TooFew { .. }) => Role::Dim,
        Some(Verdict::Same) | None => Role::Text,
    };
    let ratio = ranked.ratio.map_or("n/c".to_owned(), words::ratio);
    (format!("{ratio} {:1}", words::sign(ranked.verdict)), role)
}

/// Paints the heat map if there is one, and the share of the variation that each option explains.
fn draw_options(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, sweep: &Sweep, place: &SweepPlace) {
    let area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let heat = sweep.heat(place).map_or(0, |cells| heat::draw(paint, area, screen, sweep, &cells));
    let gap = if heat > 0 { 2 } else { 0 };
    let shares = Rect { x: area.x + heat + gap, width: area.width.saturating_sub(heat + gap), ..area };
    let text = shares_of(screen, place).into_iter().map(|(text, role)| match usize::from(shares.width) {
        room if heat > 0 => (fit(&plain(&text), room), role),
        _ => (text, role),
    });
    lines(paint, shares, text);
}

fn shares_of(screen: &CompareScreen, place: &SweepPlace) -> Vec<(String, Role)> {
    let mut text: Vec<(String, Role)> = Vec::new();
    match &place.effects {
        None => text.push(("no shares: not all configurations have this as a time".to_owned(), Role::Dim)),
        Some(effects) => {
            let share = |of: f64, what: &str| format!("{:>6}  {what}", percent(of));
            text.push(("share of the variance".to_owned(), Role::Title));
            text.extend(effects.factors.iter().map(|factor| {
                let too_few = |effect: &ValueEffect| {
                    effect.found.as_ref().is_none_or(|found| matches!(found.verdict, Verdict::TooFew { .. }))
                };
                match (factor.shown, factor.effects.iter().any(too_few)) {
                    (true, _) => (share(factor.share, &factor.option), Role::Text),
                    (false, true) => (share(factor.share, &format!("{}, of few pairs", factor.option)), Role::Text),
                    (false, false) => (share(factor.share, &format!("{}: no effect found", factor.option)), Role::Dim),
                }
            }));
            text.extend(effects.interactions.iter().map(|one| {
                let [a, b] = &one.options;
                (share(one.share, &format!("{a} and {b} together")), Role::Text)
            }));
            text.push((share(effects.left, "interactions and noise"), Role::Dim));
            if !effects.whole {
                text.push(("a sample of the grid: shares are estimates".to_owned(), Role::Dim));
            }
        }
    }
    let under = screen.under_cursor().map(|(side, _)| sentence(side));
    text.extend(under.map(|summary| (summary, Role::Dim)));
    text
}
