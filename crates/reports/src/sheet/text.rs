//! A sheet as aligned text.

use super::{Row, Section, Sheet, Table};
use dbdyno_foundation::base::{grid::Grid, units::plain};

/// Spaces before a sentence about a row.
const DETAIL: usize = 4;

/// A sheet as text, without its charts.
pub fn text(sheet: &Sheet) -> String {
    sheet.sections.iter().map(section).collect::<Vec<_>>().join("\n")
}

fn section(section: &Section) -> String {
    let Section { heading, before, table, charts: _, after } = section;
    let lines = |lines: &[String]| lines.iter().map(|line| plain(line) + "\n").collect::<String>();
    let heading = heading.as_ref().map_or_else(String::new, |heading| plain(heading) + "\n");
    heading + &lines(before) + &table.as_ref().map_or_else(String::new, aligned) + &lines(after)
}

fn aligned(table: &Table) -> String {
    let mut grid = Grid::new(table.columns.iter().map(|column| column.role.alignment()).collect::<Vec<_>>());
    let indented = |cells: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        let indent = " ".repeat(table.indent);
        cells.enumerate().map(|(at, cell)| if at == 0 { indent.clone() + &plain(cell) } else { plain(cell) }).collect()
    };
    if table.is_headed {
        grid.row(indented(&mut table.columns.iter().map(|column| column.title.as_str())));
    }
    for row in &table.rows {
        match row {
            Row::Cells(cells) => grid.row(indented(&mut cells.iter().map(|cell| cell.text.as_str()))),
            Row::Title(title) => grid.title(plain(title)),
            Row::Detail(detail) => grid.title(" ".repeat(DETAIL) + &plain(detail)),
        }
    }
    grid.render()
}
