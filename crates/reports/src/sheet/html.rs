//! A sheet as one web page that needs no other file.

use super::{
    super::comparison::rendered,
    Column, Role, Row, Section, Sheet, Table,
    chart::{Drawing, drawing},
};
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../assets/sheet.html");

#[derive(Debug, Serialize)]
struct Page<'s> {
    dbdyno_version: &'static str,
    title: &'s str,
    command: &'s str,
    sections: Vec<PageSection<'s>>,
}

#[derive(Debug, Serialize)]
struct PageSection<'s> {
    heading: Option<&'s str>,
    before: &'s [String],
    table: Option<PageTable<'s>>,
    charts: Vec<Drawing>,
    after: &'s [String],
}

#[derive(Debug, Serialize)]
struct PageTable<'s> {
    columns: Vec<PageCell<'s>>,
    rows: Vec<PageRow<'s>>,
}

#[derive(Debug, Serialize)]
struct PageCell<'s> {
    text: &'s str,
    role: Role,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum PageRow<'s> {
    Cells(Vec<PageCell<'s>>),
    Title(&'s str),
    Detail(&'s str),
}

/// A sheet as a page.
///
/// # Errors
/// The template does not fit the sheet.
pub fn html(sheet: &Sheet) -> Result<String, minijinja::Error> {
    let page = Page {
        dbdyno_version: env!("CARGO_PKG_VERSION"),
        title: &sheet.title,
        command: &sheet.command,
        sections: sheet.sections.iter().map(|one| section(one, &sheet.title)).collect(),
    };
    rendered("sheet.html", TEMPLATE, page)
}

fn section<'s>(section: &'s Section, title: &str) -> PageSection<'s> {
    PageSection {
        // The page's title says it already.
        heading: section.heading.as_deref().filter(|heading| *heading != title),
        before: &section.before,
        table: section.table.as_ref().map(|rows| table(rows, !section.charts.is_empty())),
        charts: section.charts.iter().map(drawing).collect(),
        after: &section.after,
    }
}

fn table(table: &Table, has_charts: bool) -> PageTable<'_> {
    let is_shown = |column: &Column| !(has_charts && column.role == Role::Sparkline);
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, column)| is_shown(column)).collect();
    let cell = |column: &Column, text| PageCell { text, role: column.role };
    PageTable {
        columns: columns.iter().map(|(_, column)| cell(column, column.title.as_str())).collect(),
        rows: table.rows.iter().map(|row| page_row(row, &columns)).collect(),
    }
}

fn page_row<'s>(row: &'s Row, columns: &[(usize, &Column)]) -> PageRow<'s> {
    match row {
        Row::Cells(cells) => {
            let cell = |(at, column): &(usize, &Column)| {
                Some(PageCell { text: cells.get(*at)?.text.trim(), role: column.role })
            };
            PageRow::Cells(columns.iter().filter_map(cell).collect())
        }
        Row::Title(title) => PageRow::Title(title),
        Row::Detail(detail) => PageRow::Detail(detail),
    }
}
