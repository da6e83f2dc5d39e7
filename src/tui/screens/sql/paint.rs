//! Painting of the SQL pane: the statement above, its answer below.

use super::{
    Focus, SqlScreen, pane,
    shown::{ShownAnswer, text},
};
use crate::tui::{
    screens::Context,
    widgets::{
        Target,
        paint::{Paint, piece, rows, wrap},
        table::{ColumnWidth, ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, counted, plain};
use dbdyno_store::TextRow;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};

/// Minimum number of rows for the statement.
const LEAST_ROWS: u16 = 3;
/// Rows of the program's tabs and hints.
const AROUND: u16 = 2;
/// The text shown before a statement was run.
const EMPTY: &str = "F5 or Ctrl-r runs the statement; it only reads. The views are results (a row a run and test), runs, run_tests; \
                     DESCRIBE results has the columns.";

/// Splits the area into statement and answer; if zoomed, the focused one has all of it.
fn split(area: Rect, screen: &SqlScreen, zoomed: bool) -> [Rect; 2] {
    match (zoomed, screen.focus) {
        (true, Focus::Editor) => return [area, Rect::default()],
        (true, Focus::Answer) => return [Rect::default(), area],
        (false, _) => {}
    }
    let wanted = screen.editor.rows(area.width.saturating_sub(2)).max(LEAST_ROWS) + 2;
    let above = wanted.min((area.height * 2 / 5).max(LEAST_ROWS + 2));
    area.layout(&Layout::vertical([Constraint::Length(above), Constraint::Min(3)]))
}

/// Returns the number of visible rows of the answer on a screen of this size.
pub(super) fn rows_seen(screen: &SqlScreen, context: &Context<'_>) -> usize {
    let (columns, lines) = context.size;
    let [_, answer] = split(Rect::new(0, 0, columns, lines.saturating_sub(AROUND)), screen, context.zoomed);
    usize::from(answer.height.saturating_sub(3))
}

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &SqlScreen, context: &Context<'_>) {
    let [above, below] = split(area, screen, context.zoomed);
    let is_typed_into = screen.focus == Focus::Editor;
    if above.height > 0 {
        draw_statement(paint, above, screen, is_typed_into);
    }
    if below.height > 0 {
        draw_below(paint, below, screen, context, is_typed_into);
    }
}

fn draw_statement(paint: &mut Paint<'_>, area: Rect, screen: &SqlScreen, is_typed_into: bool) {
    let title = if is_typed_into { "SQL · Esc leaves" } else { "SQL · i changes it" };
    let title = paint.title_after_way(area, title);
    let inner = paint.pane(area, &title, is_typed_into);
    paint.hit(area, Target::Spot { pane: pane::EDITOR, row: 0 });
    screen.editor.draw(paint, inner, is_typed_into);
}

fn draw_below(paint: &mut Paint<'_>, area: Rect, screen: &SqlScreen, context: &Context<'_>, is_typed_into: bool) {
    let title = match &screen.found {
        Some(Ok(shown)) if screen.reading.is_none() => title_of(shown),
        _ => "Answer".to_owned(),
    };
    let inner = paint.pane(area, &title, !is_typed_into);
    match (&screen.reading, &screen.found) {
        (Some((awaited, _)), _) => awaited.draw(paint, inner, context),
        (None, None) => {
            paint.wrapped(inner, EMPTY, Role::Dim);
        }
        (None, Some(Err(message))) => draw_mistake(paint, inner, message),
        (None, Some(Ok(shown))) => draw_answer(paint, inner, shown),
    }
}

/// `Answer · 12 rows`, or the total number if not all rows were read.
fn title_of(shown: &ShownAnswer) -> String {
    let here = shown.answer.rows.rows.len() as u64;
    match shown.is_cut() {
        true => format!("Answer · cut: {} of {} rows · e exports all", count(here), count(shown.answer.total)),
        false => format!("Answer · {}", counted(here, "row")),
    }
}

/// Paints an error message. Its last lines may be a part of the statement with a sign below; these are not wrapped.
fn draw_mistake(paint: &mut Paint<'_>, area: Rect, message: &str) {
    let mut lines = Vec::new();
    for (at, line) in message.lines().enumerate() {
        let line = plain(&if at == 0 { format!("✗ {line}") } else { line.to_owned() });
        let is_place = line.starts_with("LINE ") || line.trim_start().starts_with('^');
        if is_place { lines.push(line) } else { lines.extend(wrap(&line, usize::from(area.width))) }
    }
    for (line, row) in lines.iter().zip(rows(area)) {
        paint.text(row, line, if line.trim_start().starts_with('^') { Role::Warn } else { Role::Bad });
    }
}

fn draw_answer(paint: &mut Paint<'_>, area: Rect, shown: &ShownAnswer) {
    let columns = shown.widths.iter().zip(&shown.answer.rows.columns).enumerate().map(|(at, (&width, name))| {
        let sign = match shown.statement.order {
            Some(order) if order.column == at && order.descending => " ▼",
            Some(order) if order.column == at => " ▲",
            _ => "",
        };
        let cell = move |row: &TextRow<'_>, _: usize| {
            let value = row.get(at);
            vec![piece(text(value), if value.is_some() { Role::Text } else { Role::Dim })]
        };
        TableColumn::drawn(format!("{name}{sign}"), 0, ColumnWidth::Fixed(width), cell)
            .titled(if at == shown.column { Role::Focus } else { Role::Title })
            .aligned(if shown.is_number(at) { Alignment::Right } else { Alignment::Left })
    });
    // The first cell needs room for its mark too.
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let all = &shown.answer.rows.rows;
    let table = ListTable::new(columns.collect(), all.iter(), shown.row, pane::CELLS);
    let painted = table.titles_in(pane::TITLES).scrolled_to(shown.column).paint(paint, area);
    if all.is_empty() {
        paint.text(Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }, "no row", Role::Dim);
    }
    if let Some(cell) = painted.cell {
        paint.highlight(Rect { x: area.x - 1, width: area.width + 1, ..cell });
        // More than colour distinguishes the cell from its row.
        mark(paint, cell, area);
    }
}

/// Marks the cell under the cursor with brackets, the second one if there is room for it.
fn mark(paint: &mut Paint<'_>, cell: Rect, area: Rect) {
    for (x, sign) in [(cell.x - 1, "›"), (cell.right(), "‹")] {
        if x < area.right() {
            paint.text(Rect { x, width: 1, ..cell }, sign, Role::Focus);
        }
    }
}
