//! What renderers make of a sheet.

use super::*;

/// A sheet with everything, and text that each format would obey.
fn sheet() -> Sheet {
    let columns = vec![
        Column::new("test", "test", ColumnRole::Name),
        Column::new("ns", "time", ColumnRole::Figure),
        Column::new("line", "", ColumnRole::Sparkline),
        Column::new("verdict", "verdict", ColumnRole::Verdict),
    ];
    let evil = "=a|<b>\u{1b}[2J";
    let rows = vec![
        Row::Title("size 10".to_owned()),
        Row::Cells(vec![Cell::new(evil), Cell::figure("1.50 ms", Some(1.5e6)), Cell::new("▁█"), Cell::new("same")]),
        Row::Detail("since Monday".to_owned()),
        Row::Cells(vec![Cell::new("2"), Cell::figure("-", None), Cell::new(""), Cell::new("")]),
    ];
    let mark = ChartMark { x: 0.0, y: 1.0, range: None, about: evil.to_owned() };
    let chart = Chart {
        kind: ChartKind::Trend,
        name: evil.to_owned(),
        about: evil.to_owned(),
        across: ChartAxis::spaced(Scale::straight(0.0, 1.0), [(0.0, evil.to_owned())], 0.1),
        up: ChartAxis::labelled(Scale::straight(0.0, 2.0).with_ticks(vec![1.0]), |_| evil.to_owned()),
        series: vec![ChartSeries::joined(SeriesStyle::Plain, vec![mark, ChartMark::default()])],
        notes: vec!["note".to_owned()],
    };
    Sheet {
        title: "Sheet".to_owned(),
        sections: vec![
            Section {
                heading: Some("Heading".to_owned()),
                before: vec!["before".to_owned()],
                table: Some(Table { columns, rows, is_headed: true, indent: 1 }),
                charts: vec![chart],
                after: vec!["after".to_owned()],
                ..Section::default()
            },
            Section::lines(vec!["last".to_owned()]),
        ],
        records: None,
        command: "dbdyno x".to_owned(),
    }
}

fn drawn(format: Format) -> String {
    written(&sheet(), &[1], format, TableStyle::FILE, Cells::Escaped).unwrap()
}

#[test]
fn text_has_sections_parted_by_empty_lines() {
    let expected = "Heading\nbefore\n test                time      verdict\nsize 10\n =a|<b>\\u{1b}[2J  1.50 ms  ▁█  same\n    \
                    since Monday\n 2                      -\nafter\n\nlast\n";
    assert_eq!(drawn(Format::Table), expected);
}

#[test]
fn programs_read_values_and_no_titles() {
    assert_eq!(drawn(Format::Csv), "test,ns,line,verdict\n'=a|<b>\u{1b}[2J,1500000,▁█,same\n2,,,\n");
    assert_eq!(drawn(Format::Json), "[\n  1\n]\n");
    let records = Table::records(["n"], std::iter::empty());
    let with_records = Sheet { records: Some(records), ..sheet() };
    assert_eq!(written(&with_records, &(), Format::Csv, TableStyle::FILE, Cells::Raw).unwrap(), "n\n");
}

#[test]
fn markdown_has_tables_whose_cells_cannot_end_them() {
    let text = drawn(Format::Markdown);
    for line in [
        "### Heading",
        "| test | time |  | verdict |",
        "|---|--:|---|---|",
        "| **size 10** |  |  |  |",
        "| =a\\|&lt;b&gt;\\\\u{1b}\\[2J | 1.50 ms | ▁█ | same |",
        "Made by dbdyno x",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
}

#[test]
fn a_page_escapes_what_it_shows_and_has_charts_in_place_of_sparklines() {
    let page = drawn(Format::Html);
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
    assert!(page.contains("<svg") && !page.contains('▁'), "{page}");
    assert!(page.contains(r#"<td class="figure" data-label="time"><span>1.50 ms</span></td>"#), "{page}");
}

#[test]
fn a_format_of_others_is_refused_with_those_that_there_are() {
    let refused = written(&sheet(), &(), Format::Parquet, TableStyle::FILE, Cells::Raw).unwrap_err();
    assert_eq!(refused.to_string(), "parquet is not supported here: expected table, markdown, csv, json or html");
}
