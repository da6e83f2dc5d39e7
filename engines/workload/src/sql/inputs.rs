//! The values bound to a statement: the same for every engine.

use crate::{rng::SplitMix64, words};
use dbdyno_engine::{
    sql::SqlValue,
    suite::{Parameter, StatementSpec, Variables},
};
use std::fmt::Write;

/// Draws a statement's numbers, then fills `values` with one value per parameter. Reuses the memory of the previous texts.
pub(super) fn fill<'s>(
    values: &mut [SqlValue],
    statement: &'s StatementSpec,
    variables: &mut Variables<'s>,
    rng: &mut SplitMix64,
) {
    let outer = variables.len();
    for (name, below) in &statement.draw {
        let bound = below.value(variables).max(0) as u64;
        variables.push((name, rng.below(bound) as i64));
    }
    for (value, parameter) in values.iter_mut().zip(&statement.bind) {
        set(value, parameter, variables);
    }
    variables.truncate(outer);
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
            direct: None,
            objects: Vec::new(),
        };
        let mut values = vec![SqlValue::Text("left over".to_owned()); 8];
        let mut variables = vec![("i", 21)];
        fill(&mut values, &statement, &mut variables, &mut SplitMix64::new(1));
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
