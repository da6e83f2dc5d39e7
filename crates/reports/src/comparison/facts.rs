//! The text above and below the figures, the same in every output for people.

use super::words;
use dbdyno_comparing::compare::{Comparison, MeasuredConfiguration, SideFacts};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::units::counted;
use dbdyno_store::RunConfiguration;
use std::collections::{BTreeMap, BTreeSet};

/// The most configurations of a side that are named one by one. For more, their differences are listed.
const NAMED: usize = 2;

/// Returns the lines above a table: what is compared, with the counts of both sides.
pub fn head(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![side("A", &comparison.a), side("B", &comparison.b)];
    let basis = words::figure(comparison.metric).into_iter().chain(words::basis(comparison));
    lines.push(basis.chain([words::noise(comparison)]).collect::<Vec<_>>().join(" · "));
    lines.extend(words::days_and_places(comparison));
    lines
}

/// Returns the selection of a side. A list of sessions is shown as their number and their days, which say more than identifiers.
pub fn selection(side: &SideFacts) -> String {
    let days: BTreeSet<&str> = side.sessions.iter().map(|one| one.started_at.get(..10).unwrap_or_default()).collect();
    let shown = |term: &str| match term.strip_prefix("session=") {
        Some(ids) if ids.contains('|') && !days.is_empty() => {
            format!("· {}, {}", counted(side.sessions.len(), "session"), words::span(&days))
        }
        _ => term.to_owned(),
    };
    side.selection.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

/// `A  engine=lmdb: 30 runs, 240 results of tests, 1 session: lmdb (LMDB 0.9.33, tier 3 power-safe)`.
pub fn side(name: &str, side: &SideFacts) -> String {
    let configurations = configurations(side);
    format!(
        "{name}  {}: {}, {} of tests, {}{}{configurations}",
        selection(side),
        counted(side.runs, "run"),
        counted(side.results, "result"),
        counted(side.sessions.len(), "session"),
        if configurations.is_empty() { "" } else { ": " },
    )
}

/// Names each configuration of a side once: `lmdb (0.9.33, tier 3 power-safe)`. Options that follow from the size do not count.
pub fn named(side: &SideFacts) -> Vec<String> {
    let one = |one: &MeasuredConfiguration| {
        format!("{} ({}, tier {})", one.label, one.configuration.version, one.configuration.tier_words())
    };
    unique(side.configurations.iter().map(one))
}

/// Says whether configurations are equally durable: `Equal durability: tier 3 power-safe (commits survive a power loss).`
pub(super) fn durability<'c>(sides: impl Iterator<Item = &'c SideFacts>) -> Option<String> {
    let mut tiers: Vec<(String, Vec<String>)> = Vec::new();
    for one in sides.flat_map(|side| &side.configurations) {
        let tier = match one.configuration.tier.map(Tier::try_from) {
            Some(Ok(known)) => format!("{} ({})", one.configuration.durability(), known.promise()),
            _ => one.configuration.durability(),
        };
        let place = tiers.iter().position(|(known, _)| *known == tier).unwrap_or_else(|| {
            tiers.push((tier, Vec::new()));
            tiers.len() - 1
        });
        if !tiers[place].1.contains(&one.label) {
            tiers[place].1.push(one.label.clone());
        }
    }
    match tiers.as_slice() {
        [] => None,
        [(tier, _)] if tier == "unknown" => Some("Durability is unknown.".to_owned()),
        [(tier, _)] => Some(format!("Equal durability: tier {tier}.")),
        several => {
            let part = |(tier, labels): &(String, Vec<String>)| format!("{} tier {tier}", named_few(labels));
            Some(format!("Unequal durability: {}.", several.iter().map(part).collect::<Vec<_>>().join("; ")))
        }
    }
}

/// Names a few configurations, or counts them.
fn named_few(labels: &[String]) -> String {
    match labels.split_at_checked(NAMED) {
        Some((few, rest)) if !rest.is_empty() => format!("{} and {} more", few.join(", "), rest.len()),
        _ => labels.join(", "),
    }
}

fn configurations(side: &SideFacts) -> String {
    let all_of: Vec<&MeasuredConfiguration> = side.configurations.iter().collect();
    let engine = |one: &MeasuredConfiguration| format!("{} {}", one.configuration.engine, one.configuration.version);
    let all = named(side);
    if all.len() <= NAMED {
        return all.join("; ");
    }
    let differ: Vec<String> = facts_of(&all_of)
        .into_iter()
        .filter(|(_, values)| values.len() > 1)
        .map(|(name, values)| format!("{name} {}", values.join(" | ")))
        .collect();
    let engines = unique(side.configurations.iter().map(engine)).join(", ");
    let differ = if differ.is_empty() { String::new() } else { format!("; {}", differ.join(", ")) };
    format!("{} of {engines}{differ}", counted(all.len(), "configuration"))
}

/// Returns each value once, in the order of first occurrence.
fn unique(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
}

/// Sorts values in numeric order; values that are not numbers come last.
fn by_number(mut values: Vec<String>) -> Vec<String> {
    let number = |value: &str| value.parse::<f64>().unwrap_or(f64::INFINITY);
    values.sort_by(|one, next| number(one).total_cmp(&number(next)).then_with(|| one.cmp(next)));
    values
}

/// Returns the values of each option of engine and suite, with `none` for configurations without it.
fn facts_of<'c>(configurations: &[&'c MeasuredConfiguration]) -> BTreeMap<&'c str, Vec<String>> {
    let has = |one: &MeasuredConfiguration, name: &str| {
        let RunConfiguration { options, suite_options, .. } = &one.configuration;
        options.get(name).or_else(|| suite_options.get(name)).cloned()
    };
    let names = configurations.iter().flat_map(|one| {
        let configuration = &one.configuration;
        configuration.suite_options.keys().chain(configuration.options.keys())
    });
    names
        .map(|name| {
            let values = configurations.iter().map(|one| has(one, name).unwrap_or_else(|| "none".to_owned()));
            (name.as_str(), by_number(unique(values)))
        })
        .collect()
}

/// Lists the options in force: first those that all sides share, then those of each side.
pub fn options(comparison: &Comparison) -> Vec<String> {
    options_of(&[("A", &comparison.a), ("B", &comparison.b)])
}

/// Lists the options of sides by their names, like [`options`]. Each engine of a side has its own line, because options belong to an
/// engine.
pub(super) fn options_of(sides: &[(&str, &SideFacts)]) -> Vec<String> {
    let parts: Vec<EnginePart<'_>> = sides
        .iter()
        .flat_map(|(name, side)| by_engine(side).into_iter().map(|all| EnginePart::new(name, all)))
        .collect();
    let is_common = |name: &str| {
        let mut all = parts.iter().map(|part| part.facts.get(name));
        let first = all.next().flatten();
        parts.len() > 1 && first.is_some_and(|values| values.len() == 1) && all.all(|values| values == first)
    };
    let text = |(name, values): (&&str, &Vec<String>)| format!("{name}={}", values.join("|"));
    let first = parts.first().map(|part| &part.facts);
    let common: Vec<String> = first.into_iter().flatten().filter(|(name, _)| is_common(name)).map(text).collect();
    let all = if sides.len() == 2 { "A and B" } else { "all" };
    let shared = (!common.is_empty()).then(|| format!("{all}: {}", common.join(" ")));
    let of_part = |part: &EnginePart<'_>| {
        let own: Vec<String> = part.facts.iter().filter(|(name, _)| !is_common(name)).map(text).collect();
        let own = match (own.is_empty(), shared.is_some()) {
            (true, true) => "no other options".to_owned(),
            (true, false) => "no options".to_owned(),
            (false, _) => own.join(" "),
        };
        format!("{} {}: {own}", part.side, what(&part.all)).trim_start().to_owned()
    };
    shared.clone().into_iter().chain(parts.iter().map(of_part)).collect()
}

/// The configurations of one engine on a side.
struct EnginePart<'c> {
    /// The name of the side.
    side: &'c str,
    all: Vec<&'c MeasuredConfiguration>,
    facts: BTreeMap<&'c str, Vec<String>>,
}

impl<'c> EnginePart<'c> {
    fn new(side: &'c str, all: Vec<&'c MeasuredConfiguration>) -> Self {
        Self { side, facts: facts_of(&all), all }
    }
}

/// Groups the configurations of a side by engine, in the order of first occurrence.
fn by_engine(side: &SideFacts) -> Vec<Vec<&MeasuredConfiguration>> {
    let mut parts: Vec<Vec<&MeasuredConfiguration>> = Vec::new();
    for one in &side.configurations {
        match parts.iter_mut().find(|part| part[0].configuration.engine == one.configuration.engine) {
            Some(part) => part.push(one),
            None => parts.push(vec![one]),
        }
    }
    parts
}

/// `lmdb 0.9.70 on kv 1000 2000`.
fn what(all: &[&MeasuredConfiguration]) -> String {
    let labels = unique(all.iter().map(|one| one.label.clone()));
    let engines = unique(all.iter().map(|one| one.configuration.engine.clone()));
    let names = if labels.len() <= NAMED { labels } else { engines };
    let versions = unique(all.iter().map(|one| one.configuration.version.clone()));
    let suites = unique(all.iter().map(|one| one.configuration.suite.clone()));
    let sizes = by_number(unique(all.iter().flat_map(|one| one.sizes.iter().cloned())));
    format!("{} {} on {} {}", names.join(" | "), versions.join(" | "), suites.join(" | "), sizes.join(" "))
}

/// The heading of the explanations of words. Pages link to it from their answer.
pub(super) const GLOSSARY: &str = "What the words mean";

/// Explains the words of a report.
pub(super) fn glossary() -> Vec<String> {
    let words = [
        "tier: what a commit survives. 3 power-safe: a power loss. 2 consistent: a power loss that may take the latest commits, and nothing else. 1 process-safe: a crash of the program; a power loss may corrupt the database. 0 unsafe: nothing is promised",
        "faster, slower: a difference beyond chance and the noise of the machine; 5 % of all differences shown may be false",
        "same: shown to be within 3 %; undecided: neither is shown, and n more rounds would decide it in 9 of 10 cases",
        "2.5x (2.0-3.2): the factor, and the interval that has the true one with a confidence of 95 %",
        "geometric mean: the factor over all tests, each with the same weight",
        "p50, p99: the time that 50 % or 99 % of the operations do not exceed",
        "doubts: what may make the figures wrong, unequal or uncertain; dbdyno finds them itself",
    ];
    words.map(str::to_owned).to_vec()
}

/// Returns the last line: the version of dbdyno, and the command that creates the report.
pub fn origin(comparison: &Comparison) -> String {
    format!("dbdyno {} · {}", comparison.dbdyno_version, comparison.command)
}
