//! Painting of the Compare screen: the head with the comparison's facts, then one of the views.

mod chart;
mod head;
mod heat;
mod histogram;
mod latencies;
mod matrix;
mod pivot;
mod reading;
mod reason;
mod scaling;
mod sizes;
mod start;
mod sweep;
mod table;

use super::{CompareScreen, CompareView, Compared};
use crate::tui::{
    screens::{Context, awaited::word},
    widgets::paint::{Paint, ViewTitle, width, wrap},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::layout::{Constraint, Layout, Rect};

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, context: &Context<'_>) {
    let (inner, title) = match screen.looked.choosing {
        true => (paint.pane(area, "Compare", true), 0),
        false => paint.pane_of_views(area, &view_title(screen), true),
    };
    let corner = Rect { x: area.x + 1, width: area.width.saturating_sub(3), height: 1, ..area };
    let text = match &screen.reading {
        Some(_) => format!(" {}… ", word(context)),
        None => screen.place().map_or_else(String::new, |place| format!(" {place} ")),
    };
    if title + width(&text) + 4 < usize::from(corner.width) {
        paint.right(corner, &text, if screen.reading.is_some() { Role::Warn } else { Role::Dim });
    }
    if screen.looked.choosing {
        return start::draw(paint, inner, screen, context.world);
    }
    let found = match screen.looked.view.is_of_session() {
        true => screen.found_matrix().map(|found| found.as_ref().map(|_| ())),
        false => screen.found_pair().map(|found| found.as_ref().map(|_| ())),
    };
    match found {
        None => reading::draw(paint, inner, screen, context),
        Some(Err(reason)) => no_comparison(paint, inner, reason),
        Some(Ok(())) => match screen.looked.view {
            CompareView::Matrix => matrix::draw(paint, inner, screen),
            CompareView::Sweep => sweep::draw(paint, inner, screen),
            _ => {
                if let Some(compared) = screen.compared() {
                    compared_sides(paint, inner, screen, compared, context.is_measuring);
                }
            }
        },
    }
}

fn no_comparison(paint: &mut Paint<'_>, area: Rect, reason: &str) {
    let taken = paint.wrapped(area, &format!("✗ {reason}"), Role::Bad);
    let below = Rect { y: area.y + taken, height: area.height.saturating_sub(taken), ..area };
    paint.wrapped(below, "Ctrl-r reads again; a and b type other selections", Role::Dim);
}

fn view_title(screen: &CompareScreen) -> ViewTitle<'static> {
    let filter = match screen.looked.filter.line() {
        "" => String::new(),
        filter => format!(" · /{filter}"),
    };
    let views = screen.views();
    ViewTitle {
        before: "Compare",
        current: views.iter().position(|view| *view == screen.looked.view).unwrap_or(0),
        names: views.into_iter().map(CompareView::name).collect(),
        after: filter,
    }
}

fn compared_sides(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, compared: &Compared, is_measuring: bool) {
    let head = head::draw(paint, area, &compared.plain);
    let below = Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area };
    if compared.plain.a.runs == 0 || compared.plain.b.runs == 0 {
        return start::nothing_found(paint, below, compared, is_measuring);
    }
    match screen.looked.view {
        CompareView::Matrix | CompareView::Sweep | CompareView::Table => {
            table::draw(paint, below, screen, &compared.plain);
        }
        CompareView::Sizes => sizes::draw(paint, below, screen, &compared.plain),
        CompareView::Latencies => latencies::draw(paint, below, screen, &compared.plain),
        CompareView::Pivot => pivot::draw(paint, below, screen, &compared.pivot),
        CompareView::Scaling => scaling::draw(paint, below, screen, &compared.plain),
    }
}

/// Splits an area into the scrolling part and the lines below it.
fn above(area: Rect, below: u16) -> [Rect; 2] {
    area.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(below.min(area.height.saturating_sub(3)))]))
}

/// Paints wrapped lines while there is room. Stops at the first line that does not fit whole.
fn lines(paint: &mut Paint<'_>, area: Rect, texts: impl IntoIterator<Item = (String, Role)>) -> u16 {
    let mut left = area;
    for (text, role) in texts {
        let taken = wrap(&plain(&text), usize::from(left.width)).len() as u16;
        if taken > left.height {
            break;
        }
        paint.wrapped(left, &text, role);
        left = Rect { y: left.y + taken, height: left.height - taken, ..left };
    }
    area.height - left.height
}

/// Joins as many whole texts as fit on a line, and counts the rest, which `n` shows. The first is always shown.
fn joined(texts: &[String], separator: &str, room: usize) -> String {
    let shown = |count: usize| match texts.len() - count {
        0 => texts.join(separator),
        left => format!("{}{separator}{left} more: n", texts[..count].join(separator)),
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
        assert_eq!(joined(&texts, "; ", 17), "sqlite; 2 more: n");
    }
}
