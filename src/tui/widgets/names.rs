//! Names of configurations: the engine, and the options in which it differs from its neighbours on the screen.

use super::paint::{fit, width};
use dbdyno_foundation::base::units::plain;
use std::collections::BTreeMap;

/// Returns a different name of at most `columns` columns for each configuration. They are the whole labels if all of them fit. Otherwise the
/// options that are the same everywhere are left out, then the names of all options (`sqlite[wal,full]`), and as a last resort the middle.
pub(crate) fn names(labels: &[&str], columns: usize) -> Vec<String> {
    let whole: Vec<String> = labels.iter().map(|label| plain(label)).collect();
    let fitting = |names: &Vec<String>| names.iter().all(|name| width(name) <= columns);
    if fitting(&whole) {
        return whole;
    }
    let telling = without_equal(&whole);
    if fitting(&telling) {
        return telling;
    }
    let mut names: Vec<String> = Vec::new();
    for (number, name) in (1..).zip(telling.iter().map(|label| values_only(label))) {
        let name = cut(&name, columns);
        // Two long names may differ only in the part that was cut out.
        let name = if names.contains(&name) { cut(&format!("{number}·{name}"), columns) } else { name };
        names.push(name);
    }
    names
}

/// The engine, its options, and the rest of a label.
type LabelParts<'l> = (&'l str, Vec<&'l str>, &'l str);

/// Splits `sqlite[synchronous=full]#2`.
fn parts(label: &str) -> Option<LabelParts<'_>> {
    let (engine, rest) = label.split_once('[')?;
    let (options, after) = rest.rsplit_once(']')?;
    Some((engine, options.split(',').collect(), after))
}

/// Leaves out the options that have one value wherever they are named, if the labels still differ.
fn without_equal(labels: &[String]) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let all: Vec<_> = labels.iter().map(|label| parts(label)).collect();
    let optioned = all.iter().flatten().count();
    for option in all.iter().flatten().flat_map(|(_, options, _)| options) {
        *seen.entry(option).or_default() += 1;
    }
    let shortened = |(label, parts): (&String, &Option<LabelParts<'_>>)| {
        let Some((engine, options, after)) = parts else { return label.clone() };
        let telling: Vec<&str> = options.iter().copied().filter(|option| seen[option] < optioned).collect();
        if telling.is_empty() { format!("{engine}{after}") } else { format!("{engine}[{}]{after}", telling.join(",")) }
    };
    let short: Vec<String> = labels.iter().zip(&all).map(shortened).collect();
    let is_told_apart = short.iter().enumerate().all(|(at, name)| !short[..at].contains(name));
    if is_told_apart { short } else { labels.to_vec() }
}

/// `sqlite[wal,full]` for `sqlite[journal_mode=wal,synchronous=full]`.
pub(crate) fn values_only(label: &str) -> String {
    let Some((engine, options, after)) = parts(label) else { return label.to_owned() };
    let value = |option: &&str| option.split_once('=').map_or(*option, |(_, value)| value).to_owned();
    format!("{engine}[{}]{after}", options.iter().map(value).collect::<Vec<_>>().join(","))
}

/// Shortens a text to its beginning and end, because names often differ only at the end.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let head = fit(text, columns / 2 + 1);
    let mut tail: Vec<char> = Vec::new();
    for c in text.chars().rev() {
        let longer: String = std::iter::once(c).chain(tail.iter().copied()).collect();
        if width(&head) + width(&longer) > columns {
            break;
        }
        tail.insert(0, c);
    }
    head + &tail.into_iter().collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_configurations_have_one_name() {
        let labels =
            ["sqlite[journal_mode=delete,synchronous=full]", "sqlite[journal_mode=wal,synchronous=full]", "lmdb"];
        assert_eq!(names(&labels, 60), labels);
        assert_eq!(names(&labels, 30), ["sqlite[journal_mode=delete]", "sqlite[journal_mode=wal]", "lmdb"]);
        assert_eq!(names(&labels, 18), ["sqlite[delete]", "sqlite[wal]", "lmdb"]);
        assert_eq!(names(&labels, 12), ["sqlite…lete]", "sqlite[wal]", "lmdb"]);
        assert_eq!(
            names(&["a[library=/usr/lib/1/long.so]", "a[library=/usr/lib/2/long.so]"], 10),
            ["a[/us….so]", "2·a[/….so]"]
        );
        // The same value of two engines tells nothing; a single configuration keeps its engine.
        assert_eq!(names(&["a[sync=full,x=1]", "b[sync=full,x=2]"], 9), ["a[x=1]", "b[x=2]"]);
        assert_eq!(names(&["a[sync=full]", "a[sync=full]"], 9), ["a[full]", "2·a[full]"]);
        assert_eq!(values_only("null[latency_ns=200]#2"), "null[200]#2");
    }
}
