//! The columns by which pages order their rows.

use super::super::super::SelectionKey;

/// An order of rows. Rows without a value come last in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order<C> {
    pub column: C,
    /// Greatest first.
    pub descending: bool,
}

/// A column of tests of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultColumn {
    /// When the run began.
    Started,
    Suite,
    /// The size, as a number.
    Size,
    /// The test, by its number.
    Test,
    /// The label of the configuration.
    Engine,
    Wall,
    /// Operations a second.
    Rate,
    /// Median latency.
    P50,
    /// 99th percentile of latency.
    P99,
    /// Whether the figures count.
    Status,
    /// Durability tier.
    Tier,
    Round,
    /// Version of the engine's library.
    Version,
    Host,
    Tags,
    /// An option or key of this name.
    Option(String),
}

/// A column of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunColumn {
    Started,
    Suite,
    /// The size, as a number.
    Size,
    /// The label of the configuration.
    Engine,
    Round,
    /// Number of its tests.
    Tests,
    /// The sum of their wall times.
    Wall,
    /// How the run ended.
    Status,
    Tags,
    /// Durability tier.
    Tier,
    /// Version of the engine's library.
    Version,
    Host,
    /// An option or key of this name.
    Option(String),
}

/// A column of configurations of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigurationColumn {
    /// When the session began.
    Session,
    /// The label.
    Engine,
    Suite,
    /// The smallest size, as a number.
    Sizes,
    /// Finished rounds.
    Rounds,
    /// Runs that did not end well, then tests that did not.
    Status,
    /// Durability tier.
    Tier,
    /// Version of the engine's library.
    Version,
    Host,
    /// An option or key of this name.
    Option(String),
}

/// A column of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupColumn {
    /// The key's value.
    Value,
    /// Tests of runs.
    Results,
    Runs,
    /// Runs that were cancelled or interrupted.
    CutShort,
    Sessions,
    /// Median of the wall times.
    Median,
    /// The least wall time.
    Least,
    /// The greatest wall time.
    Most,
}

/// The first of several sizes, which orders a list of them.
const FIRST_SIZE: &str = "TRY_CAST(split_part(size, ',', 1) AS DOUBLE)";

impl ResultColumn {
    /// Returns SQL for the value that orders rows; the name of an option is bound.
    pub(super) fn sql(&self, parameters: &mut Vec<String>) -> String {
        let column = match self {
            Self::Started => "started_at",
            Self::Suite => "suite",
            Self::Size => FIRST_SIZE,
            Self::Test => "test",
            Self::Engine => "label",
            Self::Wall => "wall_ns",
            Self::Rate => "rate",
            Self::P50 => "p50_ns",
            Self::P99 => "p99_ns",
            Self::Status => "coalesce(status, run_status)",
            Self::Tier => "tier",
            Self::Round => "round",
            Self::Version => "engine_version",
            Self::Host => "host",
            Self::Tags => "nullif(array_to_string(tags, ' '), '')",
            Self::Option(name) => {
                let key = SelectionKey::Option(name.clone());
                let mut value = || key.sql(parameters);
                return as_number_and_text(&value(), &value(), &value());
            }
        };
        column.to_owned()
    }

    /// Returns the name of the option or key that it shows.
    pub(super) fn option(&self) -> Option<&str> {
        if let Self::Option(name) = self { Some(name) } else { None }
    }
}

impl RunColumn {
    /// Returns SQL for the value that orders rows; an option's is `chosen.value`.
    pub(super) fn sql(&self) -> String {
        let column = match self {
            Self::Started => "started_at",
            Self::Suite => "suite",
            Self::Size => FIRST_SIZE,
            Self::Engine => "label",
            Self::Round => "round",
            Self::Tests => "tests",
            Self::Wall => "wall_ns",
            Self::Status => "status",
            Self::Tags => "nullif(tags, '')",
            Self::Tier => "tier",
            Self::Version => "version",
            Self::Host => "host",
            Self::Option(_) => return as_number_and_text(CHOSEN, CHOSEN, CHOSEN),
        };
        column.to_owned()
    }

    /// Returns the name of the option or key that it shows.
    pub(super) fn option(&self) -> Option<&str> {
        if let Self::Option(name) = self { Some(name) } else { None }
    }
}

impl ConfigurationColumn {
    /// Returns SQL for the value that orders rows; an option's is `chosen.value`.
    pub(super) fn sql(&self) -> String {
        let column = match self {
            Self::Session => "started_at",
            Self::Engine => "label",
            Self::Suite => "suite",
            Self::Sizes => "TRY_CAST(split_part(split_part(sizes, ' ', 1), ',', 1) AS DOUBLE)",
            Self::Rounds => "finished_rounds",
            Self::Status => "{'runs': runs - done, 'tests': bad_tests}",
            Self::Tier => "tier",
            Self::Version => "version",
            Self::Host => "host",
            Self::Option(_) => return as_number_and_text(CHOSEN, CHOSEN, CHOSEN),
        };
        column.to_owned()
    }

    /// Returns the name of the option or key that it shows.
    pub(super) fn option(&self) -> Option<&str> {
        if let Self::Option(name) = self { Some(name) } else { None }
    }
}

impl GroupColumn {
    /// Returns SQL for the values that order groups; constants.
    pub(super) fn sql(self) -> &'static [&'static str] {
        match self {
            Self::Value => &["TRY_CAST(value AS DOUBLE)", "value"],
            Self::Results => &["results"],
            Self::Runs => &["runs"],
            Self::CutShort => &["cut_short"],
            Self::Sessions => &["sessions"],
            Self::Median => &["median_ns"],
            Self::Least => &["least_ns"],
            Self::Most => &["most_ns"],
        }
    }
}

/// The value of the option by which rows are ordered.
const CHOSEN: &str = "chosen.value";

/// Returns SQL that orders texts as numbers where they are numbers; NULL if there is no value. Each argument is SQL for the value.
fn as_number_and_text(is: &str, number: &str, text: &str) -> String {
    format!("CASE WHEN {is} IS NOT NULL THEN {{'number': TRY_CAST({number} AS DOUBLE), 'text': {text}}} END")
}

/// Returns SQL for the direction of an order.
pub(super) fn direction(descending: bool) -> &'static str {
    if descending { "DESC NULLS LAST" } else { "ASC NULLS LAST" }
}
