//! How a comparison is made.

use dbdyno_catalog::Difference;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// What is asked of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Differences between A and B that are compared all the same, under a badge.
    pub allowed: BTreeSet<Difference>,
    /// What becomes of sides that are several configurations.
    pub several: Several,
    /// Options whose values are taken together, as if runs that differ in nothing else were of one configuration.
    pub pooled: BTreeSet<String>,
    /// How readers are shown ratios.
    pub ratios: RatioForm,
    /// Whether readers are shown the ratios of medians too.
    pub median_ratios: bool,
    /// Whether to summarise each test over its sizes.
    pub by_size: bool,
    /// Whether to say how figures grow with the size and with numeric options.
    pub scaling: bool,
    /// Which look the first of a line is, where more were planned or there were some before: it spends only its share. None: the only one, unless
    /// sessions added rounds.
    pub first_look: Option<u32>,
    /// Whether to leave out how many more rounds would decide a line. The forecast takes most of a comparison's time.
    pub without_forecast: bool,
    /// The rows and columns of a pivot table.
    pub pivot: Option<(Axis, Axis)>,
    /// The command that asked, as it could be typed again; exports carry it.
    pub command: String,
}

/// What becomes of sides that are several configurations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Several {
    /// Their lines are not comparable.
    #[default]
    Withheld,
    /// Those that agree in what both sides have are compared, each pair in lines of its own.
    Matched,
}

/// How a ratio is shown. What programs read has ratios always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatioForm {
    /// `0.75`.
    #[default]
    Factor,
    /// `-25 %`: by how much A differs from B.
    Percent,
}

/// A key that a pivot table is spread over.
///
/// Keys of what was done and where ([`Test`](Axis::Test), [`Size`](Axis::Size), [`Suite`](Axis::Suite),
/// [`Host`](Axis::Host), [`Session`](Axis::Session)) part both sides alike. Keys of the configuration
/// ([`Property`](Axis::Property)) part A, and each part is compared with the whole of B.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Axis {
    /// The test, number and name.
    Test,
    Size,
    Suite,
    Host,
    Session,
    /// `engine`, `version`, `label`, `tier`, or an option, of A.
    Property(String),
}

impl Axis {
    /// The key of a fact of a configuration.
    pub(super) fn from_fact(word: &str) -> Self {
        if word == "suite" { Self::Suite } else { Self::Property(word.to_owned()) }
    }

    /// Reads a key.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(word: &str) -> Result<Self, String> {
        let word = word.trim();
        Ok(match word {
            "test" => Self::Test,
            "size" => Self::Size,
            "suite" => Self::Suite,
            "host" => Self::Host,
            "session" => Self::Session,
            word if !word.is_empty()
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
                && !["run", "round", "status", "preset"].contains(&word) =>
            {
                Self::Property(word.to_owned())
            }
            _ => {
                return Err(format!(
                    "`{word}`: expected test, size, suite, host, session, engine, version, label, tier or the name of an option"
                ));
            }
        })
    }

    /// Reads `ROW,COL`.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse_pair(text: &str) -> Result<(Self, Self), String> {
        let (row, column) =
            text.split_once(',').ok_or_else(|| format!("`{text}`: expected ROW,COL, as in test,size"))?;
        let (row, column) = (Self::parse(row)?, Self::parse(column)?);
        if row == column {
            return Err(format!("`{text}`: expected two different keys"));
        }
        Ok((row, column))
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Test => "test",
            Self::Size => "size",
            Self::Suite => "suite",
            Self::Host => "host",
            Self::Session => "session",
            Self::Property(word) => word,
        })
    }
}

impl TryFrom<String> for Axis {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Self::parse(&word)
    }
}

impl From<Axis> for String {
    fn from(axis: Axis) -> Self {
        axis.to_string()
    }
}
