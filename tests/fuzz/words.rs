//! Texts within files and jobs: expressions, and formats of keys and values.

use super::{Verdict, harness::Target, holds, same, samples, text, told};
use dbdyno_engine::suite::{Expression, Template};
use std::collections::BTreeMap;

fn expression(input: &[u8]) -> Verdict {
    let text = text(input);
    let expression: Expression = match text.parse() {
        Ok(expression) => expression,
        Err(error) => return told(&error, "expression", input),
    };
    let json = serde_json::to_string(&expression).map_err(|error| error.to_string())?;
    let read: Expression = serde_json::from_str(&json).map_err(|error| format!("{error}: {json:.200}"))?;
    same("a job's", &read, &expression)?;
    let constants = BTreeMap::from([("R".to_owned(), i64::MIN), ("W".to_owned(), -1)]);
    let value = expression.value(&vec![("R", i64::MIN), ("W", -1)]);
    let resolved = expression.resolve(&constants);
    same("resolved before", &resolved.value(&Vec::new()), &value)?;
    holds(expression.unknown(&|_| true).is_none(), || "a name that is known is not".to_owned())
}

fn template(input: &[u8]) -> Verdict {
    let text = text(input);
    match text.parse::<Template>() {
        Ok(template) => {
            let again = template.to_string().parse().map_err(|error| format!("{template}: {error}"))?;
            same("written", &template, &again)
        }
        Err(error) => told(&error, "{hash}", input),
    }
}

#[test]
fn expressions() {
    let all =
        samples(["(14285*i - 14284) % 500000", "1755388800000 + 421000*u + 1000*(2 + 21*a + c)", "R/W", "R % W*2"]);
    Target::new("expressions", 20_000).fuzz(&all, expression);
}

#[test]
fn templates() {
    let all = samples([
        "value_{key:08}_with",
        "{random:8-12*3/7,50%}{scattered:1}{uuid7:u16}",
        "{key:u4}\u{18}{op}{hash:20}",
        "{hash:u8}",
    ]);
    Target::new("templates", 20_000).fuzz(&all, template);
}
