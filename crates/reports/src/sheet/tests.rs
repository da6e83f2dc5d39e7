//! The output of the renderers for a sheet.

use super::*;
use dbdyno_foundation::base::csv::Cells;

/// Returns a sheet with every feature, and with text that each format would interpret if it were not escaped.
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
    written(&sheet(), &[1], format, ReportStyle::FILE).unwrap()
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
    assert_eq!(
        written(&with_records, &(), Format::Csv, ReportStyle { cells: Cells::Raw, ..ReportStyle::FILE }).unwrap(),
        "n\n"
    );
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
    let refused =
        written(&sheet(), &(), Format::Parquet, ReportStyle { cells: Cells::Raw, ..ReportStyle::FILE }).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "parquet is not supported here: expected table, markdown, csv, json, html, svg or png"
    );
}

/// Returns a sheet of sides and a reference. Each side has a ratio joined to it, and a verdict that text leaves out first.
fn wide(sides: usize) -> Sheet {
    let mut columns = vec![
        Column::new("test", "test", ColumnRole::Name).at_least(8).part(ColumnPart::Repeated),
        Column::new("size", "size", ColumnRole::Group),
    ];
    let mut cells = vec![Cell::new("1 Writes of many rows"), Cell::new("size 10").at_length("10")];
    for side in 0..sides {
        let joined = |name: &'static str, role| Column::new(name, name, role).part(ColumnPart::Joined);
        columns.extend([
            Column::new("value", &format!("engine[option=value{side}]"), ColumnRole::Figure).at_least(10),
            joined("ratio", ColumnRole::Figure),
            joined("interval", ColumnRole::Interval),
            joined("verdict", ColumnRole::Verdict).ranked(1),
        ]);
        cells.extend([
            Cell::new("1.50 ms"),
            Cell { notes: vec![1], heat: Some(0.5), ..Cell::new("0.50").sensed(Sense::Faster) },
            Cell::new("0.40-0.60"),
            Cell::new("+2").at_length("faster by far"),
        ]);
    }
    let table = Table { columns, rows: vec![Row::Cells(cells)], is_headed: true, ..Table::default() };
    let notes = Section::toned(Tone::Footnotes, "Notes", vec!["because".to_owned()]);
    Sheet { sections: [Section::table(table)].into_iter().chain(notes).collect(), ..Sheet::default() }
}

#[test]
fn names_are_cut_then_columns_go_by_rank_then_tables_are_drawn_in_parts() {
    let of = |sides, width| text(&wide(sides), TableStyle { width, ..TableStyle::FILE });
    let whole = "test                   engine[option=value0]     ratio  interval   verdict\nsize 10\n\
                 1 Writes of many rows                1.50 ms  0.50 [1]  0.40-0.60  +2\n\n[1] because\n";
    assert_eq!(of(1, 80), whole);
    let names_cut = of(1, 70);
    assert!(
        names_cut.starts_with("test                   engine[option=va…     ratio  interval   verdict\n"),
        "{names_cut}"
    );
    let without = of(1, 49);
    assert!(!without.contains("verdict") && without.contains("0.50 [1]"), "{without}");
    let cut = of(2, 76);
    assert!(cut.lines().all(|line| console::measure_text_width(line) <= 76), "{cut}");
    assert!(cut.contains("engine[…0]") && cut.contains("engine[…1]") && cut.contains("1 Writes …"), "{cut}");
    let parted = of(4, 76);
    assert_eq!(parted.lines().filter(|line| line.starts_with("test ")).count(), 2, "{parted}");
    assert_eq!(parted.matches("size 10").count(), 2, "{parted}");
}

#[test]
fn a_page_has_what_belongs_together_in_one_cell_and_markdown_in_columns_at_length() {
    let page = html(&wide(2)).unwrap();
    assert!(page.contains(r#"<td class="title" colspan="3">size 10</td>"#), "{page}");
    let cell = r##"<td class="figure heat faster" style="--heat: 20.0" title="faster by far" data-label="engine[option=value0]"><span>1.50 ms <small>0.50 [0.40-0.60]</small><sup><a href="#note-1">1</a></sup></span></td>"##;
    assert!(page.contains(cell) && page.contains(r#"<li id="note-1">because</li>"#), "{page}");
    let markdown =
        written(&wide(1), &(), Format::Markdown, ReportStyle { cells: Cells::Raw, ..ReportStyle::FILE }).unwrap();
    let row = "| 1 Writes of many rows | 10 | 1.50 ms | 0.50 \\[1\\] | 0.40-0.60 | faster by far |";
    assert!(markdown.contains(row) && markdown.contains("- \\[1\\] because"), "{markdown}");
}

#[test]
fn bars_are_drawn_of_what_there_is_beyond_a_narrow_terminal_and_verdicts_are_coloured() {
    let columns = vec![Column::new("test", "", ColumnRole::Name), Column::new("bar", "A < 1 > B", ColumnRole::Bar)];
    let interval = Some(BarInterval { at: 0.5, low: 0.4, high: 0.6 });
    let bar = Cell { interval, ..Cell::default() };
    let cells = vec![Cell::new("x").sensed(Sense::Slower), bar];
    let table = Table { columns, rows: vec![Row::Cells(cells)], is_headed: true, ..Table::default() };
    let sheet = Sheet { sections: vec![Section::table(table)], ..Sheet::default() };
    assert_eq!(text(&sheet, TableStyle::FILE), "\nx\n");
    let wide = text(&sheet, TableStyle { colour: Colouring::On, width: 93 });
    assert!(wide.contains("A < 1 > B") && wide.contains("\u{1b}[31mx\u{1b}[0m") && wide.contains('◆'), "{wide}");
    assert!(html(&sheet).unwrap().contains(r#"<svg class="bar""#));
}

fn picture(chart: Option<&str>) -> Result<String, WriteError> {
    written(&sheet(), &(), Format::Svg, ReportStyle { chart, ..ReportStyle::FILE })
}

#[test]
fn a_picture_is_well_formed_and_needs_no_style_sheet_from_elsewhere() {
    let svg = picture(None).unwrap();
    let read = resvg::usvg::roxmltree::Document::parse(&svg).unwrap();
    let texts: String = read.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect();
    assert!(texts.contains("Heading: =a|<b>") && !texts.contains('\u{1b}'), "{svg}");
    assert!(!svg.contains("var(") && svg.contains(".a { color: #0b6fb8; }"), "{svg}");
}

#[test]
fn a_chart_is_chosen_by_words_of_its_name() {
    assert_eq!(picture(Some("heading")).unwrap(), picture(Some("all")).unwrap());
    let unknown = picture(Some("forest")).unwrap_err().to_string();
    assert!(unknown.starts_with("no chart has 'forest' in its name: expected words of 'Heading: =a|<b>"), "{unknown}");
    let without = written(&Sheet::default(), &(), Format::Svg, ReportStyle::FILE).unwrap_err();
    assert_eq!(without.to_string(), "this report has no chart: expected another format");
}

#[test]
#[expect(clippy::print_stderr, reason = "for people who run the tests")]
fn a_picture_of_pixels_has_two_for_each_unit_and_shows_something() {
    let svg = picture(None).unwrap();
    let png = match encoded(&svg, Format::Png) {
        Err(WriteError::NoFont) => return eprintln!("not checked: this machine has no fonts"),
        drawn => drawn.unwrap(),
    };
    let pixels = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
    assert!(svg.contains("viewBox=\"0 0 720.0 "));
    assert_eq!(pixels.width(), 1440);
    let colours: std::collections::BTreeSet<_> =
        pixels.pixels().iter().map(|pixel| (pixel.red(), pixel.green(), pixel.blue())).collect();
    assert!(colours.len() > 10, "text and lines have edges: {}", colours.len());
}
