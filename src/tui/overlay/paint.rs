//! Paints the overlays above a screen.

use crate::tui::{
    overlay::{Choose, CommandLine, Confirm, FilterLine, ListItem, Overlay, Prompt, TextPage},
    widgets::{
        Target,
        list::VisibleRows,
        paint::{Paint, fit, pad, piece, rows, width, wrap},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::layout::{Position, Rect};

/// Paints an overlay in the middle of an area.
pub(crate) fn draw(paint: &mut Paint<'_>, area: Rect, overlay: &Overlay) {
    match overlay {
        Overlay::Prompt(prompt) => draw_prompt(paint, area, prompt),
        Overlay::Choose(choose) => draw_choose(paint, area, choose),
        Overlay::Confirm(confirm) => draw_confirm(paint, area, confirm),
        Overlay::Page(page) => draw_page(paint, area, page),
        Overlay::Command(line) => draw_command(paint, area, line),
        Overlay::Filter(filter) => draw_filter(paint, area, filter),
    }
}

/// Paints a cleared box of this size in the middle, and returns its inside. The foot is painted into the lower border.
fn boxed(paint: &mut Paint<'_>, area: Rect, columns: u16, lines: u16, title: &str, foot: &str) -> Rect {
    let width = columns.saturating_add(4).min(area.width.saturating_sub(2));
    let height = lines.saturating_add(2).min(area.height);
    let place = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    framed(paint, place, title, foot)
}

/// Paints a cleared box, and returns its inside. The foot is painted into the lower border.
fn framed(paint: &mut Paint<'_>, place: Rect, title: &str, foot: &str) -> Rect {
    paint.clear(place);
    let inner = paint.pane(place, title, true);
    let text = format!(" {foot} ");
    let at = Rect { x: place.x + 1, y: place.bottom() - 1, width: place.width.saturating_sub(2), height: 1 };
    paint.right(at, &fit(&text, usize::from(at.width)), Role::Dim);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// Paints the text of an input in a row, scrolled so that its cursor is visible.
fn input(paint: &mut Paint<'_>, row: Rect, input: &tui_input::Input) {
    let columns = usize::from(row.width).saturating_sub(1);
    let scroll = input.visual_scroll(columns);
    let text = plain(input.value());
    let shown: String = text.chars().skip(scroll).collect();
    paint.text(row, &shown, Role::Text);
    let at = (input.visual_cursor().max(scroll) - scroll).min(columns);
    paint.cursor = Some(Position { x: row.x + at as u16, y: row.y });
}

fn draw_prompt(paint: &mut Paint<'_>, area: Rect, prompt: &Prompt) {
    let columns = area.width.saturating_sub(10).clamp(20, 90);
    let note = prompt.error.as_ref().unwrap_or(&prompt.help);
    let lines = wrap(&plain(note), usize::from(columns)).len() as u16;
    let inner = boxed(paint, area, columns, lines + 2, &prompt.title, "Enter accept  Esc close");
    input(paint, Rect { height: 1, ..inner }, &prompt.input);
    let below = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
    match &prompt.error {
        Some(error) => paint.wrapped(below, &format!("✗ {error}"), Role::Bad),
        None => paint.wrapped(below, &prompt.help, Role::Dim),
    };
}

/// Lines below a list with truncated entries: a blank one, and the full entry under the cursor.
const WHOLE: u16 = 3;

fn draw_choose(paint: &mut Paint<'_>, area: Rect, choose: &Choose) {
    let matching = choose.matching();
    let label = choose.items.iter().map(|item| width(&plain(&item.label))).max().unwrap_or(0);
    let detail = choose.items.iter().map(|item| width(&plain(&item.detail))).max().unwrap_or(0);
    let signs = if choose.several { 4 } else { 0 };
    let wanted = (label + detail + 2 + signs).max(width(&choose.title) + 4).max(44);
    let columns = (wanted as u16).min(area.width.saturating_sub(8));
    let foot = if choose.several { "Space choose  Enter accept  Esc close" } else { "Enter accept  Esc close" };
    let is_cut = wanted > usize::from(columns);
    let whole = if is_cut { WHOLE } else { 0 };
    let inner = boxed(paint, area, columns, choose.items.len() as u16 + 2 + whole, &choose.title, foot);
    let top = Rect { height: 1, ..inner };
    paint.text(top, "/ ", Role::Key);
    input(paint, Rect { x: top.x + 2, width: top.width.saturating_sub(2), ..top }, &choose.input);
    let list = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2 + whole), ..inner };
    if let Some(item) = matching.get(choose.cursor.at).map(|at| &choose.items[*at]).filter(|_| is_cut) {
        let text = format!("{}  {}", item.label, item.detail);
        paint.wrapped(Rect { y: list.bottom() + 1, height: WHOLE - 1, ..inner }, &text, Role::Dim);
    }
    if matching.is_empty() {
        paint.text(Rect { height: 1, ..list }, "nothing matches", Role::Dim);
    }
    let room = usize::from(list.width).saturating_sub(signs);
    let label = label.min(room.saturating_sub(detail.min(room / 2) + 2).max(room / 2));
    VisibleRows::new(matching.len(), choose.cursor).paint(paint, list, in_overlay, |paint, at, row| {
        let item = &choose.items[matching[at]];
        let sign = match (choose.several, item.chosen) {
            (false, _) => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
        };
        let columns = if item.detail.is_empty() { room } else { label };
        draw_item(paint, row, item, sign, columns);
    });
}

fn in_overlay(row: usize) -> Option<Target> {
    Some(Target::Overlay(row))
}

/// Paints a line of a list: a sign, the label in this many columns, and the detail.
fn draw_item(paint: &mut Paint<'_>, row: Rect, item: &ListItem, sign: &str, columns: usize) {
    let role = if item.chosen { Role::Good } else { Role::Text };
    let pieces = [
        piece(sign, role),
        piece(pad(&plain(&item.label), columns), role),
        piece(if item.detail.is_empty() { String::new() } else { format!("  {}", item.detail) }, Role::Dim),
    ];
    paint.line(row, &pieces);
}

/// Rows of a command's completions, at most, so that the effect of the command is visible above them.
const COMPLETIONS: u16 = 8;
/// Rows of the note below them, enough for most notes in full.
const NOTE: u16 = 3;

/// Paints a command at the lower end, so that its effect is visible above.
fn draw_command(paint: &mut Paint<'_>, area: Rect, line: &CommandLine) {
    let items = &line.completions.items;
    let listed = (items.len() as u16).min(COMPLETIONS);
    let height = (1 + listed + NOTE + 2).min(area.height);
    let place = Rect { x: area.x + 1, y: area.bottom() - height, width: area.width.saturating_sub(2), height };
    let inner = framed(paint, place, "Commands", "Tab complete  Enter accept  Esc close");
    let top = Rect { height: 1, ..inner };
    paint.text(top, ": ", Role::Key);
    input(paint, Rect { x: top.x + 2, width: top.width.saturating_sub(2), ..top }, &line.input);
    let list = Rect { y: inner.y + 1, height: listed, ..inner };
    let note = Rect { y: list.bottom(), height: inner.bottom().saturating_sub(list.bottom()), ..inner };
    let cut = line.pointed().map(|at| &items[at]).filter(|item| is_cut(item, label_columns(line, list), list));
    match (&line.error, cut) {
        (Some(error), _) => paint.wrapped(note, &format!("✗ {error}"), Role::Bad),
        (None, Some(item)) => paint.wrapped(note, &format!("{}  {}", item.label, item.detail), Role::Text),
        (None, None) => paint.wrapped(note, &line.completions.note, Role::Dim),
    };
    draw_completions(paint, list, line);
}

/// Paints the completions of a line, as many as fit around its cursor.
fn draw_completions(paint: &mut Paint<'_>, list: Rect, line: &CommandLine) {
    let items = &line.completions.items;
    let matching = line.matching();
    if matching.is_empty() && list.height > 0 && !line.completions.is_free {
        paint.text(Rect { height: 1, ..list }, "nothing matches", Role::Dim);
    }
    let (room, label) = (usize::from(list.width), label_columns(line, list));
    let around = VisibleRows::new(matching.len(), line.cursor).highlighted_if(line.is_pointing());
    around.paint(paint, list, in_overlay, |paint, at, row| {
        let item = &items[matching[at]];
        draw_item(paint, row, item, "", if item.detail.is_empty() { room } else { label });
    });
}

/// Returns the columns for the labels of the completions in view.
fn label_columns(line: &CommandLine, list: Rect) -> usize {
    let matching = line.matching();
    let around = VisibleRows::new(matching.len(), line.cursor);
    let seen = matching[around.seen(list.height)].iter().map(|at| &line.completions.items[*at]);
    seen.map(|item| width(&plain(&item.label))).max().unwrap_or(0).min(usize::from(list.width) * 2 / 3)
}

/// Whether the row of an item is too short for it.
fn is_cut(item: &ListItem, columns: usize, list: Rect) -> bool {
    let (label, detail) = (width(&plain(&item.label)), width(&plain(&item.detail)));
    match detail {
        0 => label > usize::from(list.width),
        detail => label > columns || columns + 2 + detail > usize::from(list.width),
    }
}

/// Rows of a filter's completions, at most. The list that it narrows is above them.
const FILTER_COMPLETIONS: u16 = 5;

/// Paints a filter into the last rows: completions, the line, the expected input or an error, and its keys.
fn draw_filter(paint: &mut Paint<'_>, area: Rect, filter: &FilterLine) {
    const FOOT: &str = "Tab complete  Ctrl-n Ctrl-p choose  Up Down history  Enter keep  Esc cancel";
    let line = &filter.line;
    let told = match &line.error {
        Some(error) => (format!("✗ {error}"), Role::Bad),
        None => (line.completions.note.clone(), Role::Dim),
    };
    let below = wrap(&plain(&told.0), usize::from(area.width)).len().min(usize::from(NOTE)) as u16;
    let listed = (line.matching().len() as u16).min(FILTER_COMPLETIONS);
    // The filter also takes the line of hints, because its keys mean something else here.
    let height = (listed + 1 + below + 1).min(area.height);
    let place = Rect { y: area.bottom() - height, height, ..area };
    paint.clear(place);
    paint.text(Rect { y: place.bottom() - 1, height: 1, ..place }, FOOT, Role::Dim);
    draw_completions(paint, Rect { height: listed, ..place }, line);
    let row = Rect { y: place.y + listed, height: 1, ..place };
    let title = format!("{} / ", plain(&filter.title));
    let columns = (width(&title) as u16).min(row.width / 2);
    paint.text(Rect { width: columns, ..row }, &title, Role::Key);
    input(paint, Rect { x: row.x + columns, width: row.width - columns, ..row }, &line.input);
    paint.wrapped(Rect { y: row.y + 1, height: below, ..place }, &told.0, told.1);
}

fn draw_confirm(paint: &mut Paint<'_>, area: Rect, confirm: &Confirm) {
    let columns = confirm.lines.iter().map(|line| width(line)).max().unwrap_or(0).max(width(&confirm.title) + 2);
    let columns = (columns as u16).clamp(30, area.width.saturating_sub(8));
    let lines: Vec<String> = confirm.lines.iter().flat_map(|line| wrap(&plain(line), usize::from(columns))).collect();
    let inner = boxed(paint, area, columns, lines.len() as u16, &confirm.title, "y yes  n no");
    for (line, row) in lines.iter().zip(rows(inner)) {
        paint.text(row, line, Role::Text);
    }
}

fn draw_page(paint: &mut Paint<'_>, area: Rect, page: &TextPage) {
    let (columns, lines) = page.wrapped(area.width);
    let shown = lines.len().min(usize::from(area.height.saturating_sub(2)));
    let first = page.scroll.min(lines.len() - shown);
    let run = if page.sql.is_some() { "Q its SQL  " } else { "" };
    let scroll = match shown < lines.len() {
        true => format!("{} to {} of {}  j k scroll  ", first + 1, first + shown, lines.len()),
        false => String::new(),
    };
    let inner = boxed(paint, area, columns, lines.len() as u16, &page.title, &format!("{run}{scroll}Esc close"));
    for (line, row) in lines.iter().skip(first).zip(rows(inner)) {
        paint.text(row, line, if line.starts_with('!') { Role::Warn } else { Role::Text });
    }
}
