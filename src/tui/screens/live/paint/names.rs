//! Short names of configurations.

use crate::tui::widgets::paint::{fit, width};
use dbdyno_foundation::base::units::plain;

/// Returns a different name of at most `columns` columns for each configuration: whole labels if all of them fit, else engines with their
/// values (`sqlite wal/full`), cut in the middle as a last resort.
pub(super) fn names(labels: &[&str], columns: usize) -> Vec<String> {
    let whole: Vec<String> = labels.iter().map(|label| plain(label)).collect();
    if whole.iter().all(|label| width(label) <= columns) {
        return whole;
    }
    let mut names: Vec<String> = Vec::new();
    for (number, label) in (1..).zip(&whole) {
        let name = cut(&values_only(label), columns);
        // Two long names may differ only in the part that was cut out.
        let name = if names.contains(&name) { cut(&format!("{number}·{name}"), columns) } else { name };
        names.push(name);
    }
    names
}

/// `sqlite wal/full` for `sqlite[journal_mode=wal,synchronous=full]`.
pub(super) fn values_only(label: &str) -> String {
    let parts = label.split_once('[').and_then(|(engine, rest)| Some((engine, rest.rsplit_once(']')?)));
    let Some((engine, (options, after))) = parts else { return label.to_owned() };
    let values: Vec<&str> =
        options.split(',').map(|option| option.split_once('=').map_or(option, |(_, value)| value)).collect();
    format!("{engine} {}{after}", values.join("/"))
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
        assert_eq!(names(&labels, 18), ["sqlite delete/full", "sqlite wal/full", "lmdb"]);
        assert_eq!(names(&labels, 14), ["sqlite …e/full", "sqlite …l/full", "lmdb"]);
        assert_eq!(
            names(&["a[library=/usr/lib/1/long.so]", "a[library=/usr/lib/2/long.so]"], 10),
            ["a /us…g.so", "2·a /…g.so"]
        );
        assert_eq!(values_only("null[latency_ns=200]#2"), "null 200#2");
    }
}
