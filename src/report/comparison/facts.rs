//! What is said above and below the figures, the same in every output for people.

use super::words;
use crate::compare::Comparison;

/// The lines above a table: what is compared, with the counts of both sides.
pub(crate) fn head(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![words::side("A", &comparison.a), words::side("B", &comparison.b)];
    let basis = words::figure(comparison.metric).into_iter().chain(words::basis(comparison));
    lines.push(basis.chain([words::noise(comparison)]).collect::<Vec<_>>().join(" · "));
    lines
}

/// Options in force, with those first in which A and B differ.
pub(crate) fn options(comparison: &Comparison) -> Vec<String> {
    let sides = [("A", &comparison.a), ("B", &comparison.b)];
    let mut lines = Vec::new();
    for (name, side) in sides {
        for one in &side.configurations {
            let options = one.configuration.options.iter();
            let suite = one.configuration.suite_options.iter();
            let text: Vec<String> = options.chain(suite).map(|(name, value)| format!("{name}={value}")).collect();
            lines.push(format!(
                "{name} {} {} on {} {}: {}",
                one.label,
                one.configuration.version,
                one.configuration.suite,
                one.sizes.join(" "),
                if text.is_empty() { "no options".to_owned() } else { text.join(" ") }
            ));
        }
    }
    lines
}

/// The last lines: where it was measured, by what, and how to have it again.
pub(crate) fn origin(comparison: &Comparison) -> Vec<String> {
    let mut lines: Vec<String> =
        words::places(comparison).into_iter().map(|place| format!("measured on {place}")).collect();
    lines.push(format!("dbdyno {} · {}", comparison.dbdyno_version, comparison.command));
    lines
}
