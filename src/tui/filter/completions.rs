//! Completions for the end of a filter: keys, and stored values.

use crate::tui::overlay::{Completions, FilterKeys, ListItem};
use dbdyno_store::{Selection, SelectionKey};
use std::collections::BTreeMap;

/// Names and values from the store, for completions while a filter is typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredNames {
    /// The names of options and kept keys; none until they are read.
    pub(crate) names: Option<Vec<String>>,
    /// The values of keys, by the words of the keys; none until they are read.
    pub(crate) values: BTreeMap<String, Option<Vec<ListItem>>>,
}

/// The place in a line where the user types.
#[derive(Debug, PartialEq, Eq)]
enum CompletionPlace<'l> {
    /// At a key, or a word.
    Key { head: &'l str },
    /// At a value of a key.
    Value { head: &'l str, key: &'l str },
    /// At the amount that a figure or number is compared with.
    Amount { head: &'l str, key: &'l str },
}

/// The signs after which a value is typed.
const SIGNS: [char; 4] = ['=', '!', '<', '>'];

fn place(line: &str) -> CompletionPlace<'_> {
    let is_finished = line.ends_with(' ');
    let last = Selection::terms(line).pop().unwrap_or_default();
    // The start of the last term, whose text may be trimmed.
    let begin = line.trim_end_matches([' ', ',']).len().saturating_sub(last.len());
    let Some(sign) = line.get(begin..).and_then(|term| term.find(SIGNS)) else {
        let head = if is_finished { line } else { line.get(..begin).unwrap_or(line) };
        return CompletionPlace::Key { head };
    };
    let key = &line[begin..begin + sign];
    let value = begin + sign + line[begin + sign..].chars().take_while(|c| SIGNS.contains(c)).count();
    // A key follows a finished term; a value with spaces continues.
    let would_go_on = Selection::terms(&format!("{line}x")).len() == Selection::terms(line).len();
    if is_finished && !would_go_on {
        return CompletionPlace::Key { head: line };
    }
    match line[begin + sign..].starts_with(['<', '>']) {
        true => CompletionPlace::Amount { head: &line[..value], key },
        false => {
            // Of several values the last is completed.
            let at = line[value..].rfind('|').map_or(value, |bar| value + bar + 1);
            CompletionPlace::Value { head: &line[..at], key }
        }
    }
}

/// Returns the place, using the stored values: a key begins after a space, unless a stored value continues as typed.
fn place_beside<'l>(line: &'l str, known: &StoredNames) -> CompletionPlace<'l> {
    let place = place(line);
    let CompletionPlace::Value { head, key } = place else { return place };
    let typed = line.get(head.len()..).unwrap_or_default();
    let values = known.values.get(key).and_then(Option::as_ref);
    match typed.rfind(' ') {
        Some(space) if !values.into_iter().flatten().any(|value| value.label.starts_with(typed)) => {
            CompletionPlace::Key { head: &line[..head.len() + space + 1] }
        }
        _ => CompletionPlace::Value { head, key },
    }
}

/// Returns the key whose values must be read before the end of a line can be completed.
pub(crate) fn wanted(line: &str, keys: FilterKeys) -> Option<SelectionKey> {
    match (place(line), keys) {
        (CompletionPlace::Value { key, .. }, FilterKeys::Stored) => SelectionKey::parse(key).ok(),
        _ => None,
    }
}

/// Returns the completions for the end of a line.
pub(crate) fn completions(line: &str, keys: FilterKeys, known: &StoredNames) -> Completions {
    let place = place_beside(line, known);
    let tail = if matches!(place, CompletionPlace::Key { .. }) { "" } else { " " };
    let (head, items, note) = match place {
        CompletionPlace::Key { head } => (head, of_keys(keys, known), help(keys)),
        CompletionPlace::Value { head, key } => {
            let items = known.values.get(key).cloned().flatten().unwrap_or_default();
            let is_read = known.values.get(key).is_none_or(Option::is_some);
            let note = if is_read {
                format!("a value of {key}; | for several, * for any characters")
            } else {
                format!("reading values of {key} …")
            };
            (head, items, note)
        }
        CompletionPlace::Amount { head, key } => (head, Vec::new(), format!("an amount of {key}: {AMOUNTS}")),
    };
    Completions { head: head.to_owned(), items, tail, is_free: true, note }
}

/// Returns which terms narrow a list whose rows have these keys.
fn help(keys: FilterKeys) -> String {
    match keys {
        FilterKeys::Stored => KEYS.to_owned(),
        FilterKeys::Among([]) => "words of a name".to_owned(),
        FilterKeys::Among(keys) => format!("words of a name, or KEY=VALUE with {}", keys.join(", ")),
    }
}

const KEYS: &str =
    "words, or KEY=VALUE != >= <= > < KEY=LOW..HIGH KEY!; words match labels, engines and names of tests";
const AMOUNTS: &str = "1.5ms, 100k, 10MiB";

/// Returns the keys, each with the sign that fits it best.
fn of_keys(keys: FilterKeys, known: &StoredNames) -> Vec<ListItem> {
    let key = |word: &str, about: &str| ListItem::new(format!("{word}="), about);
    match keys {
        FilterKeys::Among(words) => words.iter().map(|word| key(word, "")).collect(),
        FilterKeys::Stored => {
            let figures = SelectionKey::figures()
                .map(|(word, title)| ListItem::new(format!("{word}>"), format!("{title}: > or <, as 1ms")));
            let names = known.names.iter().flatten().map(|name| key(name, "an option or kept key"));
            SelectionKey::words().map(|word| key(word, "")).chain(names).chain(figures).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_line_is_a_key_or_one_of_its_values() {
        for (line, expected) in [
            ("", CompletionPlace::Key { head: "" }),
            ("eng", CompletionPlace::Key { head: "" }),
            ("lmdb eng", CompletionPlace::Key { head: "lmdb " }),
            ("engine=", CompletionPlace::Value { head: "engine=", key: "engine" }),
            ("x engine!=lm", CompletionPlace::Value { head: "x engine!=", key: "engine" }),
            ("engine=lmdb|re", CompletionPlace::Value { head: "engine=lmdb|", key: "engine" }),
            ("engine=lmdb ", CompletionPlace::Key { head: "engine=lmdb " }),
            ("engine=lmdb si", CompletionPlace::Key { head: "engine=lmdb " }),
            ("test=Random re", CompletionPlace::Value { head: "test=", key: "test" }),
            ("p99>1", CompletionPlace::Amount { head: "p99>", key: "p99" }),
        ] {
            assert_eq!(place(line), expected, "{line}");
        }
    }

    #[test]
    fn behind_a_value_that_may_have_spaces_comes_a_value_that_is_stored_or_a_key() {
        let values = vec![ListItem::new("Random reads", "")];
        let known =
            StoredNames { values: BTreeMap::from([("test".to_owned(), Some(values))]), ..StoredNames::default() };
        assert_eq!(place_beside("test=Random re", &known), CompletionPlace::Value { head: "test=", key: "test" });
        assert_eq!(place_beside("test=Random si", &known), CompletionPlace::Key { head: "test=Random " });
    }

    #[test]
    fn keys_of_the_store_and_figures_are_offered() {
        let known = StoredNames { names: Some(vec!["page_size".to_owned()]), ..StoredNames::default() };
        let labels: Vec<String> =
            completions("", FilterKeys::Stored, &known).items.into_iter().map(|item| item.label).collect();
        for label in ["engine=", "page_size=", "p99>", "started="] {
            assert!(labels.iter().any(|known| known == label), "{label}");
        }
        let few = completions("", FilterKeys::Among(&["test"]), &known).items;
        assert_eq!(few.len(), 1);
    }
}
