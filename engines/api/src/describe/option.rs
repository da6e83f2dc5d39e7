//! An engine's options and the values they take.

use crate::{
    names::one_of,
    suite::SuiteKind,
    tuning::{SameRule, SettingStatement, Tuning},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OptionSpec {
    /// Name, as in `--engine ENGINE:NAME=VALUE`.
    #[cfg_attr(test, schemars(regex(pattern = r"^[A-Za-z0-9_.-]+$")))]
    pub name: String,
    #[serde(flatten)]
    pub kind: OptionKind,
    /// The value in force if none is requested.
    pub default: String,
    /// One line of help.
    pub help: String,
    /// Whether a change needs a fresh database.
    #[serde(default)]
    pub fresh: bool,
    #[serde(default)]
    pub tuning: Tuning,
    /// The option that it sets, if it is an alias.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryTarget>,
}

/// The option that `memory` sets, so that engines can be compared with caches of one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "unit", rename_all = "kebab-case")]
pub enum MemoryTarget {
    /// An option that is a number of bytes.
    Bytes { option: String },
    /// An option that is a number of KiB when it is negative.
    NegativeKib { option: String },
    /// None: the engine has no cache of its own.
    Nothing,
}

impl MemoryTarget {
    /// Returns the option that it sets.
    pub fn option(&self) -> Option<&str> {
        match self {
            Self::Bytes { option } | Self::NegativeKib { option } => Some(option),
            Self::Nothing => None,
        }
    }

    /// Returns the option with its value for this many bytes.
    pub(crate) fn setting(&self, bytes: u64) -> Option<(&str, String)> {
        match self {
            Self::Bytes { option } => Some((option, bytes.to_string())),
            Self::NegativeKib { option } => Some((option, format!("-{}", bytes / 1024))),
            Self::Nothing => None,
        }
    }
}

/// Words that select runs in addition to the names of options. An option with such a name could neither be selected nor be distinguished
/// from the word.
pub const RESERVED: [&str; 27] = [
    "engine",
    "version",
    "engine_version",
    "label",
    "suite",
    "test",
    "test_name",
    "size",
    "host",
    "host_id",
    "session",
    "session_id",
    "run",
    "run_id",
    "round",
    "tier",
    "tier_evidence",
    "status",
    "run_status",
    "preset",
    "cpu",
    "disk",
    "source",
    "memory_limit_bytes",
    "cache",
    "started",
    "tag",
];

/// The value of `memory` that leaves the engine's own options as they are.
const OWN_MEMORY: &str = "own";

impl OptionSpec {
    /// Checks that runs can be selected by the option's name.
    ///
    /// # Errors
    /// The fault of the name: it has unsuitable characters, or it already selects runs by another property.
    pub fn check_name(&self) -> Result<(), String> {
        let name = &self.name;
        // Names with other characters could not be given to `--engine`, or be part of a selection.
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(fits) {
            return Err(format!("option `{name}`: expected a name of letters, digits, _, - and ."));
        }
        match RESERVED.contains(&name.as_str()) {
            true => Err(format!("option `{name}`: the name is reserved for selecting runs: choose another name")),
            false => Ok(()),
        }
    }

    /// Creates the option `memory`, which all engines have: the size of the cache.
    pub fn memory(target: MemoryTarget) -> Self {
        let help = match &target {
            MemoryTarget::Bytes { option } | MemoryTarget::NegativeKib { option } => {
                format!("bytes of cache, one option for all engines: sets {option}; own: {option} applies")
            }
            MemoryTarget::Nothing => {
                "bytes of cache, one option for all engines: this engine has no cache of its own to set, and uses the system's"
                    .to_owned()
            }
        };
        let option = Self::size("memory", 1 << 20, 1 << 46, &[OWN_MEMORY], OWN_MEMORY, &help).tune(&[]);
        Self { memory: Some(target), ..option }
    }

    pub fn choice(name: &str, choices: &[&str], default: &str, help: &str) -> Self {
        let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
        Self::new(name, OptionKind::Choice { choices }, default, help)
    }

    /// Creates an option that takes a whole number from `min` to `max`.
    pub fn integer(name: &str, min: i64, max: i64, default: &str, help: &str) -> Self {
        Self::new(name, OptionKind::Integer { min, max }, default, help)
    }

    /// Creates an option that takes a number of bytes (`4096`, `64MiB`), or one of `words`.
    pub fn size(name: &str, min: u64, max: u64, words: &[&str], default: &str, help: &str) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self::new(name, OptionKind::Size { min, max, words }, default, help)
    }

    /// Creates an option that is `on` or `off`.
    pub fn bool(name: &str, default: &str, help: &str) -> Self {
        Self::new(name, OptionKind::Bool, default, help)
    }

    /// Creates an option that takes the path or name of a file.
    pub fn path(name: &str, default: &str, help: &str) -> Self {
        Self::new(name, OptionKind::Path, default, help)
    }

    /// Marks the option as needing a fresh database.
    #[must_use]
    pub fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// Sets the values that the option search tries. An empty list keeps the option out of the search.
    #[must_use]
    pub fn tune(mut self, values: &[&str]) -> Self {
        self.tuning.values = Some(values.iter().map(|value| (*value).to_owned()).collect());
        self
    }

    /// Declares that under the conditions `(option, values)` there is no difference between `values`, or between any values if the list
    /// is empty.
    #[must_use]
    pub fn same(mut self, values: &[&str], when: &[(&str, &[&str])], reason: &str) -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let when = when.iter().map(|(option, values)| ((*option).to_owned(), owned(values))).collect();
        self.tuning.same.push(SameRule { values: owned(values), when, suites: Vec::new(), reason: reason.to_owned() });
        self
    }

    /// Declares that the option has an effect only on suites of this kind.
    #[must_use]
    pub fn only_for(mut self, suite: SuiteKind) -> Self {
        self.tuning.same.push(SameRule {
            values: Vec::new(),
            when: BTreeMap::new(),
            suites: suite.others(),
            reason: format!("{} has an effect on suites of kind {} only", self.name, suite.word()),
        });
        self
    }

    /// Sets the largest value that the library uses, even if a larger one is requested.
    #[must_use]
    pub fn most(mut self, most: Option<u64>) -> Self {
        self.tuning.most = most;
        self
    }

    /// Adds a risk that users should know before they use a value.
    #[must_use]
    pub fn risk(mut self, value: &str, risk: &str) -> Self {
        self.tuning.risks.insert(value.to_owned(), risk.to_owned());
        self
    }

    /// Says with which code a program has a value, or with [`ANY`](crate::tuning::ANY) any value.
    #[must_use]
    pub fn in_program(mut self, value: &str, code: &str) -> Self {
        self.tuning.program.insert(value.to_owned(), code.to_owned());
        self
    }

    /// Sets the statement that sets the option, with `{value}` in place of the value, and its place among the engine's statements.
    #[must_use]
    pub fn statement(mut self, place: u32, text: &str) -> Self {
        self.tuning.statement = Some(SettingStatement { place, text: text.to_owned() });
        self
    }

    fn new(name: &str, kind: OptionKind, default: &str, help: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            default: default.to_owned(),
            help: help.to_owned(),
            fresh: false,
            tuning: Tuning::default(),
            memory: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OptionKind {
    /// One of a fixed list of words.
    Choice {
        /// The words, in the order they are shown.
        #[cfg_attr(test, schemars(length(min = 1)))]
        choices: Vec<String>,
    },
    /// A whole number in a range, both ends included.
    Integer { min: i64, max: i64 },
    /// A number of bytes in a range, both ends included, or one of some words.
    Size {
        /// Least value, bytes.
        min: u64,
        /// Greatest value, bytes.
        max: u64,
        /// Words that are accepted instead of a number (`auto`).
        #[serde(default)]
        words: Vec<String>,
    },
    /// `on` or `off`.
    Bool,
    /// The path of a file. dbdyno makes it absolute, except a name without a folder, for which the engine searches. Empty: no file. Before
    /// a run, dbdyno asks the engine's program about the file with the command `probe`.
    Path,
}

impl OptionKind {
    /// Returns the one spelling under which a value is stored and compared. The error is the expected values.
    pub fn canonical(&self, text: &str) -> Result<String, String> {
        let text = text.trim();
        let word = |words: &[String]| words.iter().find(|word| word.eq_ignore_ascii_case(text)).cloned();
        match self {
            Self::Choice { choices } => word(choices),
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => Some("on".to_owned()),
                "off" | "false" | "no" | "0" => Some("off".to_owned()),
                _ => None,
            },
            Self::Integer { min, max } => text
                .replace('_', "")
                .parse::<i64>()
                .ok()
                .filter(|value| (min..=max).contains(&value))
                .map(|value| value.to_string()),
            Self::Path if text.chars().any(char::is_control) => None,
            // The process that opens the file searches for a name without a folder.
            Self::Path if !text.contains('/') => Some(text.to_owned()),
            Self::Path => std::path::absolute(text).ok().and_then(|path| path.into_os_string().into_string().ok()),
            Self::Size { min, max, words } => word(words).or_else(|| {
                parse_bytes(text).filter(|value| (min..=max).contains(&value)).map(|value| value.to_string())
            }),
        }
        .ok_or_else(|| self.expected())
    }

    /// Describes the values that it takes: `delete, truncate or wal`; `a whole number from 1 to 10`.
    pub fn expected(&self) -> String {
        match self {
            Self::Choice { choices } => one_of(choices),
            Self::Bool => "on or off".to_owned(),
            Self::Path => "the path or name of a file".to_owned(),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Size { min, max, words } => {
                let range = format!("a size from {min} to {max} bytes (4096, 64KiB, 1GiB)");
                if words.is_empty() { range } else { format!("{} or {range}", words.join(", ")) }
            }
        }
    }
}

/// Parses bytes from `4096`, `64KiB`, `64k`, `1GiB`; units are powers of 1024.
///
/// ```
/// use dbdyno_engine::describe::parse_bytes;
///
/// assert_eq!(parse_bytes("64KiB"), Some(65_536));
/// assert_eq!(parse_bytes("1_000"), Some(1_000));
/// assert_eq!(parse_bytes("64 apples"), None);
/// ```
pub fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').len();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    number.replace('_', "").parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_binary_units() {
        assert_eq!(parse_bytes("4096"), Some(4096));
        assert_eq!(parse_bytes("64KiB"), Some(65_536));
        assert_eq!(parse_bytes("2 g"), Some(2 << 30));
        assert_eq!(parse_bytes("99999999999999999999"), None);
        assert_eq!(parse_bytes("999999999T"), None);
        assert_eq!(parse_bytes("12x"), None);
        assert_eq!(parse_bytes(""), None);
    }

    #[test]
    fn a_name_is_one_that_can_be_typed_and_selected() {
        let check = |name: &str| OptionSpec::bool(name, "off", "").check_name();
        assert_eq!(check("bloom_filter.bits-per-key"), Ok(()));
        for name in ["", "a b", "a=b", "a\u{1b}[2J", "a,b", "é", RESERVED[0]] {
            assert!(check(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn one_spelling_is_kept_for_each_value() {
        let journal = OptionSpec::choice("journal_mode", &["delete", "wal"], "delete", "");
        assert_eq!(journal.kind.canonical("WAL"), Ok("wal".to_owned()));
        assert_eq!(journal.kind.canonical("walrus"), Err("delete or wal".to_owned()));
        let cache = OptionSpec::integer("cache_size", -10, 10, "0", "");
        assert_eq!(cache.kind.canonical("-2"), Ok("-2".to_owned()));
        assert_eq!(cache.kind.canonical("11"), Err("a whole number from -10 to 10".to_owned()));
        assert_eq!(OptionKind::Bool.canonical("YES"), Ok("on".to_owned()));
        let map = OptionSpec::size("map_size", 1, 1 << 40, &["auto"], "auto", "");
        assert_eq!(map.kind.canonical("Auto"), Ok("auto".to_owned()));
        assert_eq!(map.kind.canonical("1MiB"), Ok("1048576".to_owned()));
        assert_eq!(OptionKind::Path.canonical(" /usr/lib/./x.so "), Ok("/usr/lib/x.so".to_owned()));
        assert_eq!(OptionKind::Path.canonical("x.so"), Ok("x.so".to_owned()));
        assert_eq!(OptionKind::Path.canonical(""), Ok(String::new()));
        assert_eq!(OptionKind::Path.canonical("a\u{1b}b"), Err("the path or name of a file".to_owned()));
    }
}
