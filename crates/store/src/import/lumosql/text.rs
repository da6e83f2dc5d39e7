//! Text exports of benchmark databases, as LumoSQL's tool writes them with `-export` and reads them with `-import`.
//!
//! The first line names the kind. Each run has a line `RUN_ID NUMBER_OF_TESTS` and a line `KEY VALUE` for each fact. Each of its tests
//! has a line `--NUMBER` and a line `KEY VALUE` for each of its facts. An empty line ends the run.

use super::{
    super::ImportError,
    findings::{FindingCounts, ImportFinding},
    read::{FactMap, RawRun, RawRuns},
};
use dbdyno_foundation::base::input;
use std::{
    borrow::Cow,
    io::{BufRead, BufReader},
    path::Path,
};

/// Reads the runs of a file, all or nothing.
pub(super) fn read(path: &Path) -> Result<(RawRuns, FindingCounts), ImportError> {
    let unreadable =
        |error: std::io::Error| ImportError::Unreadable { path: path.to_owned(), message: error.to_string() };
    let file = BufReader::new(input::open(path).map_err(unreadable)?);
    let mut runs = TextRuns::default();
    for (line, number) in file.split(b'\n').skip(1).zip(2..) {
        let line = line.map_err(unreadable)?;
        runs.take(&line).map_err(|message| broken(path, format!("line {number}: {message}")))?;
    }
    runs.end().map_err(|message| broken(path, format!("end of file: {message}")))?;
    Ok((runs.runs, runs.findings))
}

fn broken(path: &Path, message: String) -> ImportError {
    ImportError::Broken { path: path.to_owned(), message }
}

/// The contents of the lines read so far.
#[derive(Default)]
struct TextRuns {
    runs: RawRuns,
    findings: FindingCounts,
    /// The run to which the current lines belong.
    open: Option<OpenRun>,
}

struct OpenRun {
    run_id: String,
    /// The number of tests that its first line states.
    tests: usize,
    facts: RawRun,
    /// The test whose facts come next; none before the first.
    test: Option<i64>,
}

impl TextRuns {
    fn take(&mut self, bytes: &[u8]) -> Result<(), String> {
        let line = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes));
        if let Cow::Owned(_) = line {
            self.findings.add(ImportFinding::OddText);
        }
        if line.is_empty() {
            return self.end();
        }
        match &mut self.open {
            None => self.open = Some(self.begun(&line)?),
            Some(run) => run.take(&line, &mut self.findings)?,
        }
        Ok(())
    }

    /// Parses the first line of a run.
    fn begun(&self, line: &str) -> Result<OpenRun, String> {
        let parts = line.trim().split_once(' ').and_then(|(id, tests)| Some((id, tests.trim().parse::<usize>().ok()?)));
        let is_id = |id: &str| id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (id, tests) = parts.filter(|(id, _)| is_id(id)).ok_or_else(|| {
            format!("`{line}`: expected the first line of a run: 64 hexadecimal digits and a number of tests")
        })?;
        if self.runs.contains_key(id) {
            return Err(format!("run {id} occurs twice: expected each run once"));
        }
        Ok(OpenRun { run_id: id.to_owned(), tests, facts: RawRun::default(), test: None })
    }

    /// Ends the current run. A run with fewer tests than stated was cut off.
    fn end(&mut self) -> Result<(), String> {
        let Some(run) = self.open.take() else { return Ok(()) };
        let found = run.facts.tests.len();
        if found != run.tests {
            return Err(format!("run {}: expected {} tests, found {found}", run.run_id, run.tests));
        }
        self.runs.insert(run.run_id, run.facts);
        Ok(())
    }
}

impl OpenRun {
    fn take(&mut self, line: &str, findings: &mut FindingCounts) -> Result<(), String> {
        if let Some(test) = line.strip_prefix("--").and_then(|number| number.trim().parse::<i64>().ok()) {
            if self.facts.tests.insert(test, FactMap::new()).is_some() {
                return Err(format!("test {test} occurs twice: expected each test of a run once"));
            }
            self.test = Some(test);
            return Ok(());
        }
        // A value may be empty, and its space may have been lost on the way.
        let (key, value) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        if !is_key {
            return Err(format!(
                "`{line}`: expected a key and its value, `--` and the number of a test, or an empty line"
            ));
        }
        let (key, value) = (key.to_owned(), value.to_owned());
        match self.test {
            None => self.facts.add_fact(key, value, findings),
            Some(test) => self.facts.add_test_fact(test, key, value, findings),
        }
        Ok(())
    }
}
