//! Selections: which results are meant, in terms a person types; values are bound, never pasted into SQL.

/// A filter over stored results: every term must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    key: Key,
    operator: Operator,
    /// One of these; for a range its two ends.
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Is,
    IsNot,
    AtLeast,
    AtMost,
    Between,
}

/// What a term or a grouping is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A column of the view `results`.
    Column {
        /// The word the user types.
        word: &'static str,
        /// The column.
        column: &'static str,
    },
    /// An option, by name.
    Option(String),
}

const COLUMNS: &[(&str, &str)] = &[
    ("engine", "engine"),
    ("version", "engine_version"),
    ("label", "label"),
    ("suite", "suite"),
    ("test", "test"),
    ("size", "size"),
    ("host", "host"),
    ("session", "session_id"),
    ("run", "run_id"),
    ("round", "round"),
    ("tier", "tier"),
    ("status", "status"),
    ("preset", "preset"),
];

impl Key {
    /// A key by its word, or an option by its name.
    pub fn parse(word: &str) -> Result<Self, String> {
        let word = word.trim();
        if let Some((word, column)) = COLUMNS.iter().find(|(known, _)| *known == word) {
            return Ok(Self::Column { word, column });
        }
        let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if plain {
            return Ok(Self::Option(word.to_owned()));
        }
        let words: Vec<&str> = COLUMNS.iter().map(|(word, _)| *word).collect();
        Err(format!("`{word}` is no key: expected one of {} or the name of an option", words.join(", ")))
    }

    /// The word the user types.
    pub(super) fn word(&self) -> &str {
        match self {
            Self::Column { word, .. } => word,
            Self::Option(name) => name,
        }
    }

    /// SQL for its value as text. An option's name is bound: it is pushed to the parameters.
    pub(super) fn sql(&self, parameters: &mut Vec<String>) -> String {
        match self {
            Self::Column { column, .. } => format!("CAST({column} AS VARCHAR)"),
            Self::Option(name) => {
                parameters.push(name.clone());
                "options[?]".to_owned()
            }
        }
    }
}

impl Selection {
    /// Reads terms: `engine=lmdb`, `size=10|20`, `tier>=2`, `size=10..1000`, `journal_mode!=wal`.
    pub fn parse(terms: &[String]) -> Result<Self, String> {
        terms.iter().map(|term| Term::parse(term)).collect::<Result<_, _>>().map(|terms| Self { terms })
    }

    /// The condition of a WHERE clause with its parameters in order.
    pub(super) fn condition(&self) -> (String, Vec<String>) {
        let mut parameters = Vec::new();
        let terms: Vec<String> = self.terms.iter().map(|term| term.sql(&mut parameters)).collect();
        if terms.is_empty() { ("true".to_owned(), parameters) } else { (terms.join(" AND "), parameters) }
    }
}

impl Term {
    fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            format!("`{text}`: expected KEY=VALUE[|VALUE], KEY!=VALUE, KEY>=NUMBER, KEY<=NUMBER or KEY=NUMBER..NUMBER")
        };
        let operators =
            [("!=", Operator::IsNot), (">=", Operator::AtLeast), ("<=", Operator::AtMost), ("=", Operator::Is)];
        let (at, (sign, mut operator)) = operators
            .iter()
            .filter_map(|operator| Some((text.find(operator.0)?, *operator)))
            .min_by_key(|(at, (sign, _))| (*at, std::cmp::Reverse(sign.len())))
            .ok_or_else(expected)?;
        let key = Key::parse(&text[..at])?;
        let rest = text[at + sign.len()..].trim();
        let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
        let values: Vec<String> = match (operator, rest.split_once("..")) {
            (Operator::Is, Some((low, high))) if is_number(low) && is_number(high) => {
                operator = Operator::Between;
                vec![low.trim().to_owned(), high.trim().to_owned()]
            }
            (Operator::AtLeast | Operator::AtMost, _) if !is_number(rest) => return Err(expected()),
            (Operator::AtLeast | Operator::AtMost, _) => vec![rest.to_owned()],
            _ => rest.split('|').map(|value| value.trim().to_owned()).collect(),
        };
        if values.iter().any(String::is_empty) {
            return Err(expected());
        }
        Ok(Self { key, operator, values })
    }

    fn sql(&self, parameters: &mut Vec<String>) -> String {
        // A test is meant by its number or its name.
        if let Key::Column { word: "test", .. } = self.key
            && matches!(self.operator, Operator::Is | Operator::IsNot)
        {
            let places = vec!["?"; self.values.len()].join(", ");
            parameters.extend(self.values.iter().cloned());
            parameters.extend(self.values.iter().map(|value| value.to_lowercase()));
            let not = if self.operator == Operator::IsNot { "NOT " } else { "" };
            return format!("{not}(CAST(test AS VARCHAR) IN ({places}) OR lower(test_name) IN ({places}))");
        }
        let value = self.key.sql(parameters);
        parameters.extend(self.values.iter().cloned());
        let number = format!("TRY_CAST({value} AS DOUBLE)");
        match self.operator {
            Operator::Is => format!("{value} IN ({})", vec!["?"; self.values.len()].join(", ")),
            // What has no such option is not what was excluded: it stays.
            Operator::IsNot => format!("coalesce({value} NOT IN ({}), true)", vec!["?"; self.values.len()].join(", ")),
            Operator::AtLeast => format!("{number} >= CAST(? AS DOUBLE)"),
            Operator::AtMost => format!("{number} <= CAST(? AS DOUBLE)"),
            Operator::Between => format!("{number} BETWEEN CAST(? AS DOUBLE) AND CAST(? AS DOUBLE)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(terms: &[&str]) -> (String, Vec<String>) {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        Selection::parse(&terms).unwrap().condition()
    }

    #[test]
    fn values_are_bound_and_never_part_of_the_sql() {
        let (sql, parameters) = condition(&["engine=lmdb|x'; DROP TABLE run", "size=10..100", "journal_mode!=wal"]);
        assert_eq!(
            sql,
            "CAST(engine AS VARCHAR) IN (?, ?) AND TRY_CAST(CAST(size AS VARCHAR) AS DOUBLE) BETWEEN CAST(? AS DOUBLE) \
             AND CAST(? AS DOUBLE) AND coalesce(options[?] NOT IN (?), true)"
        );
        assert_eq!(parameters, ["lmdb", "x'; DROP TABLE run", "10", "100", "journal_mode", "wal"]);
        assert_eq!(condition(&[]), ("true".to_owned(), Vec::new()));
    }

    #[test]
    fn malformed_terms_say_what_was_expected() {
        for wrong in ["engine", "=x", "engine=", "tier>=high", "a b=c", "engine=a||b"] {
            let error = Selection::parse(&[wrong.to_owned()]).unwrap_err();
            assert!(error.contains("expected"), "{wrong}: {error}");
        }
    }
}
