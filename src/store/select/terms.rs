//! Where one term of a selection ends and the next begins.

use super::SelectionKey;

/// The signs between a key and its value.
const SIGNS: [&str; 6] = ["=", "!=", ">=", "<=", ">", "<"];

/// Splits a line at the spaces and commas before each `KEY=`, `KEY!=`, `KEY>=`, `KEY<=`, `KEY>`, `KEY<` or `KEY!`, outside of brackets;
/// also at those behind what never has one: a word, an amount, an engine.
pub(super) fn split_terms(text: &str) -> Vec<String> {
    let mut terms: Vec<&str> = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ' ' | ',' | '\t' | '\n'
                if depth == 0
                    && (begins_term(&text[at + c.len_utf8()..])
                        || ends_term(&text[start..at], c, &text[at + c.len_utf8()..])) =>
            {
                terms.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    let ends = |c: char| c.is_whitespace() || c == ',';
    terms.into_iter().map(|term| term.trim_matches(ends).to_owned()).filter(|term| !term.is_empty()).collect()
}

/// Whether a name of an option or key may have this character.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/+".contains(c)
}

/// Whether a term ends before a space or comma, whatever comes next.
fn ends_term(term: &str, by: char, next: &str) -> bool {
    let term = term.trim();
    let goes_on = |c: Option<char>| c.is_some_and(|c| matches!(c, '|' | ','));
    if term.is_empty() || goes_on(term.chars().last()) || goes_on(next.trim_start().chars().next()) {
        return false;
    }
    let before = before_brackets(term);
    let Some(at) = SIGNS.iter().filter_map(|sign| before.find(sign)).min() else { return true };
    let value = term[at..].trim_start_matches(['!', '=', '<', '>']);
    let key = SelectionKey::parse(&term[..at]);
    // A day may have a time behind it.
    let is_amount = term[at..].starts_with(['<', '>']) && key.as_ref().is_ok_and(|key| *key != SelectionKey::Started);
    by != ',' && !value.is_empty() && (is_amount || key.is_ok_and(|key| key.is_without_spaces()))
}

/// Where the sign of a term can be: a label that is typed alone has signs in its brackets.
pub(super) fn before_brackets(term: &str) -> &str {
    term.split('[').next().unwrap_or(term)
}

/// Whether a key with an operator comes next.
fn begins_term(text: &str) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    let is_missing =
        || rest.strip_prefix('!').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', '\t', '\n']));
    rest.len() < text.len() && (SIGNS.iter().any(|operator| rest.starts_with(operator)) || is_missing())
}

#[cfg(test)]
mod tests {
    use super::*;

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
