//! The boundaries between the terms of a selection.

use super::SelectionKey;

/// The signs between a key and its value.
const SIGNS: [&str; 6] = ["=", "!=", ">=", "<=", ">", "<"];

/// Splits a line at the spaces and commas before each `KEY=`, `KEY!=`, `KEY>=`, `KEY<=`, `KEY>`, `KEY<` or `KEY!`, outside of brackets.
/// Also splits after terms that never contain them: a word, an amount, an engine.
pub(super) fn split_terms(text: &str) -> Vec<String> {
    let mut terms: Vec<&str> = Vec::new();
    let mut term = OpenTerm::default();
    let mut next = NextSolid::default();
    for (at, c) in text.char_indices() {
        if matches!(c, ' ' | ',' | '\t' | '\n') && term.depth == 0 {
            let rest = at + c.len_utf8();
            if begins_term(&text[rest..]) || term.ends(c, next.after(text, rest)) {
                terms.push(&text[term.start..at]);
                term = OpenTerm { start: rest, ..OpenTerm::default() };
                continue;
            }
        }
        term.push(text, at, c);
    }
    terms.push(&text[term.start..]);
    let ends = |c: char| c.is_whitespace() || c == ',';
    terms.into_iter().map(|term| term.trim_matches(ends).to_owned()).filter(|term| !term.is_empty()).collect()
}

/// A term while it is being read. It stores what is already known, so that the cost is linear in the line's length.
#[derive(Debug, Default)]
struct OpenTerm {
    start: usize,
    /// Number of open brackets.
    depth: usize,
    /// Whether it has had a bracket.
    has_brackets: bool,
    /// Position of its sign.
    sign: Option<usize>,
    /// Whether its values contain no spaces, known once it has a sign.
    is_without_spaces: bool,
    is_amount: bool,
    /// Start of the value after the sign.
    value: Option<usize>,
    /// Its last non-space character with its position.
    last: Option<(usize, char)>,
}

impl OpenTerm {
    fn push(&mut self, text: &str, at: usize, c: char) {
        match c {
            '[' => (self.depth, self.has_brackets) = (self.depth + 1, true),
            ']' => self.depth = self.depth.saturating_sub(1),
            '=' | '<' | '>' if self.sign.is_none() && !self.has_brackets => self.push_sign(text, at, c),
            _ => {}
        }
        if self.sign.is_some() && self.value.is_none() && !matches!(c, '!' | '=' | '<' | '>') {
            self.value = Some(at);
        }
        if !c.is_whitespace() {
            self.last = Some((at, c));
        }
    }

    fn push_sign(&mut self, text: &str, at: usize, c: char) {
        let is_not = c == '=' && text[self.start..at].ends_with('!');
        let sign = if is_not { at - 1 } else { at };
        let key = SelectionKey::parse(text[self.start..sign].trim_start());
        // A time may follow a day.
        self.is_amount = c != '=' && key.as_ref().is_ok_and(|key| *key != SelectionKey::Started);
        self.is_without_spaces = key.is_ok_and(|key| key.is_without_spaces());
        self.sign = Some(sign);
    }

    /// Whether it ends before a space or comma, whatever follows.
    fn ends(&self, by: char, next: Option<char>) -> bool {
        let goes_on = |c: char| matches!(c, '|' | ',');
        let Some((last, c)) = self.last else { return false };
        if goes_on(c) || next.is_some_and(goes_on) {
            return false;
        }
        if self.sign.is_none() {
            return true;
        }
        let has_value = self.value.is_some_and(|value| value <= last);
        by != ',' && has_value && (self.is_amount || self.is_without_spaces)
    }
}

/// The next non-space character, searched for once in each run of spaces.
#[derive(Debug, Default)]
struct NextSolid {
    at: usize,
    found: Option<char>,
}

impl NextSolid {
    fn after(&mut self, text: &str, at: usize) -> Option<char> {
        if at > self.at {
            let rest = text[at..].trim_start();
            (self.at, self.found) = (text.len() - rest.len(), rest.chars().next());
        }
        self.found
    }
}

/// Whether a name of an option or key may contain this character.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/+".contains(c)
}

/// Returns the part of a term that may contain its sign: a label alone has signs in its brackets.
pub(super) fn before_brackets(term: &str) -> &str {
    term.split('[').next().unwrap_or(term)
}

/// Whether a key with an operator follows.
fn begins_term(text: &str) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    let is_missing =
        || rest.strip_prefix('!').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', '\t', '\n']));
    rest.len() < text.len() && (SIGNS.iter().any(|operator| rest.starts_with(operator)) || is_missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of a million characters must be split immediately; in quadratic time it would take hours.
    #[test]
    fn what_a_line_costs_grows_with_its_length() {
        for part in [" ", "a ", ", ", "test=a b ", "a=", "[ ", "[] ", "a|", "wall>"] {
            for begin in ["", "test=", "engine=", "x[", "wall>"] {
                let line = format!("{begin}{}", part.repeat((1 << 20) / part.len()));
                let kept: usize = split_terms(&line).iter().map(String::len).sum();
                assert!(kept <= line.len(), "{begin}{part}");
            }
        }
    }

    #[test]
    fn spaces_and_commas_part_terms_and_stay_in_values() {
        let cases: [(&str, &[&str]); 14] = [
            ("engine=lmdb a.b/c=1 größe=2", &["engine=lmdb", "a.b/c=1", "größe=2"]),
            ("engine=sqlite rowsum! source!,test=Go go", &["engine=sqlite", "rowsum!", "source!", "test=Go go"]),
            ("engine=lmdb size=10000", &["engine=lmdb", "size=10000"]),
            (" engine=lmdb,size=2,3 , tier>=2", &["engine=lmdb", "size=2,3", "tier>=2"]),
            ("test=Random reads, size!=10", &["test=Random reads", "size!=10"]),
            ("label=sqlite[a=1,b=2] test=3", &["label=sqlite[a=1,b=2]", "test=3"]),
            ("", &[]),
            ("lmdb", &["lmdb"]),
            ("random lmdb, p99>1ms test=Random reads", &["random", "lmdb", "p99>1ms", "test=Random reads"]),
            ("size=10k lmdb|redb engine=lmdb | redb rand", &["size=10k", "lmdb|redb", "engine=lmdb | redb", "rand"]),
            ("engine=lmdb, sqlite", &["engine=lmdb, sqlite"]),
            ("tag! wall<2s seq", &["tag!", "wall<2s", "seq"]),
            ("started>2026-11-14 09:30", &["started>2026-11-14 09:30"]),
            ("sqlite[a=1, b=2] seq", &["sqlite[a=1, b=2]", "seq"]),
        ];
        for (line, terms) in cases {
            assert_eq!(split_terms(line), terms, "{line}");
        }
    }
}
