//! The values of a term: `wal|delete`, `*EPYC*`, and `a\|b` for a `|` inside a value.

/// The text or pattern that a value is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValuePattern {
    /// Exactly this text.
    Exact(String),
    /// A pattern of SQL's LIKE with `\` as its escape; case does not matter.
    Like(String),
}

impl ValuePattern {
    /// Returns a pattern for everything that begins with this text.
    pub(super) fn prefix(text: &str) -> Self {
        Self::Like(text.chars().flat_map(like).chain(['%']).collect())
    }

    /// Returns a pattern for everything that contains a match of this value; `None` if the value is empty.
    pub(super) fn containing(value: &Self) -> Option<Self> {
        let inner: String = match value {
            Self::Exact(text) => text.chars().flat_map(like).collect(),
            Self::Like(pattern) => pattern.clone(),
        };
        (!inner.is_empty()).then(|| Self::Like(format!("%{inner}%")))
    }

    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// Returns the text that is bound.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Like(text) => text,
        }
    }
}

/// Escapes one character so that LIKE takes it literally.
fn like(c: char) -> impl Iterator<Item = char> {
    matches!(c, '%' | '_' | '\\').then_some('\\').into_iter().chain([c])
}

/// Returns a term's value that matches exactly this text, whatever its characters.
pub fn literal(text: &str) -> String {
    text.chars().flat_map(|c| matches!(c, '|' | '*' | '\\').then_some('\\').into_iter().chain([c])).collect()
}

/// Splits `text` at each `|`. A `*` matches any characters; `\|`, `\*` and `\\` are these characters themselves.
pub(super) fn parse(text: &str) -> Vec<ValuePattern> {
    let mut parts = vec![Vec::new()];
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let part = match (c, characters.peek()) {
            ('\\', Some(&escaped @ ('|' | '*' | '\\'))) => {
                characters.next();
                PatternPart::Literal(escaped)
            }
            ('|', _) => {
                parts.push(Vec::new());
                continue;
            }
            ('*', _) => PatternPart::Any,
            _ => PatternPart::Literal(c),
        };
        if let Some(last) = parts.last_mut() {
            last.push(part);
        }
    }
    parts.into_iter().map(|parts| value(&parts)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternPart {
    Literal(char),
    Any,
}

fn value(parts: &[PatternPart]) -> ValuePattern {
    if !parts.contains(&PatternPart::Any) {
        let text: String = parts.iter().map(|part| if let PatternPart::Literal(c) = part { *c } else { '*' }).collect();
        return ValuePattern::Exact(text.trim().to_owned());
    }
    let mut pattern = String::new();
    for part in parts {
        match part {
            PatternPart::Literal(c) => pattern.extend(like(*c)),
            PatternPart::Any => pattern.push('%'),
        }
    }
    ValuePattern::Like(pattern.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_parts_values_and_a_backslash_takes_its_meaning() {
        let exact = |text: &str| ValuePattern::Exact(text.to_owned());
        assert_eq!(parse("wal| delete"), [exact("wal"), exact("delete")]);
        assert_eq!(parse(r"a\|b|c\\d"), [exact("a|b"), exact(r"c\d")]);
        assert_eq!(parse(r"C:\dir\*"), [exact(r"C:\dir*")]);
        assert_eq!(parse("*100%_EPYC*"), [ValuePattern::Like(r"%100\%\_EPYC%".to_owned())]);
        assert_eq!(parse(&literal(r"a|b*c\d")), [exact(r"a|b*c\d")]);
        assert_eq!(ValuePattern::prefix("3f_"), ValuePattern::Like(r"3f\_%".to_owned()));
    }
}
