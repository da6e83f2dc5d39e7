//! Which screens there are. A new one has a line in the list below, and its keys in [`table`](super::table).

/// Makes the screens of a list: of each its name, whether it has a tab, and what it is for.
macro_rules! screens {
    ($($id:ident: $name:literal, $word:literal, $has_tab:literal, $about:literal;)*) => {
        /// The screens, in the order of their numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ScreenId {
            $(#[doc = $about] $id,)*
        }

        impl ScreenId {
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// The word on its tab, or in its title.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }

            /// What is typed for it.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$id => $word,)*
                }
            }

            /// What it is for.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$id => $about,)*
                }
            }

            /// Whether it has a tab; without one it lies over the screen that it was opened from.
            pub(crate) fn has_tab(self) -> bool {
                match self {
                    $(Self::$id => $has_tab,)*
                }
            }
        }
    };
}

screens! {
    Bench: "Bench", "bench", true, "choose and start a bench";
    Live: "Live", "live", true, "watch the session, or replay a run";
    Results: "Results", "results", true, "all that is stored";
    Compare: "Compare", "compare", true, "A beside B, with verdicts";
    Tune: "Tune", "tune", true, "what if an option were different?";
    Claims: "Claims", "claims", true, "published figures beside your own";
    Torture: "Torture", "torture", true, "do engines keep what they promise?";
    Sql: "SQL", "sql", false, "any question that SQL can ask of the store";
    Trend: "Trend", "trend", false, "a configuration over its sessions";
    Jobs: "Jobs", "jobs", false, "your jobs on this machine";
}

impl ScreenId {
    /// Those that have a tab and a number; the others are opened from these, and lead back.
    pub fn tabs() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|screen| screen.has_tab())
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
