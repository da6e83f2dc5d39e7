//! A replayed test: its bar, latencies, throughput, percentiles.

use super::facts::{fact, fact_lines, progress};
use crate::tui::{
    screens::live::{LiveFigures, Slot, TestPane},
    widgets::{
        histogram::histogram,
        over_time::{OverTime, Stretch, over_time},
        paint::{Paint, TextPiece, rows},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use ratatui::layout::{Constraint, Layout, Rect};

/// A replayed test, as far as it has progressed.
#[derive(Debug)]
pub(super) struct TestPicture<'t> {
    pub(super) figures: &'t LiveFigures,
    /// Time of the whole test, ns.
    pub(super) whole_ns: f64,
}

impl TestPicture<'_> {
    /// `2 Random reads`
    fn title(&self) -> String {
        format!("{} {}", self.figures.number, self.figures.name)
    }
}

/// Returns the figures of a test in one line.
pub(super) fn in_words(picture: &TestPicture<'_>) -> String {
    let facts = facts(picture, usize::from(u16::MAX));
    let told: Vec<String> =
        facts.iter().map(|line| line.iter().map(|(text, _)| text.as_ref()).collect::<String>()).collect();
    format!("{}: {}", picture.title(), told.join("  "))
}

/// Paints the single test with its histogram, its throughput over time and its resources; one of them has the focus.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focus: TestPane) {
    let [bar, rest] = area.layout(&Layout::vertical([Constraint::Length(3), Constraint::Min(5)]));
    draw_bar(paint, bar, picture);
    let [left, right] = rest.layout(&Layout::horizontal([Constraint::Percentage(46), Constraint::Percentage(54)]));
    draw_latencies(paint, left, picture, focus == TestPane::Latencies);
    let lines = facts(picture, usize::from(right.width).saturating_sub(2)).len() as u16;
    let facts_height = (lines + 2).min(right.height.saturating_sub(5));
    let [chart, below] = right.layout(&Layout::vertical([Constraint::Min(5), Constraint::Length(facts_height)]));
    draw_throughput(paint, chart, picture, focus == TestPane::Throughput);
    draw_figures(paint, below, picture, focus == TestPane::Figures);
}

/// Paints one pane of the test below its bar.
pub(super) fn draw_pane(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, pane: TestPane) {
    let [bar, rest] = area.layout(&Layout::vertical([Constraint::Length(3), Constraint::Min(5)]));
    draw_bar(paint, bar, picture);
    match pane {
        TestPane::Latencies => draw_latencies(paint, rest, picture, true),
        TestPane::Throughput => draw_throughput(paint, rest, picture, true),
        TestPane::Figures => draw_figures(paint, rest, picture, true),
    }
}

fn draw_latencies(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focused: bool) {
    let figures = picture.figures;
    let stretches = !figures.latencies.is_empty() && !figures.single();
    let of = if stretches { "stretches" } else { "operations" };
    let inner = paint.pane(area, &format!("Latency of {of} (log)"), focused);
    histogram(paint, inner, &figures.latencies, Role::Accent);
}

fn draw_figures(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focused: bool) {
    let inner = paint.pane(area, "Figures", focused);
    for (line, row) in facts(picture, usize::from(inner.width)).iter().zip(rows(inner)) {
        paint.line(row, line);
    }
}

/// Paints throughput over the time of the test.
fn draw_throughput(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focused: bool) {
    let TestPicture { figures, whole_ns } = *picture;
    let inner = paint.pane(area, "Operations a second", focused);
    let span = figures.expected_ns();
    let span_ns = if figures.share().is_none() { span.max(whole_ns as u64) } else { span };
    let rate = |slot: &Slot| Stretch { end_ns: slot.end_ns, duration_ns: slot.duration_ns, value: slot.rate() };
    let stretches: Vec<Stretch> = figures.slots.iter().map(rate).collect();
    over_time(paint, inner, &OverTime { stretches: &stretches, span_ns, moment: None }, units::rate);
}

/// Paints the test's bar. A single long statement has no known progress, so its time is compared with the whole.
fn draw_bar(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>) {
    let inner = paint.pane(area, &picture.title(), false);
    progress(paint, inner, picture.figures, Some(picture.whole_ns));
}

/// Returns rates and percentiles as whole facts, in lines that fit.
fn facts<'t>(picture: &TestPicture<'t>, columns: usize) -> Vec<Vec<TextPiece<'t>>> {
    let figures = picture.figures;
    let now = figures.slots.last().map(Slot::rate).filter(|_| !figures.finished);
    let mut rates: Vec<[TextPiece<'t>; 3]> = now.map(|rate| fact("now", units::rate(rate))).into_iter().collect();
    rates.push(fact("mean", units::rate(figures.rate())));
    let quantile = |(name, quantile)| {
        let ns = figures.quantile(&figures.latencies, quantile);
        fact(name, ns.map_or("-".to_owned(), |ns| units::duration(ns as f64)))
    };
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)].map(quantile);
    [rates, quantiles.into()].into_iter().flat_map(|group| fact_lines(group, columns)).collect()
}
