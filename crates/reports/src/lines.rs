//! Results as the lines that the published program of their suite prints: for scripts that read such lines.

use super::format::WriteError;
use dbdyno_catalog::{Catalog, PrintedAs};
use dbdyno_foundation::base::units::plain;
use dbdyno_store::{ListKind, ListOrder, Selection, Store};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

/// A finished test of a run.
#[derive(Debug, Clone, PartialEq)]
struct TestLine<'s> {
    printed: &'s PrintedAs,
    ms: f64,
    database_bytes: u64,
}

/// Returns the results of a selection, run by run from the oldest. Leaves out suites that do not define printed lines.
pub(super) fn lines(store: &Store, selection: &Selection, catalog: &Catalog) -> Result<String, WriteError> {
    let columns = ["run_id", "label", "suite", "test", "wall_ns", "database_bytes"].map(str::to_owned);
    let listed = store.listed(selection, ListKind::Results, &columns, &ListOrder::default())?.rows;
    let mut suites: HashMap<String, BTreeMap<String, PrintedAs>> = HashMap::new();
    for suite in listed.rows.iter().filter_map(|row| row.get(2)) {
        if !suites.contains_key(suite) {
            suites.insert(suite.to_owned(), printed(catalog, suite));
        }
    }
    let mut runs: Vec<(String, String, Vec<TestLine<'_>>)> = Vec::new();
    for row in listed.rows.iter() {
        let [Some(run), Some(label), Some(suite), Some(test), Some(wall_ns), Some(bytes)] = row.first() else {
            continue;
        };
        let Some(printed) = suites.get(suite).and_then(|tests| tests.get(test)) else { continue };
        let (Ok(wall_ns), Ok(database_bytes)) = (wall_ns.parse::<f64>(), bytes.parse()) else { continue };
        let line = TestLine { printed, ms: wall_ns / 1e6, database_bytes };
        match runs.last_mut().filter(|(last, ..)| last == run) {
            Some((.., lines)) => lines.push(line),
            None => runs.push((run.to_owned(), label.to_owned(), vec![line])),
        }
    }
    if runs.is_empty() {
        return Err(WriteError::NothingPrinted);
    }
    // The list starts with the newest run.
    Ok(runs.iter().rev().map(|(_, label, lines)| of_run(label, lines)).collect::<Vec<_>>().join("\n"))
}

/// Returns the printed form of a suite's tests, by number; empty for a suite that is not in the catalog.
fn printed(catalog: &Catalog, suite: &str) -> BTreeMap<String, PrintedAs> {
    let Ok(suite) = catalog.suite(suite) else { return BTreeMap::new() };
    suite.tests().filter_map(|test| Some((test.number.to_string(), test.printed?))).collect()
}

/// Returns the lines of a run: its tests in order, and after the last test of a benchmark the size of its database.
fn of_run(label: &str, lines: &[TestLine<'_>]) -> String {
    let mut text = String::new();
    let label = plain(label);
    for (line, next) in lines.iter().zip(lines.iter().skip(1).map(Some).chain([None])) {
        let benchmark = plain(&line.printed.benchmark);
        let mut print = |phase: &str, figure: f64| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{benchmark} - {phase:<6} - {label:<10} - {figure:>10.0}");
        };
        print(&plain(&line.printed.phase), line.ms);
        if next.is_none_or(|next| next.printed.benchmark != line.printed.benchmark) {
            print("dbsize", line.database_bytes as f64);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_printed_as_the_published_program_prints_it() {
        let printed = |benchmark: &str, phase: &str| PrintedAs { benchmark: benchmark.into(), phase: phase.into() };
        let (insert, query, many) =
            (printed("1_simple", "insert"), printed("1_simple", "query"), printed("4_many/0010", "query"));
        let line = |printed, ms, database_bytes| TestLine { printed, ms, database_bytes };
        let lines = [line(&insert, 1021.4, 58_687_488), line(&query, 453.6, 58_687_488), line(&many, 24.0, 36_864)];
        let expected = "1_simple - insert - bvinc      -       1021\n\
                        1_simple - query  - bvinc      -        454\n\
                        1_simple - dbsize - bvinc      -   58687488\n\
                        4_many/0010 - query  - bvinc      -         24\n\
                        4_many/0010 - dbsize - bvinc      -      36864\n";
        assert_eq!(of_run("bvinc", &lines), expected);
        assert!(of_run("a\u{1b}\nb", &lines[..1]).starts_with("1_simple - insert - a\\u{1b}\\nb - "));
    }
}
