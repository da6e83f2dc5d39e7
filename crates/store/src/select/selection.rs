//! Selections: filters of results in terms that users type. Values are bound, never pasted into SQL.

use super::{
    SelectionKey,
    key::parted,
    term::{SelectionTerm, TermOperator},
    terms::split_terms,
    values::ValuePattern,
};

/// A filter over stored results: every term must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    terms: Vec<SelectionTerm>,
}

impl Selection {
    /// Parses terms: `engine=lmdb`, `size=10|20`, `tier>=2`, `p99>1ms`, `size=10..1000`, `journal_mode!=wal`, and words.
    ///
    /// # Errors
    /// A term cannot be parsed; the error says what was expected.
    pub fn parse(terms: &[String]) -> Result<Self, String> {
        terms.iter().map(|term| SelectionTerm::parse(term)).collect::<Result<_, _>>().map(|terms| Self { terms })
    }

    /// Parses terms from one line, separated by spaces or commas: `engine=lmdb size=10000`.
    ///
    /// A space or comma ends a term if a `KEY=` follows, and never within brackets, so that values may contain spaces and commas:
    /// `test=Random reads, size=2,3`. A space also ends a word, and a value that never contains one: `lmdb size=10k reads`.
    ///
    /// # Errors
    /// A term cannot be parsed; the error says what was expected.
    pub fn parse_line(text: &str) -> Result<Self, String> {
        Self::parse(&split_terms(text))
    }

    /// Parses a line that selects a side of a comparison. A word alone is the name of an engine, because as a word `lmdb` would also
    /// match `lmdb1`. Several words alone are refused for the same reason.
    ///
    /// # Errors
    /// A term cannot be parsed, or there are only words; the error says what was expected.
    pub fn parse_side(text: &str) -> Result<Self, String> {
        let selection = Self::parse_line(text)?;
        let word = text.trim();
        let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        match selection.is_of_words() {
            true if is_name => Self::parse_line(&format!("engine={word}")),
            true => Err(format!(
                "`{text}`: expected KEY=VALUE, as in engine={}: words match everything that contains them, which may be several engines",
                word.split_whitespace().next().unwrap_or("lmdb")
            )),
            false => Ok(selection),
        }
    }

    /// Splits a line into the terms that commands take as arguments.
    pub fn terms(line: &str) -> Vec<String> {
        split_terms(line)
    }

    /// Whether it selects everything.
    pub fn is_all(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the terms, all of which must hold.
    pub(super) fn each(&self) -> &[SelectionTerm] {
        &self.terms
    }

    /// Whether it has words, which match everything that contains them.
    pub fn has_words(&self) -> bool {
        self.terms.iter().any(|term| term.key == SelectionKey::Words)
    }

    /// Whether it has words only, and no keys.
    pub fn is_of_words(&self) -> bool {
        self.has_words() && self.terms.iter().all(|term| term.key == SelectionKey::Words)
    }

    /// Whether its terms are those of two other selections together, in any order.
    pub fn has_same_terms(&self, one: &Self, other: &Self) -> bool {
        self.terms.len() == one.terms.len() + other.terms.len()
            && one.terms.iter().chain(&other.terms).all(|term| self.terms.contains(term))
    }

    /// Returns the selection with the rounds that were added to the sessions it names. A session always includes them: otherwise a
    /// difference that was found after repeated looks would appear to have been found at once.
    pub(crate) fn with_added_rounds(&self) -> Self {
        let with_added = |term: &SelectionTerm| match term.operator {
            TermOperator::Is if term.key.is_session() => {
                SelectionTerm { operator: TermOperator::IsOrAddsTo, ..term.clone() }
            }
            _ => term.clone(),
        };
        Self { terms: self.terms.iter().map(with_added).collect() }
    }

    /// Whether a term is about single tests, so that it may select only some tests of a run.
    pub(crate) fn is_about_tests(&self) -> bool {
        self.terms.iter().any(|term| term.key.is_of_tests())
    }

    /// Returns the options or keys that it names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|term| term.key.option())
    }

    /// Returns each value that has to be matched exactly.
    pub(super) fn exact_values(&self) -> impl Iterator<Item = ExactValue<'_>> {
        let is_exact = |term: &&SelectionTerm| matches!(term.operator, TermOperator::Is | TermOperator::IsNot);
        let is_listed = |term: &&SelectionTerm| ![SelectionKey::Started, SelectionKey::Words].contains(&term.key);
        self.terms.iter().filter(is_exact).filter(is_listed).flat_map(|term| {
            let values = term.values.iter().filter(|value| value.is_exact());
            values.map(|value| ExactValue { key: &term.key, text: value.text(), term, value })
        })
    }

    /// Returns the condition of a WHERE clause with its values, for users who type SQL. dbdyno never runs it.
    pub fn shown(&self) -> String {
        let (condition, parameters) = self.condition();
        let mut parameters = parameters.into_iter();
        let literal = |text: String| format!("'{}'", text.replace('\'', "''"));
        // The texts of a condition are constants without a question mark, so each question mark is a value.
        let shown =
            |c: char| if c == '?' { parameters.next().map_or_else(String::new, literal) } else { c.to_string() };
        condition.chars().map(shown).collect()
    }

    /// Returns the condition of a WHERE clause with its parameters in order.
    pub(crate) fn condition(&self) -> (String, Vec<String>) {
        let mut parameters = Vec::new();
        let terms: Vec<String> = self.terms.iter().map(|term| term.sql(&mut parameters)).collect();
        if terms.is_empty() { ("true".to_owned(), parameters) } else { (terms.join(" AND "), parameters) }
    }
}

/// One exact value of a term.
pub(super) struct ExactValue<'s> {
    pub(super) key: &'s SelectionKey,
    pub(super) text: &'s str,
    term: &'s SelectionTerm,
    value: &'s ValuePattern,
}

impl ExactValue<'_> {
    /// Returns the selection of everything that has this value.
    pub(super) fn alone(&self) -> Selection {
        let values = vec![self.value.clone()];
        Selection { terms: vec![SelectionTerm { operator: TermOperator::Is, values, ..self.term.clone() }] }
    }

    /// Returns the term in front of the value: `engine=`, `engine!=`.
    pub(super) fn before(&self) -> String {
        let sign = if self.term.operator == TermOperator::IsNot { "!=" } else { "=" };
        format!("{}{sign}", self.key.word())
    }

    /// Returns the term as several values, if the text has commas, which the user may have put between them.
    pub(super) fn with_commas(&self) -> Option<String> {
        self.text.contains(',').then(|| format!("{}{}", self.before(), parted(self.text)))
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
    fn figures_are_compared_with_amounts_and_words_are_looked_for() {
        let (sql, parameters) = condition(&["p99>1ms", "wall<2s", "database=1MiB..2MiB", "lm%db"]);
        assert_eq!(
            sql,
            "TRY_CAST(p99_ns AS DOUBLE) > CAST(? AS DOUBLE) AND TRY_CAST(wall_ns AS DOUBLE) < CAST(? AS DOUBLE) \
             AND TRY_CAST(database_bytes AS DOUBLE) BETWEEN CAST(? AS DOUBLE) AND CAST(? AS DOUBLE) \
             AND ((coalesce(label ILIKE ? ESCAPE '\\', false) OR coalesce(engine ILIKE ? ESCAPE '\\', false) \
             OR coalesce(test_name ILIKE ? ESCAPE '\\', false)))"
        );
        let word = "%lm\\%db%";
        assert_eq!(parameters, ["1000000", "2000000000", "1048576", "2097152", word, word, word]);
        let selection = Selection::parse_line("lmdb p99>=5us").unwrap();
        assert!(selection.is_about_tests() && selection.has_words() && !selection.is_of_words());
        assert!(Selection::parse_line("random reads").unwrap().is_of_words());
        assert!(Selection::parse_line("sqlite[a=1, b=2] reads").unwrap().is_of_words());
        // The processor, and an option with the same name as a figure.
        assert!(condition(&["cpu=x"]).0.contains("CAST(cpu AS VARCHAR)"));
        assert!(condition(&["rows=3"]).0.contains("options[?]"));
        for (wrong, expected) in
            [("p99>5", "a time with its unit"), ("wall=1ms..x", "a time"), ("database<1ms", "bytes")]
        {
            let error = Selection::parse_line(wrong).unwrap_err();
            assert!(error.contains(expected), "{wrong}: {error}");
        }
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
        assert!(error.contains("a day such as 2026-11-14"), "{error}");
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
        assert!(error.contains("separate values with `|`: engine!=lmdb|sqlite"), "{error}");
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
