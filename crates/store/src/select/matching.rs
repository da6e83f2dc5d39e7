//! Selections applied to rows in memory: the same grammar for lists that are not read from the store.

use super::{
    Selection, SelectionKey,
    term::{SelectionTerm, TermOperator},
    values::ValuePattern,
};

/// The values of a row in memory that terms can use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectableRow {
    /// The text that is searched for words.
    pub text: String,
    /// Values by key words; a key may have several.
    pub values: Vec<(&'static str, String)>,
}

impl Selection {
    /// Whether the selection includes a row.
    pub fn means(&self, row: &SelectableRow) -> bool {
        self.each().iter().all(|term| term.means(row))
    }

    /// Returns the first key that is not in `keys`: it cannot narrow a list whose rows have only those.
    pub fn key_beside(&self, keys: &[&str]) -> Option<&str> {
        let is_other = |key: &&SelectionKey| **key != SelectionKey::Words && !keys.contains(&key.word());
        self.each().iter().map(|term| &term.key).find(is_other).map(SelectionKey::word)
    }
}

impl SelectionTerm {
    fn means(&self, row: &SelectableRow) -> bool {
        if self.key == SelectionKey::Words {
            return self.values.iter().any(|value| is_like(value, &row.text));
        }
        let word = self.key.word();
        let mut own = row.values.iter().filter(|(key, _)| *key == word).map(|(_, value)| value.as_str());
        let number = |at: usize| self.values.get(at).and_then(|value| value.text().parse::<f64>().ok());
        let mut compared = |holds: fn(f64, f64) -> bool| {
            number(0).is_some_and(|bound| own.any(|value| value.parse().is_ok_and(|value| holds(value, bound))))
        };
        match self.operator {
            TermOperator::Is | TermOperator::IsOrAddsTo => {
                own.any(|value| self.values.iter().any(|meant| is_like(meant, value)))
            }
            TermOperator::IsNot => !own.any(|value| self.values.iter().any(|meant| is_like(meant, value))),
            TermOperator::AtLeast => compared(|value, bound| value >= bound),
            TermOperator::AtMost => compared(|value, bound| value <= bound),
            TermOperator::Above => compared(|value, bound| value > bound),
            TermOperator::Below => compared(|value, bound| value < bound),
            TermOperator::Between => match (number(0), number(1)) {
                (Some(low), Some(high)) => {
                    own.any(|value| value.parse().is_ok_and(|value: f64| value >= low && value <= high))
                }
                _ => false,
            },
            TermOperator::Missing => own.next().is_none(),
        }
    }
}

/// Whether a text matches a value. Case does not matter, because users type names of tests from memory.
fn is_like(value: &ValuePattern, text: &str) -> bool {
    match value {
        ValuePattern::Exact(exact) => exact.to_lowercase() == text.to_lowercase(),
        ValuePattern::Like(pattern) => {
            let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
            let text: Vec<char> = text.to_lowercase().chars().collect();
            fits(&pattern, &text)
        }
    }
}

/// Matches SQL's LIKE with `\` as its escape.
fn fits(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    // The position of the last `%`, and the end of the text that it has matched.
    let mut any: Option<(usize, usize)> = None;
    loop {
        let (meant, length) = match (pattern.get(at), pattern.get(at + 1)) {
            (Some('%'), _) => {
                any = Some((at, place));
                at += 1;
                continue;
            }
            (Some('\\'), Some(escaped)) => (Some(escaped), 2),
            (other, _) => (other, 1),
        };
        match (meant, text.get(place)) {
            (None, None) => return true,
            (Some(meant), Some(found)) if meant == found => (at, place) = (at + length, place + 1),
            // Let the `%` match one more character.
            (_, _) => match any {
                Some((star, taken)) if taken < text.len() => {
                    any = Some((star, taken + 1));
                    (at, place) = (star + 1, taken + 1);
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_memory_are_narrowed_by_the_same_terms() {
        let values = [("test", "2"), ("test", "Random reads"), ("size", "10000")];
        let row = SelectableRow {
            text: "2 Random reads 100%_\\".to_owned(),
            values: values.map(|(key, value)| (key, value.to_owned())).to_vec(),
        };
        let means = |line: &str| Selection::parse_line(line).unwrap().means(&row);
        for line in
            ["", "rand", "READS random", "test=2", "test=random reads", "test=R*d*s", "size>=10k", "size<1M", "100%_"]
        {
            assert!(means(line), "{line}");
        }
        for line in ["write", "reads write", "test=3", "test!=2", "size>10k", "size=1..9", "size!", "engine=x", "1%0"] {
            assert!(!means(line), "{line}");
        }
        assert!(means("engine!") && means("write|rand") && means("size=1k..1M"));
        let other = Selection::parse_line("reads size=1 engine=x").unwrap();
        assert_eq!(other.key_beside(&["test", "size"]), Some("engine"));
    }
}
