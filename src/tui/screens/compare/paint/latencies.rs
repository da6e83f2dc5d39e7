//! The latencies of one test: both sides as curves on one axis, and quantiles.

use super::histogram::{axis, curve};
use crate::tui::{
    screens::compare::{CompareScreen, latency_rows, name, output},
    widgets::{
        curves::curves,
        list::{VisibleRows, in_pane},
        paint::{Paint, fit, rows, width},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, Figure, Latency, Line};
use dbdyno_foundation::base::units::{duration, plain};
use dbdyno_reports::comparison::words;
use dbdyno_store::Latencies;
use ratatui::layout::{Constraint, Layout, Rect};

/// Paints the tests on the left, and the latencies of the test under the cursor.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let lines = latency_rows(comparison, &screen.looked.filter);
    if lines.is_empty() {
        paint.text(area, "no test matches the filter", Role::Dim);
        return;
    }
    let sizes = comparison.means.len() > 1;
    let label = |line: &Line| {
        let label = if sizes { format!("{} · {}", name(line), line.size) } else { name(line) };
        format!("{label} {}", words::part(&line.part)).trim_end().to_owned()
    };
    let longest = lines.iter().map(|line| width(&plain(&label(line)))).max().unwrap_or(0) as u16 + 2;
    let left = longest.min((area.width / 3).max(30));
    let [list, chart] = area.layout(&Layout::horizontal([Constraint::Length(left), Constraint::Min(20)]));
    let cursor = screen.cursor();
    let list = Rect { width: list.width.saturating_sub(1), ..list };
    VisibleRows::new(lines.len(), cursor).paint(paint, list, in_pane(0), |paint, at, row| {
        paint.text(row, &fit(&plain(&label(lines[at])), usize::from(row.width)), Role::Text);
    });
    if let Some(line) = lines.get(cursor.at) {
        let are_read = screen.compared().is_some_and(|compared| compared.latencies == Latencies::Read);
        draw_line(paint, chart, line, are_read);
    }
}

fn draw_line(paint: &mut Paint<'_>, area: Rect, line: &Line, are_read: bool) {
    let title = format!("{} · size {} {}", name(line), line.size, words::part(&line.part));
    paint.text(Rect { height: 1, ..area }, title.trim_end(), Role::Title);
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let latency = |figure: &Option<Figure>| figure.as_ref().and_then(|figure| figure.latency.clone());
    let (Some(a), Some(b)) = (latency(&line.a), latency(&line.b)) else {
        let why = if are_read { missing(line) } else { "reading…".to_owned() };
        paint.wrapped(below, &why, Role::Dim);
        return;
    };
    let [plot, figures] = below.layout(&Layout::vertical([Constraint::Min(4), Constraint::Length(3)]));
    let both = [curve(&a, 'A', Role::A), curve(&b, 'B', Role::B)];
    let most = both.iter().flat_map(|curve| &curve.points).map(|(_, share)| *share).fold(0.0, f64::max);
    curves(paint, plot, &both, &axis(&both), (most, &format!("{:.0} % of operations", most * 100.0)));
    draw_quantiles(paint, figures, &a, &b);
}

/// Returns the reason why there is no histogram.
fn missing(line: &Line) -> String {
    let of = |side: &str, figure: &Option<Figure>| match figure {
        None => Some(format!("{side} has no figure of this test")),
        Some(figure) if figure.latency.is_none() => {
            Some(format!("single operations of {side} were not timed in this test"))
        }
        Some(_) => None,
    };
    let reasons = [of("A", &line.a), of("B", &line.b)].into_iter().flatten();
    let obstacles = line.obstacles.iter().map(output::obstacle);
    reasons.chain(obstacles).collect::<Vec<_>>().join("; ")
}

/// Paints as many quantiles of both sides as fit. Colour alone does not show which side the ratio favours.
fn draw_quantiles(paint: &mut Paint<'_>, area: Rect, a: &Latency, b: &Latency) {
    const CELL: usize = 9;
    let of = |latency: &Latency| [latency.p50_ns, latency.p90_ns, latency.p99_ns, latency.p999_ns];
    let cell = |ns: Option<u64>| format!("{:>CELL$}", ns.map_or("-".to_owned(), |ns| duration(ns as f64)));
    let fitting = usize::from(area.width).saturating_sub(2) / CELL;
    let header: String =
        ["p50", "p90", "p99", "p99.9"].iter().take(fitting).map(|name| format!("{name:>CELL$}")).collect();
    let lines = [
        (format!("  {header}"), Role::Dim),
        (format!("A {}", of(a).into_iter().take(fitting).map(cell).collect::<String>()), Role::A),
        (format!("B {}", of(b).into_iter().take(fitting).map(cell).collect::<String>()), Role::B),
    ];
    for ((text, role), row) in lines.iter().zip(rows(area)) {
        paint.text(row, text, *role);
    }
}
