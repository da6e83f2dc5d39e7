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
}

impl ScreenId {
    pub const ALL: [Self; 7] =
        [Self::Bench, Self::Live, Self::Results, Self::Compare, Self::Tune, Self::Claims, Self::Torture];

    /// The word on its tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bench => "Bench",
            Self::Live => "Live",
            Self::Results => "Results",
            Self::Compare => "Compare",
            Self::Tune => "Tune",
            Self::Claims => "Claims",
            Self::Torture => "Torture",
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
        }
    }

    /// Its number key, from 1.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|screen| *screen == self).map_or(1, |at| at + 1)
    }

    /// The screen so many places further, around the end.
    #[must_use]
    pub(crate) fn shifted(self, by: usize) -> Self {
        Self::ALL[(self.number() - 1 + by) % Self::ALL.len()]
    }
}
