//! The session's medians so far: a line a test, a column a configuration.

use crate::{
    base::units::{self, plain},
    catalog::Role,
    stats::median,
    tui::{
        screens::live::WatchedSession,
        widgets::paint::{Paint, TextPiece, fit, pad, piece, rows, width},
    },
};
use ratatui::layout::Rect;

/// Paints the table, scrolled. Configurations that do not fit beside each other follow below.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, session: &WatchedSession, scroll: usize) {
    let inner = paint.pane(area, "Median of the finished runs · ▸ least · c gives a verdict", true);
    let lines = lines(session, usize::from(inner.width));
    let last = lines.len().saturating_sub(usize::from(inner.height));
    for (line, row) in lines.iter().skip(scroll.min(last)).zip(rows(inner)) {
        paint.line(row, line);
    }
    if lines.len() > usize::from(inner.height) {
        let foot = Rect { x: area.x + 1, y: area.bottom() - 1, width: area.width - 2, height: 1 };
        paint.right(foot, " j k scroll ", Role::Dim);
    }
}

fn lines(session: &WatchedSession, columns: usize) -> Vec<Vec<TextPiece<'static>>> {
    let name = session.tests.values().map(|name| width(&plain(name))).max().unwrap_or(4).min(columns / 3) + 4;
    let mut lines = Vec::new();
    let mut sizes: Vec<_> = session.configurations.iter().map(|one| one.size).collect();
    sizes.dedup();
    for size in sizes {
        let of_size: Vec<(usize, String)> = (session.configurations.iter().enumerate())
            .filter(|(_, one)| one.size == size)
            .map(|(at, one)| (at, plain(&one.label)))
            .collect();
        let wide = of_size.iter().map(|(_, label)| width(label)).max().unwrap_or(0).max(8) + 2;
        let wide = wide.min(columns.saturating_sub(name).max(10));
        let beside = (columns.saturating_sub(name) / wide).max(1);
        for some in of_size.chunks(beside) {
            lines.push(header(&format!("size {size}"), some, name, wide));
            for (number, test) in &session.tests {
                lines.push(row(session, *number, test, some, name, wide));
            }
            lines.push(Vec::new());
        }
    }
    lines
}

fn header(size: &str, some: &[(usize, String)], name: usize, wide: usize) -> Vec<TextPiece<'static>> {
    let mut line = vec![piece(pad(size, name), Role::Title)];
    line.extend(some.iter().map(|(_, label)| {
        let label = fit(label, wide - 1);
        piece(format!("{}{label}", " ".repeat(wide - width(&label))), Role::Title)
    }));
    line
}

/// The fastest of a line stands out, by weight and by a sign.
fn row(
    session: &WatchedSession,
    number: u32,
    test: &str,
    some: &[(usize, String)],
    name: usize,
    wide: usize,
) -> Vec<TextPiece<'static>> {
    let medians: Vec<Option<f64>> =
        some.iter().map(|(at, _)| session.times.get(&(*at, number)).and_then(|times| median(times).ok())).collect();
    let fastest = medians.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let several = medians.iter().flatten().count() > 1;
    let mut line = vec![piece(pad(&format!("{number} {}", plain(test)), name), Role::Text)];
    for time in medians {
        let text = time.map_or("-".to_owned(), units::duration);
        let first = several && time == Some(fastest);
        let text = format!("{}{text}", if first { "▸ " } else { "" });
        let role = if first { Role::Good } else { Role::Text };
        line.push(piece(format!("{}{text}", " ".repeat(wide.saturating_sub(width(&text)))), role));
    }
    line
}
