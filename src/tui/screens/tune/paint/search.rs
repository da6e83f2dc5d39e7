//! The search: its progress, the leaderboard, and the result.

use super::pane_of_view;
use crate::tui::{
    screens::tune::{TuneScreen, WatchedSearch},
    widgets::paint::{Paint, TextPiece, piece, rows, width, wrap},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use dbdyno_reports::{comparison::words::ratio, tune::taken_out};
use dbdyno_running::tune::race::{CandidateFate, CandidateResult};
use ratatui::layout::Rect;

/// Maximum number of changes removed from the winner that are shown; the command line shows all.
const MOST_TAKEN_OUT: usize = 4;
/// Columns for rung, rounds and ratio, with the space after them.
const FIGURES: usize = 19;

/// Paints the search.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, tune: &TuneScreen) {
    let Some(search) = &tune.search else { return };
    let running = search.outcome.is_none() && search.failed.is_none();
    let inner = pane_of_view(paint, area, tune, &[&format!("tier {} or more", search.tier)], running);
    let headline = wrap(&units::plain(&search.headline()), usize::from(inner.width));
    let role = match (running, search.failed.is_some()) {
        (true, _) => Role::Accent,
        (false, true) => Role::Bad,
        (false, false) => Role::Title,
    };
    let mut left = rows(inner);
    if let Some(row) = left.next() {
        draw_progress(paint, row, search, running);
    }
    for (line, row) in headline.iter().take(3).zip(left.by_ref()) {
        paint.text(row, line, role);
    }
    for (what, row) in search.taken_out.iter().zip(left.by_ref().take(MOST_TAKEN_OUT)) {
        let role = if what.dropped { Role::Warn } else { Role::Text };
        paint.text(row, &taken_out(what), role);
    }
    if search.leaders.is_empty() {
        return;
    }
    if let Some(row) = left.next() {
        paint.text(row, "rung rounds  ratio  setting", Role::Dim);
    }
    let mut room: Vec<Rect> = left.collect();
    // The line below the table prevents a misreading of the ratios.
    let foot = room.pop();
    for (place, (tried, row)) in search.leaders.iter().zip(room).enumerate() {
        paint.line(row, &leader(place, tried, usize::from(row.width)));
    }
    if let Some(row) = foot {
        paint.text(row, "the race flatters its winners: only confirmed gains count", Role::Dim);
    }
}

fn draw_progress(paint: &mut Paint<'_>, row: Rect, search: &WatchedSearch, running: bool) {
    let bar = Rect { width: row.width / 4, ..row };
    paint.gauge(bar, search.spent(), if running { Role::Accent } else { Role::Good });
    let tried = format!(" {} of {} tried", units::count(search.tried as u64), units::count(search.candidates as u64));
    let more = match &search.outcome {
        Some(outcome) => format!(" in {}", units::clock(std::time::Duration::from_millis(outcome.took_ms))),
        None => format!(", {} in the race, {} left", search.alive, units::clock(search.left)),
    };
    let room = usize::from(row.width - bar.width);
    let whole = format!("{tried}{more}");
    let text = if width(&whole) <= room { whole } else { tried };
    paint.text(Rect { x: bar.right(), width: row.width - bar.width, ..row }, &text, Role::Text);
}

/// Returns a line of the leaderboard. The fate has a sign, and a word if there is room.
fn leader<'t>(place: usize, tried: &CandidateResult, columns: usize) -> Vec<TextPiece<'t>> {
    let shown = tried.ratio.map_or_else(|| "-".to_owned(), ratio);
    let (sign, role) = match &tried.fate {
        CandidateFate::Alive if place == 0 => ("▸ ", Role::Good),
        CandidateFate::Alive => ("· ", Role::Text),
        CandidateFate::Outrun => ("  ", Role::Dim),
        CandidateFate::Dropped(_) => ("✗ ", Role::Warn),
    };
    let why = match &tried.fate {
        CandidateFate::Dropped(reason) => format!(": {reason}"),
        _ => format!(" (tier {})", tried.tier.sign()),
    };
    let figures = format!("{:>4} {:>6} {shown:>6}", tried.rung, tried.pairs);
    let room = columns.saturating_sub(FIGURES + 2);
    let change = tried.change.to_string();
    let text = if width(&change) + width(&why) <= room { format!("{change}{why}") } else { change };
    vec![piece(figures, role), piece(format!(" {sign}{text}"), role)]
}
