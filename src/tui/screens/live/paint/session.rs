//! The session's progress bar and the runs of its round.

use crate::tui::{
    screens::live::{LiveView, Phase, RunState, WatchedRun, WatchedSession},
    widgets::paint::{Paint, TextPiece, ViewTitle, piece, rows, width},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use dbdyno_store::Status;
use ratatui::layout::Rect;
use std::time::Duration;

/// Rows of the pane if it shows only the bar.
pub(super) const BAR: u16 = 3;

/// Returns the rows of the pane: the bar, and the round's runs.
pub(super) fn height(session: &WatchedSession, columns: u16) -> u16 {
    let runs: usize = round(session).map(|(_, run)| width(&label(session, run)) + 4).sum();
    let lines = runs.div_ceil(usize::from(columns).saturating_sub(14).max(1)).clamp(1, 3);
    lines as u16 + BAR
}

/// Paints the pane.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, session: &WatchedSession, view: LiveView, now: Duration) {
    let all = session.runs.len();
    let (phase, role) = phase(session);
    let took = session.took(now);
    let title = format!("Session · {} · {} · {phase}", session.suite, counts(session));
    let views = ViewTitle {
        before: &title,
        names: LiveView::ALL.map(LiveView::name).to_vec(),
        current: LiveView::ALL.iter().position(|one| *one == view).unwrap_or(0),
        after: String::new(),
    };
    let (inner, _) = paint.pane_of_views(area, &views, false);
    let share = session.ended_as(|_| true) as f64 / all.max(1) as f64;
    let waits = matches!(session.phase, Phase::Starting | Phase::Waiting(_));
    let time = if session.running() && !waits {
        format!("{:>3.0} %  {}, about {} to go", share * 100.0, units::clock(took), units::clock(session.left(now)))
    } else {
        format!("{:>3.0} %  {}", share * 100.0, units::clock(took))
    };
    let bar = Rect { height: 1, width: inner.width.saturating_sub(width(&time) as u16 + 1), ..inner };
    paint.gauge(bar, share, role);
    paint.right(Rect { height: 1, ..inner }, &time, Role::Text);
    draw_round(paint, Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner }, session);
}

/// `5/20 runs, 1 failed, 2 given up`.
fn counts(session: &WatchedSession) -> String {
    let (finished, failed) = (session.finished(), session.ended_as(|status| status == Status::Failed));
    let given_up = session.ended_as(|_| true) - finished - failed;
    let mut text = format!("{finished}/{} runs", session.runs.len());
    for (count, word) in [(failed, "failed"), (given_up, "stopped")] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    text
}

fn phase(session: &WatchedSession) -> (String, Role) {
    match &session.phase {
        Phase::Starting => match session.watch.held_by() {
            Some(holder) => (format!("waiting: {holder} has the store open"), Role::Warn),
            None => ("starting".to_owned(), Role::Accent),
        },
        Phase::Calibrating => ("measuring the harness".to_owned(), Role::Accent),
        Phase::Waiting(words) => (words.clone(), Role::Warn),
        Phase::Running => ("▶ running".to_owned(), Role::Accent),
        Phase::Explaining { run, of } => (format!("explaining run {run} of {of}"), Role::Accent),
        Phase::Paused => ("⏸ paused".to_owned(), Role::Warn),
        Phase::Over(Status::Done) => ("✓ done".to_owned(), Role::Good),
        Phase::Over(Status::Cancelled) => ("stopped".to_owned(), Role::Warn),
        Phase::Over(_) => ("✗ over, with failures: w shows them".to_owned(), Role::Bad),
        Phase::Failed(_) => ("✗ could not be run".to_owned(), Role::Bad),
    }
}

/// Returns the runs of the current or last round.
fn round(session: &WatchedSession) -> impl Iterator<Item = (usize, &WatchedRun)> {
    let current = session.current.unwrap_or(0);
    let number = session.runs.get(current).map(|run| run.round);
    session.runs.iter().enumerate().filter(move |(_, run)| Some(run.round) == number)
}

fn label(session: &WatchedSession, run: &WatchedRun) -> String {
    let Some(measured) = session.configurations.get(run.configuration) else { return "?".to_owned() };
    let sizes = session.configurations.iter().any(|other| other.size != measured.size);
    if sizes { format!("{} {}", measured.label, measured.size) } else { measured.label.clone() }
}

/// Paints the runs with their states. If not all fit, it starts with the run before the current one.
fn draw_round(paint: &mut Paint<'_>, area: Rect, session: &WatchedSession) {
    let runs: Vec<(usize, &WatchedRun)> = round(session).collect();
    let Some((_, first)) = runs.first() else { return };
    let head = format!("round {:<4}", first.round + 1);
    let room = usize::from(area.width).saturating_sub(width(&head) + 1);
    let pieces: Vec<(String, Role)> = runs.iter().map(|(_, run)| shown(session, run)).collect();
    let current = runs.iter().position(|(at, _)| Some(*at) == session.current).unwrap_or(0);
    let total: usize = pieces.iter().map(|(text, _)| width(text) + 2).sum();
    let from = if total <= room * usize::from(area.height) { 0 } else { current.saturating_sub(1) };
    let mut lines: Vec<Vec<TextPiece<'_>>> = vec![vec![piece(head, Role::Title)]];
    let mut left = room;
    let mut hidden = from;
    for (text, role) in pieces.into_iter().skip(from) {
        let more = width(&text) + 2;
        if more > left && lines.len() < usize::from(area.height) {
            lines.push(vec![piece(" ".repeat(10), Role::Dim)]);
            left = room;
        }
        if more > left {
            hidden += 1;
            continue;
        }
        left -= more;
        if let Some(line) = lines.last_mut() {
            line.extend([piece(text, role), piece("  ", Role::Dim)]);
        }
    }
    if hidden > 0
        && let Some(line) = lines.last_mut()
    {
        line.push(piece(format!("+{hidden}"), Role::Dim));
    }
    for (line, row) in lines.iter().zip(rows(area)) {
        paint.line(row, line);
    }
}

fn shown(session: &WatchedSession, run: &WatchedRun) -> (String, Role) {
    let (sign, role) = match &run.state {
        RunState::Waiting => ("·", Role::Dim),
        RunState::Running => ("▶", Role::Accent),
        RunState::Ended(Status::Done | Status::Running, _) => ("✓", Role::Good),
        RunState::Ended(Status::Failed, _) => ("✗", Role::Bad),
        RunState::Ended(Status::Cancelled | Status::Interrupted | Status::Superseded, _) => ("stopped", Role::Warn),
    };
    (format!("{} {sign}", label(session, run)), role)
}
