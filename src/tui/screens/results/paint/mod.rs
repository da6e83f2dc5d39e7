//! The Results screen: the table of stored results, and the page of an open run.

mod run;
mod table;

pub(super) use run::test_in_words;

use super::{ListedColumn, ListedRow, ResultsScreen, cells, columns};
use crate::tui::{
    screens::{Context, screen::Screen},
    widgets::{
        paint::{Paint, TextPiece, ViewTitle, fit, piece, width},
        way::way,
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, counted, plain};
use dbdyno_store::{PageListing, ReadWatch};
use ratatui::layout::Rect;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen, context: &Context<'_>) {
    match &results.opened {
        Some(opened) => run::draw(paint, area, results, opened, context.zoomed),
        None => draw_listing(paint, area, results, context),
    }
}

/// Returns the visible columns, on a screen with the given number of terminal columns.
pub(super) fn columns_seen(results: &ResultsScreen, screen: usize) -> Vec<ListedColumn> {
    let all = results.columns();
    // Without the border.
    let room = screen.saturating_sub(2);
    let shown = table::listing(results, room).columns_in(room);
    shown.iter().filter_map(|(at, _)| all.get(at.checked_sub(table::LEAD)?).cloned()).collect()
}

/// Returns the full text of a cell.
pub(super) fn whole_cell(results: &ResultsScreen, row: ListedRow<'_>, column: &ListedColumn) -> String {
    cells::cell(results, row, column, usize::from(u16::MAX))
}

fn draw_listing(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen, context: &Context<'_>) {
    let mut inner = draw_pane(paint, area, results);
    foot(paint, area, &place(results));
    let said = said(results, context.is_measuring, usize::from(inner.width));
    if !said.is_empty() {
        paint.line(Rect { height: 1, ..inner }, &said);
        inner = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
    }
    if let Some(reason) = &results.table.error {
        let taken = paint.wrapped(inner, &format!("✗ {reason}"), Role::Bad);
        paint.text(Rect { y: inner.y + taken, height: 1, ..inner }, "Ctrl-r tries again", Role::Dim);
        return;
    }
    match &results.table.page {
        None => drop(paint.wrapped(inner, &reading(results, context.is_measuring), Role::Dim)),
        Some(page) if page.length == 0 => {
            paint.wrapped(inner, empty(results, page.stored > 0), Role::Dim);
        }
        Some(_) => drop(table::listing(results, usize::from(inner.width)).paint(paint, inner)),
    }
}

/// Paints the pane. After the title, the names of both views can be clicked, if there is room and nothing was entered. Returns its inside.
fn draw_pane(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen) -> Rect {
    let room = usize::from(area.width).saturating_sub(4);
    let title = title(results, room);
    let first = match results.listing {
        PageListing::Groups(..) => "groups",
        _ => "configurations",
    };
    let views =
        ViewTitle { before: &title, names: vec![first, "one by one"], current: results.view(), after: String::new() };
    match results.trail.is_empty() && views.width() <= room {
        true => paint.pane_of_views(area, &views, true).0,
        false => paint.pane(area, &title, true),
    }
}

/// Returns the path to the current listing, in at most `room` columns.
fn steps(results: &ResultsScreen, room: usize) -> String {
    let steps: Vec<String> = std::iter::once("Results".to_owned()).chain(results.way()).collect();
    way(&steps, room)
}

/// Returns the number of results, the number that match the filter, and the order.
fn title(results: &ResultsScreen, room: usize) -> String {
    let (column, descending) = columns::ordering(&results.listing);
    let word = plain(column.word(columns::key(&results.listing)));
    let order = format!("by {word} {}", if descending { "▼" } else { "▲" });
    let Some(page) = &results.table.page else { return format!("{} · {order}", steps(results, room)) };
    let mut many = count(page.results);
    if page.results != page.stored {
        many = format!("{many} of {}", count(page.stored));
    }
    let without = match page.without {
        0 => String::new(),
        1 => " + 1 run without a test".to_owned(),
        runs => format!(" + {} runs without a test", count(runs)),
    };
    let rows = match &results.listing {
        PageListing::Results(_) => String::new(),
        PageListing::Configurations(_) => format!(" · {}", counted(page.length, "configuration")),
        PageListing::Runs(_) => format!(" · {}", counted(page.length, "run")),
        PageListing::Groups(..) => format!(" · {}", counted(page.length, "group")),
    };
    let tail = format!("{many}{without}{rows} · {order}");
    let gap = if results.trail.is_empty() { " " } else { " · " };
    format!("{}{gap}{tail}", steps(results, room.saturating_sub(width(gap) + width(&tail))))
}

/// Returns the position of the cursor among the rows.
fn place(results: &ResultsScreen) -> String {
    match results.table.length() as u64 {
        0 => String::new(),
        length => format!("{} / {}", count(results.table.cursor.at as u64 + 1), count(length)),
    }
}

/// Paints a short text into the lower border.
fn foot(paint: &mut Paint<'_>, area: Rect, text: &str) {
    if !text.is_empty() {
        let at = Rect { x: area.x + 1, y: area.bottom() - 1, width: area.width - 2, height: 1 };
        paint.right(at, &format!(" {text} "), Role::Dim);
    }
}

/// Whether there is a line about the filter, the marks or an operation in progress.
pub(super) fn says_something(results: &ResultsScreen, running: bool) -> bool {
    !said(results, running, usize::from(u16::MAX)).is_empty()
}

/// Returns texts for the operation in progress, the marks and the filter, if there is room. The filter is last because it can be cut.
fn said<'t>(results: &ResultsScreen, running: bool, room: usize) -> Vec<TextPiece<'t>> {
    let mut pieces: Vec<TextPiece<'t>> = Vec::new();
    if let Some(busy) = &results.busy {
        let waiting = if running { ", waiting until the test under way has ended" } else { "" };
        pieces.push(piece(format!("… {busy}{waiting}   "), Role::Warn));
    } else if results.table.waiting.is_some() && results.table.page.is_some() && running {
        pieces.push(piece("… waiting until the test under way has ended   ", Role::Warn));
    }
    let marks = &results.marks;
    if !marks.is_empty() {
        // The filter needs its part of the line.
        let parts = if results.filter.line.is_empty() { 2 } else { 3 };
        let side = |words: String| fit(&plain(&words), (room / parts).saturating_sub(5));
        pieces.push(piece(format!("A {}", side(marks.a.words())), Role::A));
        pieces.push(piece("  ", Role::Dim));
        pieces.push(piece(format!("B {}   ", side(marks.b.words())), Role::B));
    }
    if !results.filter.line.is_empty() {
        let taken: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        let line = fit(&format!("/ {}", plain(&results.filter.line)), room.saturating_sub(taken));
        pieces.push(piece(line, Role::Accent));
    }
    pieces
}

fn reading(results: &ResultsScreen, running: bool) -> String {
    let held_by = results.table.watch.as_ref().and_then(ReadWatch::held_by);
    match (held_by, running) {
        (Some(holder), _) => format!("waiting: {holder} has the store open…"),
        (None, true) => "waiting until the test under way has ended…".to_owned(),
        (None, false) => "reading the store…".to_owned(),
    }
}

fn empty(results: &ResultsScreen, stored: bool) -> &'static str {
    match (stored, results.filter.selection.is_all()) {
        (false, _) => {
            "Nothing is stored yet: press 1 for the Bench screen, where Enter runs a bench; `dbdyno import FILE` imports results of others."
        }
        (true, false) => "Nothing matches the filter: / changes it, Esc clears it.",
        (true, true) => "There are no groups.",
    }
}
