//! Known answers that engines in every language must give: the answers of a model in Python, which engines in Go read too.

use dbdyno_engine::{
    protocol::DIGEST,
    sql::SqlValueRef,
    suite::{Expression, Variables},
};
use dbdyno_workload::{digest::Digest, histogram, rng::SplitMix64, words};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The output of tests/tables/shared/make.py. Numbers that may be too large for other languages are texts.
#[derive(Deserialize)]
struct Answers {
    splitmix64: Vec<Drawn>,
    streams: Vec<Stream>,
    digests: Vec<OfFields>,
    values: Vec<OfValues>,
    words: Vec<InWords>,
    expressions: Vec<Worked>,
    variables: BTreeMap<String, i64>,
    histogram: Samples,
}

#[derive(Deserialize)]
struct Drawn {
    seed: String,
    next: Vec<String>,
}

#[derive(Deserialize)]
struct Stream {
    seed: String,
    number: u64,
    bounds: Vec<String>,
    below: Vec<String>,
}

#[derive(Deserialize)]
struct OfFields {
    fields: Vec<String>,
    digest: String,
}

#[derive(Deserialize)]
struct OfValues {
    values: Vec<Value>,
    digest: String,
}

#[derive(Deserialize)]
struct InWords {
    number: String,
    words: String,
}

#[derive(Deserialize)]
struct Worked {
    tree: Expression,
    value: String,
}

#[derive(Deserialize)]
struct Samples {
    latencies: Vec<String>,
    encoded: String,
}

fn answers() -> Answers {
    serde_json::from_str(include_str!("tables/shared/answers.json")).unwrap()
}

fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    (0..hexadecimal.len()).step_by(2).map(|at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn the_generator_draws_what_it_draws_in_every_language() {
    for drawn in answers().splitmix64 {
        let mut rng = SplitMix64::new(number(&drawn.seed));
        drawn.next.iter().for_each(|next| assert_eq!(rng.next_u64(), number(next)));
    }
    for stream in answers().streams {
        let mut rng = SplitMix64::stream(number(&stream.seed), stream.number);
        for (bound, below) in stream.bounds.iter().zip(&stream.below) {
            assert_eq!(rng.below(number(bound)), number(below), "below {bound}");
        }
    }
}

#[test]
fn digests_are_those_of_every_language() {
    for of in answers().digests {
        let mut digest = Digest::default();
        of.fields.iter().for_each(|field| digest.bytes(&bytes(field)));
        assert_eq!(digest.to_text(), of.digest, "{:?}", of.fields);
        assert!(of.digest.starts_with(DIGEST));
    }
    for of in answers().values {
        let mut digest = Digest::default();
        for value in &of.values {
            match value {
                Value::Number(number) => digest.value(
                    number.as_i64().map_or_else(|| SqlValueRef::Real(number.as_f64().unwrap()), SqlValueRef::Integer),
                ),
                Value::String(text) => digest.value(SqlValueRef::Text(text.as_bytes())),
                Value::Object(blob) => digest.value(SqlValueRef::Blob(&bytes(blob["blob"].as_str().unwrap()))),
                _ => digest.value(SqlValueRef::Null),
            }
        }
        assert_eq!(digest.to_text(), of.digest, "{:?}", of.values);
    }
}

#[test]
fn numbers_are_spelt_and_expressions_worked_out_as_in_every_language() {
    let answers = answers();
    for of in &answers.words {
        let mut text = String::new();
        words::push(&mut text, of.number.parse().unwrap());
        assert_eq!(text, of.words);
    }
    let variables: Variables<'_> = answers.variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    for of in &answers.expressions {
        assert_eq!(of.tree.value(&variables).to_string(), of.value, "{:?}", of.tree);
    }
}

#[test]
fn a_histogram_of_another_language_is_read_as_it_was_meant() {
    let samples = answers().histogram;
    let found = histogram::from_bytes(&histogram::bytes_from_base64(&samples.encoded).unwrap()).unwrap();
    let mut expected = histogram::empty();
    samples.latencies.iter().for_each(|ns| expected.saturating_record(number(ns)));
    assert_eq!(found, expected);
}
