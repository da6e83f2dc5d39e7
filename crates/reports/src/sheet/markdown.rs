//! A sheet as GitHub's Markdown.

use super::{super::comparison::escaped, Row, Section, Sheet, Table};
use console::Alignment;

/// A sheet as Markdown, without its charts.
pub(super) fn markdown(sheet: &Sheet) -> String {
    let sections = sheet.sections.iter().map(section);
    sections.chain([format!("Made by {}\n", escaped(&sheet.command))]).collect::<Vec<_>>().join("\n")
}

fn section(section: &Section) -> String {
    let Section { heading, before, table, charts: _, after } = section;
    let heading = heading.iter().map(|heading| format!("### {}\n", escaped(heading)));
    let lines = |lines: &[String]| {
        let lines: String = lines.iter().map(|line| escaped(line.trim()) + "\n").collect::<Vec<_>>().join("\n");
        (!lines.is_empty()).then_some(lines)
    };
    let parts = heading.chain(lines(before)).chain(table.as_ref().map(rows)).chain(lines(after));
    parts.collect::<Vec<_>>().join("\n")
}

fn rows(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let titles = table.columns.iter().map(|column| escaped(&column.title)).collect();
    let rule = table.columns.iter().map(|column| match column.role.alignment() {
        Alignment::Right => "|--:",
        _ => "|---",
    });
    let across = |first: String| {
        let others = table.columns.iter().skip(1).map(|_| String::new());
        line([first].into_iter().chain(others).collect())
    };
    let row = |row: &Row| match row {
        Row::Cells(cells) => line(cells.iter().map(|cell| escaped(cell.text.trim())).collect()),
        Row::Title(title) => across(format!("**{}**", escaped(title.trim()))),
        Row::Detail(detail) => across(escaped(detail)),
    };
    let rule: String = rule.chain(["|\n"]).collect();
    [line(titles), rule].into_iter().chain(table.rows.iter().map(row)).collect()
}
