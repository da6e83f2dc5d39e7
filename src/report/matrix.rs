//! Tests against runs.

use crate::base::units::duration;
use crate::store::{TestTime, TextRows};
use std::collections::BTreeMap;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
enum MatrixCell {
    /// A figure: ns, or a share of the run's total.
    Figure(f64),
    /// Why there is none.
    Word(String),
}

/// Times of tests, a column a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    tests: Vec<(u32, String)>,
    runs: Vec<String>,
    cells: BTreeMap<(usize, usize), MatrixCell>,
    normalised: bool,
    /// Runs that have no total, because tests are missing or do not count.
    pub incomplete: usize,
}

/// The shortest beginning of an identifier that is shown.
const SHORTEST: usize = 8;

impl Matrix {
    /// The matrix of these times, in ns.
    pub fn new(times: &[TestTime]) -> Self {
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let mut ids: Vec<&TestTime> = Vec::new();
        for time in times {
            names
                .entry(time.test)
                .and_modify(|name| {
                    if *name != time.test_name {
                        *name = without_digits(name);
                    }
                })
                .or_insert_with(|| time.test_name.clone());
            if ids.last().is_none_or(|last| last.run_id != time.run_id) {
                ids.push(time);
            }
        }
        let tests: Vec<(u32, String)> = names.into_iter().collect();
        let length = shortest(&ids.iter().map(|time| time.run_id.as_str()).collect::<Vec<_>>());
        let heading = |time: &&TestTime| {
            let id: String = time.run_id.chars().take(length).collect();
            format!("{} · {} · {id}", time.label, time.size)
        };
        let runs: Vec<String> = ids.iter().map(heading).collect();
        let mut cells = BTreeMap::new();
        let mut column = 0;
        for time in times {
            if ids[column].run_id != time.run_id {
                column += 1;
            }
            let row = tests.iter().position(|(test, _)| *test == time.test).unwrap_or_default();
            let cell = match time.wall_ns {
                Some(ns) if time.status == "ok" => MatrixCell::Figure(ns as f64),
                _ if time.status == "ok" => MatrixCell::Word("no time".to_owned()),
                _ => MatrixCell::Word(time.status.clone()),
            };
            cells.insert((row, column), cell);
        }
        Self { tests, runs, cells, normalised: false, incomplete: 0 }
    }

    /// Each time as its share of the run's total. A run without all tests has no total to compare.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        self.normalised = true;
        for column in 0..self.runs.len() {
            let of_column = (0..self.tests.len()).map(|row| match self.cells.get(&(row, column)) {
                Some(MatrixCell::Figure(ns)) => Some(*ns),
                _ => None,
            });
            let total = of_column.sum::<Option<f64>>().filter(|total| *total > 0.0);
            self.incomplete += usize::from(total.is_none());
            for row in 0..self.tests.len() {
                if let Some(cell @ MatrixCell::Figure(_)) = self.cells.get_mut(&(row, column)) {
                    *cell = match (&*cell, total) {
                        (MatrixCell::Figure(ns), Some(total)) => MatrixCell::Figure(ns / total),
                        _ => MatrixCell::Word("no total".to_owned()),
                    };
                }
            }
        }
        self
    }

    /// The matrix as rows: tests down and runs across, or the other way round. `exact`: ns and shares as numbers, for
    /// programs; else with units.
    pub fn rows(&self, transposed: bool, exact: bool) -> TextRows {
        let cell = |row: usize, column: usize| {
            let text = match self.cells.get(&(row, column))? {
                MatrixCell::Figure(figure) if exact => figure.to_string(),
                MatrixCell::Figure(share) if self.normalised => format!("{:.2} %", share * 100.0),
                MatrixCell::Figure(ns) => duration(*ns),
                MatrixCell::Word(_) if exact => return None,
                MatrixCell::Word(word) => word.clone(),
            };
            Some(text)
        };
        let shown = |cell: Option<String>| if exact { cell } else { Some(cell.unwrap_or_else(|| "-".to_owned())) };
        let tests = self.tests.iter().map(|(test, name)| format!("{test} {name}"));
        if transposed {
            let columns = std::iter::once("run".to_owned()).chain(tests).collect();
            let line = |(column, run): (usize, &String)| {
                let cells = (0..self.tests.len()).map(|row| shown(cell(row, column)));
                std::iter::once(Some(run.clone())).chain(cells).collect()
            };
            return TextRows { columns, rows: self.runs.iter().enumerate().map(line).collect() };
        }
        let columns = std::iter::once("test".to_owned()).chain(self.runs.iter().cloned()).collect();
        let line = |(row, test): (usize, String)| {
            let cells = (0..self.runs.len()).map(|column| shown(cell(row, column)));
            std::iter::once(Some(test)).chain(cells).collect()
        };
        TextRows { columns, rows: tests.enumerate().map(line).collect() }
    }
}

/// A test's name where it differs between sizes: `25000 INSERTs` and `N INSERTs` are `N INSERTs`.
fn without_digits(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_ascii_digit() && text.ends_with('N') => {}
            c if c.is_ascii_digit() => text.push('N'),
            c => text.push(c),
        }
    }
    text
}

/// How many characters tell all of these apart.
fn shortest(ids: &[&str]) -> usize {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let common = |pair: &[&str]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
    sorted.windows(2).map(|pair| common(pair) + 1).max().unwrap_or(0).max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(run: &str, test: u32, name: &str, wall_ns: Option<u64>) -> TestTime {
        let status = if wall_ns.is_some() { "ok" } else { "failed" };
        let text = |text: &str| text.to_owned();
        let (label, size) = (text("lmdb"), text("1"));
        TestTime { run_id: text(run), label, size, test, test_name: text(name), status: text(status), wall_ns }
    }

    #[test]
    fn tests_stand_against_runs_and_shares_need_every_test() {
        let times = [
            time("aaaaaaaa1", 1, "100 INSERTs", Some(3_000_000)),
            time("aaaaaaaa1", 2, "DROP", Some(1_000_000)),
            time("aaaaaaaa2", 1, "2000 INSERTs", Some(5_000_000)),
            time("aaaaaaaa2", 2, "DROP", None),
        ];
        let matrix = Matrix::new(&times);
        let rows = matrix.rows(false, false);
        assert_eq!(rows.columns, ["test", "lmdb · 1 · aaaaaaaa1", "lmdb · 1 · aaaaaaaa2"]);
        assert_eq!(rows.rows[0], ["1 N INSERTs", "3.00 ms", "5.00 ms"].map(|cell| Some(cell.to_owned())));
        assert_eq!(rows.rows[1][2].as_deref(), Some("failed"));
        assert_eq!(matrix.rows(true, true).rows[0][1].as_deref(), Some("3000000"));
        let shares = matrix.normalised();
        assert_eq!(shares.incomplete, 1);
        assert_eq!(shares.rows(false, true).rows[0][1].as_deref(), Some("0.75"));
        assert_eq!(shares.rows(false, false).rows[0][2].as_deref(), Some("no total"));
    }
}
