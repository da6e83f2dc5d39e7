//! Doubts: facts to know before believing figures, with what they could change.

use serde::{Deserialize, Serialize};

/// A fact to know before believing figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub about: DoubtAbout,
    /// A few words: `noisy host`.
    pub name: String,
    /// The whole of it, in a sentence.
    pub message: String,
}

/// What a doubt could change, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtAbout {
    /// Whether the figures mean the same: answers, durability, or conditions differ.
    Comparability,
    /// How large a difference is: something else is a part of the figures.
    Amount,
    /// Whether a difference would be found again: noise, or few runs.
    Certainty,
}

impl DoubtAbout {
    pub const ALL: [Self; 3] = [Self::Comparability, Self::Amount, Self::Certainty];

    /// Returns what the doubts could change, as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Comparability => "Doubts about whether the figures mean the same",
            Self::Amount => "Doubts about how much they differ",
            Self::Certainty => "Doubts about how sure that is",
        }
    }
}

impl Doubt {
    pub(crate) fn new(about: DoubtAbout, name: &str, message: impl Into<String>) -> Self {
        Self { about, name: name.to_owned(), message: message.into() }
    }
}
