//! A comparison's runs in the Go benchmark format, for `benchstat -col side FILE`.
//!
//! Each run of a test is one line: its operations, and its time divided by them, or its value of another metric. Facts are `key: value`
//! lines that are the same for the whole file, because benchstat makes a table of its own for each of their values; only the key `side`
//! changes. See golang.org/design/14313-benchmark-format.

use super::words;
use crate::doubts::doubt_messages;
use dbdyno_comparing::compare::{Comparison, Figure, Line};
use dbdyno_foundation::metric::{Metric, Unit};
use std::collections::BTreeSet;

pub fn benchfmt(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut key = |name: &str, value: &str| out.push_str(&format!("{name}: {}\n", one_line(value)));
    key("dbdyno", &comparison.dbdyno_version);
    key("command", &comparison.command);
    for (name, side) in [("a", &comparison.a), ("b", &comparison.b)] {
        key(&format!("{name}-selection"), &side.selection);
        let of_each = |fact: &dyn Fn(&dbdyno_comparing::compare::MeasuredConfiguration) -> String| {
            side.configurations.iter().map(fact).collect::<Vec<_>>().join(" | ")
        };
        key(&format!("{name}-engine"), &of_each(&|one| format!("{} {}", one.label, one.configuration.version)));
        key(&format!("{name}-tier"), &of_each(&|one| one.configuration.tier_words()));
        key(
            &format!("{name}-options"),
            &of_each(&|one| {
                let options = one.configuration.options.iter().chain(&one.configuration.suite_options);
                options.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            }),
        );
    }
    let suites: BTreeSet<&str> = [&comparison.a, &comparison.b]
        .iter()
        .flat_map(|side| &side.configurations)
        .map(|one| one.configuration.suite.as_str())
        .collect();
    key("suite", &suites.into_iter().collect::<Vec<_>>().join(" | "));
    key("measured-on", &words::places(comparison).join(" | "));
    key("warnings", &doubt_messages(&comparison.doubts).join(" | "));
    for side in ["A", "B"] {
        out.push_str(&format!("\nside: {side}\n"));
        // Only comparable lines that count: benchstat knows no obstacles, and averages all values that it gets.
        for line in comparison.lines.iter().filter(|line| line.found.is_some() && line.actor.is_none()) {
            let figure = if side == "A" { &line.a } else { &line.b };
            let Some(Figure { values, operations, per_operation, .. }) = figure else { continue };
            let operations = (*operations).max(1);
            for value in values {
                let of = if *per_operation { 1 } else { operations };
                let (value, unit) = measured(*value, of, comparison.metric);
                out.push_str(&format!("{} {operations} {value} {unit}\n", name(line)));
            }
        }
    }
    out
}

/// Returns a value with its unit in the format: times and bytes by their usual units, everything else by the metric's name.
fn measured(value: f64, operations: u64, metric: Metric) -> (f64, String) {
    match (metric, metric.unit()) {
        (Metric::Wall | Metric::OpenAndTest | Metric::Cpu, _) => (value / operations as f64, unit_of(metric)),
        _ => (value, unit_of(metric)),
    }
}

fn unit_of(metric: Metric) -> String {
    match (metric, metric.unit()) {
        (Metric::Wall, _) => "ns/op".to_owned(),
        (Metric::OpenAndTest, _) => "open-test-ns/op".to_owned(),
        (Metric::Cpu, _) => "cpu-ns/op".to_owned(),
        (Metric::Rate, _) => "op/s".to_owned(),
        (metric, Unit::Time) => format!("{}-ns", metric.name().trim_end_matches("_ns").replace('_', "-")),
        (metric, Unit::Bytes) => format!("{}-bytes", metric.name().trim_end_matches("_bytes").replace('_', "-")),
        (metric, _) => metric.name().replace('_', "-"),
    }
}

/// Returns a name: `Benchmark02RandomReads/size=10000`. Its parts may contain neither space nor slash, and benchstat would read a number
/// after a final hyphen as a number of processors.
fn name(line: &Line) -> String {
    let words = line.name.split(|c: char| !c.is_alphanumeric()).map(|word| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    });
    let safe = |text: &str| -> String {
        text.chars().map(|c| if c.is_alphanumeric() || "._,+".contains(c) { c } else { '_' }).collect()
    };
    let parts: String = line.part.iter().map(|(key, value)| format!("/{}={}", safe(key), safe(value))).collect();
    format!("Benchmark{:02}{}/size={}{parts}", line.test, words.collect::<String>(), safe(&line.size))
}

fn one_line(text: &str) -> String {
    dbdyno_foundation::base::units::plain(text)
}
