//! Painting of the Live screen.

mod facts;
mod race;
mod replayed;
mod session;
mod test;

pub(super) use self::race::cell_in_words;

use self::replayed::TestPicture;
use super::{LiveScreen, LiveView, Replay, SPEEDS, TestPane, WatchedSession};
use crate::tui::{
    screens::Context,
    widgets::paint::{Paint, rows},
};
use dbdyno_catalog::Role;
use ratatui::layout::{Constraint, Layout, Rect};

/// Minimum rows for showing the runs of the round above the race.
const ROOMY: u16 = 30;

/// Paints a replay, the session, or how to start either.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, live: &LiveScreen, context: &Context<'_>) {
    match (&live.replay, &live.session) {
        _ if live.loading => {
            let inner = paint.pane(area, "Replay", true);
            let busy = live.running();
            let text = if busy { "waiting for the test under way to end…" } else { "reading the run…" };
            paint.text(inner, text, Role::Dim);
        }
        (Some(replay), _) => draw_replay(paint, area, replay, live.pane, context.zoomed),
        (None, Some(session)) if context.zoomed => match live.view {
            LiveView::Race => race::draw(paint, area, session, live),
            LiveView::Test => test::draw(paint, area, session, live.pane, true),
        },
        (None, Some(session)) => {
            // The race itself shows the run in progress, and needs the rows.
            let brief = live.view == LiveView::Race && area.height < ROOMY;
            let rows = if brief { session::BAR } else { session::height(session, area.width) };
            let [top, rest] = area.layout(&Layout::vertical([Constraint::Length(rows), Constraint::Min(8)]));
            session::draw(paint, top, session, live.view, context.now);
            match live.view {
                LiveView::Race => race::draw(paint, rest, session, live),
                LiveView::Test => test::draw(paint, rest, session, live.pane, false),
            }
        }
        (None, None) => nothing(paint, area),
    }
}

fn nothing(paint: &mut Paint<'_>, area: Rect) {
    let inner = paint.pane(area, "Live", true);
    let lines = [
        "No session has run since dbdyno started.",
        "",
        "1  choose a bench; Enter runs it, and you watch it here",
        "3  stored results; p there replays a run here",
    ];
    for (line, row) in lines.iter().zip(rows(inner)) {
        paint.text(row, line, Role::Dim);
    }
}

fn draw_replay(paint: &mut Paint<'_>, area: Rect, replay: &Replay, pane: TestPane, zoomed: bool) {
    if let Some(picture) = replayed(replay).filter(|_| zoomed) {
        return replayed::draw_pane(paint, area, &picture, pane);
    }
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
        "Space pause   f faster   [ ] tests   h l panes   Esc back to the session".to_owned(),
    ];
    for (line, row) in lines.iter().zip(rows(inner)) {
        paint.text(row, line, Role::Text);
    }
    if let Some(picture) = replayed(replay) {
        replayed::draw(paint, rest, &picture, pane);
    }
}

/// Returns the replayed test, as far as it has progressed.
fn replayed(replay: &Replay) -> Option<TestPicture<'_>> {
    let figures = replay.figures.as_ref()?;
    let whole_ns = replay.recording.tests.get(replay.test).map_or(0, |test| test.wall_ns) as f64;
    Some(TestPicture { figures, whole_ns })
}

/// Returns the replayed test as text, with its figures so far.
pub(super) fn replayed_in_words(replay: &Replay) -> Option<String> {
    replayed(replay).map(|picture| format!("{} · {}", replay.recording.title, replayed::in_words(&picture)))
}

/// Returns a session's test in view as text, with its figures so far.
pub(super) fn test_in_words(session: &WatchedSession) -> Option<String> {
    test::in_words(session)
}
