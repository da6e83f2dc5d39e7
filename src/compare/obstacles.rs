//! What stands against comparing the two sides of a line.

use super::{
    evidence::Known,
    layout::{Laid, SideSample},
    matching::is_pooled,
    model::{Obstacle, ObstacleKind, SideName},
    options::Options,
    pairs::Matched,
};
use crate::{
    base::units,
    catalog::Difference,
    store::{RunTests, tier_words},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// Everything that stands against comparing these runs.
pub(super) fn obstacles(line: &Laid<'_>, matched: &Matched<'_>, known: &Known<'_>, options: &Options) -> Vec<Obstacle> {
    let must =
        |kind, message: Option<String>| message.map(|message| Obstacle { kind, side: None, message, allowed: false });
    if let Some(only) = must(ObstacleKind::OneSide, one_side(line)) {
        return vec![only];
    }
    let both = Both { a: Counts::of(&line.a), b: Counts::of(&line.b) };
    let several = [(SideName::A, &both.a), (SideName::B, &both.b)].map(|(side, counts)| {
        let (kind, message) = (ObstacleKind::SeveralConfigurations, several(side, &counts.kinds, &options.pooled)?);
        Some(Obstacle { kind, side: Some(side), message, allowed: false })
    });
    let fixed = several.into_iter().chain([
        must(ObstacleKind::SharedRuns, shared_runs(line, &known.shared)),
        must(ObstacleKind::FailedVerification, verification(line, &both)),
        must(ObstacleKind::NoRatio, no_ratio(&both)),
    ]);
    let can = |difference, message: Option<String>| {
        let allowed = options.allowed.contains(&difference);
        message.map(|message| Obstacle { kind: ObstacleKind::Differ(difference), side: None, message, allowed })
    };
    let differences = [
        can(Difference::Tiers, tiers(&both)),
        can(Difference::Suites, suites(&both)),
        can(Difference::SuiteOptions, suite_options(&both)),
        can(Difference::Sizes, sizes(&both)),
        can(Difference::Hosts, hosts(matched, &known.places)),
        can(Difference::Memory, memory(&both)),
        can(Difference::Caches, caches(&both)),
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
fn several(side: SideName, samples: &[&SideSample<'_>], pooled: &BTreeSet<String>) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let configurations: BTreeSet<_> = samples.iter().map(|sample| &sample.run.configuration).collect();
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

fn shared_runs(line: &Laid<'_>, shared: &HashSet<Uuid>) -> Option<String> {
    if shared.is_empty() {
        return None;
    }
    let is_shared = |run: &Uuid| shared.contains(run);
    let of_a: BTreeSet<Uuid> = line.a.iter().map(|sample| sample.run.run_id).filter(is_shared).collect();
    let shared = line.b.iter().filter(|sample| of_a.contains(&sample.run.run_id)).count();
    (shared > 0).then(|| {
        format!("{shared} runs are in both A and B: narrow one of them (to compare a configuration with itself, run it A against A)")
    })
}

fn verification<'s>(line: &Laid<'s>, both: &Both<'_, '_>) -> Option<String> {
    let failed: Vec<String> = [("A", &both.a), ("B", &both.b)]
        .into_iter()
        .filter(|(_, counts)| counts.wrong > 0)
        .map(|(side, Counts { wrong, samples, .. })| {
            format!("{wrong} of {samples} runs of {side} gave answers that other engines do not give")
        })
        .collect();
    if !failed.is_empty() {
        return Some(failed.join("; "));
    }
    let mut inputs = Inputs::default();
    let mut answers: HashMap<_, u64> = HashMap::new();
    for sample in &line.a {
        if let Some(answer) = sample.answer {
            answers.insert(inputs.of(sample), answer);
        }
    }
    let mut differs = |sample: &SideSample<'s>| {
        let answer = sample.answer;
        answer.is_some_and(|answer| answers.get(&inputs.of(sample)).is_some_and(|of_a| *of_a != answer))
    };
    let count = line.b.iter().filter(|sample| differs(sample)).count();
    (count > 0)
        .then(|| format!("A and B gave different answers to the same inputs, in {count} of {} runs", line.b.len()))
}

/// What answers follow from, beside the seed: size, suite and its options; each known one has a number.
#[derive(Default)]
struct Inputs<'s> {
    known: Vec<(&'s str, &'s str, &'s BTreeMap<String, String>)>,
    /// The run that was asked for last: the next one is mostly of the same.
    last: Option<(&'s RunTests, usize)>,
}

impl<'s> Inputs<'s> {
    /// Two samples with the same one must have the same answers.
    fn of(&mut self, SideSample { run, .. }: &SideSample<'s>) -> (Option<u64>, usize) {
        let is_same = |last: &RunTests| {
            Arc::ptr_eq(&last.configuration, &run.configuration) && Arc::ptr_eq(&last.size, &run.size)
        };
        if let Some((_, number)) = self.last.filter(|(last, _)| is_same(last)) {
            return (run.seed, number);
        }
        let inputs = (&*run.size, run.configuration.suite.as_str(), &run.configuration.suite_options);
        let number = self.known.iter().position(|known| *known == inputs).unwrap_or_else(|| {
            self.known.push(inputs);
            self.known.len() - 1
        });
        self.last = Some((run, number));
        (run.seed, number)
    }
}

fn no_ratio(both: &Both<'_, '_>) -> Option<String> {
    let (zeros, all) = (both.a.zeros + both.b.zeros, both.a.samples + both.b.samples);
    // Nothing on both sides is the same; else there is no ratio to nothing.
    (zeros > 0 && zeros < all).then(|| "one of the values is 0, which has no ratio".to_owned())
}

fn tiers(both: &Both<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| tier_words(sample.run.configuration.tier));
    let unknown = both.a.kinds.iter().chain(&both.b.kinds).any(|sample| sample.run.configuration.tier.is_none());
    let says = if unknown { "commits are not known to be" } else { "commits are not" };
    (a != b).then(|| format!("{says} equally durable: A is tier {}, B is tier {}", joined(&a), joined(&b)))
}

fn suites(both: &Both<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.configuration.suite.clone());
    if a != b {
        return Some(format!("suites differ: A ran {}, B ran {}", joined(&a), joined(&b)));
    }
    if sizes(both).is_some() || suite_options(both).is_some() {
        return None;
    }
    let said = |counts: &Counts<'_, '_>| counts.operations.iter().map(u64::to_string).collect::<BTreeSet<_>>();
    let (a, b) = (said(&both.a), said(&both.b));
    (a != b).then(|| format!("the work differs: A did {} operations, B did {}", joined(&a), joined(&b)))
}

fn suite_options(both: &Both<'_, '_>) -> Option<String> {
    let options = |samples: &[&SideSample<'_>]| -> BTreeMap<String, BTreeSet<String>> {
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, value) in samples.iter().flat_map(|sample| &sample.run.configuration.suite_options) {
            values.entry(name.clone()).or_default().insert(value.clone());
        }
        values
    };
    let (a, b) = (options(&both.a.kinds), options(&both.b.kinds));
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

fn sizes(both: &Both<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.size.to_string());
    (a != b).then(|| format!("sizes differ: A ran at {}, B at {}", joined(&a), joined(&b)))
}

fn memory(both: &Both<'_, '_>) -> Option<String> {
    let words = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), units::bytes);
    let (a, b) = both.values(|sample| sample.run.configuration.memory_limit);
    let said = |limits: BTreeSet<Option<u64>>| joined(&limits.into_iter().map(words).collect());
    (a != b).then(|| format!("memory limits differ: A had {}, B had {}", said(a), said(b)))
}

fn caches(both: &Both<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.configuration.cache.clone());
    (a != b).then(|| format!("starts differ: tests of A began {}, of B {}", joined(&a), joined(&b)))
}

/// Pairs ran in one session, which is on one host; runs of different sessions have to come from one place.
fn hosts(matched: &Matched<'_>, places: &BTreeMap<Uuid, String>) -> Option<String> {
    if matched.paired {
        return None;
    }
    let of = |samples: &[SideSample<'_>]| -> BTreeSet<String> {
        let sessions: HashSet<Uuid> = samples.iter().map(|sample| sample.run.session_id).collect();
        sessions.into_iter().filter_map(|session| places.get(&session)).cloned().collect()
    };
    let (a, b) = (of(&matched.a), of(&matched.b));
    (a.union(&b).count() > 1).then(|| format!("hosts or disks differ: A ran on {}, B on {}", joined(&a), joined(&b)))
}

/// What is counted of both sides of a line.
struct Both<'l, 's> {
    a: Counts<'l, 's>,
    b: Counts<'l, 's>,
}

impl Both<'_, '_> {
    /// What the configurations of each side have.
    fn values<T: Ord>(&self, value: impl Fn(&SideSample<'_>) -> T) -> (BTreeSet<T>, BTreeSet<T>) {
        let of = |counts: &Counts<'_, '_>| counts.kinds.iter().map(|sample| value(sample)).collect();
        (of(&self.a), of(&self.b))
    }
}

/// What is counted of a side's samples, all in one pass: there may be very many of them.
#[derive(Default)]
struct Counts<'l, 's> {
    samples: usize,
    /// One sample of each configuration and size: what these say of themselves, all the others say too.
    kinds: Vec<&'l SideSample<'s>>,
    /// Answers that other engines do not give.
    wrong: usize,
    /// Values without a ratio to another.
    zeros: usize,
    /// Operations of a run.
    operations: BTreeSet<u64>,
}

impl<'l, 's> Counts<'l, 's> {
    fn of(samples: &'l [SideSample<'s>]) -> Self {
        let kind = |sample: &SideSample<'s>| (Arc::as_ptr(&sample.run.configuration), &*sample.run.size);
        let mut counts = Self { samples: samples.len(), ..Self::default() };
        let (mut seen, mut last) = (HashSet::new(), None);
        for sample in samples {
            let (kind, operations) = (kind(sample), sample.operations);
            counts.wrong += usize::from(sample.agrees == Some(false));
            counts.zeros += usize::from(sample.value <= 0.0);
            // Mostly all are of one kind, and did the same.
            if last != Some((kind, operations)) {
                last = Some((kind, operations));
                counts.operations.insert(operations);
                if seen.insert(kind) {
                    counts.kinds.push(sample);
                }
            }
        }
        counts
    }
}

fn joined(values: &BTreeSet<String>) -> String {
    values.iter().map(String::as_str).collect::<Vec<_>>().join(" | ")
}
