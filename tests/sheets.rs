//! Reports in every format: readers of each format accept them.

use crate::support::{Place, csv_records};
use serde_json::Value;

const FORMATS: [&str; 5] = ["table", "markdown", "csv", "json", "html"];

/// Asserts that all CSV records have as many columns as the header.
#[track_caller]
pub(crate) fn has_equal_columns(what: &str, text: &str) {
    let records = csv_records(text);
    assert!(!records.is_empty(), "{what}: {text}");
    assert!(records.iter().all(|record| record.len() == records[0].len()), "{what}: {text}");
}

/// Asserts that the rows of each Markdown table have as many cells as the row above them. A document may have several tables.
#[track_caller]
pub(crate) fn has_equal_cells(what: &str, text: &str) {
    let bars = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
    let mut above = None;
    for line in text.lines() {
        let row = line.starts_with('|').then(|| bars(line));
        assert!(above.is_none() || row.is_none() || above == row, "{what}: {line}");
        above = row;
    }
    assert!(text.lines().any(|line| line.starts_with('|') && line.contains("--")), "{what}: {text}");
}

/// Asserts that each element of a page is closed at the right place.
#[track_caller]
pub(crate) fn is_well_formed(what: &str, page: &str) {
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{what}: {page}");
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(2) {
        let (tag, _) = tag.split_once('>').unwrap_or_else(|| panic!("{what}: <{tag}"));
        let name = tag.split([' ', '/', '\n']).find(|part| !part.is_empty()).unwrap_or_default();
        match tag {
            _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name), "{what}: <{tag}>"),
            _ if tag.ends_with('/') || name == "meta" => {}
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "{what}: {open:?}");
}

#[track_caller]
fn is_written(what: &str, format: &str, text: &str) {
    match format {
        "markdown" => has_equal_cells(what, text),
        "csv" => has_equal_columns(what, text),
        "json" => drop(serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"))),
        "html" => is_well_formed(what, text),
        _ => assert!(!text.trim().is_empty(), "{what}"),
    }
}

/// A store with a session of two engines at two sizes, which was restarted once, and a trial.
fn place() -> Place {
    let place = Place::new();
    let engines =
        ["--engine", "null:latency_ns=1000,clock=simulated", "--engine", "null:latency_ns=2000,clock=simulated"];
    let run = [
        "run", "--suite", "kv", "--size", "200", "--size", "400", "--size", "800", "--test", "1,2", "--repeat", "6",
        "--quiet",
    ];
    place.ok(&[&run[..], &engines].concat());
    place.ok(&[&run[..], &engines].concat());
    place
}

#[test]
fn every_report_has_every_format() {
    let place = place();
    let torture =
        ["torture", "sqlite:synchronous=off|normal", "--kills", "1", "--power", "4", "--mutants", "0", "--seed", "7"];
    let sides = ["compare", "--a", "latency_ns=1000", "--b", "latency_ns=2000"];
    let with = |rest: &[&'static str]| [&sides[..], rest].concat();
    let reports: Vec<Vec<&str>> = vec![
        vec!["list", "engines"],
        vec!["list", "suites"],
        torture.to_vec(),
        vec!["list", "evidence"],
        vec!["doctor"],
        vec!["results"],
        vec!["results", "--details"],
        vec!["results", "--group-by", "label"],
        vec!["results", "--matrix"],
        vec!["results", "--transpose", "--by-configuration"],
        sides.to_vec(),
        with(&["--percent", "--median-ratio"]),
        with(&["--by", "size"]),
        with(&["--pivot", "test,size"]),
        vec!["compare", "--reference", "session=last"],
        vec!["trend", "engine=null"],
        vec!["claims"],
        vec!["claims", "lumosql"],
        vec!["tune", "effects", "engine=null size=200 test=2"],
    ];
    for report in &reports {
        for format in FORMATS {
            let arguments = [&report[..], &["--format", format]].concat();
            let done = place.run(&arguments);
            let what = format!("{arguments:?}");
            assert!(matches!(done.code, Some(0 | 1)), "{what}: {}", done.stderr);
            is_written(&what, format, &done.stdout);
        }
    }
    for format in ["table", "markdown", "json", "html"] {
        let text = place.ok(&[&sides[..], &["--scaling", "--format", format]].concat());
        is_written("scaling", format, &text);
    }
    for format in FORMATS {
        let changes =
            ["tune", "try", "latency_ns=900", "--engine", "null:latency_ns=1000,clock=simulated", "--suite", "kv"];
        let shape = ["--size", "1000", "--test", "2", "--rounds", "2", "--quiet", "--format", format];
        is_written("tune try", format, &place.ok(&[&changes[..], &shape].concat()));
        is_written("tune ledger", format, &place.ok(&["tune", "ledger", "--format", format]));
    }
}

#[test]
fn what_does_not_fit_goes_by_rank_and_wide_tables_are_drawn_in_parts() {
    let place = place();
    let table = place.ok(&["compare", "--reference", "session=last"]);
    let head = table.lines().find(|line| line.contains("95 %")).unwrap();
    assert!(!head.contains("verdict") && head.chars().count() <= 80, "{table}");
    let matrix = place.ok(&["results", "--matrix", "size=200"]);
    let heads: Vec<&str> = matrix.lines().filter(|line| line.starts_with("test ")).collect();
    assert!(heads.len() > 1 && heads.iter().all(|head| head.chars().count() <= 80), "{matrix}");
    let rows = matrix.lines().filter(|line| line.starts_with("1 ")).count();
    assert_eq!(rows, heads.len(), "each part says what its rows are: {matrix}");
    let file = place.path("matrix.md");
    place.ok(&["results", "--matrix", "size=200", "--format", "markdown", "--out", file.to_str().unwrap()]);
    let markdown = std::fs::read_to_string(file).unwrap();
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| test |")).count(), 1, "{markdown}");
}
