//! The table: the columns that fit, and the rows around the cursor that are known.

use crate::{
    catalog::Role,
    store::{Listing, Page, PageRows},
    tui::{
        screens::results::{Markable, Results, Row, Which, columns as listed, paint::cells, pane},
        widgets::{
            Target,
            columns::{Candidate, GAP, fitting},
            paint::{Paint, Piece, fit, pad, piece, rows, width},
        },
    },
};
use ratatui::layout::Rect;

/// Columns before the first: the side a row is marked for, and a sign for figures that do not count.
const SIGNS: usize = 3;

/// Paints titles and rows.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, results: &Results, page: &Page) {
    let shown = columns(results, page, usize::from(area.width));
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
fn title_texts(results: &Results) -> Vec<String> {
    let (key, descending) = match &results.listing {
        Listing::Results(order) => (None, order.descending),
        Listing::Groups(key, order) => (Some(key), order.descending),
    };
    let ordering = listed::ordering(&results.listing);
    let words = cells::words(key);
    let title = |(place, word): (usize, &&str)| {
        cells::title(word, (place == ordering).then_some(descending), place == results.focus)
    };
    words.iter().enumerate().map(title).collect()
}

/// The columns that fit. Those of the order and of the cursor are never dropped.
fn columns(results: &Results, page: &Page, screen: usize) -> Vec<Candidate> {
    let titles = title_texts(results);
    let kept = [listed::ordering(&results.listing), results.focus];
    let candidates = titles.iter().enumerate().map(|(place, title)| {
        let shape = match &results.listing {
            Listing::Results(_) => cells::result_shape(listed::RESULTS[place], screen),
            Listing::Groups(..) => cells::group_shape(listed::GROUPS[place], screen),
        };
        let texts: Vec<String> = match (&page.rows, &results.listing) {
            (PageRows::Results(rows), _) => {
                rows.iter().map(|row| cells::result(row, listed::RESULTS[place], screen)).collect()
            }
            (PageRows::Groups(rows), Listing::Groups(key, _)) => {
                rows.iter().map(|row| cells::group(row, key, listed::GROUPS[place])).collect()
            }
            (PageRows::Groups(_), Listing::Results(_)) => Vec::new(),
        };
        // What says which row it is comes before the column that was chosen.
        let rank = if kept.contains(&place) { shape.rank.min(1) } else { shape.rank + 2 };
        let rank = if shape.rank == 0 { 0 } else { rank.max(1) };
        Candidate::new(place, rank, shape.right, title, shape.most, texts.iter().map(String::as_str))
    });
    fitting(candidates.collect(), screen.saturating_sub(SIGNS))
}

fn titles(paint: &mut Paint<'_>, area: Rect, results: &Results, shown: &[Candidate]) {
    let texts = title_texts(results);
    let ordering = listed::ordering(&results.listing);
    let mut x = area.x;
    for column in shown {
        let place = Rect { x, width: column.width as u16, ..area };
        let role = if column.place == ordering || column.place == results.focus { Role::Title } else { Role::Dim };
        paint.text(place, &aligned(&texts[column.place], column), role);
        paint.hit(place, Target::Spot { pane: pane::TITLES, row: column.place });
        x = x.saturating_add((column.width + GAP) as u16);
    }
}

fn draw_row(paint: &mut Paint<'_>, row: Rect, results: &Results, known: Row<'_>, shown: &[Candidate]) {
    let mut line: Vec<Piece<'_>> = Vec::new();
    let marked = match (known, &results.listing) {
        (Row::Result(result), _) => results.marks.of(Markable::Run(&result.run_id)),
        (Row::Group(group), Listing::Groups(key, _)) => {
            let filter = results.filter.narrowed(key, group.value.as_deref()).ok();
            filter.and_then(|filter| results.marks.of(Markable::Selection(&filter.line)))
        }
        (Row::Group(_), Listing::Results(_)) => None,
    };
    line.push(match marked {
        Some(Which::A) => piece("A", Role::A),
        Some(Which::B) => piece("B", Role::B),
        None => piece(" ", Role::Dim),
    });
    let sign = if let Row::Result(result) = known { cells::sign(result) } else { " " };
    line.push(piece(format!("{sign} "), Role::Bad));
    let screen = usize::from(row.width);
    for (at, column) in shown.iter().enumerate() {
        if at > 0 {
            line.push(piece(" ".repeat(GAP), Role::Dim));
        }
        let (text, role) = match (known, &results.listing) {
            (Row::Result(result), _) => {
                let of = listed::RESULTS[column.place];
                (cells::result(result, of, screen), cells::result_role(result, of))
            }
            (Row::Group(group), Listing::Groups(key, _)) => {
                let of = listed::GROUPS[column.place];
                (cells::group(group, key, of), cells::group_role(of))
            }
            (Row::Group(_), Listing::Results(_)) => continue,
        };
        line.push(piece(aligned(&text, column), role));
    }
    paint.line(row, &line);
}

/// Text in the width of its column.
fn aligned(text: &str, column: &Candidate) -> String {
    if !column.right {
        return pad(text, column.width);
    }
    let text = fit(text, column.width);
    " ".repeat(column.width - width(&text)) + &text
}
