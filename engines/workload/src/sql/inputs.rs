//! The values bound to a statement: the same for every engine.

use crate::{popular::Popular, rng::SplitMix64, template::render, words};
use dbdyno_engine::{
    sql::SqlValue,
    suite::{Draw, Literal, Parameter, StatementSpec, Template, Variables},
};
use std::fmt::Write;

/// Draws a statement's numbers, then fills `values` with one value per parameter. Reuses the memory of the previous texts. `popular`: what
/// the draws need.
pub(super) fn fill<'s>(
    values: &mut [SqlValue],
    statement: &'s StatementSpec,
    popular: &[Option<Popular>],
    variables: &mut Variables<'s>,
    rng: &mut SplitMix64,
) {
    let outer = variables.len();
    for ((name, draw), popular) in statement.draw.iter().zip(popular) {
        let drawn = match (popular, draw) {
            (Some(popular), _) => popular.record(rng),
            (None, Draw::Below(below)) => rng.below(below.value(variables).max(0) as u64),
            // They have what they need, or a program does not compile.
            (None, Draw::Popular { .. } | Draw::Keys { .. }) => 0,
        };
        variables.push((name, drawn as i64));
    }
    for (value, parameter) in values.iter_mut().zip(&statement.bind) {
        match parameter {
            Parameter::Format { format, key, blob } => {
                render_into(value, format, key.value(variables) as u64, *blob, rng);
            }
            parameter => set(value, parameter, variables),
        }
    }
    variables.truncate(outer);
}

/// Replaces a value with a rendered format.
fn render_into(value: &mut SqlValue, format: &Template, key: u64, is_blob: bool, rng: &mut SplitMix64) {
    let mut bytes = match std::mem::replace(value, SqlValue::Null) {
        SqlValue::Text(text) => text.into_bytes(),
        SqlValue::Blob(bytes) => bytes,
        _ => Vec::new(),
    };
    bytes.clear();
    render(format, &mut bytes, key, 0, rng);
    *value = if is_blob { SqlValue::Blob(bytes) } else { SqlValue::Text(printable(bytes)) };
}

/// Returns bytes as a text, in which every byte that is not printable ASCII is a letter.
fn printable(mut bytes: Vec<u8>) -> String {
    for byte in bytes.iter_mut().filter(|byte| !matches!(**byte, b' '..=b'~')) {
        *byte = b'a' + *byte % 26;
    }
    // ASCII is always valid.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Replaces a value with a parameter's value. Reuses the memory of the previous text.
#[inline]
pub(super) fn set(value: &mut SqlValue, parameter: &Parameter, variables: &Variables<'_>) {
    let number = parameter.expression().map_or(0, |expression| expression.value(variables));
    match parameter {
        Parameter::Integer(_) => *value = SqlValue::Integer(number),
        Parameter::Real { per, .. } => *value = SqlValue::Real(number as f64 / f64::from(*per)),
        Parameter::Words { prefix, suffix, .. } => {
            let text = emptied(value);
            text.push_str(prefix);
            words::push(text, number);
            text.push_str(suffix);
        }
        Parameter::Digits { width, prefix, suffix, .. } => {
            let text = emptied(value);
            text.push_str(prefix);
            // Writing to a string cannot fail.
            let _ = write!(text, "{number:0width$}");
            text.push_str(suffix);
        }
        Parameter::Repeated { repeat, .. } => {
            let text = emptied(value);
            (0..number).for_each(|_| text.push_str(repeat));
        }
        Parameter::Text { text: whole } => emptied(value).push_str(whole),
        Parameter::OneOf { one_of, .. } => {
            if let Some(literal) = one_of.get(number.rem_euclid(one_of.len().max(1) as i64) as usize) {
                set_literal(value, literal);
            }
        }
        // It is bound when the row is known. A format needs random numbers, which expected values have none of.
        Parameter::Kept { .. } | Parameter::Format { .. } => *value = SqlValue::Null,
    }
}

fn set_literal(value: &mut SqlValue, literal: &Literal) {
    match literal {
        Literal::Integer(number) => *value = SqlValue::Integer(*number),
        Literal::Real(number) => *value = SqlValue::Real(*number),
        Literal::Text(text) => emptied(value).push_str(text),
        Literal::Null { .. } => *value = SqlValue::Null,
        Literal::Blob { blob } => *value = SqlValue::Blob(blob.clone()),
    }
}

/// Returns the value as an empty text that keeps the memory of the previous text.
fn emptied(value: &mut SqlValue) -> &mut String {
    if !matches!(value, SqlValue::Text(_)) {
        *value = SqlValue::Text(String::new());
    }
    match value {
        SqlValue::Text(text) => {
            text.clear();
            text
        }
        _ => unreachable!("it was made a text above"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn parameters_are_made_as_a_suite_describes_them() {
        let statement = StatementSpec {
            sql: String::new(),
            draw: from_value(json!({ "b": 10, "a": 1 })).unwrap(),
            bind: from_value(json!([
                ["*", 2, "i"],
                { "words": "i", "prefix": "%", "suffix": "%" },
                { "digits": "i", "width": 8, "prefix": "user", "suffix": "@example.com" },
                { "real": ["-", 0, "i"], "per": 100 },
                { "repeat": "ab", "times": "i/10" },
                { "text": "as it is" },
                "b",
                "a",
            ]))
            .unwrap(),
            ..StatementSpec::default()
        };
        let mut values = vec![SqlValue::Text("left over".to_owned()); 8];
        let mut variables = vec![("i", 21)];
        fill(&mut values, &statement, &[None, None], &mut variables, &mut SplitMix64::new(1));
        let text = |text: &str| SqlValue::Text(text.to_owned());
        assert_eq!(
            values[..6],
            [
                SqlValue::Integer(42),
                text("%twenty one%"),
                text("user00000021@example.com"),
                SqlValue::Real(-0.21),
                text("abab"),
                text("as it is")
            ]
        );
        let mut rng = SplitMix64::new(1);
        let (a, b) = (rng.below(1) as i64, rng.below(10) as i64);
        assert_eq!(values[6..], [SqlValue::Integer(b), SqlValue::Integer(a)], "drawn in the order of the names");
        assert_eq!(variables, [("i", 21)]);
    }
}
