//! The argument of `compare`: two selections around `with`, or one.

use crate::tui::{launch::Opening, overlay::ListItem};
use dbdyno_store::Selection;

/// The word between two sides.
const WITH: &str = " with ";
/// The selection of the newest session.
const LAST: &str = "session=last";
/// Engines to pair, at most; a longer list is of no use.
const PAIRED: usize = 8;

/// Returns the opening that a line describes.
///
/// # Errors
/// A side cannot be parsed. The text names what was expected.
pub(crate) fn opening_of(line: &str) -> Result<Opening, String> {
    // The spaces around the line let `with` match even if a side is still empty.
    match format!(" {line} ").split_once(WITH) {
        Some((a, b)) => Ok(Opening::Pair { a: side(a)?, b: side(b)? }),
        None => Ok(Opening::Beside { reference: side(line)? }),
    }
}

/// Parses a selection. A word without a sign is an engine, or a label if it has options in brackets.
fn side(text: &str) -> Result<String, String> {
    let text = text.trim();
    let expected = || {
        format!(
            "`{text}`: expected an engine such as sqlite, or terms such as engine=lmdb size=10000; or two as `A with B`"
        )
    };
    if text.is_empty() {
        return Err(expected());
    }
    let first = text.find([' ', '=', '!', '<', '>', '[']).map(|at| &text[at..=at]);
    let selection = match first {
        Some("[") => format!("label={text}"),
        None | Some(" ") => format!("engine={text}"),
        _ => text.to_owned(),
    };
    Selection::parse_line(&selection).map_err(|error| format!("{error}; write two selections as `A with B`"))?;
    Ok(selection)
}

/// Returns the completions of a line, with these engines in the store.
pub(super) fn completions(line: &str, engines: &[ListItem]) -> Vec<ListItem> {
    let engines = &engines[..engines.len().min(PAIRED)];
    let names = || engines.iter().map(|item| item.label.as_str());
    // A first side that is none of these engines is completed with each of them as the second side.
    if let Some((a, _)) = line.split_once(WITH).filter(|(a, _)| !names().any(|name| name == *a)) {
        return engines.iter().map(|b| ListItem::new(format!("{a}{WITH}{}", b.label), b.detail.clone())).collect();
    }
    let last = ListItem::new(LAST, "all configurations of the newest session");
    let pairs = names().flat_map(|a| names().filter(move |b| a != *b).map(move |b| format!("{a}{WITH}{b}")));
    let alone = engines.iter().map(|engine| {
        ListItem::new(engine.label.clone(), format!("{}, with all others of its sessions", engine.detail))
    });
    std::iter::once(last).chain(pairs.map(|pair| ListItem::new(pair, ""))).chain(alone).collect()
}

/// Describes the effect of a line.
pub(super) fn note(line: &str) -> String {
    match opening_of(line) {
        _ if line.trim().is_empty() => "two selections, as in sqlite with lmdb; or one, as in session=last".to_owned(),
        Ok(Opening::Pair { a, b }) => format!("A {a} · B {b}"),
        Ok(Opening::Beside { reference }) => format!("all configurations of its sessions compared with {reference}"),
        Ok(_) => String::new(),
        Err(reason) => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &str, b: &str) -> Result<Opening, String> {
        Ok(Opening::Pair { a: a.to_owned(), b: b.to_owned() })
    }

    #[test]
    fn engines_labels_and_terms_stand_around_the_word() {
        assert_eq!(opening_of("sqlite with redb"), pair("engine=sqlite", "engine=redb"));
        let (a, b) = ("sqlite[journal_mode=wal] size=1000", "engine=redb size=1000");
        assert_eq!(opening_of(&format!("{a} with {b}")), pair(&format!("label={a}"), b));
        assert_eq!(opening_of("redb size=1000 with lmdb"), pair("engine=redb size=1000", "engine=lmdb"));
        assert_eq!(opening_of("session=last"), Ok(Opening::Beside { reference: "session=last".to_owned() }));
    }

    #[test]
    fn a_side_that_is_missing_or_wrong_is_named() {
        for wrong in ["", "with", "sqlite with", "with redb", "sqlite with "] {
            let error = opening_of(wrong).unwrap_err();
            assert!(error.starts_with("``: expected an engine"), "{wrong}: {error}");
        }
        let error = opening_of("tier>=high with redb").unwrap_err();
        assert!(error.contains("`tier>=high`: expected"), "{error}");
    }

    #[test]
    fn pairs_of_what_is_stored_are_offered_and_any_side_beside_it() {
        let engines = ["lmdb", "redb"].map(|name| ListItem::new(name, "2 runs"));
        let labels = |line: &str| completions(line, &engines).into_iter().map(|item| item.label).collect::<Vec<_>>();
        assert_eq!(labels(""), ["session=last", "lmdb with redb", "redb with lmdb", "lmdb", "redb"]);
        assert_eq!(labels("tier=3 with r"), ["tier=3 with lmdb", "tier=3 with redb"]);
    }
}
