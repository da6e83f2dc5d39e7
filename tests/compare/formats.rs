//! Every format has the same figures, reads back equal, and names its source. Hostile names remain text.

use super::fixture::{Bench, CLEAR, Variant, html, markdown, spec, table};
use crate::support::check_comparison;
use dbdyno::{
    base::{csv::Cells, output::Output},
    compare::{Axis, Comparison, Options},
    report::{
        comparison::{FORMATS, csv, export, text},
        format::Format,
        sheet::{ReportStyle, TableStyle},
    },
};
use dbdyno_engine::durability::Tier;
use duckdb::Connection;
use std::{path::Path, process::Command};

const HOSTILE: &str = "x\u{1b}[31m<script>alert(1)</script>|`\"',\nBenchmarkEvil 1 1 ns/op";

/// Writes a comparison to a file. Returns the error as users see it.
fn exported(comparison: &Comparison, format: Format, path: &Path) -> Result<(), String> {
    let output = Output::check(path, &[]).map_err(|error| error.to_string())?;
    export(comparison, format, ReportStyle::FILE, &output).map_err(|error| error.to_string())
}

/// A comparison with two sizes and two tests, one of which has only one side.
fn comparison() -> Comparison {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for size in ["1000", "20000"] {
            bench.run(&session, round, &Variant { size, ..spec("x") }, &[a * 1000, b * 1017]);
            bench.run(&session, round, &Variant { size, ..spec("y") }, &[b * 1000]);
        }
    }
    let options = Options { by_size: true, command: "dbdyno compare --a x --b y".to_owned(), ..Options::default() };
    bench.compared("engine=x", "engine=y", &options)
}

/// A comparison with hostile text in every place that text from a database can reach.
pub(super) fn hostile() -> Comparison {
    let mut bench = Bench::default();
    let of = |engine| Variant {
        label: HOSTILE.to_owned(),
        version: HOSTILE,
        options: vec![(HOSTILE, HOSTILE)],
        ..spec(engine)
    };
    bench.pairs(&of("x"), &of("y"), &CLEAR);
    for result in &mut bench.batch.results {
        result.test_name = HOSTILE.to_owned();
    }
    bench.batch.hosts[0].name = HOSTILE.to_owned();
    bench.batch.sessions[0].command_line = HOSTILE.to_owned();
    let pivot = Some(Axis::parse_pair("test,label").unwrap());
    bench.compared("engine=x", "engine=y", &Options { pivot, command: HOSTILE.to_owned(), ..Options::default() })
}

#[test]
fn json_reads_back_equal() {
    for comparison in [comparison(), hostile()] {
        let json = text(&comparison, Format::Json, ReportStyle::FILE).unwrap();
        assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), comparison);
    }
}

#[test]
fn json_is_as_the_published_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut undecided = Bench::default();
    undecided.pairs(&spec("x"), &Variant { tier: Tier::Consistent, ..spec("y") }, &CLEAR[..3]);
    let few = undecided.compared("engine=x", "engine=y", &Options::default());
    let growing = super::scaling::every_outcome();
    let beside = super::page::with_beside();
    for (at, comparison) in [comparison(), hostile(), few, growing, beside].iter().enumerate() {
        let path = folder.path().join(format!("{at}.json"));
        exported(comparison, Format::Json, &path).unwrap();
        check_comparison(&path);
    }
}

/// The columns read back from a line: its name, medians of A and B, ratio, upper end, verdict, command.
type ReadBack = (String, Option<f64>, Option<f64>, Option<f64>, Option<f64>, String, Option<String>);

/// Returns the rows that DuckDB reads from a file.
fn read(from: &str, path: &std::path::Path) -> Vec<ReadBack> {
    let connection = Connection::open_in_memory().unwrap();
    let sql = format!(
        "SELECT test_name, a_median::DOUBLE, b_median::DOUBLE, ratio::DOUBLE, ratio_high::DOUBLE, verdict, command FROM {from}"
    );
    let mut statement = connection.prepare(&sql).unwrap();
    let rows = statement
        .query_map([path.to_str().unwrap()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
        })
        .unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn csv_and_parquet_read_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    for comparison in [comparison(), hostile()] {
        let expected: Vec<ReadBack> = comparison
            .lines
            .iter()
            .map(|line| {
                let found = line.found.as_ref();
                let median = |figure: &Option<dbdyno::compare::Figure>| figure.as_ref().map(|figure| figure.median);
                let word = if found.is_some() { "faster" } else { "not_comparable" };
                let high = found.and_then(|found| Some(found.interval?.high));
                let ratio = found.map(|found| found.ratio);
                let (a, b) = (median(&line.a), median(&line.b));
                (line.name.clone(), a, b, ratio, high, word.to_owned(), Some(comparison.command.clone()))
            })
            .collect();
        // A quote in the path must not end the statement that writes the file.
        let (of_csv, of_parquet) = (folder.path().join("it's.csv"), folder.path().join("it's.parquet"));
        exported(&comparison, Format::Csv, &of_csv).unwrap();
        exported(&comparison, Format::Parquet, &of_parquet).unwrap();
        assert_eq!(read("read_parquet(?)", &of_parquet), expected);
        // CSV has the facts of the whole comparison only once.
        let once = expected.into_iter().enumerate().map(|(at, mut row)| {
            row.6 = row.6.filter(|_| at == 0);
            row
        });
        assert_eq!(
            read("read_csv(?, header = true, quote = '\"', escape = '\"', strict_mode = true)", &of_csv),
            once.collect::<Vec<_>>()
        );
    }
}

#[test]
fn csv_grows_by_lines_and_not_by_what_they_have_in_common() {
    let sized = |sizes: &[&'static str]| {
        let mut bench = Bench::default();
        let session = bench.session("here");
        bench.batch.sessions[0].command_line = "c".repeat(10_000);
        for (round, (a, b)) in (0..).zip(CLEAR) {
            for size in sizes {
                bench.run(&session, round, &Variant { size, ..spec("x") }, &[a * 1000]);
                bench.run(&session, round, &Variant { size, ..spec("y") }, &[b * 1000]);
            }
        }
        csv(&bench.compared("engine=x", "engine=y", &Options::default()), Cells::Escaped).unwrap().len()
    };
    let (one, four) = (sized(&["1000"]), sized(&["1000", "2000", "3000", "4000"]));
    assert!(one > 10_000 && four < one + 3 * 1000, "{one} bytes of one line, {four} of four");
}

#[test]
fn every_format_carries_where_it_comes_from() {
    let comparison = comparison();
    for &format in FORMATS.iter().filter(|format| **format != Format::Parquet) {
        let text = text(&comparison, format, ReportStyle::FILE).unwrap();
        // Markdown escapes the underscores in words. These facts have none, except for the option.
        for fact in [
            "dbdyno compare --a x --b y",
            "here",
            "full",
            env!("CARGO_PKG_VERSION"),
            "A CPU",
            "1.0",
            "only A has Random reads",
        ] {
            let known = text.contains(fact) || format == Format::Benchfmt && fact.starts_with("only");
            assert!(known, "{format:?} does not say {fact}: {text}");
        }
    }
}

#[test]
fn markdown_and_html_have_the_figures_of_the_table() {
    let comparison = comparison();
    let (md, page) = (markdown(&comparison), html(&comparison).unwrap());
    for figure in ["1.00 ms", "3.04 ms", "x 3.0x faster (3.0-3.1)"] {
        assert!(md.contains(figure), "{figure} is not in {md}");
        assert!(page.contains(figure), "{figure} is not in the page");
    }
    assert!(md.contains("| 1 Writes | 1000 | 1.00 ms | 3.04 ms | x 3.0x faster (3.0-3.1) |"), "{md}");
}

#[test]
fn the_page_is_one_file_with_charts() {
    let page = html(&comparison()).unwrap();
    for (what, count) in [
        ("<svg class=\"forest\"", 2),
        ("<svg class=\"latency\"", 2),
        ("class=\"area\"", 4),
        ("<svg class=\"ratios\"", 1),
        ("class=\"diamond\"", 1),
    ] {
        assert_eq!(page.matches(what).count(), count, "{what}");
    }
    for outside in ["http://", "https://", "<script", "<link", "src=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("name=\"viewport\""));
    // A path is filled with black unless it says otherwise, and the axes of a chart are one path with a corner.
    assert!(page.contains(".axis { fill: none;"));
}

#[test]
fn hostile_names_stay_text() {
    let comparison = hostile();
    let shown = table(&comparison, TableStyle::FILE);
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let page = html(&comparison).unwrap();
    assert!(!page.contains("<script") && !page.contains('\u{1b}'));
    let md = markdown(&comparison);
    assert!(!md.contains("<script") && !md.contains('\u{1b}'));
    // Every row of a table has the same number of unescaped bars.
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let rows: Vec<usize> = md.lines().filter(|line| line.starts_with('|')).map(bars).collect();
    assert!(rows.iter().all(|&count| count == 6 || count == 3), "{md}");
    let benchfmt = text(&comparison, Format::Benchfmt, ReportStyle::FILE).unwrap();
    assert!(!benchfmt.lines().any(|line| line.starts_with("BenchmarkEvil")), "{benchfmt}");
    let csv = csv(&comparison, Cells::Escaped).unwrap();
    assert!(csv.contains("\"\"',\n"), "quotes are doubled: {csv}");
}

#[test]
fn a_failed_export_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, "what was there").unwrap();
    exported(&comparison(), Format::Table, &path).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("is faster than"), "a longer file is replaced whole");

    let missing = folder.path().join("no such folder").join("report.html");
    let error = exported(&comparison(), Format::Html, &missing).unwrap_err();
    assert!(error.contains("report.html cannot be written") && error.contains("choose another file"), "{error}");
    let error = exported(&comparison(), Format::Html, folder.path()).unwrap_err();
    assert!(error.contains("is a folder"), "{error}");

    // The limit on file sizes simulates a disk that fills up during the write.
    let before = std::fs::read(&path).unwrap();
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    let stored = bench.stored();
    let command = format!(
        "trap '' XFSZ; ulimit -f 2; exec '{}' compare --a engine=x --b engine=y --format html --out '{}' --store '{}'",
        env!("CARGO_BIN_EXE_dbdyno"),
        path.display(),
        stored.store.path().display()
    );
    let out = Command::new("sh").args(["-c", &command]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot be written"), "{said}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().all(|name| !name.starts_with(".dbdyno-")), "{names:?}");
}
