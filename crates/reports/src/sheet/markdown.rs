//! A sheet as GitHub's Markdown.

use super::{Cell, Column, ColumnPart, ColumnRole, Row, Section, Sheet, Table, Tone, key};
use console::Alignment;
use dbdyno_foundation::base::units::plain;

/// A sheet as Markdown, without its charts.
pub(super) fn markdown(sheet: &Sheet) -> String {
    let sections = sheet.sections.iter().filter(|section| !section.is_on_page()).map(section);
    let made = (!sheet.command.is_empty()).then(|| format!("Made by {}\n", escaped(&sheet.command)));
    sections.chain(made).collect::<Vec<_>>().join("\n")
}

/// The answer of a sheet as Markdown, and everything else folded below it.
pub(super) fn comment(sheet: &Sheet) -> String {
    let (answer, rest): (Vec<Section>, Vec<Section>) =
        sheet.sections.iter().cloned().partition(|section| section.tone == Tone::Answer);
    let of = |sections: Vec<Section>, command: &str| {
        markdown(&Sheet { sections, command: command.to_owned(), ..Sheet::default() })
    };
    let rest = of(rest, &sheet.command);
    format!("{}\n<details><summary>All figures</summary>\n\n{rest}\n</details>\n", of(answer, ""))
}

fn section(section: &Section) -> String {
    let Section { tone, heading, before, table, after, .. } = section;
    let heading = heading.as_ref().filter(|_| matches!(tone, Tone::Plain | Tone::Warnings | Tone::AtLength));
    let heading = heading.map(|heading| format!("### {}\n", escaped(heading)));
    let line = |(number, line): (usize, &String)| {
        let text = escaped(line.trim());
        match tone {
            Tone::Head => format!("{text}  \n"),
            Tone::Footnotes => format!("- \\[{number}\\] {text}\n"),
            Tone::Warnings | Tone::Remarks | Tone::Folded | Tone::AtLength | Tone::OnPage => {
                format!("- {text}\n")
            }
            Tone::Plain | Tone::Answer => format!("{text}\n"),
        }
    };
    let between = if matches!(tone, Tone::Plain | Tone::Answer) { "\n" } else { "" };
    let lines = |lines: &[String]| {
        let lines = (1..).zip(lines).map(line).collect::<Vec<_>>().join(between);
        (!lines.is_empty()).then_some(lines)
    };
    let parts = heading.into_iter().chain(lines(before)).chain(table.as_ref().map(rows)).chain(lines(after));
    parts.collect::<Vec<_>>().join("\n")
}

fn rows(table: &Table) -> String {
    let is_shown = |column: &Column| column.role != ColumnRole::Bar && column.part != ColumnPart::OnPage;
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, column)| is_shown(column)).collect();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let titles = columns.iter().map(|(_, column)| escaped(&column.title)).collect();
    let rule = columns.iter().map(|(_, column)| match column.role.alignment() {
        Alignment::Right => "|--:",
        _ => "|---",
    });
    let across = |first: String| {
        let others = columns.iter().skip(1).map(|_| String::new());
        line([first].into_iter().chain(others).collect())
    };
    let of_row = |cells: &[Cell]| {
        let text = |(at, _): &(usize, &Column)| cells.get(*at).map_or_else(String::new, cell);
        line(columns.iter().map(text).collect())
    };
    let row = |row: &Row| match row {
        Row::Cells(cells) | Row::Total(cells) => of_row(cells),
        Row::Title(title) => across(format!("**{}**", escaped(title.trim()))),
        Row::Detail(detail) => across(escaped(detail)),
    };
    let rule: String = rule.chain(["|\n"]).collect();
    [line(titles), rule].into_iter().chain(table.rows.iter().map(row)).collect()
}

/// Formats a cell with its second line and its notes: `0.33 [0.32-0.34] [1,2]`.
fn cell(cell: &Cell) -> String {
    let below = cell.below.as_ref().filter(|below| !below.is_empty());
    let below = below.map_or_else(String::new, |below| format!(" [{below}]"));
    let key = if cell.slices.is_empty() { String::new() } else { format!(" {}", key(&cell.slices)) };
    escaped(&format!("{}{below}{}{key}", cell.long(), cell.marks()))
}

/// Escapes text so that Markdown, and HTML within it, leave it unchanged.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_a_cell_or_begin_a_tag() {
        assert_eq!(escaped("a|b <img src=x> [x](y) `c`\n"), "a\\|b &lt;img src=x&gt; \\[x\\](y) \\`c\\`\\\\n");
    }
}
