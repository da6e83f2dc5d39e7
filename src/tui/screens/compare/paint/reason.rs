//! What the time of both sides went to, as bars of coloured parts.

use super::lines;
use crate::tui::widgets::paint::{Paint, TextPiece, fit, pad, piece, width, wrap};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::Reason;
use dbdyno_reports::{
    comparison::{
        Wording,
        reasons::{ReasonBar, bars_of, difference},
    },
    sheet::{Slice, largest_first, stacked},
};
use ratatui::layout::Rect;

/// The widest name of a side, and the widest bar.
const NAME: usize = 24;
const BAR: usize = 60;

/// Paints the difference in a sentence, then each side's bar with its key, as far as there is room for whole ones.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, reason: &Reason, wording: &Wording) {
    let taken = lines(paint, area, [(difference(reason, wording), Role::Text)]);
    let left = Rect { y: area.y + taken, height: area.height - taken, ..area };
    if left.height < 4 {
        return;
    }
    let bars = bars_of(reason, wording);
    let names = bars.iter().map(|bar| width(&bar.name)).fold(0, usize::max).min(NAME);
    let times = bars.iter().map(|bar| width(&bar.time)).fold(0, usize::max);
    let room = usize::from(area.width).saturating_sub(names + times + 3).min(BAR);
    for (at, bar) in (0..).zip(&bars) {
        let row = |below: u16| Rect { y: left.y + 2 * at + below, height: 1, ..left };
        paint.line(row(0), &bar_pieces(bar, names, times, room));
        let mut key = vec![piece(" ".repeat(names + 1), Role::Text)];
        for slice in largest_first(&bar.slices) {
            key.push(piece(slice.fill.to_string(), role(slice)));
            key.push(piece(format!(" {}  ", slice.about), Role::Dim));
        }
        paint.line(row(1), &key);
    }
}

/// Returns the lines that [`draw`] takes.
pub(super) fn height(reason: &Reason, wording: &Wording, columns: usize) -> u16 {
    let sentence = wrap(&difference(reason, wording), columns).len();
    sentence as u16 + 4
}

fn bar_pieces(bar: &ReasonBar, names: usize, times: usize, room: usize) -> Vec<TextPiece<'static>> {
    let drawn = stacked(&bar.slices, room, bar.most_ns);
    let mut pieces = vec![piece(pad(&fit(&bar.name, names), names) + " ", Role::Text)];
    pieces.push(piece(format!("{:>times$} ", bar.time), Role::Text));
    for slice in &bar.slices {
        let cells = drawn.chars().filter(|fill| *fill == slice.fill).count();
        pieces.push(piece(slice.fill.to_string().repeat(cells), role(slice)));
    }
    pieces
}

fn role(slice: &Slice) -> Role {
    match slice.class {
        "cpu" | "user" => Role::Accent,
        "sync" | "write" => Role::Warn,
        "read" | "fault" => Role::Good,
        "queue" | "lock" => Role::Bad,
        "sleep" | "rest" => Role::Dim,
        _ => Role::Text,
    }
}
