//! A sheet as aligned text.

use super::{
    BarInterval, Cell, Column, ColumnPart, ColumnRole, Row, Section, Sheet, Table, Tone, bar, key, reach,
    style::{Colouring, TableStyle},
};
use console::{Alignment, measure_text_width, pad_str, truncate_str};
use dbdyno_foundation::base::{grid::Grid, names::told_apart, units::plain};

/// Spaces before a sentence about a row.
const DETAIL: usize = 4;
/// The columns that every terminal and every file has; bars use only the columns beyond.
const NARROW: usize = 80;
/// The narrowest and the widest bar.
const BARS: (usize, usize) = (9, 25);
/// Spaces between columns.
const GAP: usize = 2;

/// A sheet as text, without its charts.
pub fn text(sheet: &Sheet, style: TableStyle) -> String {
    let is_text = |section: &&Section| !section.is_on_page() && section.tone != Tone::AtLength;
    let sections = sheet.sections.iter().filter(is_text);
    sections.map(|one| section(one, style)).collect::<Vec<_>>().join("\n")
}

/// The answer of a sheet in one line.
pub(super) fn summary(sheet: &Sheet) -> String {
    let answers = sheet.sections.iter().filter(|section| section.tone == Tone::Answer);
    let lines: Vec<String> = answers.flat_map(|section| &section.before).map(|line| plain(line).to_string()).collect();
    lines.join(" ") + "\n"
}

fn section(section: &Section, style: TableStyle) -> String {
    let Section { tone, heading, before, table, after, .. } = section;
    let line = |(number, line): (usize, &String)| match tone {
        Tone::Warnings => format!("!  {}\n", plain(line)),
        Tone::Footnotes => format!("[{number}] {}\n", plain(line)),
        Tone::Plain | Tone::Answer | Tone::Head | Tone::Remarks | Tone::Folded | Tone::AtLength | Tone::OnPage => {
            plain(line) + "\n"
        }
    };
    let lines = |lines: &[String]| (1..).zip(lines).map(line).collect::<String>();
    let heading = heading.as_ref().filter(|_| matches!(tone, Tone::Plain | Tone::Warnings));
    let heading = heading.map_or_else(String::new, |heading| plain(heading) + "\n");
    heading + &lines(before) + &table.as_ref().map_or_else(String::new, |table| drawn(table, style)) + &lines(after)
}

/// Draws a table: whole, or in parts if it is wider than the space available.
fn drawn(table: &Table, style: TableStyle) -> String {
    let widths: Vec<usize> = (0..table.columns.len()).map(|at| natural_width(table, at)).collect();
    let least = |at: &usize| table.columns[*at].least.map_or(widths[*at], |least| least.min(widths[*at]));
    let taken = |columns: &[usize]| {
        table.indent + columns.iter().map(least).sum::<usize>() + GAP * columns.len().saturating_sub(1)
    };
    let mut shown: Vec<usize> = (0..table.columns.len()).filter(|at| is_text(&table.columns[*at])).collect();
    let rank = |at: &usize| table.columns[*at].rank;
    while let Some(highest) = shown.iter().map(rank).max().filter(|rank| *rank > 0 && taken(&shown) > style.width) {
        shown.retain(|at| rank(at) < highest);
    }
    let part = |columns: &Vec<usize>| {
        let mut fitted: Vec<TextColumn> =
            columns.iter().map(|at| TextColumn { at: *at, width: least(at), title: title(table, *at) }).collect();
        let mut spare = style.width.saturating_sub(taken(columns));
        // The space available goes to the names of rows first, then to the titles of figures.
        for column in fitted.iter_mut().filter(|column| table.columns[column.at].role == ColumnRole::Name) {
            let more = spare.min(widths[column.at] - column.width);
            column.width += more;
            spare -= more;
        }
        let mut others: Vec<&mut TextColumn> =
            fitted.iter_mut().filter(|column| column.width < widths[column.at]).collect();
        others.retain(|column| table.columns[column.at].role != ColumnRole::Name);
        let count = others.len().max(1);
        let room = (others.iter().map(|column| column.width).sum::<usize>() + spare) / count;
        let names = told_apart(&others.iter().map(|column| column.title.clone()).collect::<Vec<_>>(), room);
        for (column, name) in others.into_iter().zip(names) {
            let width = room.min(widths[column.at]);
            spare = spare.saturating_sub(width.saturating_sub(column.width));
            (column.width, column.title) = (width.max(column.width), name);
        }
        aligned(table, &fitted, spare.min(style.width.saturating_sub(NARROW)), style.colour)
    };
    parts(table, shown, |columns| taken(columns) <= style.width).iter().map(part).collect::<Vec<_>>().join("\n")
}

/// A column with its width and title as drawn.
struct TextColumn {
    /// Its index in the table.
    at: usize,
    width: usize,
    title: String,
}

fn title(table: &Table, at: usize) -> String {
    plain(&table.columns[at].title)
}

fn is_text(column: &Column) -> bool {
    column.part != ColumnPart::OnPage && !matches!(column.role, ColumnRole::Group | ColumnRole::Bar)
}

/// Splits columns into parts that fit: joined columns stay together, and repeated columns begin each part.
fn parts(table: &Table, columns: Vec<usize>, fits: impl Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    let part_of = |at: &usize| table.columns[*at].part;
    let (repeated, others): (Vec<usize>, Vec<usize>) =
        columns.iter().partition(|at| part_of(at) == ColumnPart::Repeated);
    if repeated.is_empty() || fits(&columns) {
        return vec![columns];
    }
    let mut parts = vec![repeated.clone()];
    for block in others.chunk_by(|_, next| part_of(next) == ColumnPart::Joined) {
        if let Some(last) = parts.last_mut() {
            let with: Vec<usize> = last.iter().chain(block).copied().collect();
            if last.len() == repeated.len() || fits(&with) {
                *last = with;
                continue;
            }
        }
        parts.push(repeated.iter().chain(block).copied().collect());
    }
    parts
}

fn cells(row: &Row) -> &[Cell] {
    match row {
        Row::Cells(cells) | Row::Total(cells) => cells,
        Row::Title(_) | Row::Detail(_) => &[],
    }
}

fn shown(cell: &Cell) -> String {
    plain(&cell.text) + &cell.marks()
}

/// Returns the width of a column's widest cell.
fn natural_width(table: &Table, at: usize) -> usize {
    let title = if table.is_headed { measure_text_width(&title(table, at)) } else { 0 };
    let below = |cell: &Cell| cell.below.as_ref().map_or(0, |below| measure_text_width(&plain(below)));
    let widths = table.rows.iter().filter_map(|row| cells(row).get(at));
    widths.map(|cell| measure_text_width(&shown(cell)).max(below(cell))).fold(title, usize::max)
}

fn aligned(table: &Table, fitted: &[TextColumn], spare: usize, colour: Colouring) -> String {
    let bar_width = Some(spare.saturating_sub(GAP).min(BARS.1)).filter(|width| *width >= BARS.0);
    let bars = (0..table.columns.len()).filter(|at| table.columns[*at].role == ColumnRole::Bar).filter_map(|at| {
        Some(TextColumn {
            at,
            width: bar_width?,
            title: pad_str(&title(table, at), bar_width?, Alignment::Center, None).into_owned(),
        })
    });
    let bars: Vec<TextColumn> = bars.collect();
    let mut columns: Vec<&TextColumn> = fitted.iter().chain(&bars).collect();
    columns.sort_by_key(|column| column.at);
    let reaches: Vec<f64> = columns.iter().map(|column| reach(intervals(table, column.at))).collect();
    let mut grid =
        Grid::new(columns.iter().map(|column| table.columns[column.at].role.alignment()).collect::<Vec<Alignment>>());
    let indent = " ".repeat(table.indent);
    let indented = |texts: &mut dyn Iterator<Item = String>| -> Vec<String> {
        texts.enumerate().map(|(at, text)| if at == 0 { indent.clone() + &text } else { text }).collect()
    };
    let cut = |column: &TextColumn, text: String| truncate_str(&text, column.width, "…").into_owned();
    let text_of = |column: &TextColumn, reach: f64, cell: &Cell| match table.columns[column.at].role {
        ColumnRole::Bar => cell.interval.map_or_else(String::new, |interval| bar(interval, column.width, reach)),
        ColumnRole::Verdict => coloured(shown(cell), cell, colour),
        _ => coloured(cut(column, shown(cell)), cell, colour),
    };
    if table.is_headed {
        grid.row(indented(&mut columns.iter().map(|column| cut(column, column.title.clone()))));
    }
    let group = table.columns.iter().position(|column| column.role == ColumnRole::Group);
    let mut above = None;
    for row in &table.rows {
        let of_group = group.and_then(|at| cells(row).get(at)).map(|cell| cell.text.as_str());
        if let Some(title) = of_group.filter(|_| of_group != above) {
            grid.title(plain(title));
        }
        above = of_group.or(above);
        match row {
            Row::Cells(cells) | Row::Total(cells) => {
                let cell = |column: &TextColumn| cells.get(column.at);
                let texts = columns
                    .iter()
                    .zip(&reaches)
                    .map(|(column, reach)| cell(column).map_or_else(String::new, |cell| text_of(column, *reach, cell)));
                grid.row(indented(&mut texts.collect::<Vec<_>>().into_iter()));
                for cell in cells.iter().filter(|cell| !cell.slices.is_empty()) {
                    grid.title(" ".repeat(DETAIL) + &plain(&key(&cell.slices)));
                }
                if cells.iter().any(|cell| cell.below.is_some()) {
                    let below = |column: &&TextColumn| {
                        plain(cell(column).and_then(|cell| cell.below.as_deref()).unwrap_or_default())
                    };
                    grid.row(columns.iter().map(below));
                }
            }
            Row::Title(title) => grid.title(plain(title)),
            Row::Detail(detail) => grid.title(" ".repeat(DETAIL) + &plain(detail)),
        }
    }
    grid.render()
}

fn intervals(table: &Table, at: usize) -> impl Iterator<Item = BarInterval> {
    table.rows.iter().filter_map(move |row| cells(row).get(at)?.interval)
}

fn coloured(text: String, cell: &Cell, colour: Colouring) -> String {
    use super::Sense::{Faster, Slower, Unfit};
    let code = match cell.sense {
        Some(Faster) => 32,
        Some(Slower | Unfit) => 31,
        _ => return text,
    };
    if colour == Colouring::On { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text }
}
