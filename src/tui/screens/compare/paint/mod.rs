//! The Compare screen: the sides above, one of five views below.

mod chart;
mod head;
mod histogram;
mod latencies;
mod pivot;
mod scaling;
mod sizes;
mod start;
mod table;

use super::{CompareScreen, CompareView, Compared};
use crate::{
    catalog::Role,
    tui::{
        screens::Context,
        widgets::paint::{Paint, width},
    },
};
use ratatui::layout::{Constraint, Layout, Rect};

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, context: &Context<'_>) {
    let inner = paint.pane(area, &title(screen), true);
    let corner = Rect { x: area.x + 1, width: area.width.saturating_sub(3), height: 1, ..area };
    let text = match (screen.waiting, context.session_running) {
        (true, true) => " waiting for the test under way… ".to_owned(),
        (true, false) => " reading… ".to_owned(),
        (false, _) => screen.place().map_or_else(String::new, |(at, of)| format!(" {at} of {of} ")),
    };
    if width(&title(screen)) + width(&text) + 4 < usize::from(corner.width) {
        paint.right(corner, &text, if screen.waiting { Role::Warn } else { Role::Dim });
    }
    if screen.choosing {
        return start::draw(paint, inner, screen, context.world);
    }
    match &screen.shown {
        None => {
            let text = format!("reading {} …", context.world.store);
            paint.wrapped(inner, &text, Role::Dim);
        }
        Some(Err(reason)) => {
            let text = format!("✗ {reason}");
            let taken = paint.wrapped(inner, &text, Role::Bad);
            let below = Rect { y: inner.y + taken, height: inner.height.saturating_sub(taken), ..inner };
            paint.wrapped(below, "Ctrl-r reads again; a and b type other selections", Role::Dim);
        }
        Some(Ok(compared)) => compared_sides(paint, inner, screen, compared),
    }
}

fn title(screen: &CompareScreen) -> String {
    if screen.choosing {
        return "Compare".to_owned();
    }
    let named =
        |view: CompareView| if view == screen.view { format!("‹{}›", view.name()) } else { view.name().to_owned() };
    let filter = if screen.filter.is_empty() { String::new() } else { format!(" · /{}", screen.filter) };
    format!("Compare  {}{filter}", CompareView::ALL.map(named).join("  "))
}

fn compared_sides(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, compared: &Compared) {
    let head = head::draw(paint, area, &compared.plain);
    let below = Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area };
    if compared.plain.a.runs == 0 || compared.plain.b.runs == 0 {
        return start::nothing_found(paint, below, compared);
    }
    match screen.view {
        CompareView::Table => table::draw(paint, below, screen, &compared.plain),
        CompareView::Sizes => sizes::draw(paint, below, screen, &compared.plain),
        CompareView::Latencies => latencies::draw(paint, below, screen, &compared.plain),
        CompareView::Pivot => pivot::draw(paint, below, screen, &compared.pivot),
        CompareView::Scaling => scaling::draw(paint, below, screen, &compared.plain),
    }
}

/// Parts an area into what scrolls and lines below it.
fn above(area: Rect, below: u16) -> [Rect; 2] {
    area.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(below.min(area.height.saturating_sub(3)))]))
}

/// As many whole texts as fit beside each other, and how many are left. The first is always shown.
fn joined(texts: &[String], separator: &str, room: usize) -> String {
    let shown = |count: usize| match texts.len() - count {
        0 => texts.join(separator),
        left => format!("{}{separator}{left} more", texts[..count].join(separator)),
    };
    let fitting = (1..=texts.len()).rev().map(shown).find(|text| width(text) <= room);
    fitting.unwrap_or_else(|| if texts.is_empty() { String::new() } else { shown(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shown_whole_or_counted() {
        let texts = ["sqlite", "lmdb", "redb"].map(str::to_owned);
        assert_eq!(joined(&texts, "; ", 20), "sqlite; lmdb; redb");
        assert_eq!(joined(&texts, "; ", 17), "sqlite; 2 more");
    }
}
