//! The screen's filter: a selection and its text as typed.

use super::{Intents, ResultsScreen};
use crate::tui::widgets::cursor::ListCursor;
use dbdyno_store::{ConfigurationRow, GroupRow, Selection, SelectionKey, literal};

/// A selection, with the line from which it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedSelection {
    pub(crate) line: String,
    pub(crate) selection: Selection,
}

impl TypedSelection {
    /// Reads a line. If `names` is not empty, names that occur in no stored run are rejected.
    pub(crate) fn read(line: &str, names: &[String]) -> Result<Self, String> {
        let selection = Selection::parse_line(line)?;
        let unknown = selection.names().find(|name| !names.is_empty() && !names.iter().any(|known| known == name));
        if let Some(unknown) = unknown {
            return Err(format!(
                "no stored run has an option or a key `{unknown}`: expected engine, version, label, suite, test, size, host, \
                 session, run, round, started, tier, status, preset, tag, or an option such as {}",
                names.first().map_or("page_size", String::as_str)
            ));
        }
        Ok(Self { line: line.trim().to_owned(), selection })
    }

    /// Reads a line that is being typed. A last word that may become a key is ignored.
    fn read_typed(line: &str, names: &[String]) -> Result<Self, String> {
        match begun_key(line, names) {
            Some(begun) => Self::read(line.strip_suffix(begun).unwrap_or(line), names),
            None => Self::read(line, names),
        }
    }

    /// Returns the filter narrowed to these values of keys; for a key without a value, to rows that have no value.
    pub(crate) fn narrowed_by(&self, values: &[(&str, Option<&str>)]) -> Result<Self, String> {
        let term = |&(key, value): &(&str, Option<&str>)| {
            value.map_or_else(|| format!("{key}!"), |value| format!("{key}={}", literal(value)))
        };
        let terms: Vec<String> = values.iter().map(term).collect();
        let meant = Selection::parse(&terms)?;
        let terms = terms.join(" ");
        // A line is read term by term, and not every value can be combined with others in one line.
        for line in [format!("{} {terms}", self.line), format!("{terms} {}", self.line)] {
            let line = line.trim().to_owned();
            match Selection::parse_line(&line) {
                Ok(selection) if selection.has_same_terms(&self.selection, &meant) => {
                    return Ok(Self { line, selection });
                }
                _ => {}
            }
        }
        Err(format!("`{terms}` cannot be combined with `{}` in one line: clear the filter first", self.line))
    }

    /// Returns the filter narrowed to a group: the key's value, and the options that distinguish the group from others with that value.
    pub(crate) fn of_group(&self, key: &SelectionKey, row: &GroupRow) -> Result<Self, String> {
        let telling = row.telling();
        let mut values = vec![(key.word(), row.value.as_deref())];
        values.extend(telling.iter().map(|(name, value)| (name.as_str(), Some(value.as_str()))));
        self.narrowed_by(&values)
    }

    /// Returns the filter narrowed to a configuration of a session.
    pub(crate) fn of_configuration(&self, row: &ConfigurationRow) -> Result<Self, String> {
        // The label comes last, because it may contain the start of another term.
        self.narrowed_by(&[("session", Some(&row.session_id)), ("label", Some(&row.label))])
    }

    /// Returns a filter for the run with this identifier, independent of the current filter.
    pub(crate) fn run(run_id: &str) -> Self {
        let line = format!("run={run_id}");
        let selection = Selection::parse_line(&line).unwrap_or_default();
        Self { line, selection }
    }
}

/// Returns the last word of a line if it is the beginning of a key.
fn begun_key<'l>(line: &'l str, names: &[String]) -> Option<&'l str> {
    let last = line.rsplit(' ').next().filter(|last| !last.is_empty())?;
    let figures = SelectionKey::figures().map(|(word, _)| word);
    let is_begun = SelectionKey::words().chain(figures).any(|key| key.starts_with(last))
        || names.iter().any(|name| name.starts_with(last));
    is_begun.then_some(last)
}

impl ResultsScreen {
    /// Applies the filter typed so far. The old rows stay until the new ones have loaded.
    pub(super) fn follow_filter(&mut self, line: &str) -> Result<Intents, String> {
        if self.before.as_ref().is_some_and(|before| before.line == line) {
            return Ok(self.restore_filter());
        }
        let filter = TypedSelection::read_typed(line, &self.names)?;
        self.before.get_or_insert_with(|| self.filter.clone());
        Ok(self.narrow(filter))
    }

    /// Applies the filter that was entered.
    pub(super) fn take_filter(&mut self, line: &str) -> Result<Intents, String> {
        let filter = TypedSelection::read(line, &self.names)?;
        self.before = None;
        self.trail.clear();
        Ok(self.narrow(filter))
    }

    /// Restores the filter from before typing began.
    pub(super) fn restore_filter(&mut self) -> Intents {
        self.before.take().map_or_else(Intents::new, |before| self.narrow(before))
    }

    fn narrow(&mut self, filter: TypedSelection) -> Intents {
        if filter == self.filter {
            return Intents::new();
        }
        self.opened = None;
        self.table.cursor = ListCursor::default();
        self.filter = filter;
        self.ask_page()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(line: &str) -> TypedSelection {
        TypedSelection::read(line, &[]).unwrap()
    }

    #[test]
    fn a_group_narrows_to_exactly_its_value() {
        let narrowed = filter("suite=kv").narrowed_by(&[("label", Some("sqlite[a=1,b=x|y]"))]).unwrap();
        assert_eq!(narrowed.line, r"suite=kv label=sqlite[a=1,b=x\|y]");
        let missing = filter("suite=kv").narrowed_by(&[("preset", None)]).unwrap();
        assert_eq!(missing.line, "suite=kv preset!");
        assert_eq!(filter(&missing.line).selection, missing.selection, "the line can be typed again");
    }

    #[test]
    fn a_value_that_would_be_read_as_something_else_is_refused() {
        let error = filter("suite=kv").narrowed_by(&[("tag", Some("a size=3"))]).unwrap_err();
        assert!(error.contains("cannot be combined"), "{error}");
    }

    #[test]
    fn a_key_that_is_not_typed_to_its_end_narrows_nothing_yet() {
        let names = ["page_size".to_owned()];
        for line in ["eng", "suite=kv p99", "suite=kv pag"] {
            let read = TypedSelection::read_typed(line, &names).unwrap();
            assert!(!read.selection.has_words(), "{line}");
        }
        assert!(TypedSelection::read_typed("lmd", &names).unwrap().selection.has_words());
        assert_eq!(TypedSelection::read_typed("page_size=4096 p9", &names).unwrap().line, "page_size=4096");
        assert_eq!(TypedSelection::read_typed("test=Random reads", &names).unwrap().line, "test=Random reads");
    }

    #[test]
    fn a_name_that_nothing_stored_has_is_told() {
        let names = ["page_size".to_owned()];
        assert!(TypedSelection::read("engine=lmdb page_size=4096", &names).is_ok());
        let error = TypedSelection::read("enigne=lmdb", &names).unwrap_err();
        assert!(error.contains("`enigne`") && error.contains("page_size"), "{error}");
    }
}
