//! Where one term of a selection ends and the next begins.

/// Splits a line at the spaces and commas before each `KEY=`, `KEY!=`, `KEY>=`, `KEY<=` or `KEY!`, outside of brackets.
pub(super) fn split_terms(text: &str) -> Vec<String> {
    let mut terms: Vec<&str> = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ' ' | ',' | '\t' | '\n' if depth == 0 && begins_term(&text[at + c.len_utf8()..]) => {
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

/// Whether a key with an operator comes next.
fn begins_term(text: &str) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    let is_missing =
        || rest.strip_prefix('!').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', '\t', '\n']));
    rest.len() < text.len()
        && (["=", "!=", ">=", "<="].iter().any(|operator| rest.starts_with(operator)) || is_missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_commas_part_terms_and_stay_in_values() {
        let cases: [(&str, &[&str]); 8] = [
            ("engine=lmdb a.b/c=1 größe=2", &["engine=lmdb", "a.b/c=1", "größe=2"]),
            ("engine=sqlite rowsum! source!,test=Go go", &["engine=sqlite", "rowsum!", "source!", "test=Go go"]),
            ("engine=lmdb size=10000", &["engine=lmdb", "size=10000"]),
            (" engine=lmdb,size=2,3 , tier>=2", &["engine=lmdb", "size=2,3", "tier>=2"]),
            ("test=Random reads, size!=10", &["test=Random reads", "size!=10"]),
            ("label=sqlite[a=1,b=2] test=3", &["label=sqlite[a=1,b=2]", "test=3"]),
            ("", &[]),
            ("lmdb", &["lmdb"]),
        ];
        for (line, terms) in cases {
            assert_eq!(split_terms(line), terms, "{line}");
        }
    }
}
