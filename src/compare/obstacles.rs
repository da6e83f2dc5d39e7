//! What stands against comparing the two sides of a line.

use super::{
    layout::{Laid, SideSample},
    matching::is_pooled,
    model::{Obstacle, ObstacleKind, SideName},
    options::Options,
    pairs::Matched,
};
use crate::{base::units, catalog::Difference, store::tier_words};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

/// Everything that stands against comparing these runs. `places` is where each session ran.
pub(super) fn obstacles(
    line: &Laid<'_>,
    matched: &Matched<'_>,
    places: &BTreeMap<&str, String>,
    options: &Options,
) -> Vec<Obstacle> {
    let must =
        |kind, message: Option<String>| message.map(|message| Obstacle { kind, side: None, message, allowed: false });
    if let Some(only) = must(ObstacleKind::OneSide, one_side(line)) {
        return vec![only];
    }
    let several = [(SideName::A, &line.a), (SideName::B, &line.b)].map(|(side, samples)| {
        let (kind, message) = (ObstacleKind::SeveralConfigurations, several(side, samples, &options.pooled)?);
        Some(Obstacle { kind, side: Some(side), message, allowed: false })
    });
    let fixed = several.into_iter().chain([
        must(ObstacleKind::SharedRuns, shared_runs(line)),
        must(ObstacleKind::FailedVerification, verification(line)),
        must(ObstacleKind::NoRatio, no_ratio(line)),
    ]);
    let can = |difference, message: Option<String>| {
        let allowed = options.allowed.contains(&difference);
        message.map(|message| Obstacle { kind: ObstacleKind::Differ(difference), side: None, message, allowed })
    };
    let differences = [
        can(Difference::Tiers, tiers(line)),
        can(Difference::Suites, suites(line)),
        can(Difference::SuiteOptions, suite_options(line)),
        can(Difference::Sizes, sizes(line)),
        can(Difference::Hosts, hosts(matched, places)),
        can(Difference::Memory, memory(line)),
        can(Difference::Caches, caches(line)),
    ];
    fixed.chain(differences).flatten().collect()
}

fn one_side(line: &Laid<'_>) -> Option<String> {
    let side = match (line.a.is_empty(), line.b.is_empty()) {
        (false, true) => SideName::A,
        (true, false) => SideName::B,
        _ => return None,
    };
    Some(match line.is_lone_size {
        true => format!("only {side} has size {}", line.size),
        false => format!("only {side} has {} at size {}", line.name, line.size),
    })
}

/// A side of runs that differ by more than chance has no one figure.
fn several(side: SideName, samples: &[SideSample<'_>], pooled: &BTreeSet<String>) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let configurations: BTreeSet<_> =
        kinds(samples.iter()).into_iter().map(|sample| &sample.run.configuration).collect();
    let facts: Vec<BTreeMap<&str, String>> = configurations.iter().map(|configuration| configuration.facts()).collect();
    for word in facts.iter().flat_map(BTreeMap::keys).filter(|word| !is_pooled(word, pooled)) {
        let of_word = facts.iter().map(|facts| facts.get(word).cloned().unwrap_or_else(|| "none".to_owned()));
        values.insert(word, of_word.collect());
    }
    values.retain(|_, values| values.len() > 1);
    // The tier follows from the options, and the options of another engine from the engine.
    if values.len() > 1 {
        values.remove("tier");
    }
    if values.contains_key("engine") {
        values.retain(|word, _| ["engine", "suite"].contains(word));
    }
    let (word, first) = values.iter().next().and_then(|(word, values)| Some((word, values.first()?)))?;
    let differ: Vec<String> = values.iter().map(|(word, values)| format!("{word} ({})", joined(values))).collect();
    Some(format!(
        "{side} has {} configurations, which differ in {}: narrow {side}, as with {word}={first}",
        configurations.len(),
        differ.join(", "),
    ))
}

fn shared_runs(line: &Laid<'_>) -> Option<String> {
    let of_a: BTreeSet<&str> = line.a.iter().map(|sample| &*sample.run.run_id).collect();
    let shared = line.b.iter().filter(|sample| of_a.contains(&*sample.run.run_id)).count();
    (shared > 0).then(|| {
        format!("{shared} runs are in both A and B: narrow one of them (to compare a configuration with itself, run it A against A)")
    })
}

fn verification(line: &Laid<'_>) -> Option<String> {
    let wrong =
        |samples: &[SideSample<'_>]| samples.iter().filter(|sample| sample.result.agrees == Some(false)).count();
    let sides = [("A", wrong(&line.a), line.a.len()), ("B", wrong(&line.b), line.b.len())];
    let failed: Vec<String> = sides
        .iter()
        .filter(|(_, wrong, _)| *wrong > 0)
        .map(|(side, wrong, runs)| {
            format!("{wrong} of {runs} runs of {side} gave answers that other engines do not give")
        })
        .collect();
    if !failed.is_empty() {
        return Some(failed.join("; "));
    }
    let mut answers: BTreeMap<_, u64> = BTreeMap::new();
    for sample in &line.a {
        if let (inputs, Some(answer)) = (inputs(sample), sample.result.answer) {
            answers.insert(inputs, answer);
        }
    }
    let differs = |sample: &&SideSample<'_>| {
        let answer = sample.result.answer;
        answer.is_some_and(|answer| answers.get(&inputs(sample)).is_some_and(|of_a| *of_a != answer))
    };
    let count = line.b.iter().filter(differs).count();
    (count > 0)
        .then(|| format!("A and B gave different answers to the same inputs, in {count} of {} runs", line.b.len()))
}

/// What answers follow from.
fn inputs<'s>(sample: &SideSample<'s>) -> (Option<u64>, &'s str, &'s str, &'s BTreeMap<String, String>) {
    let run = sample.run;
    (run.seed, &run.size, &run.configuration.suite, &run.configuration.suite_options)
}

fn no_ratio(line: &Laid<'_>) -> Option<String> {
    let is_zero = |sample: &SideSample<'_>| sample.value <= 0.0;
    let all = || line.a.iter().chain(&line.b);
    // Nothing on both sides is the same; else there is no ratio to nothing.
    (all().any(is_zero) && !all().all(is_zero)).then(|| "one of the values is 0, which has no ratio".to_owned())
}

fn tiers(line: &Laid<'_>) -> Option<String> {
    let (a, b) = both(line, |sample| tier_words(sample.run.configuration.tier));
    let unknown = sample_without_tier(line);
    let says = if unknown { "commits are not known to be" } else { "commits are not" };
    (a != b).then(|| format!("{says} equally durable: A is tier {}, B is tier {}", joined(&a), joined(&b)))
}

fn sample_without_tier(line: &Laid<'_>) -> bool {
    kinds(line.a.iter().chain(&line.b)).into_iter().any(|sample| sample.run.configuration.tier.is_none())
}

fn suites(line: &Laid<'_>) -> Option<String> {
    let (a, b) = both(line, |sample| sample.run.configuration.suite.clone());
    if a != b {
        return Some(format!("suites differ: A ran {}, B ran {}", joined(&a), joined(&b)));
    }
    if sizes(line).is_some() || suite_options(line).is_some() {
        return None;
    }
    let operations =
        |samples: &[SideSample<'_>]| -> BTreeSet<u64> { samples.iter().map(SideSample::operations).collect() };
    let said =
        |operations: BTreeSet<u64>| operations.into_iter().map(|count| count.to_string()).collect::<BTreeSet<_>>();
    let (a, b) = (said(operations(&line.a)), said(operations(&line.b)));
    (a != b).then(|| format!("the work differs: A did {} operations, B did {}", joined(&a), joined(&b)))
}

fn suite_options(line: &Laid<'_>) -> Option<String> {
    let options = |samples: &[SideSample<'_>]| -> BTreeMap<String, BTreeSet<String>> {
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, value) in
            kinds(samples.iter()).into_iter().flat_map(|sample| &sample.run.configuration.suite_options)
        {
            values.entry(name.clone()).or_default().insert(value.clone());
        }
        values
    };
    let (a, b) = (options(&line.a), options(&line.b));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let value = |side: &BTreeMap<String, BTreeSet<String>>, name: &String| {
        side.get(name).map_or_else(|| "none".to_owned(), joined)
    };
    let differ: Vec<String> = names
        .into_iter()
        .filter(|name| a.get(*name) != b.get(*name))
        .map(|name| format!("{name} is {} in A, {} in B", value(&a, name), value(&b, name)))
        .collect();
    (!differ.is_empty()).then(|| format!("suite options differ: {}", differ.join("; ")))
}

fn sizes(line: &Laid<'_>) -> Option<String> {
    let (a, b) = both(line, |sample| sample.run.size.to_string());
    (a != b).then(|| format!("sizes differ: A ran at {}, B at {}", joined(&a), joined(&b)))
}

fn memory(line: &Laid<'_>) -> Option<String> {
    let words = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), units::bytes);
    let (a, b) = both(line, |sample| sample.run.configuration.memory_limit);
    let said = |limits: BTreeSet<Option<u64>>| joined(&limits.into_iter().map(words).collect());
    (a != b).then(|| format!("memory limits differ: A had {}, B had {}", said(a), said(b)))
}

fn caches(line: &Laid<'_>) -> Option<String> {
    let (a, b) = both(line, |sample| sample.run.configuration.cache.clone());
    (a != b).then(|| format!("starts differ: tests of A began {}, of B {}", joined(&a), joined(&b)))
}

/// Pairs ran in one session, which is on one host; runs of different sessions have to come from one place.
fn hosts(matched: &Matched<'_>, places: &BTreeMap<&str, String>) -> Option<String> {
    let of = |samples: &[SideSample<'_>]| -> BTreeSet<String> {
        let sessions: HashSet<&str> = samples.iter().map(|sample| &*sample.run.session_id).collect();
        sessions.into_iter().filter_map(|session| places.get(session)).cloned().collect()
    };
    let (a, b) = (of(&matched.a), of(&matched.b));
    let apart = !matched.paired && a.union(&b).count() > 1;
    apart.then(|| format!("hosts or disks differ: A ran on {}, B on {}", joined(&a), joined(&b)))
}

fn both<T: Ord>(line: &Laid<'_>, value: impl Fn(&SideSample<'_>) -> T) -> (BTreeSet<T>, BTreeSet<T>) {
    let of = |samples: &[SideSample<'_>]| kinds(samples.iter()).into_iter().map(&value).collect();
    (of(&line.a), of(&line.b))
}

/// One sample of each configuration and size: what these say, all the others say too.
fn kinds<'l, 's: 'l>(samples: impl Iterator<Item = &'l SideSample<'s>>) -> Vec<&'l SideSample<'s>> {
    let mut seen = HashSet::new();
    samples.filter(|sample| seen.insert((Arc::as_ptr(&sample.run.configuration), &*sample.run.size))).collect()
}

fn joined(values: &BTreeSet<String>) -> String {
    values.iter().map(String::as_str).collect::<Vec<_>>().join(" | ")
}
