//! The page of an open run.

use super::TestsPane;
use crate::tui::{
    keys::Action,
    widgets::{cursor::ListCursor, paint::fit},
};
use dbdyno_foundation::{
    base::units::{bytes, count, duration},
    metric::Metric,
};
use dbdyno_reports::soak::soak_lines;
use dbdyno_running::soak::Soak;
use dbdyno_store::{StoredFact, StoredOption, StoredRun, StoredTest, TestRecord};

/// The most columns of a statement before its plan.
const STATEMENT: usize = 40;

/// The sections of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DetailSection {
    /// Tests with latencies and timeline.
    Tests,
    /// Options, requested and in force.
    Options,
    /// The resources that the selected test used besides time, and measurements around the run.
    Resources,
    /// Session and machine.
    Environment,
    /// Warnings, tags, notes and keys.
    Notes,
}

impl DetailSection {
    pub(crate) const ALL: [Self; 5] = [Self::Tests, Self::Options, Self::Resources, Self::Environment, Self::Notes];

    /// Returns the section's index.
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|section| *section == self).unwrap_or(0)
    }
}

/// A line of any section except the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SectionLine {
    /// The title of the lines below.
    Title(String),
    /// A text for unknown data.
    None(&'static str),
    /// A named value.
    Fact {
        name: String,
        value: String,
        /// Whether the value deserves the reader's attention.
        odd: bool,
    },
}

#[derive(Debug)]
pub(crate) struct OpenedRun {
    pub(crate) run: StoredRun,
    /// The visible section.
    pub(crate) section: DetailSection,
    /// The selected test.
    pub(crate) test: ListCursor,
    /// The line under the cursor, for sections that are lists.
    pub(crate) line: ListCursor,
    /// The pane of the tests section that has the focus.
    pub(super) pane: TestsPane,
    /// The moment last shown in the charts over time, from the beginning of the test, ns.
    pub(super) moment: u64,
}

impl OpenedRun {
    /// Returns the page of a run, with this test selected.
    pub(crate) fn new(run: StoredRun, test: Option<u32>) -> Self {
        let at = run.tests.iter().position(|stored| Some(stored.test.test) == test).unwrap_or(0);
        // The notes say why a run failed, or has no tests.
        let is_failed = run.failure.is_some() || run.tests.iter().any(|stored| stored.test.failure.is_some());
        let section = if is_failed || run.tests.is_empty() { DetailSection::Notes } else { DetailSection::Tests };
        let (line, pane) = (ListCursor::default(), TestsPane::default());
        Self { run, section, test: ListCursor { at }, line, pane, moment: 0 }
    }

    pub(crate) fn chosen(&self) -> Option<&StoredTest> {
        self.run.tests.get(self.test.at)
    }

    /// Moves the cursor, by a page of `page` lines. Returns whether the action was a move.
    pub(crate) fn moved(&mut self, action: Action, page: usize) -> bool {
        if self.moment_moved(action) {
            return true;
        }
        match action {
            Action::Left => self.show(self.section.index() + DetailSection::ALL.len() - 1),
            Action::Right => self.show(self.section.index() + 1),
            Action::NextTest => self.test.at = (self.test.at + 1).min(self.run.tests.len().saturating_sub(1)),
            Action::PreviousTest => self.test.at = self.test.at.saturating_sub(1),
            // The tests fill only the upper half; the lower half shows details of the selected test.
            action if self.section == DetailSection::Tests => {
                return self.test.moved_by(action, self.run.tests.len(), (page / 2).saturating_sub(1));
            }
            action => {
                let length = self.lines().len();
                return self.line.moved_by(action, length, page);
            }
        }
        true
    }

    /// Shows the section at an index, wrapping around at the end.
    pub(crate) fn show(&mut self, at: usize) {
        self.section = DetailSection::ALL[at % DetailSection::ALL.len()];
        (self.line, self.pane) = (ListCursor::default(), TestsPane::default());
    }

    /// Returns a section's title, with the number of its items.
    pub(crate) fn title(&self, section: DetailSection) -> String {
        let counted =
            |word: &str, number: usize| if number == 0 { word.to_owned() } else { format!("{word} {number}") };
        match section {
            DetailSection::Tests => counted("Tests", self.run.tests.len()),
            DetailSection::Options => match self.run.options.iter().filter(|option| option.differs()).count() {
                0 => "Options".to_owned(),
                differing => format!("Options ≠{differing}"),
            },
            DetailSection::Resources => "Resources".to_owned(),
            DetailSection::Environment => "Environment".to_owned(),
            DetailSection::Notes => {
                let run = &self.run;
                counted("Notes", run.warnings.len() + run.tags.len() + run.notes.len() + run.keys.len())
            }
        }
    }

    /// Returns the lines of the visible section; none for the tests, which are painted as a table.
    pub(crate) fn lines(&self) -> Vec<SectionLine> {
        match self.section {
            DetailSection::Tests => Vec::new(),
            DetailSection::Options => self.options(),
            DetailSection::Resources => self.resources(),
            DetailSection::Environment => self.run.environment.iter().map(fact).collect(),
            DetailSection::Notes => self.notes(),
        }
    }

    fn options(&self) -> Vec<SectionLine> {
        let mut lines = Vec::new();
        for (title, of_suite) in [
            (format!("of {} {}", self.run.engine, self.run.version), false),
            (format!("of the suite {}", self.run.suite), true),
        ] {
            let options: Vec<&StoredOption> =
                self.run.options.iter().filter(|option| option.of_suite == of_suite).collect();
            if !options.is_empty() {
                lines.push(SectionLine::Title(title));
                lines.extend(options.into_iter().map(option));
            }
        }
        if lines.is_empty() {
            lines.push(SectionLine::None("no option is stored"));
        }
        lines
    }

    fn resources(&self) -> Vec<SectionLine> {
        let mut lines = Vec::new();
        if let Some(test) = self.chosen() {
            let StoredTest { test, keys, plans, .. } = test;
            lines.push(SectionLine::Title(format!("test {} {}   ([ and ] choose another)", test.test, test.test_name)));
            lines.extend(figures(test));
            lines.extend(keys.iter().map(as_it_is));
            if !plans.is_empty() {
                lines.push(SectionLine::Title("how the engine finds rows".to_owned()));
                lines.extend(plans.iter().map(plan));
            }
            if let Some(followed) = self.run.followed.iter().find(|followed| followed.test == test.test) {
                lines.push(SectionLine::Title("second by second".to_owned()));
                lines.extend(soak_lines(&Soak::new(followed)).iter().map(|line| told(line)));
            }
        }
        lines.push(SectionLine::Title("the whole run".to_owned()));
        lines.extend(self.run.facts.iter().map(fact));
        lines
    }

    fn notes(&self) -> Vec<SectionLine> {
        let run = &self.run;
        let mut lines = Vec::new();
        let failures = run
            .tests
            .iter()
            .map(|stored| &stored.test)
            .filter_map(|test| Some((format!("test {} {}", test.test, test.test_name), test.failure.clone()?)));
        let failures: Vec<SectionLine> = run
            .failure
            .iter()
            .map(|failure| ("the run".to_owned(), failure.clone()))
            .chain(failures)
            .map(|(name, value)| SectionLine::Fact { name, value, odd: true })
            .collect();
        let parts = [
            ("what failed", failures, ""),
            (
                "warnings",
                run.warnings
                    .iter()
                    .map(|warning| SectionLine::Fact {
                        name: warning.name.clone(),
                        value: warning.value.clone(),
                        odd: true,
                    })
                    .collect(),
                "no warning",
            ),
            (
                "tags",
                run.tags
                    .iter()
                    .map(|tag| SectionLine::Fact { name: tag.clone(), value: String::new(), odd: false })
                    .collect(),
                "no tag: t gives one",
            ),
            ("notes", run.notes.iter().map(as_it_is).collect(), "no note: n writes one"),
            ("keys", run.keys.iter().map(as_it_is).collect(), ""),
        ];
        for (title, facts, none) in parts {
            if facts.is_empty() && none.is_empty() {
                continue;
            }
            lines.push(SectionLine::Title(title.to_owned()));
            if facts.is_empty() {
                lines.push(SectionLine::None(none));
            }
            lines.extend(facts);
        }
        lines
    }
}

fn option(option: &StoredOption) -> SectionLine {
    let value = match (option.asked.as_deref(), option.in_force.as_deref()) {
        (Some(asked), Some(in_force)) if asked != in_force => format!("{in_force} in force, {asked} requested"),
        (Some(value), Some(_)) => value.to_owned(),
        // An engine cannot report options of a suite.
        (Some(value), None) if option.of_suite => value.to_owned(),
        (Some(asked), None) => format!("{asked}  (as requested: not reported by the engine)"),
        (None, Some(in_force)) => in_force.to_owned(),
        (None, None) => "not known".to_owned(),
    };
    let assumed = if option.assumed { " (assumed: the imported file does not say)" } else { "" };
    SectionLine::Fact { name: option.name.clone(), value: format!("{value}{assumed}"), odd: option.differs() }
}

/// Returns every known figure of a test, and the facts about its answers.
fn figures(test: &TestRecord) -> Vec<SectionLine> {
    let line = |name: &str, value: String| SectionLine::Fact { name: name.to_owned(), value, odd: false };
    let figure = |metric: &Metric| Some(line(metric.title(), metric.shown(test.figures.value(*metric)?)));
    let answers = [
        ("answers", test.verification.clone().or_else(|| (!test.is_verified()).then(|| "not verified".to_owned()))),
        ("answers agree", test.agrees.map(|agrees| if agrees { "yes" } else { "no" }.to_owned())),
        ("ended", test.finished_at.map(|at| at.to_string())),
    ];
    let answers = answers.into_iter().filter_map(|(name, value)| Some(line(name, value?)));
    Metric::ALL.iter().filter_map(figure).chain(answers).collect()
}

/// Splits a line of the form `name: value`.
fn told(line: &str) -> SectionLine {
    let (name, value) = line.split_once(": ").unwrap_or(("", line));
    SectionLine::Fact { name: name.to_owned(), value: value.to_owned(), odd: false }
}

fn as_it_is(fact: &StoredFact) -> SectionLine {
    SectionLine::Fact { name: fact.name.clone(), value: fact.value.clone(), odd: false }
}

/// Returns a statement and its plan, each on one line.
fn plan(plan: &StoredFact) -> SectionLine {
    let statement = plan.name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = fit(&statement, STATEMENT);
    SectionLine::Fact { name, value: plan.value.replace('\n', ", "), odd: false }
}

/// Returns a column's name and value; the end of the name gives the unit.
fn fact(fact: &StoredFact) -> SectionLine {
    let StoredFact { name, value } = fact;
    let number = value.parse::<f64>().ok();
    let whole = value.parse::<u64>().ok();
    let (word, shown) = match (name.rsplit_once('_'), number, whole) {
        (Some((word, "ns")), Some(number), _) => (word, duration(number)),
        (Some((word, "bytes")), _, Some(number)) => (word, bytes(number)),
        (Some((word, "share")), Some(number), _) => (word, format!("{:.1} %", number * 100.0)),
        (_, _, Some(number)) if number > 9_999 && name != "seed" => (name.as_str(), count(number)),
        _ => (name.as_str(), value.clone()),
    };
    SectionLine::Fact { name: word.replace('_', " "), value: shown, odd: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, value: &str) -> (String, String) {
        match fact(&StoredFact { name: name.to_owned(), value: value.to_owned() }) {
            SectionLine::Fact { name, value, .. } => (name, value),
            line => panic!("{line:?}"),
        }
    }

    #[test]
    fn columns_are_shown_in_the_unit_that_their_names_tell() {
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(shown("user_ns", "1500000"), text("user", "1.50 ms"));
        assert_eq!(shown("peak_rss_bytes", "1048576"), text("peak rss", "1.00 MiB"));
        assert_eq!(shown("psi_io_share", "0.125"), text("psi io", "12.5 %"));
        assert_eq!(shown("syncs", "10000"), text("syncs", "10,000"));
        assert_eq!(shown("seed", "1234567"), text("seed", "1234567"));
    }
}
