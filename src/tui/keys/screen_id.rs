//! The list of screens. A new screen needs a line in the list below, and its keys in [`table`](super::table).

/// Declares the screens of a list: for each its name, whether it has a tab, and its purpose.
macro_rules! screens {
    ($($id:ident: $name:literal, $word:literal, $has_tab:literal, $about:literal;)*) => {
        /// The screens, in the order of their numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ScreenId {
            $(#[doc = $about] $id,)*
        }

        impl ScreenId {
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the word on its tab, or in its title.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }

            /// Returns the word that users type for it.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$id => $word,)*
                }
            }

            /// Returns a description of its purpose.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$id => $about,)*
                }
            }

            /// Whether it has a tab. A screen without one covers the screen that it was opened from.
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
    Results: "Results", "results", true, "everything in the store";
    Compare: "Compare", "compare", true, "A against B, with verdicts";
    Tune: "Tune", "tune", true, "what if an option were different?";
    Claims: "Claims", "claims", true, "published figures next to your own";
    Torture: "Torture", "torture", true, "do engines keep what they promise?";
    Sql: "SQL", "sql", false, "any SQL query on the store";
    Choose: "Choose", "choose", false, "which engine, with which settings?";
    Trend: "Trend", "trend", false, "a configuration over its sessions";
    Jobs: "Jobs", "jobs", false, "your jobs on this machine";
}

impl ScreenId {
    /// Returns the screens that have a tab and a number. The others are opened from these, and lead back.
    pub fn tabs() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|screen| screen.has_tab())
    }

    /// Returns its number key, from 1; only screens with a tab have one.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|screen| *screen == self).map_or(1, |at| at + 1)
    }

    /// Returns the next screen with a tab; the first one follows the last.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        Self::tabs().skip_while(|tab| *tab != self).nth(1).unwrap_or(Self::Bench)
    }

    /// Returns the previous screen with a tab; the last one precedes the first.
    #[must_use]
    pub(crate) fn previous(self) -> Self {
        let before = Self::tabs().take_while(|tab| *tab != self).last();
        before.or_else(|| Self::tabs().last()).unwrap_or(Self::Bench)
    }
}
