//! The Live screen.

mod session;
mod table;
mod test;

use super::{LiveScreen, LiveView, Replay, SPEEDS};
use crate::{
    base::units,
    catalog::Role,
    tui::widgets::paint::{Paint, TextPiece, piece, rows},
};
use ratatui::layout::{Constraint, Layout, Rect};
use std::time::Duration;

/// Paints the screen: a replay, the session, or how to get to either.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, live: &LiveScreen, now: Duration) {
    match (&live.replay, &live.session) {
        _ if live.loading => {
            let inner = paint.pane(area, "Replay", true);
            let busy = live.running();
            let text = if busy { "waiting for the test under way to end…" } else { "reading the run…" };
            paint.text(inner, text, Role::Dim);
        }
        (Some(replay), _) => draw_replay(paint, area, replay),
        (None, Some(session)) => {
            let rounds = session::height(session, area.width);
            let [top, rest] = area.layout(&Layout::vertical([Constraint::Length(rounds), Constraint::Min(8)]));
            session::draw(paint, top, session, now);
            match live.view {
                LiveView::Figures => test::draw_of_session(paint, rest, session),
                LiveView::Table => table::draw(paint, rest, session, live.scroll),
            }
        }
        (None, None) => nothing(paint, area),
    }
}

fn nothing(paint: &mut Paint<'_>, area: Rect) {
    let inner = paint.pane(area, "Live", true);
    let lines = [
        "No session was run since dbdyno was started.",
        "",
        "1  choose a bench; Enter there runs it, and it is watched here",
        "3  stored results; p there replays a run here",
    ];
    for (line, row) in lines.iter().zip(rows(inner)) {
        paint.text(row, line, Role::Dim);
    }
}

fn draw_replay(paint: &mut Paint<'_>, area: Rect, replay: &Replay) {
    let [top, rest] = area.layout(&Layout::vertical([Constraint::Length(4), Constraint::Min(8)]));
    let inner = paint.pane(top, &format!("Replay · {}", replay.recording.title), true);
    let all = replay.recording.tests.len();
    let state = match (replay.over(), replay.paused) {
        (true, _) => "✓ at its end",
        (false, true) => "⏸ paused",
        (false, false) => "▶",
    };
    let speed = SPEEDS[replay.speed % SPEEDS.len()];
    let lines = [
        format!("test {} of {all} · {speed}x {state}", replay.test + 1),
        "Space pause   f faster   [ ] tests   Esc back to the session".to_owned(),
    ];
    for (line, row) in lines.iter().zip(rows(inner)) {
        paint.text(row, line, Role::Text);
    }
    if let Some(figures) = &replay.figures {
        let length = replay.recording.tests.get(replay.test).map_or(0, |test| test.wall_ns);
        test::draw(paint, rest, "", figures, None, Some(length as f64), &[]);
    }
}

/// A count of operations with what it is out of.
fn counted(done: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{} / {}", units::count(done), units::count(total)),
        None => units::count(done),
    }
}

fn fact<'t>(label: &'t str, figure: String) -> [TextPiece<'t>; 3] {
    [piece(label, Role::Dim), piece(" ", Role::Dim), piece(figure, Role::Text)]
}
