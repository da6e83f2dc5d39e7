//! What terms and groupings are about: columns of the view `results`, tags, options, kept keys.

use super::{terms::is_of_name, values::ValuePattern};
use dbdyno_engine::size::Size;

/// What a term or a grouping is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectionKey {
    /// A column of the view `results`.
    Column {
        /// The word the user types.
        word: &'static str,
        column: &'static str,
    },
    /// The tags of the run.
    Tag,
    /// When the run began, by days and times. A term's values are the first instants of what it means and the first after it, in turn.
    Started,
    /// An option, or a key kept with a run, by name.
    Option(String),
}

const COLUMNS: &[(&str, &str)] = &[
    ("engine", "engine"),
    ("version", "engine_version"),
    ("engine_version", "engine_version"),
    ("label", "label"),
    ("suite", "suite"),
    ("test", "test"),
    ("test_name", "test_name"),
    ("size", "size"),
    ("host", "host"),
    ("host_id", "host_id"),
    ("session", "session_id"),
    ("session_id", "session_id"),
    ("run", "run_id"),
    ("run_id", "run_id"),
    ("round", "round"),
    ("tier", "tier"),
    ("tier_evidence", "tier_evidence"),
    ("status", "status"),
    ("run_status", "run_status"),
    ("preset", "preset"),
    ("cpu", "cpu"),
    ("disk", "disk"),
    ("source", "source"),
    ("memory_limit_bytes", "memory_limit_bytes"),
    ("cache", "cache"),
];

impl SelectionKey {
    /// A key by its word, or an option by its name.
    ///
    /// # Errors
    /// A word that is no name of an option or key.
    pub fn parse(word: &str) -> Result<Self, String> {
        let word = word.trim();
        if let Some((word, column)) = COLUMNS.iter().find(|(known, _)| *known == word) {
            return Ok(Self::Column { word, column });
        }
        match word {
            "tag" => return Ok(Self::Tag),
            "started" => return Ok(Self::Started),
            _ => {}
        }
        if !word.is_empty() && word.chars().all(is_of_name) {
            return Ok(Self::Option(word.to_owned()));
        }
        let words: Vec<&str> = COLUMNS.iter().map(|(word, _)| *word).collect();
        Err(format!(
            "`{word}` is no key: expected one of {}, started, tag, or the name of an option or of a kept key",
            words.join(", ")
        ))
    }

    /// Whether its values are whole numbers.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Column { column: "test" | "round" | "tier" | "memory_limit_bytes", .. })
    }

    /// Whether tests of one run may have different values.
    pub(super) fn is_of_tests(&self) -> bool {
        matches!(self, Self::Column { column: "test" | "test_name" | "status", .. })
    }

    /// The name, where it is an option or a kept key.
    pub(in crate::store) fn option(&self) -> Option<&str> {
        match self {
            Self::Option(name) => Some(name),
            _ => None,
        }
    }

    /// The word the user types.
    pub fn word(&self) -> &str {
        match self {
            Self::Column { word, .. } => word,
            Self::Tag => "tag",
            Self::Started => "started",
            Self::Option(name) => name,
        }
    }

    /// SQL for its value as text. An option's name is bound: it is pushed to the parameters.
    pub(in crate::store) fn sql(&self, parameters: &mut Vec<String>) -> String {
        match self {
            Self::Column { column, .. } => format!("CAST({column} AS VARCHAR)"),
            Self::Tag => "array_to_string(tags, ' ')".to_owned(),
            Self::Started => "strftime(started_at, '%Y-%m-%d')".to_owned(),
            Self::Option(name) => {
                parameters.extend([name.clone(), name.clone()]);
                "coalesce(options[?], keys[?])".to_owned()
            }
        }
    }
}

/// Columns whose values never have a comma.
const WITHOUT_COMMAS: [&str; 11] = [
    "engine",
    "suite",
    "session_id",
    "run_id",
    "round",
    "tier",
    "tier_evidence",
    "status",
    "run_status",
    "memory_limit_bytes",
    "cache",
];

/// Values with commas between as a term has them.
pub(super) fn parted(values: &str) -> String {
    values.split(',').map(str::trim).collect::<Vec<_>>().join("|")
}

/// The n-th newest session that dbdyno ran, from 0; `session=last` and `session=previous`.
fn newest_session(place: usize) -> String {
    format!(
        "session_id = (SELECT session_id FROM session WHERE source IS NULL \
         ORDER BY started_at DESC NULLS LAST, session_id DESC LIMIT 1 OFFSET {place})"
    )
}

impl SelectionKey {
    /// Where values seem to be parted by commas, which no value of this key has: what was meant.
    pub(super) fn listed_with_commas(&self, values: &str) -> Option<String> {
        let is_one =
            matches!(self, Self::Column { column, .. } if WITHOUT_COMMAS.contains(column)) && values.contains(',');
        is_one.then(|| parted(values))
    }

    /// Sizes as they are stored: `10k` is `10000`.
    pub(super) fn without_suffixes(&self, values: &str) -> String {
        if !matches!(self, Self::Column { word: "size", .. }) {
            return values.to_owned();
        }
        let plain = |size: &str| size.parse::<Size>().map_or_else(|_| size.to_owned(), |size| size.to_string());
        match values.split_once("..") {
            Some((low, high)) => format!("{}..{}", plain(low), plain(high)),
            None => values.split('|').map(plain).collect::<Vec<_>>().join("|"),
        }
    }

    /// What a value of this key means: the beginning of an identifier is enough, and a state has a second name.
    pub(super) fn meant(&self, value: ValuePattern) -> ValuePattern {
        match (self, value) {
            (Self::Column { column: "session_id", .. }, ValuePattern::Exact(text))
                if ["last", "previous"].contains(&text.as_str()) =>
            {
                ValuePattern::Exact(text)
            }
            (Self::Column { column: "run_id" | "session_id", .. }, ValuePattern::Exact(text)) => {
                ValuePattern::prefix(&text)
            }
            (Self::Column { word: "run_status", .. }, ValuePattern::Exact(text)) => {
                ValuePattern::Exact(match text.as_str() {
                    "completed" => "done".to_owned(),
                    _ => text,
                })
            }
            (_, value) => value,
        }
    }

    /// Whether its value is this one.
    pub(super) fn is(&self, value: &ValuePattern, parameters: &mut Vec<String>) -> String {
        let is = match value {
            ValuePattern::Exact(_) => "= ?",
            ValuePattern::Like(_) => "ILIKE ? ESCAPE '\\'",
        };
        let condition = match self {
            // A test is meant by its number or its name.
            Self::Column { word: "test", .. } => {
                parameters.push(value.text().to_owned());
                parameters.push(value.text().to_lowercase());
                return format!("(CAST(test AS VARCHAR) {is} OR lower(test_name) {is})");
            }
            // What is unknown is stored as nothing.
            Self::Column { word: "tier", column } if value.text() == "unknown" => return format!("{column} IS NULL"),
            Self::Column { column: "session_id", .. } if value.text() == "last" => return newest_session(0),
            Self::Column { column: "session_id", .. } if value.text() == "previous" => return newest_session(1),
            Self::Tag => format!("run_id IN (SELECT run_id FROM tag WHERE tag {is})"),
            key => format!("{} {is}", key.sql(parameters)),
        };
        parameters.push(value.text().to_owned());
        condition
    }

    /// Whether there is none. An option that is only assumed is missing.
    pub(super) fn is_missing(&self, parameters: &mut Vec<String>) -> String {
        match self {
            Self::Column { column, .. } => format!("{column} IS NULL"),
            Self::Tag => "len(tags) = 0".to_owned(),
            Self::Started => "started_at IS NULL".to_owned(),
            Self::Option(name) => {
                parameters.extend([name.clone(), name.clone()]);
                "run_id NOT IN (SELECT run_id FROM run_option WHERE name = ? AND assumed IS NOT TRUE) \
                 AND run_id NOT IN (SELECT run_id FROM run_key WHERE key = ?)"
                    .to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::describe::RESERVED;
    use std::collections::BTreeSet;

    #[test]
    fn no_option_can_have_the_name_of_another_key() {
        let words: BTreeSet<&str> = COLUMNS.iter().map(|(word, _)| *word).chain(["started", "tag"]).collect();
        assert_eq!(words, BTreeSet::from(RESERVED));
    }
}
