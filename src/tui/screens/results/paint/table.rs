//! The table of a listing: its columns, and the known rows around the cursor.

use crate::tui::{
    screens::results::{ListedRow, Markable, ResultsScreen, Which, cells, columns, pane},
    widgets::{
        paint::piece,
        table::{ColumnWidth, ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use ratatui::layout::Alignment;

/// Columns before the first of the listing: the signs of the rows.
pub(super) const LEAD: usize = 1;

type RowColumn<'t> = TableColumn<'t, ListedRow<'t>>;

/// Returns the listing as a table, on a screen with the given number of columns.
pub(super) fn listing(results: &ResultsScreen, screen: usize) -> ListTable<'_, ListedRow<'_>> {
    let columns = std::iter::once(signs(results)).chain(data(results, screen)).collect();
    let from = results.table.page.as_ref().map_or(0, |page| page.offset as usize);
    ListTable::new(columns, results.table.known(), results.table.cursor, pane::ROWS)
        .part_of(results.table.length(), from)
        .titles_in(pane::TITLES)
        .led_by(LEAD)
}

/// Returns the column with the side for which a row is marked, and a sign for figures that do not count.
fn signs(results: &ResultsScreen) -> RowColumn<'_> {
    let signs = |row: &ListedRow<'_>, _: usize| {
        let mark = match marked(results, *row) {
            Some(Which::A) => piece("A", Role::A),
            Some(Which::B) => piece("B", Role::B),
            None => piece(" ", Role::Dim),
        };
        let (sign, role) = cells::sign(*row);
        vec![mark, piece(sign, role)]
    };
    RowColumn::drawn("", 0, ColumnWidth::Filled(3, 3), signs).gap(0)
}

/// Returns the columns of the listing. The sort column and the cursor's column are never dropped.
fn data(results: &ResultsScreen, screen: usize) -> impl Iterator<Item = RowColumn<'_>> {
    let ended_well = results.table.known().all(|row| cells::sign(row).0 == " ");
    let (by, descending) = columns::ordering(&results.listing);
    results.columns().into_iter().map(move |column| {
        let (look, is_order, is_focus) = (cells::look_of(&column), by == column, column == results.focus);
        // Columns that identify the row come first, then the sort column, the cursor's column and those that the user asked for. The status
        // has a higher priority if runs ended badly.
        let rank = match look.rank {
            0 => 0,
            _ if is_order || is_focus || results.is_wanted(&column) => 1,
            _ if look.is_status && !ended_well => 4,
            rank => rank + 2,
        };
        let sign = if !is_order {
            ""
        } else if descending {
            "▼"
        } else {
            "▲"
        };
        let word = format!("{}{sign}", column.word(columns::key(&results.listing)));
        let title = if is_focus { format!("[{word}]") } else { word };
        RowColumn::text(title, rank, move |row| cells::cell(results, *row, &column, screen))
            .at_most(if look.rank == 0 { cells::label_width(screen) } else { look.most })
            .aligned(if look.right { Alignment::Right } else { Alignment::Left })
            .titled(if is_order || is_focus { Role::Title } else { Role::Dim })
            .coloured(move |row| look.role(*row))
    })
}

/// Returns the side for which a row is marked.
fn marked(results: &ResultsScreen, known: ListedRow<'_>) -> Option<Which> {
    let side = |line: String| results.marks.side_of(Markable::Selection(&line));
    match known {
        _ if results.marks.is_empty() => None,
        ListedRow::Result(row) => results.marks.side_of(Markable::Run(&row.run_id)),
        ListedRow::Run(row) => results.marks.side_of(Markable::Run(&row.run_id)),
        ListedRow::Configuration(row) => side(results.filter.of_configuration(row).ok()?.line),
        ListedRow::Group(row) => side(results.filter.of_group(columns::key(&results.listing)?, row).ok()?.line),
    }
}
