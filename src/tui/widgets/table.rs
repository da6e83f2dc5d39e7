//! A list with columns: the columns that fit, the row or cell under the cursor, and the visible range.

use super::{
    Target,
    columns::{ColumnRoom, fitting, scrolled},
    cursor::ListCursor,
    list::VisibleRows,
    paint::{Paint, TextPiece, piece, width},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::layout::{Alignment, Rect};
use std::borrow::Cow;

/// Spaces between columns.
pub(crate) const GAP: usize = 2;
/// The narrowest column of text, if even those that are never dropped do not fit.
const LEAST: usize = 8;
/// The widest column of text while room is short.
const MOST: usize = 36;

/// Draws a row's cell for a column of this width.
type CellPainter<'t, R> = Box<dyn Fn(&R, usize) -> Vec<TextPiece<'t>> + 't>;

/// The width of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColumnWidth {
    /// As wide as its widest cell; `most` if room is short, and `least` if nothing else can give way.
    Measured { least: usize, most: usize },
    /// At least and at most this; the cells fill it.
    Filled(usize, usize),
    /// Exactly this, except at the edge of a table that scrolls sideways.
    Fixed(usize),
}

/// A column of rows `R`.
pub(crate) struct TableColumn<'t, R> {
    /// The title, and shorter ones for a narrow column.
    titles: Vec<Cow<'t, str>>,
    title_role: Role,
    /// A line above the title.
    above: Option<TextPiece<'t>>,
    rank: usize,
    gap: usize,
    alignment: Alignment,
    width: ColumnWidth,
    /// The lines of each cell.
    cells: Vec<CellPainter<'t, R>>,
}

impl<'t, R: 't> TableColumn<'t, R> {
    /// Returns a column of text in the usual colour. The greatest rank is dropped first if room is short, and 0 never.
    pub(crate) fn text<S: Into<Cow<'t, str>>>(
        title: impl Into<Cow<'t, str>>,
        rank: usize,
        text: impl Fn(&R) -> S + 't,
    ) -> Self {
        let width = ColumnWidth::Measured { least: LEAST, most: MOST };
        Self::drawn(title, rank, width, move |row, _| vec![piece(text(row), Role::Text)])
    }

    /// Returns a column of numbers, which are never cut.
    pub(crate) fn number<S: Into<Cow<'t, str>>>(
        title: impl Into<Cow<'t, str>>,
        rank: usize,
        text: impl Fn(&R) -> S + 't,
    ) -> Self {
        Self::text(title, rank, text).whole().aligned(Alignment::Right)
    }

    /// Returns a column whose cells have several colours, or depend on its width.
    pub(crate) fn drawn(
        title: impl Into<Cow<'t, str>>,
        rank: usize,
        width: ColumnWidth,
        cell: impl Fn(&R, usize) -> Vec<TextPiece<'t>> + 't,
    ) -> Self {
        Self {
            titles: vec![title.into()],
            title_role: Role::Title,
            above: None,
            rank,
            gap: GAP,
            alignment: Alignment::Left,
            width,
            cells: vec![Box::new(cell)],
        }
    }

    /// Returns the same column in a colour that its row decides.
    pub(crate) fn coloured(mut self, role: impl Fn(&R) -> Role + 't) -> Self {
        let cell = self.cells.remove(0);
        let coloured = move |row: &R, columns: usize| {
            cell(row, columns).into_iter().map(|(text, _)| (text, role(row))).collect::<Vec<_>>()
        };
        self.cells.insert(0, Box::new(coloured));
        self
    }

    /// Returns the same column with a further line in each cell, for less important text.
    pub(crate) fn below(mut self, text: impl Fn(&R) -> String + 't) -> Self {
        self.cells.push(Box::new(move |row, _| vec![piece(text(row), Role::Dim)]));
        self
    }

    /// Returns the same column with a line above its title.
    pub(crate) fn above(self, above: TextPiece<'t>) -> Self {
        Self { above: Some(above), ..self }
    }

    /// Returns the same column with a title for the case that the usual one does not fit.
    pub(crate) fn or_titled(mut self, title: &'t str) -> Self {
        self.titles.push(title.into());
        self
    }

    /// Returns the same column with its title in another colour.
    pub(crate) fn titled(self, title_role: Role) -> Self {
        Self { title_role, ..self }
    }

    /// Returns the same column with another number of spaces after it.
    pub(crate) fn gap(self, gap: usize) -> Self {
        Self { gap, ..self }
    }

    /// Returns the same column, its title and cells aligned differently.
    pub(crate) fn aligned(self, alignment: Alignment) -> Self {
        Self { alignment, ..self }
    }

    /// Returns the same column, at most this wide while room is short.
    pub(crate) fn at_most(self, most: usize) -> Self {
        Self { width: ColumnWidth::Measured { least: LEAST, most }, ..self }
    }

    /// Returns the same column, whose cells are never cut.
    pub(crate) fn whole(self) -> Self {
        Self { width: ColumnWidth::Measured { least: usize::MAX, most: usize::MAX }, ..self }
    }

    fn room(&self, lines: &[TableLine<'t, R>]) -> ColumnRoom {
        let title = self.titles.iter().map(|title| width(&plain(title))).min().unwrap_or(0);
        let (least, width, widest) = match self.width {
            ColumnWidth::Measured { least, most } => {
                let rows = lines.iter().filter_map(TableLine::row);
                let cells =
                    rows.flat_map(|row| self.cells.iter().map(move |cell| pieces_width(&cell(row, usize::MAX))));
                let widest = cells.max().unwrap_or(0).max(title);
                let width = widest.min(most).max(title);
                (least.min(width), width, widest)
            }
            ColumnWidth::Filled(least, most) => (least, least, most),
            ColumnWidth::Fixed(width) => (1, width, width),
        };
        ColumnRoom { rank: self.rank, gap: self.gap, least, width, widest }
    }

    /// Paints a line of the column into the first row of its place.
    fn line(&self, paint: &mut Paint<'_>, place: Rect, pieces: &[TextPiece<'_>]) {
        let free = place.width - pieces_width(pieces).min(usize::from(place.width)) as u16;
        let before = match self.alignment {
            Alignment::Left => 0,
            Alignment::Center => free / 2,
            Alignment::Right => free,
        };
        paint.line(Rect { x: place.x + before, width: place.width - before, height: 1, ..place }, pieces);
    }

    fn paint(&self, paint: &mut Paint<'_>, place: Rect, row: &R) {
        for (cell, y) in self.cells.iter().zip(place.y..) {
            self.line(paint, Rect { y, ..place }, &cell(row, usize::from(place.width)));
        }
    }

    fn paint_title(&self, paint: &mut Paint<'_>, place: Rect) {
        let fits = |title: &&Cow<'t, str>| width(&plain(title)) <= usize::from(place.width);
        let title = self.titles.iter().find(fits).or(self.titles.last()).map_or("", |title| title);
        self.line(paint, place, &[piece(title, self.title_role)]);
    }
}

fn pieces_width(pieces: &[TextPiece<'_>]) -> usize {
    pieces.iter().map(|(text, _)| width(&plain(text))).sum()
}

/// One of the lines below the titles of the columns.
pub(crate) enum TableLine<'t, R> {
    Row(R),
    /// A title of the rows below it, which the cursor skips.
    Title(Vec<TextPiece<'t>>),
}

impl<R> TableLine<'_, R> {
    fn row(&self) -> Option<&R> {
        if let Self::Row(row) = self { Some(row) } else { None }
    }
}

impl<R> From<R> for TableLine<'_, R> {
    fn from(row: R) -> Self {
        Self::Row(row)
    }
}

/// Columns, lines and a cursor.
pub(crate) struct ListTable<'t, R> {
    columns: Vec<TableColumn<'t, R>>,
    /// The known lines.
    lines: Vec<TableLine<'t, R>>,
    /// The index of the first known line in the whole list.
    from: usize,
    /// The length of the whole list.
    length: usize,
    /// The row under the cursor, without titles.
    cursor: ListCursor,
    /// The pane that a click on a row carries; in a table that scrolls sideways, that of its first cell.
    pane: usize,
    /// The pane that a click on a title carries.
    titles: Option<usize>,
    /// The number of columns that do not scroll and that clicks do not count.
    lead: usize,
    /// The column under the cursor, in a table that scrolls sideways.
    across: Option<usize>,
    is_highlighted: bool,
}

/// The result of painting a table.
pub(crate) struct PaintedTable {
    /// The lines of the terminal that it took.
    pub(crate) taken: u16,
    /// The cell under the cursor.
    pub(crate) cell: Option<Rect>,
}

impl<'t, R: 't> ListTable<'t, R> {
    /// Returns a table of rows and titles. A click on a row carries `pane`.
    pub(crate) fn new(
        columns: Vec<TableColumn<'t, R>>,
        lines: impl IntoIterator<Item: Into<TableLine<'t, R>>>,
        cursor: ListCursor,
        pane: usize,
    ) -> Self {
        let lines: Vec<TableLine<'t, R>> = lines.into_iter().map(Into::into).collect();
        let length = lines.len();
        Self {
            columns,
            lines,
            from: 0,
            length,
            cursor,
            pane,
            titles: None,
            lead: 0,
            across: None,
            is_highlighted: true,
        }
    }

    /// Returns the same table as a part of a longer list of rows, from this index on.
    pub(crate) fn part_of(self, length: usize, from: usize) -> Self {
        Self { length, from, ..self }
    }

    /// Returns the same table. It highlights the row under the cursor only if `is_highlighted`, as in the pane with the focus.
    pub(crate) fn highlighted_if(self, is_highlighted: bool) -> Self {
        Self { is_highlighted, ..self }
    }

    /// Returns the same table with titles that can be clicked: a click carries this pane, and the column as its row.
    pub(crate) fn titles_in(self, pane: usize) -> Self {
        Self { titles: Some(pane), ..self }
    }

    /// Returns the same table with a number of columns in front that do not scroll. Clicks count only the others.
    pub(crate) fn led_by(self, lead: usize) -> Self {
        Self { lead, ..self }
    }

    /// Returns the same table with a cell under the cursor: the table scrolls sideways to this column, and a click carries the pane of its
    /// column.
    pub(crate) fn scrolled_to(self, column: usize) -> Self {
        Self { across: Some(self.lead + column), ..self }
    }

    /// Returns the columns that fit into `room`, as indices and widths.
    pub(crate) fn columns_in(&self, room: usize) -> Vec<(usize, usize)> {
        let rooms: Vec<ColumnRoom> = self.columns.iter().map(|column| column.room(&self.lines)).collect();
        match self.across.filter(|across| *across < rooms.len()) {
            Some(across) => scrolled(&rooms, self.lead, across, room),
            None => fitting(&rooms, room),
        }
    }

    /// Paints the titles, and below them the rows around the cursor.
    pub(crate) fn paint(self, paint: &mut Paint<'_>, area: Rect) -> PaintedTable {
        let mut x = area.x;
        let columns_in = self.columns_in(usize::from(area.width)).into_iter();
        let places: Vec<(usize, Rect)> = columns_in
            .map(|(at, width)| {
                let width = width.min(usize::from(area.width));
                let place = Rect { x, width: width as u16, ..area }.intersection(area);
                x = x.saturating_add((width + self.columns[at].gap) as u16);
                (at, place)
            })
            .collect();
        let head = self.paint_titles(paint, area, &places).min(area.height);
        let below = Rect { y: area.y + head, height: area.height - head, ..area };
        let each = self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(1) as u16;
        // Only rows are read in parts, so titles are counted only in a whole list.
        let rows = (self.lines.len() == self.length).then(|| {
            let rows = self.lines.iter().enumerate().filter(|(_, line)| line.row().is_some());
            rows.map(|(at, _)| at).collect::<Vec<_>>()
        });
        let line_of = |row: usize| rows.as_ref().map_or(row, |rows| rows.get(row).copied().unwrap_or(0));
        let row_of = |line: usize| rows.as_ref().map_or(Some(line), |rows| rows.binary_search(&line).ok());
        let under = ListCursor { at: line_of(self.cursor.at) };
        let around = VisibleRows::new(self.length, under).of_height(each);
        let around = around.highlighted_if(self.is_highlighted && self.across.is_none());
        let hit = |at| Some(Target::Spot { pane: self.pane, row: row_of(at)? }).filter(|_| self.across.is_none());
        let mut cell = None;
        let taken = around.paint(paint, below, hit, |paint, at, line| {
            match at.checked_sub(self.from).and_then(|at| self.lines.get(at)) {
                None => drop(paint.text(line, "   …", Role::Dim)),
                Some(TableLine::Title(pieces)) => drop(paint.line(line, pieces)),
                Some(TableLine::Row(known)) => {
                    for &(column, place) in &places {
                        let place = Rect { y: line.y, height: line.height, ..place };
                        self.columns[column].paint(paint, place, known);
                        let (Some(across), Some(counted)) = (self.across, column.checked_sub(self.lead)) else {
                            continue;
                        };
                        if across == column && at == under.at {
                            paint.highlight(place);
                            cell = Some(place);
                        }
                        paint.hit(place, Target::Spot { pane: self.pane + counted, row: row_of(at).unwrap_or(at) });
                    }
                }
            }
        });
        PaintedTable { taken: head + taken, cell }
    }

    /// Paints the titles if there are any. Returns the number of lines used.
    fn paint_titles(&self, paint: &mut Paint<'_>, area: Rect, places: &[(usize, Rect)]) -> u16 {
        let above = u16::from(self.columns.iter().any(|column| column.above.is_some()));
        let head = above + u16::from(self.columns.iter().any(|column| !column.titles[0].is_empty()));
        for &(at, place) in places.iter().filter(|_| head > 0 && head <= area.height) {
            let column = &self.columns[at];
            if let Some(text) = &column.above {
                column.line(paint, place, std::slice::from_ref(text));
                if self.across == Some(at) {
                    paint.highlight(Rect { height: 1, ..place });
                }
            }
            let place = Rect { y: area.y + above, height: 1, ..place };
            column.paint_title(paint, place);
            if let (Some(pane), Some(row)) = (self.titles, at.checked_sub(self.lead)) {
                paint.hit(place, Target::Spot { pane, row });
            }
        }
        head
    }
}
