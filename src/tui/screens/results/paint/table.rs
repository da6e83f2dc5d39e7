//! The table: the columns that fit, and the rows around the cursor that are known.

use super::cells;
use crate::{
    catalog::Role,
    store::{Page, PageListing, PageRows},
    tui::{
        screens::results::{ListedRow, Markable, ResultsScreen, Which, columns, pane},
        widgets::{
            Target,
            columns::{FittedColumn, GAP, fitting},
            paint::{Paint, TextPiece, fit, pad, piece, rows, width},
        },
    },
};
use ratatui::layout::Rect;

/// Columns before the first: the side a row is marked for, and a sign for figures that do not count.
const SIGNS: usize = 3;

/// Paints titles and rows.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen, page: &Page) {
    let shown = fitting_columns(results, page, usize::from(area.width));
    let body = Rect { x: area.x + SIGNS as u16, width: area.width.saturating_sub(SIGNS as u16), ..area };
    titles(paint, Rect { height: 1, ..body }, results, &shown);
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let offset = results.table.cursor.offset(results.table.length(), usize::from(list.height));
    for (at, row) in (offset..results.table.length()).zip(rows(list)) {
        match results.table.row(at) {
            Some(known) => draw_row(paint, row, results, known, &shown),
            None => drop(paint.text(row, "   …", Role::Dim)),
        }
        if at == results.table.cursor.at {
            paint.highlight(row);
        }
        paint.hit(row, Target::Spot { pane: pane::ROWS, row: at });
    }
}

/// The titles by place, with order and focus.
fn title_texts(results: &ResultsScreen) -> Vec<String> {
    let (key, descending) = match &results.listing {
        PageListing::Results(order) => (None, order.descending),
        PageListing::Groups(key, order) => (Some(key), order.descending),
    };
    let ordering = columns::ordering(&results.listing);
    let words = cells::words(key);
    let title = |(place, word): (usize, &&str)| {
        cells::title(word, (place == ordering).then_some(descending), place == results.focus)
    };
    words.iter().enumerate().map(title).collect()
}

/// The columns that fit. Those of the order and of the cursor are never dropped.
fn fitting_columns(results: &ResultsScreen, page: &Page, screen: usize) -> Vec<FittedColumn> {
    let titles = title_texts(results);
    let kept = [columns::ordering(&results.listing), results.focus];
    let candidates = titles.iter().enumerate().map(|(place, title)| {
        let shape = match &results.listing {
            PageListing::Results(_) => cells::result_shape(columns::RESULTS[place], screen),
            PageListing::Groups(..) => cells::group_shape(columns::GROUPS[place], screen),
        };
        let texts: Vec<String> = match (&page.rows, &results.listing) {
            (PageRows::Results(rows), _) => {
                rows.iter().map(|row| cells::result(row, columns::RESULTS[place], screen)).collect()
            }
            (PageRows::Groups(rows), PageListing::Groups(key, _)) => {
                rows.iter().map(|row| cells::group(row, key, columns::GROUPS[place])).collect()
            }
            (PageRows::Groups(_), PageListing::Results(_)) => Vec::new(),
        };
        // What says which row it is comes before the column that was chosen.
        let rank = if kept.contains(&place) { shape.rank.min(1) } else { shape.rank + 2 };
        let rank = if shape.rank == 0 { 0 } else { rank.max(1) };
        FittedColumn::new(place, rank, shape.right, title, shape.most, texts.iter().map(String::as_str))
    });
    fitting(candidates.collect(), screen.saturating_sub(SIGNS))
}

fn titles(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen, shown: &[FittedColumn]) {
    let texts = title_texts(results);
    let ordering = columns::ordering(&results.listing);
    let mut x = area.x;
    for column in shown {
        let place = Rect { x, width: column.width as u16, ..area };
        let role = if column.place == ordering || column.place == results.focus { Role::Title } else { Role::Dim };
        paint.text(place, &aligned(&texts[column.place], column), role);
        paint.hit(place, Target::Spot { pane: pane::TITLES, row: column.place });
        x = x.saturating_add((column.width + GAP) as u16);
    }
}

fn draw_row(paint: &mut Paint<'_>, row: Rect, results: &ResultsScreen, known: ListedRow<'_>, shown: &[FittedColumn]) {
    let mut line: Vec<TextPiece<'_>> = Vec::new();
    let marked = match (known, &results.listing) {
        (ListedRow::Result(result), _) => results.marks.side_of(Markable::Run(&result.run_id)),
        (ListedRow::Group(group), PageListing::Groups(key, _)) => {
            let filter = results.filter.narrowed(key, group.value.as_deref()).ok();
            filter.and_then(|filter| results.marks.side_of(Markable::Selection(&filter.line)))
        }
        (ListedRow::Group(_), PageListing::Results(_)) => None,
    };
    line.push(match marked {
        Some(Which::A) => piece("A", Role::A),
        Some(Which::B) => piece("B", Role::B),
        None => piece(" ", Role::Dim),
    });
    let sign = if let ListedRow::Result(result) = known { cells::sign(result) } else { " " };
    line.push(piece(format!("{sign} "), Role::Bad));
    let screen = usize::from(row.width);
    for (at, column) in shown.iter().enumerate() {
        if at > 0 {
            line.push(piece(" ".repeat(GAP), Role::Dim));
        }
        let (text, role) = match (known, &results.listing) {
            (ListedRow::Result(result), _) => {
                let of = columns::RESULTS[column.place];
                (cells::result(result, of, screen), cells::result_role(result, of))
            }
            (ListedRow::Group(group), PageListing::Groups(key, _)) => {
                let of = columns::GROUPS[column.place];
                (cells::group(group, key, of), cells::group_role(of))
            }
            (ListedRow::Group(_), PageListing::Results(_)) => continue,
        };
        line.push(piece(aligned(&text, column), role));
    }
    paint.line(row, &line);
}

/// Text in the width of its column.
fn aligned(text: &str, column: &FittedColumn) -> String {
    if !column.right {
        return pad(text, column.width);
    }
    let text = fit(text, column.width);
    " ".repeat(column.width - width(&text)) + &text
}
