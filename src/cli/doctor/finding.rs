//! A finding: how something is, whether that is as it should be, and what to do.

use dbdyno_foundation::base::units::plain;

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

    fn parts(&self) -> (char, &'static str, &str, Option<&str>) {
        match self {
            Self::Fit(what) => ('✓', "fit", what, None),
            Self::Note(what, advice) => ('·', "note", what, advice.as_deref()),
            Self::Unfit(what, advice) => ('!', "unfit", what, Some(advice)),
        }
    }

    /// A line for people, which names come into that others have given.
    pub(super) fn line(&self) -> String {
        let (sign, _, what, advice) = self.parts();
        let advice = advice.map_or_else(String::new, |advice| format!(": {}", plain(advice)));
        format!("{sign}  {}{advice}\n", plain(what))
    }

    /// A row for programs: [`COLUMNS`].
    pub(super) fn row(&self, topic: &str) -> Vec<Option<String>> {
        let (_, status, what, advice) = self.parts();
        vec![Some(topic.to_owned()), Some(status.to_owned()), Some(what.to_owned()), advice.map(str::to_owned)]
    }
}

pub(super) const COLUMNS: [&str; 4] = ["topic", "status", "finding", "advice"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_whatever_is_in_it() {
        let finding = DoctorFinding::unfit("the folder a\nb\u{1b}[2J", "choose\nanother");
        assert_eq!(finding.line(), "!  the folder a\\nb\\u{1b}[2J: choose\\nanother\n");
        assert_eq!(DoctorFinding::note("so it is").line(), "·  so it is\n");
        let row = DoctorFinding::fit("well").row("clock");
        assert_eq!(row, [Some("clock"), Some("fit"), Some("well"), None].map(|cell| cell.map(str::to_owned)));
    }
}
