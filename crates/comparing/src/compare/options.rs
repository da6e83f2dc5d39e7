//! The options of a comparison.

use dbdyno_catalog::Difference;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// The requested form of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Differences between A and B that are compared anyway, with a badge.
    pub allowed: BTreeSet<Difference>,
    /// The treatment of sides with several configurations.
    pub several: Several,
    /// Options whose values are pooled, as if runs that differ in nothing else were of one configuration.
    pub pooled: BTreeSet<String>,
    /// The form in which readers see ratios.
    pub ratios: RatioForm,
    /// Whether readers also see the ratios of medians.
    pub median_ratios: bool,
    /// Whether to summarise each test over its sizes.
    pub by_size: bool,
    /// Whether to report how figures grow with the size and with numeric options.
    pub scaling: bool,
    /// The number of a line's first look, if more looks were planned or some came before: it spends only its share. None: the only look,
    /// unless sessions added rounds.
    pub first_look: Option<u32>,
    /// Whether to omit the forecast of the rounds that would decide a line. It takes most of a comparison's time.
    pub without_forecast: bool,
    /// The rows and columns of a pivot table.
    pub pivot: Option<(Axis, Axis)>,
    /// The moment since which A ran and before which B ran, as readers see it. None: the sides differ in something else.
    pub since: Option<String>,
    /// The command that requested it, as it could be typed again; exports contain it.
    pub command: String,
}

/// The treatment of sides with several configurations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Several {
    /// Their lines are not comparable.
    #[default]
    Withheld,
    /// Configurations that agree in the keys that both sides have are compared, each pair in its own lines.
    Matched,
}

/// The form in which a ratio is shown. Output for programs always has ratios.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatioForm {
    /// The factor of the better side, in words: `lmdb 1.33x faster (1.29-1.37)`.
    #[default]
    Words,
    /// The ratio itself, value A / value B: `0.75`.
    Factor,
    /// The difference of A from B: `-25 %`.
    Percent,
    /// How many times as fast as B side A is: `1.33x`. For metrics that are no speed, how many times as much it has.
    Speedup,
}

/// A key that a pivot table is spread over.
///
/// Keys for the workload and place ([`Test`](Axis::Test), [`Size`](Axis::Size), [`Suite`](Axis::Suite), [`Host`](Axis::Host),
/// [`Session`](Axis::Session)) split both sides in the same way. Keys of the configuration ([`Property`](Axis::Property)) split A, and each
/// part is compared with the whole of B.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Axis {
    /// The test, number and name.
    Test,
    Size,
    Suite,
    Host,
    Session,
    /// A property of A: `engine`, `version`, `label`, `tier`, or an option.
    Property(String),
}

impl Axis {
    /// Returns the key of a fact of a configuration.
    pub(super) fn from_fact(word: &str) -> Self {
        if word == "suite" { Self::Suite } else { Self::Property(word.to_owned()) }
    }

    /// Parses a key.
    ///
    /// # Errors
    /// Returns a message that names the expected keys.
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

    /// Parses `ROW,COL`.
    ///
    /// # Errors
    /// Returns a message that names the expected form.
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
