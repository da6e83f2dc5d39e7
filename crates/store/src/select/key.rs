//! Keys of terms and groupings: columns of the view `results`, tags, options, keys stored with runs.

use super::{super::ADDS_TO, terms::is_of_name, values::ValuePattern};
use dbdyno_engine::size::Size;
use dbdyno_foundation::metric::Metric;

/// The subject of a term or grouping.
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
    /// When the run began, by days and times. The values of a term are pairs: the first instant of a moment, and the first instant after
    /// it.
    Started,
    /// An option, or a key stored with a run, by name.
    Option(String),
    /// A figure of tests, compared with an amount.
    Figure {
        metric: Metric,
        /// The word the user types.
        word: &'static str,
    },
    /// The names by which people recognise a result: the label of its configuration, the engine, the name of the test.
    Words,
}

/// The columns that are searched for words.
const RECOGNISED: [&str; 3] = ["label", "engine", "test_name"];
/// Endings of figures' names, which name the unit.
const ENDINGS: [&str; 3] = ["_ns", "_bytes", "_ppm"];

/// The status of a test, or that of its run.
const STATUS: &str = "coalesce(status, run_status)";

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
    ("status", STATUS),
    ("run_status", "run_status"),
    ("preset", "preset"),
    ("cpu", "cpu"),
    ("disk", "disk"),
    ("source", "source"),
    ("memory_limit_bytes", "memory_limit_bytes"),
    ("cache", "cache"),
];

impl SelectionKey {
    /// Parses a key by its word, or an option by its name.
    ///
    /// # Errors
    /// The word is not a valid name of an option or key.
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
            "unknown key `{word}`: expected one of {}, started, tag, or the name of an option or of a stored key",
            words.join(", ")
        ))
    }

    /// Returns a figure by its name, with or without its unit: `p99_ns`, `p99`. The name of another key is not a figure: `cpu` is the
    /// processor.
    pub(super) fn figure(word: &str) -> Option<Self> {
        let mut figures = figures().filter(|(_, short)| COLUMNS.iter().all(|(column, _)| column != short));
        let whole = Metric::named(word).map(|metric| (metric, metric.name()));
        whole.or_else(|| figures.find(|(_, short)| *short == word)).map(|(metric, word)| Self::Figure { metric, word })
    }

    /// Whether a word is a key independent of the stored data.
    pub(super) fn is_word(word: &str) -> bool {
        COLUMNS.iter().any(|(known, _)| *known == word) || ["started", "tag"].contains(&word)
    }

    /// Returns the words of keys that exist independent of the stored data. Of two names for one key, returns the shorter.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let is_first = |word: &&str| !["engine_version", "session_id", "run_id"].contains(word);
        COLUMNS.iter().map(|(word, _)| *word).filter(is_first).chain(["started", "tag"])
    }

    /// Returns the words of figures that can be compared with an amount, with their titles.
    pub fn figures() -> impl Iterator<Item = (&'static str, &'static str)> {
        figures().filter(|(_, short)| !Self::is_word(short)).map(|(metric, short)| (short, metric.title()))
    }

    /// Whether its values are whole numbers.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Column { column: "test" | "round" | "tier" | "memory_limit_bytes", .. })
    }

    /// Whether tests of one run may have different values.
    pub(super) fn is_of_tests(&self) -> bool {
        matches!(self, Self::Column { column: "test" | "test_name" | STATUS, .. } | Self::Figure { .. } | Self::Words)
    }

    /// Returns the name if it is an option or a key stored with a run.
    pub(crate) fn option(&self) -> Option<&str> {
        match self {
            Self::Option(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the word that the user types.
    pub fn word(&self) -> &str {
        match self {
            Self::Column { word, .. } => word,
            Self::Tag => "tag",
            Self::Started => "started",
            Self::Option(name) => name,
            Self::Figure { word, .. } => word,
            Self::Words => "words",
        }
    }

    /// Returns SQL for its value as text. An option's name is bound: it is pushed to the parameters.
    pub(crate) fn sql(&self, parameters: &mut Vec<String>) -> String {
        match self {
            Self::Column { column, .. } => format!("CAST({column} AS VARCHAR)"),
            Self::Tag => "array_to_string(tags, ' ')".to_owned(),
            Self::Started => "strftime(started_at, '%Y-%m-%d')".to_owned(),
            Self::Option(name) => {
                parameters.extend([name.clone(), name.clone()]);
                "coalesce(options[?], keys[?])".to_owned()
            }
            Self::Figure { metric, .. } => metric.name().to_owned(),
            Self::Words => format!("concat_ws(' ', {})", RECOGNISED.join(", ")),
        }
    }
}

/// Columns whose values never contain a comma.
const WITHOUT_COMMAS: [&str; 11] = [
    "engine",
    "suite",
    "session_id",
    "run_id",
    "round",
    "tier",
    "tier_evidence",
    STATUS,
    "run_status",
    "memory_limit_bytes",
    "cache",
];

/// Returns every figure, with its name without the unit.
fn figures() -> impl Iterator<Item = (Metric, &'static str)> {
    Metric::ALL.iter().map(|metric| {
        let name = metric.name();
        (*metric, ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name))
    })
}

/// Converts values separated by commas to the separator of terms.
pub(super) fn parted(values: &str) -> String {
    values.split(',').map(str::trim).collect::<Vec<_>>().join("|")
}

/// Returns SQL for the n-th newest session that dbdyno ran, from 0; `session=last` and `session=previous`. A session that adds rounds to
/// another one does not count.
fn newest_session(place: usize) -> String {
    format!(
        "session_id = (SELECT session_id FROM session WHERE source IS NULL AND session_id NOT IN \
         (SELECT r.session_id FROM run r JOIN run_key k USING (run_id) WHERE k.key = '{ADDS_TO}') \
         ORDER BY started_at DESC NULLS LAST, session_id DESC LIMIT 1 OFFSET {place})"
    )
}

impl SelectionKey {
    /// Whether a space ends its value, because none of its values contains one. Suite names in imported files may contain any character.
    pub(super) fn is_without_spaces(&self) -> bool {
        let is_plain = |column: &&str| *column == "size" || (*column != "suite" && WITHOUT_COMMAS.contains(column));
        matches!(self, Self::Column { column, .. } if is_plain(column))
    }

    /// Returns the likely intended term if the values appear to be separated by commas, which no value of this key contains.
    pub(super) fn listed_with_commas(&self, values: &str) -> Option<String> {
        let is_one =
            matches!(self, Self::Column { column, .. } if WITHOUT_COMMAS.contains(column)) && values.contains(',');
        is_one.then(|| parted(values))
    }

    /// Returns sizes as they are stored: `10k` is `10000`.
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

    pub(super) fn is_session(&self) -> bool {
        matches!(self, Self::Column { column: "session_id", .. })
    }

    /// Interprets a value of this key: a prefix of an identifier is enough, and a state has a second name.
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

    /// Returns SQL that checks whether its value is this one.
    pub(super) fn is(&self, value: &ValuePattern, parameters: &mut Vec<String>) -> String {
        let is = match value {
            ValuePattern::Exact(_) => "= ?",
            ValuePattern::Like(_) => "ILIKE ? ESCAPE '\\'",
        };
        let condition = match self {
            // A test is selected by its number or its name.
            Self::Column { word: "test", .. } => {
                parameters.push(value.text().to_owned());
                parameters.push(value.text().to_lowercase());
                return format!("(CAST(test AS VARCHAR) {is} OR lower(test_name) {is})");
            }
            // Unknown is stored as NULL.
            Self::Column { word: "tier", column } if value.text() == "unknown" => return format!("{column} IS NULL"),
            Self::Column { column: "session_id", .. } if value.text() == "last" => return newest_session(0),
            Self::Column { column: "session_id", .. } if value.text() == "previous" => return newest_session(1),
            // Each column separately, so that no match begins in one and ends in the next.
            Self::Words => {
                parameters.extend(RECOGNISED.map(|_| value.text().to_owned()));
                let each = RECOGNISED.map(|column| format!("coalesce({column} {is}, false)"));
                return format!("({})", each.join(" OR "));
            }
            Self::Tag => format!("run_id IN (SELECT run_id FROM tag WHERE tag {is})"),
            key => format!("{} {is}", key.sql(parameters)),
        };
        parameters.push(value.text().to_owned());
        condition
    }

    /// Returns SQL that checks whether the value is missing. An assumed option counts as missing.
    pub(super) fn is_missing(&self, parameters: &mut Vec<String>) -> String {
        match self {
            Self::Column { column, .. } => format!("{column} IS NULL"),
            Self::Tag => "len(tags) = 0".to_owned(),
            Self::Started => "started_at IS NULL".to_owned(),
            Self::Figure { metric, .. } => format!("{} IS NULL", metric.name()),
            // Users cannot type this term; every result has a label.
            Self::Words => "false".to_owned(),
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
