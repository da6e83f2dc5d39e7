//! A finding: a state, whether it is as it should be, and what to do.

use dbdyno_reports::sheet::{Cell, Column, ColumnRole, Row, Section, Sense, Sheet, Table};
#[cfg(test)]
use dbdyno_reports::sheet::{TableStyle, text};

/// How something of the machine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DoctorFinding {
    /// As it should be.
    Fit(String),
    /// What is worth knowing and makes no figure wrong, and what can be done.
    Note(String, Option<String>),
    /// What makes figures wrong, or loses them, and what to do.
    Unfit(String, String),
}

impl DoctorFinding {
    pub(super) fn fit(what: impl Into<String>) -> Self {
        Self::Fit(what.into())
    }

    pub(super) fn note(what: impl Into<String>) -> Self {
        Self::Note(what.into(), None)
    }

    pub(super) fn advised(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Note(what.into(), Some(advice.into()))
    }

    pub(super) fn unfit(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Unfit(what.into(), advice.into())
    }

    /// Fit, or else unfit with the advice.
    pub(super) fn judged(fit: bool, what: impl Into<String>, advice: &str) -> Self {
        if fit { Self::fit(what) } else { Self::unfit(what, advice) }
    }

    pub(super) fn is_unfit(&self) -> bool {
        matches!(self, Self::Unfit(..))
    }

    fn parts(&self) -> (Sense, &str, Option<&str>) {
        match self {
            Self::Fit(what) => (Sense::Fit, what, None),
            Self::Note(what, advice) => (Sense::Note, what, advice.as_deref()),
            Self::Unfit(what, advice) => (Sense::Unfit, what, Some(advice)),
        }
    }

    /// A row for people: sign, finding with its advice, topic.
    fn row(&self, topic: &str) -> Row {
        let (status, what, advice) = self.parts();
        let advice = advice.map_or_else(String::new, |advice| format!(": {advice}"));
        let said = Cell::new(format!("{what}{advice}")).sensed(status);
        Row::Cells(vec![Cell::new(status.sign()), said, Cell::new(topic)])
    }

    /// A row for programs: topic, status, finding, advice.
    fn record(&self, topic: &str) -> Row {
        let (status, what, advice) = self.parts();
        Row::texts([topic, status.word(), what, advice.unwrap_or_default()])
    }

    /// What people read of it.
    #[cfg(test)]
    pub(super) fn line(&self) -> String {
        let table = table(std::iter::once(self.row("topic")));
        let sections = vec![Section::table(table)];
        text(&Sheet { sections, ..Sheet::default() }, TableStyle { width: 0, ..TableStyle::FILE })
    }
}

fn table(rows: impl Iterator<Item = Row>) -> Table {
    let columns = vec![
        Column::new("sign", "", ColumnRole::Name),
        Column::new("finding", "finding", ColumnRole::Verdict),
        Column::new("topic", "topic", ColumnRole::Name).ranked(1),
    ];
    Table { columns, rows: rows.collect(), ..Table::default() }
}

/// Findings, by what they are about, as a sheet, and as the records that JSON has too. `command`: what asked for them.
pub(super) fn sheet(findings: &[(&'static str, Vec<DoctorFinding>)], command: &str) -> (Sheet, Table) {
    let all = || findings.iter().flat_map(|(topic, findings)| findings.iter().map(move |finding| (topic, finding)));
    let records = all().map(|(topic, finding)| finding.record(topic));
    let records = Table::records(["topic", "status", "finding", "advice"], records);
    let sheet = Sheet {
        title: command.to_owned(),
        sections: vec![Section::table(table(all().map(|(topic, finding)| finding.row(topic))))],
        records: Some(records.clone()),
        command: command.to_owned(),
    };
    (sheet, records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_whatever_is_in_it() {
        let finding = DoctorFinding::unfit("the folder a\nb\u{1b}[2J", "choose\nanother");
        assert_eq!(finding.line(), "!  the folder a\\nb\\u{1b}[2J: choose\\nanother\n");
        assert_eq!(DoctorFinding::note("so it is").line(), "·  so it is\n");
        let row = DoctorFinding::fit("well").record("clock");
        assert_eq!(row, Row::texts(["clock", "fit", "well", ""]));
    }
}
