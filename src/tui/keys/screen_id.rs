//! Which screens there are.

/// The screens, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScreenId {
    /// Choose and start a bench.
    Bench,
    /// Watch a session, or replay a run.
    Live,
    /// What is stored.
    Results,
    /// A beside B.
    Compare,
    /// What if?
    Tune,
    /// What was published.
    Claims,
    /// Kills and power losses.
    Torture,
    /// Any question that SQL can ask of the store: a pane over the others, without a tab.
    Sql,
    /// A configuration over its sessions: a pane as well.
    Trend,
}

impl ScreenId {
    pub const ALL: [Self; 9] = [
        Self::Bench,
        Self::Live,
        Self::Results,
        Self::Compare,
        Self::Tune,
        Self::Claims,
        Self::Torture,
        Self::Sql,
        Self::Trend,
    ];

    /// Those that have a tab and a number; the others are opened from these, and lead back.
    pub fn tabs() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|screen| screen.has_tab())
    }

    pub(crate) fn has_tab(self) -> bool {
        !matches!(self, Self::Sql | Self::Trend)
    }

    /// The word on its tab, or in its title.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bench => "Bench",
            Self::Live => "Live",
            Self::Results => "Results",
            Self::Compare => "Compare",
            Self::Tune => "Tune",
            Self::Claims => "Claims",
            Self::Torture => "Torture",
            Self::Sql => "SQL",
            Self::Trend => "Trend",
        }
    }

    /// What is typed for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Live => "live",
            Self::Results => "results",
            Self::Compare => "compare",
            Self::Tune => "tune",
            Self::Claims => "claims",
            Self::Torture => "torture",
            Self::Sql => "sql",
            Self::Trend => "trend",
        }
    }

    /// Its number key, from 1, where it has a tab.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|screen| *screen == self).map_or(1, |at| at + 1)
    }

    /// The next screen with a tab, around the end.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        Self::tabs().skip_while(|tab| *tab != self).nth(1).unwrap_or(Self::Bench)
    }

    /// The screen before it with a tab, around the beginning.
    #[must_use]
    pub(crate) fn previous(self) -> Self {
        let before = Self::tabs().take_while(|tab| *tab != self).last();
        before.or_else(|| Self::tabs().last()).unwrap_or(Self::Bench)
    }
}
