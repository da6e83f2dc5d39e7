//! The screen while a comparison is being read; the previous comparison is not shown.

use crate::tui::{
    keys::KeyPress,
    screens::{
        Context,
        awaited::{sign, waits_for, word},
        compare::CompareScreen,
    },
    widgets::{
        Target,
        paint::{Paint, piece},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, duration};
use ratatui::layout::Rect;

/// Paints the request and its progress.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, context: &Context<'_>) {
    let looked = &screen.looked;
    let asked = match &looked.beside {
        Some(beside) if looked.view.is_of_session() => vec![("against ", &beside.reference, Role::B)],
        _ => vec![("A  ", &looked.a, Role::A), ("B  ", &looked.b, Role::B)],
    };
    let mut row = Rect { height: 1, ..area };
    for (name, text, role) in asked {
        paint.line(row, &[piece(name, role), piece(text.as_str(), role)]);
        row.y += 1;
    }
    row.y += 1;
    let Some(reading) = &screen.reading else {
        paint.text(row, &format!("{} was not read: Ctrl-r reads it", context.world.store), Role::Dim);
        return;
    };
    let elapsed = context.now.saturating_sub(reading.since);
    let results = match reading.watch.results() {
        0 => String::new(),
        results => format!(" · {} results read", count(results as u64)),
    };
    // The progress comes before the path, which may be wider than the screen.
    let elapsed_words = duration(elapsed.as_nanos() as f64);
    let text = match reading.watch.held_by() {
        Some(holder) => format!(" {}", waits_for(&holder, &elapsed_words)),
        None => format!(" {} … {elapsed_words}{results} · {}", word(context), context.world.store),
    };
    paint.line(row, &[piece(sign(elapsed), Role::Accent), piece(text, Role::Text)]);
    row.y += 1;
    paint.text(row, "Esc cancels and shows the previous view", Role::Dim);
    paint.hit(row, Target::Press(KeyPress::Esc));
}
