//! A table of tests by runs, or by configurations over their runs.

use super::sheet::{Cell, Column, ColumnPart, ColumnRole, Row, Table};
use dbdyno_comparing::compare::without_numbers;
use dbdyno_foundation::{base::units::counted, metric::Metric};
use dbdyno_store::TestTime;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a matrix's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    /// One column per run, oldest first.
    Runs,
    /// One column per configuration: label, version and size, with the medians over its runs.
    Configurations,
}

impl MatrixKind {
    /// Returns the word for one column.
    pub fn word(self) -> &'static str {
        match self {
            Self::Runs => "run",
            Self::Configurations => "configuration",
        }
    }
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
enum MatrixCell {
    /// A figure in ns, or in operations per second in the row of a test that ended after a fixed time, or as a share of the column's total;
    /// the median over `runs` runs.
    Figure { figure: f64, runs: usize },
    /// The reason why there is no figure.
    Word(String),
}

/// A column's heading, and its number of runs.
#[derive(Debug, Clone, PartialEq)]
struct MatrixColumn {
    heading: String,
    runs: usize,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
struct MatrixTest {
    number: u32,
    name: String,
    /// The metric of its cells: time, or operations per second if the test ended after a fixed time.
    metric: Metric,
}

impl MatrixTest {
    fn heading(&self) -> String {
        let Self { number, name, metric } = self;
        if *metric == Metric::Wall {
            format!("{number} {name}")
        } else {
            format!("{number} {name}, {}", metric.title())
        }
    }
}

/// Times of tests, with one column per run or configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeMatrix {
    kind: MatrixKind,
    tests: Vec<MatrixTest>,
    columns: Vec<MatrixColumn>,
    cells: BTreeMap<(usize, usize), MatrixCell>,
    normalised: bool,
    /// The number of columns that have no total, because tests are missing or do not count.
    pub incomplete: usize,
}

/// Width of a column's heading, in characters.
const NAME: usize = 24;

/// The shortest prefix of an identifier that is shown.
const SHORTEST: usize = 8;

impl TimeMatrix {
    /// Builds the matrix of these times, in ns, which are ordered by run.
    pub fn new(times: &[TestTime], kind: MatrixKind) -> Self {
        let tests = tests_of(times);
        let columns = match kind {
            MatrixKind::Runs => of_runs(times),
            MatrixKind::Configurations => of_configurations(times),
        };
        let rows: BTreeMap<(u32, String), usize> = tests.keys().cloned().zip(0..).collect();
        let timed: BTreeSet<(u32, String)> = times.iter().filter(|time| time.timed).map(test_of).collect();
        let of_key = |((number, folded), name): ((u32, String), String)| {
            let metric = if timed.contains(&(number, folded)) { Metric::Rate } else { Metric::Wall };
            MatrixTest { number, name, metric }
        };
        let tests: Vec<MatrixTest> = tests.into_iter().map(of_key).collect();
        let mut cells = BTreeMap::new();
        for (at, (_, times)) in columns.iter().enumerate() {
            let mut of_row: BTreeMap<usize, Vec<&TestTime>> = BTreeMap::new();
            for time in times {
                let row = rows.get(&test_of(time)).copied().unwrap_or_default();
                of_row.entry(row).or_default().push(time);
            }
            let cells_of =
                of_row.into_iter().filter_map(|(row, times)| Some((row, cell(&times, tests.get(row)?.metric))));
            cells.extend(cells_of.map(|(row, cell)| ((row, at), cell)));
        }
        let column = |(heading, times): (String, Vec<&TestTime>)| MatrixColumn { heading, runs: runs_of(&times) };
        let columns = columns.into_iter().map(column).collect();
        Self { kind, tests, columns, cells, normalised: false, incomplete: 0 }
    }

    /// Replaces each time by its share of the column's total. A column without all tests has no comparable total, and a test that ended
    /// after a fixed time is not part of one.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        self.normalised = true;
        for column in 0..self.columns.len() {
            let is_time = |row: &usize| self.tests[*row].metric == Metric::Wall;
            let rows: Vec<usize> = (0..self.tests.len()).filter(is_time).collect();
            for row in (0..self.tests.len()).filter(|row| !rows.contains(row)) {
                self.cells.insert((row, column), MatrixCell::Word("no share".to_owned()));
            }
            let of_column = rows.iter().map(|&row| match self.cells.get(&(row, column)) {
                Some(MatrixCell::Figure { figure, .. }) => Some(*figure),
                _ => None,
            });
            let total = of_column.sum::<Option<f64>>().filter(|total| *total > 0.0);
            self.incomplete += usize::from(total.is_none());
            for row in rows {
                if let Some(cell @ MatrixCell::Figure { .. }) = self.cells.get_mut(&(row, column)) {
                    *cell = match (&*cell, total) {
                        (MatrixCell::Figure { figure, runs }, Some(total)) => {
                            MatrixCell::Figure { figure: figure / total, runs: *runs }
                        }
                        _ => MatrixCell::Word("no total".to_owned()),
                    };
                }
            }
        }
        self
    }

    /// Returns the matrix as a table: one row per test and one column per run or configuration, or the other way round. People read figures
    /// with units; programs read ns and shares.
    pub fn table(&self, transposed: bool) -> Table {
        let tests: Vec<String> = self.tests.iter().map(MatrixTest::heading).collect();
        let headings: Vec<String> = self.columns.iter().map(|column| column.heading.clone()).collect();
        let (corner, across, down) =
            if transposed { (self.kind.word(), tests, headings) } else { ("test", headings, tests) };
        let row = |(at, name): (usize, &String)| {
            let place = |other: usize| if transposed { (other, at) } else { (at, other) };
            let cells = (0..across.len()).map(|other| self.cell(place(other)));
            Row::Cells([Cell::new(name)].into_iter().chain(cells).collect())
        };
        let first = Column::new(corner, corner, ColumnRole::Name).part(ColumnPart::Repeated);
        let columns = across.iter().map(|title| Column::new(title.clone(), title, ColumnRole::Figure).at_least(NAME));
        Table {
            columns: [first].into_iter().chain(columns).collect(),
            rows: down.iter().enumerate().map(row).collect(),
            is_headed: true,
            ..Table::default()
        }
    }

    fn cell(&self, place: (usize, usize)) -> Cell {
        let (row, column) = place;
        let (figure, runs) = match self.cells.get(&place) {
            Some(MatrixCell::Figure { figure, runs }) => (*figure, *runs),
            Some(MatrixCell::Word(word)) => return Cell::figure(word, None),
            None => return Cell::figure("-", None),
        };
        let metric = self.tests.get(row).map_or_else(Metric::default, |test| test.metric);
        let shown = if self.normalised { format!("{:.2} %", figure * 100.0) } else { metric.shown(figure) };
        // Reports the number if not all runs of a configuration have a time.
        let of = self.columns.get(column).is_some_and(|column| runs < column.runs);
        let runs = if of { format!(" ({})", counted(runs, "run")) } else { String::new() };
        Cell::figure(shown + &runs, Some(figure))
    }
}

/// Identifies a test at any size: its number, and its name with `N` for numbers.
fn test_of(time: &TestTime) -> (u32, String) {
    (time.test, without_numbers(&time.test_name))
}

/// Returns all tests with their names: the stored name if there is only one, otherwise with `N` for the parts that differ between sizes.
fn tests_of(times: &[TestTime]) -> BTreeMap<(u32, String), String> {
    let mut tests: BTreeMap<(u32, String), String> = BTreeMap::new();
    for time in times {
        let test = test_of(time);
        let folded = test.1.clone();
        let name = tests.entry(test).or_insert_with(|| time.test_name.clone());
        if *name != time.test_name {
            *name = folded;
        }
    }
    tests
}

/// Returns the number of runs of these times.
fn runs_of(times: &[&TestTime]) -> usize {
    times.iter().map(|time| time.run_id.as_str()).collect::<BTreeSet<_>>().len()
}

/// Returns one column per run, with its heading.
fn of_runs(times: &[TestTime]) -> Vec<(String, Vec<&TestTime>)> {
    let runs: Vec<&[TestTime]> = times.chunk_by(|one, next| one.run_id == next.run_id).collect();
    let ids: Vec<&str> = runs.iter().map(|run| run[0].run_id.as_str()).collect();
    let length = shortest(&ids);
    let heading = |run: &[TestTime]| {
        let TestTime { run_id, label, size, .. } = &run[0];
        let id: String = run_id.chars().take(length).collect();
        format!("{label} · {size} · {id}")
    };
    runs.into_iter().map(|run| (heading(run), run.iter().collect())).collect()
}

/// The key of a column of configurations: label, version, size in numbers, size, options.
type MatrixColumnKey<'t> = (&'t str, &'t str, Vec<u64>, &'t str, &'t str);

/// Returns one column per configuration, with its heading: label and size, with the version and options in which configurations of a label
/// differ.
fn of_configurations(times: &[TestTime]) -> Vec<(String, Vec<&TestTime>)> {
    let mut all: BTreeMap<MatrixColumnKey<'_>, Vec<&TestTime>> = BTreeMap::new();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut options: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for time in times {
        let TestTime { label, engine_version, size, options: of_run, .. } = time;
        let numbers = size.split(',').map(|part| part.trim().parse().unwrap_or(u64::MAX)).collect();
        all.entry((label, engine_version, numbers, size, of_run)).or_default().push(time);
        versions.entry(label).or_default().insert(engine_version);
        options.entry((label, size)).or_default().insert(of_run);
    }
    let heading = |(label, version, _, size, of_run): &MatrixColumnKey<'_>, runs: usize| {
        let several = versions.get(label).is_some_and(|versions| versions.len() > 1);
        let version = if several { format!(" {version}") } else { String::new() };
        let differ = options.get(&(*label, *size)).map(|others| differing(of_run, others)).unwrap_or_default();
        format!("{label}{version}{differ} · {size} · {}", counted(runs, "run"))
    };
    all.into_iter().map(|(key, times)| (heading(&key, runs_of(&times)), times)).collect()
}

/// Returns the options of a configuration that others lack or have with another value: ` rowsum=on`.
fn differing(options: &str, others: &BTreeSet<&str>) -> String {
    let parsed = |text: &str| serde_json::from_str::<BTreeMap<String, String>>(text).unwrap_or_default();
    let others: Vec<_> = others.iter().map(|other| parsed(other)).collect();
    let own = parsed(options).into_iter();
    let differ = own.filter(|(name, value)| others.iter().any(|other| other.get(name) != Some(value)));
    differ.map(|(name, value)| format!(" {name}={value}")).collect()
}

/// Summarises the times of a test: their median, or the reason why there is none.
fn cell(times: &[&TestTime], metric: Metric) -> MatrixCell {
    let of = |time: &TestTime| if metric == Metric::Rate { time.rate } else { time.wall_ns.map(|ns| ns as f64) };
    let figures: Vec<f64> = times.iter().filter(|time| time.status == "ok").filter_map(|time| of(time)).collect();
    let word = || match times.iter().find(|time| time.status != "ok") {
        Some(time) => time.status.clone(),
        None => "no time".to_owned(),
    };
    match metric.median(&figures) {
        Ok(figure) => MatrixCell::Figure { figure, runs: figures.len() },
        Err(_) => MatrixCell::Word(word()),
    }
}

/// Returns the number of characters that distinguish all of these identifiers.
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
        let (label, engine_version, size) = (text("lmdb"), text("0.9"), text("1"));
        let (run_id, test_name, status, options) = (text(run), text(name), text(status), text("{}"));
        let rate = None;
        TestTime { run_id, label, engine_version, size, options, test, test_name, status, wall_ns, rate, timed: false }
    }

    fn cells(table: &Table) -> Vec<&Vec<Cell>> {
        let mut cells = Vec::new();
        for row in &table.rows {
            if let Row::Cells(row) = row {
                cells.push(row);
            }
        }
        cells
    }

    fn texts(table: &Table) -> Vec<Vec<&str>> {
        cells(table).into_iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect()
    }

    fn titles(table: &Table) -> Vec<&str> {
        table.columns.iter().map(|column| column.title.as_str()).collect()
    }

    /// Returns a program's value at a row and a column.
    fn value(table: &Table, row: usize, column: usize) -> Option<&str> {
        cells(table)[row][column].value.as_deref()
    }

    #[test]
    fn configurations_of_one_label_are_told_apart_by_their_options() {
        let of = |run: &str, rowsum: &str, ms: u64| TestTime {
            options: format!(r#"{{"page_size":"4096","rowsum":"{rowsum}"}}"#),
            ..time(run, 1, "x", Some(ms * 1_000_000))
        };
        let times = [of("aaaaaaaa1", "off", 1), of("aaaaaaaa2", "off", 3), of("aaaaaaaa3", "on", 7)];
        let rows = TimeMatrix::new(&times, MatrixKind::Configurations).table(false);
        assert_eq!(titles(&rows), ["test", "lmdb rowsum=off · 1 · 2 runs", "lmdb rowsum=on · 1 · 1 run"]);
        assert_eq!(texts(&rows), [["1 x", "2.00 ms", "7.00 ms"]]);
    }

    #[test]
    fn tests_stand_against_runs_and_shares_need_every_test() {
        let times = [
            time("aaaaaaaa1", 1, "100 INSERTs", Some(3_000_000)),
            time("aaaaaaaa1", 2, "DROP", Some(1_000_000)),
            time("aaaaaaaa2", 1, "2000 INSERTs", Some(5_000_000)),
            time("aaaaaaaa2", 2, "DROP", None),
        ];
        let matrix = TimeMatrix::new(&times, MatrixKind::Runs);
        let rows = matrix.table(false);
        assert_eq!(titles(&rows), ["test", "lmdb · 1 · aaaaaaaa1", "lmdb · 1 · aaaaaaaa2"]);
        assert_eq!(texts(&rows)[0], ["1 N INSERTs", "3.00 ms", "5.00 ms"]);
        assert_eq!(texts(&rows)[1][2], "failed");
        assert_eq!(value(&rows, 1, 2), Some(""), "a word is no figure");
        assert_eq!(value(&matrix.table(true), 0, 1), Some("3000000"));
        let shares = matrix.normalised();
        assert_eq!(shares.incomplete, 1);
        assert_eq!(value(&shares.table(false), 0, 1), Some("0.75"));
        assert_eq!(texts(&shares.table(false))[0][2], "no total");
    }

    #[test]
    fn runs_of_a_configuration_are_one_column_with_their_median() {
        let mut times = [
            time("a1", 1, "100 INSERTs", Some(1_000_000)),
            time("a2", 1, "100 INSERTs", Some(9_000_000)),
            time("a3", 1, "100 INSERTs", Some(2_000_000)),
            time("a3", 2, "DROP", None),
            time("a4", 1, "200 INSERTs", Some(4_000_000)),
        ];
        times[4].size = "2".to_owned();
        let matrix = TimeMatrix::new(&times, MatrixKind::Configurations);
        let rows = matrix.table(false);
        assert_eq!(titles(&rows), ["test", "lmdb · 1 · 3 runs", "lmdb · 2 · 1 run"]);
        assert_eq!(texts(&rows)[0], ["1 N INSERTs", "2.00 ms", "4.00 ms"]);
        assert_eq!(texts(&rows)[1], ["2 DROP", "failed", "-"]);
        let transposed = matrix.table(true);
        assert_eq!(titles(&transposed), ["configuration", "1 N INSERTs", "2 DROP"]);
        assert_eq!(transposed.columns[1].role, ColumnRole::Figure);
        times[0].wall_ns = None;
        times[1].engine_version = "1.0".to_owned();
        let rows = TimeMatrix::new(&times[..4], MatrixKind::Configurations).table(false);
        assert_eq!(titles(&rows), ["test", "lmdb 0.9 · 1 · 2 runs", "lmdb 1.0 · 1 · 1 run"]);
        assert_eq!(texts(&rows)[0][1], "2.00 ms (1 run)");
    }

    #[test]
    fn what_ended_after_a_time_has_a_rate_and_no_share() {
        let timed = |run: &str, rate: f64| TestTime {
            rate: Some(rate),
            timed: true,
            ..time(run, 2, "Lookups alone", Some(1_000_000_000))
        };
        let load = |run: &str, ms: u64| time(run, 1, "Load", Some(ms * 1_000_000));
        let times = [load("a1", 3), timed("a1", 400_000.0), load("a2", 5), timed("a2", 600_000.0)];
        let matrix = TimeMatrix::new(&times, MatrixKind::Configurations);
        let rows = matrix.table(false);
        assert_eq!(texts(&rows), [["1 Load", "4.00 ms"], ["2 Lookups alone, operations a second", "480 k/s"]]);
        let shares = matrix.normalised();
        assert_eq!(shares.incomplete, 0);
        assert_eq!(texts(&shares.table(false))[1][1], "no share");
        assert_eq!(texts(&shares.table(false))[0][1], "100.00 %");
    }

    #[test]
    fn tests_of_two_suites_with_one_number_are_two_rows() {
        let times = [time("a1", 1, "Sequential writes", Some(1)), time("a2", 1, "Creating tables", Some(2))];
        let rows = TimeMatrix::new(&times, MatrixKind::Runs).table(false);
        let names: Vec<&str> = texts(&rows).into_iter().map(|row| row[0]).collect();
        assert_eq!(names, ["1 Creating tables", "1 Sequential writes"]);
    }
}
