//! Selections: which results are meant, in terms a person types; values are bound, never pasted into SQL.

use super::{
    SelectionKey,
    key::parted,
    moments,
    terms::split_terms,
    values::{self, ValuePattern},
};

/// A filter over stored results: every term must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    terms: Vec<SelectionTerm>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SelectionTerm {
    key: SelectionKey,
    operator: TermOperator,
    /// One of these; for a range its two ends.
    values: Vec<ValuePattern>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TermOperator {
    Is,
    IsNot,
    AtLeast,
    AtMost,
    Between,
    Missing,
}

impl Selection {
    /// Reads terms: `engine=lmdb`, `size=10|20`, `tier>=2`, `size=10..1000`, `journal_mode!=wal`.
    ///
    /// # Errors
    /// A term that cannot be read, with what was expected.
    pub fn parse(terms: &[String]) -> Result<Self, String> {
        terms.iter().map(|term| SelectionTerm::parse(term)).collect::<Result<_, _>>().map(|terms| Self { terms })
    }

    /// Reads terms from one line, with spaces or commas between: `engine=lmdb size=10000`.
    ///
    /// A space or comma ends a term only where the next `KEY=` begins, and never within brackets, so that values may
    /// have them: `test=Random reads, size=2,3`.
    ///
    /// # Errors
    /// A term that cannot be read, with what was expected.
    pub fn parse_line(text: &str) -> Result<Self, String> {
        Self::parse(&split_terms(text))
    }

    /// The terms of a line, as they are given to commands.
    pub fn terms(line: &str) -> Vec<String> {
        split_terms(line)
    }

    /// Whether it means everything.
    pub fn is_all(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether its terms are those of two others together, in any order.
    pub fn has_same_terms(&self, one: &Self, other: &Self) -> bool {
        self.terms.len() == one.terms.len() + other.terms.len()
            && one.terms.iter().chain(&other.terms).all(|term| self.terms.contains(term))
    }

    /// Whether a term is about single tests, so that it may mean some of a run's and not the others.
    pub(in crate::store) fn is_about_tests(&self) -> bool {
        self.terms.iter().any(|term| term.key.is_of_tests())
    }

    /// The options or kept keys that it names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|term| term.key.option())
    }

    /// Each exact value with a comma, as a selection of its own, and what to say where no run has it.
    pub(super) fn with_commas(&self) -> impl Iterator<Item = (Self, String)> {
        let is_exact = |term: &&SelectionTerm| matches!(term.operator, TermOperator::Is | TermOperator::IsNot);
        self.terms.iter().filter(is_exact).filter(|term| term.key != SelectionKey::Started).flat_map(|term| {
            let values = term.values.iter().filter(|value| value.is_exact() && value.text().contains(','));
            values.map(|value| {
                let one = SelectionTerm { operator: TermOperator::Is, values: vec![value.clone()], ..term.clone() };
                let (word, value) = (term.key.word(), value.text());
                let sign = if term.operator == TermOperator::IsNot { "!=" } else { "=" };
                let several = parted(value);
                let sentence = format!(
                    "{word}{sign}{value}: no stored run has this value; several values are separated by |, as in \
                     '{word}{sign}{several}'"
                );
                (Self { terms: vec![one] }, sentence)
            })
        })
    }

    /// The condition of a WHERE clause for a person who types SQL: its values are part of it. Never run by dbdyno.
    pub fn shown(&self) -> String {
        let (condition, parameters) = self.condition();
        let mut parameters = parameters.into_iter();
        let literal = |text: String| format!("'{}'", text.replace('\'', "''"));
        // The texts of a condition are constants without a question mark: each one stands for a value.
        let shown =
            |c: char| if c == '?' { parameters.next().map_or_else(String::new, literal) } else { c.to_string() };
        condition.chars().map(shown).collect()
    }

    /// The condition of a WHERE clause with its parameters in order.
    pub(in crate::store) fn condition(&self) -> (String, Vec<String>) {
        let mut parameters = Vec::new();
        let terms: Vec<String> = self.terms.iter().map(|term| term.sql(&mut parameters)).collect();
        if terms.is_empty() { ("true".to_owned(), parameters) } else { (terms.join(" AND "), parameters) }
    }
}

impl SelectionTerm {
    fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "`{text}`: expected KEY=VALUE[|VALUE], KEY!=VALUE, KEY>=NUMBER, KEY<=NUMBER, KEY=NUMBER..NUMBER, or KEY! \
                 for what has none; `*` in a value stands for any characters, `\\|` and `\\*` for themselves"
            )
        };
        let operators = [
            ("!=", TermOperator::IsNot),
            (">=", TermOperator::AtLeast),
            ("<=", TermOperator::AtMost),
            ("=", TermOperator::Is),
        ];
        let first = operators
            .iter()
            .filter_map(|operator| Some((text.find(operator.0)?, *operator)))
            .min_by_key(|(at, (sign, _))| (*at, std::cmp::Reverse(sign.len())));
        let Some((at, (sign, operator))) = first else {
            let key = text.trim().strip_suffix('!').ok_or_else(expected)?;
            return Ok(Self { key: SelectionKey::parse(key)?, operator: TermOperator::Missing, values: Vec::new() });
        };
        let key = SelectionKey::parse(&text[..at])?;
        let rest = text[at + sign.len()..].trim();
        if key == SelectionKey::Started {
            let several = if rest.contains(',') { "; several are separated by `|`" } else { "" };
            let values =
                moments_of(rest).ok_or_else(|| format!("`{text}`: expected {}{several}", moments::EXPECTED))?;
            return Ok(Self { key, operator, values });
        }
        let is_number = |text: &str| number(text).is_some();
        let is_range = rest.split_once("..").is_some_and(|(low, _)| is_number(low));
        if rest.contains(',') && (is_range || !matches!(operator, TermOperator::Is | TermOperator::IsNot)) {
            return Err(format!(
                "`{text}`: expected one number, or with = one range: only single values may be several, separated by `|`, as in \
                 {}=10|20",
                key.word()
            ));
        }
        if let Some(instead) = key.listed_with_commas(rest) {
            return Err(format!("`{text}`: values are parted by `|`: {}{sign}{instead}", key.word()));
        }
        let rest = &key.without_suffixes(rest);
        let range = || rest.split_once("..").and_then(|(low, high)| Some(vec![number(low)?, number(high)?]));
        let (operator, values) = match (operator, range()) {
            (TermOperator::Is, Some(range)) => (TermOperator::Between, range),
            (TermOperator::AtLeast | TermOperator::AtMost, _) => (operator, vec![number(rest).ok_or_else(expected)?]),
            _ => (operator, values::parse(rest).into_iter().map(|value| key.meant(value)).collect()),
        };
        if values.iter().any(|value| value.text().is_empty()) {
            return Err(expected());
        }
        Ok(Self { key, operator, values })
    }

    fn sql(&self, parameters: &mut Vec<String>) -> String {
        if self.key == SelectionKey::Started {
            return self.when(parameters);
        }
        match self.operator {
            TermOperator::Is => self.is_one(parameters),
            // What has no such option is not what was excluded: it stays.
            TermOperator::IsNot => format!("NOT coalesce({}, false)", self.is_one(parameters)),
            TermOperator::AtLeast => format!("{} >= CAST(? AS DOUBLE)", self.number(parameters)),
            TermOperator::AtMost => format!("{} <= CAST(? AS DOUBLE)", self.number(parameters)),
            TermOperator::Between => {
                format!("{} BETWEEN CAST(? AS DOUBLE) AND CAST(? AS DOUBLE)", self.number(parameters))
            }
            TermOperator::Missing => self.key.is_missing(parameters),
        }
    }

    /// Whether the run began at one of the moments, or before or after.
    fn when(&self, parameters: &mut Vec<String>) -> String {
        let moment = "CAST(? AS TIMESTAMP)";
        let moments = self.values.chunks(2).filter_map(|pair| Some((pair.first()?.text(), pair.last()?.text())));
        let within = |(from, until): (&str, &str)| {
            parameters.extend([from.to_owned(), until.to_owned()]);
            format!("(started_at >= {moment} AND started_at < {moment})")
        };
        let all: Vec<(&str, &str)> = moments.collect();
        let ends =
            all.first().map(|(from, _)| (*from).to_owned()).zip(all.last().map(|(_, until)| (*until).to_owned()));
        match (self.operator, ends) {
            (TermOperator::Missing, _) | (_, None) => "started_at IS NULL".to_owned(),
            (TermOperator::AtLeast, Some((from, _))) => {
                parameters.push(from);
                format!("started_at >= {moment}")
            }
            (TermOperator::AtMost, Some((_, until))) => {
                parameters.push(until);
                format!("started_at < {moment}")
            }
            (TermOperator::IsNot, _) => {
                format!("NOT coalesce(({}), false)", all.into_iter().map(within).collect::<Vec<_>>().join(" OR "))
            }
            (TermOperator::Is | TermOperator::Between, _) => {
                format!("({})", all.into_iter().map(within).collect::<Vec<_>>().join(" OR "))
            }
        }
    }

    /// The key's value as a number; the term's values are bound after it.
    fn number(&self, parameters: &mut Vec<String>) -> String {
        let value = self.key.sql(parameters);
        parameters.extend(self.values.iter().map(|value| value.text().to_owned()));
        format!("TRY_CAST({value} AS DOUBLE)")
    }

    /// Whether the key's value is one of the term's.
    fn is_one(&self, parameters: &mut Vec<String>) -> String {
        let alternatives: Vec<String> = self.values.iter().map(|value| self.key.is(value, parameters)).collect();
        format!("({})", alternatives.join(" OR "))
    }
}

/// A number as DuckDB reads it, which takes neither what is too large for it nor what is too small.
fn number(text: &str) -> Option<ValuePattern> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some(ValuePattern::Exact(number.to_string()))
}

/// The instants of moments, or of all from one to another with `..` between.
fn moments_of(text: &str) -> Option<Vec<ValuePattern>> {
    let instants: Vec<String> = match text.split_once("..") {
        Some((first, last)) => vec![moments::parse(first)?.from, moments::parse(last)?.until],
        None => {
            let all: Option<Vec<moments::Moment>> = text.split('|').map(moments::parse).collect();
            all?.into_iter().flat_map(|moment| [moment.from, moment.until]).collect()
        }
    };
    Some(instants.into_iter().map(ValuePattern::Exact).collect())
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
        let (sql, parameters) = condition(&["engine=lmdb|x'; DROP TABLE run", "size=10..100", "journal_mode!=wa*"]);
        assert_eq!(
            sql,
            "(CAST(engine AS VARCHAR) = ? OR CAST(engine AS VARCHAR) = ?) \
             AND TRY_CAST(CAST(size AS VARCHAR) AS DOUBLE) BETWEEN CAST(? AS DOUBLE) AND CAST(? AS DOUBLE) \
             AND NOT coalesce((coalesce(options[?], keys[?]) ILIKE ? ESCAPE '\\'), false)"
        );
        let names = ["journal_mode", "journal_mode"];
        assert_eq!(parameters, ["lmdb", "x'; DROP TABLE run", "10", "100", names[0], names[1], "wa%"]);
        let (sql, parameters) = condition(&["rowsum!", "tag=a", "run=3FA"]);
        assert!(sql.starts_with("run_id NOT IN (SELECT run_id FROM run_option"), "{sql}");
        assert!(
            sql.ends_with(
                "(run_id IN (SELECT run_id FROM tag WHERE tag = ?)) AND (CAST(run_id AS VARCHAR) ILIKE ? ESCAPE '\\')"
            ),
            "{sql}"
        );
        assert_eq!(parameters, ["rowsum", "rowsum", "a", "3FA%"]);
        assert_eq!(condition(&[]), ("true".to_owned(), Vec::new()));
        assert_eq!(condition(&["tier=unknown|3"]).0, "(tier IS NULL OR CAST(tier AS VARCHAR) = ?)");
    }

    #[test]
    fn a_condition_is_shown_with_its_values_as_they_would_be_typed() {
        let selection = Selection::parse_line("engine=o'brien? test=2").unwrap();
        assert_eq!(
            selection.shown(),
            "(CAST(engine AS VARCHAR) = 'o''brien?') AND ((CAST(test AS VARCHAR) = '2' OR lower(test_name) = '2'))"
        );
    }

    #[test]
    fn days_and_times_are_their_instants() {
        let (sql, parameters) = condition(&["started>=2026-11-14", "started<=2026-11-14"]);
        assert_eq!(sql, "started_at >= CAST(? AS TIMESTAMP) AND started_at < CAST(? AS TIMESTAMP)");
        assert_eq!(parameters, ["2026-11-14 00:00:00", "2026-11-15 00:00:00"]);
        let (_, parameters) = condition(&["started=2026-11-14|2026-12-01T10:30"]);
        let days = ["2026-11-14 00:00:00", "2026-11-15 00:00:00", "2026-12-01 10:30:00", "2026-12-01 10:31:00"];
        assert_eq!(parameters, days);
        let (sql, parameters) = condition(&["started=2026-11-01..2026-11-30"]);
        assert_eq!(sql, "((started_at >= CAST(? AS TIMESTAMP) AND started_at < CAST(? AS TIMESTAMP)))");
        assert_eq!(parameters, ["2026-11-01 00:00:00", "2026-12-01 00:00:00"]);
        let error = Selection::parse(&["started>=last week".to_owned()]).unwrap_err();
        assert!(error.contains("a day as 2026-11-14"), "{error}");
    }

    #[test]
    fn sizes_have_suffixes_and_sessions_are_counted_from_the_newest() {
        assert_eq!(condition(&["size=10k|1M|2k,3k"]).1, ["10000", "1000000", "2000,3000"]);
        assert_eq!(condition(&["size<=10k"]).1, ["10000"]);
        assert_eq!(condition(&["size=1k..1M"]).1, ["1000", "1000000"]);
        let (sql, parameters) = condition(&["session=last|3f"]);
        assert!(sql.contains("OFFSET 0") && sql.contains("ILIKE"), "{sql}");
        assert_eq!(parameters, ["3f%"]);
        assert!(condition(&["session=previous"]).0.contains("OFFSET 1"));
    }

    #[test]
    fn values_with_commas_between_are_told_how_to_be_parted() {
        let error = Selection::parse(&["engine!=lmdb, sqlite".to_owned()]).unwrap_err();
        assert!(error.contains("parted by `|`: engine!=lmdb|sqlite"), "{error}");
        assert!(Selection::parse(&["label=sqlite[a=1,b=2]".to_owned()]).is_ok());
    }

    #[test]
    fn malformed_terms_say_what_was_expected() {
        for wrong in ["engine", "=x", "engine=", "tier>=high", "size<=1e999", "a b=c", "engine=a||b", "!"] {
            let error = Selection::parse(&[wrong.to_owned()]).unwrap_err();
            assert!(error.contains("expected"), "{wrong}: {error}");
        }
    }
}
