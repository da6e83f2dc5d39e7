//! The obstacles to comparing the two sides of a line.

use super::{
    evidence::CommonFacts,
    layout::{Laid, SideSample},
    matching::is_pooled,
    model::{Obstacle, ObstacleKind, SideName},
    options::Options,
    pairs::Matched,
};
use dbdyno_catalog::Difference;
use dbdyno_foundation::{
    base::units::{self, counted},
    metric::Metric,
};
use dbdyno_store::{RunConfiguration, RunTests};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// Returns all obstacles to comparing these runs.
pub(super) fn obstacles(
    line: &Laid<'_>,
    matched: &Matched<'_>,
    common: &CommonFacts<'_>,
    metric: Metric,
    options: &Options,
) -> Vec<Obstacle> {
    let must =
        |kind, message: Option<String>| message.map(|message| Obstacle { kind, side: None, message, allowed: false });
    if let Some(only) = must(ObstacleKind::OneSide, one_side(line, common, metric)) {
        return vec![only];
    }
    let both = LineCounts { a: SampleCounts::of(&line.a), b: SampleCounts::of(&line.b) };
    let several = [(SideName::A, &both.a), (SideName::B, &both.b)].map(|(side, counts)| {
        let (kind, message) = (ObstacleKind::SeveralConfigurations, several(side, &counts.kinds, &options.pooled)?);
        Some(Obstacle { kind, side: Some(side), message, allowed: false })
    });
    let fixed = several.into_iter().chain([
        must(ObstacleKind::SharedRuns, shared_runs(line, &common.shared)),
        must(ObstacleKind::FailedVerification, verification(line, &both)),
        not_verified(&both),
        must(ObstacleKind::NoRatio, no_ratio(matched, common, &both)),
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
        can(Difference::Hosts, hosts(matched, common)),
        can(Difference::Memory, memory(&both)),
        can(Difference::Caches, caches(&both)),
    ];
    fixed.chain(differences).flatten().collect()
}

fn one_side(line: &Laid<'_>, common: &CommonFacts<'_>, metric: Metric) -> Option<String> {
    let (side, other, of_other) = match (line.a.is_empty(), line.b.is_empty()) {
        (false, true) => (SideName::A, SideName::B, &common.without_value[1]),
        (true, false) => (SideName::B, SideName::A, &common.without_value[0]),
        _ => return None,
    };
    if of_other.contains(&(line.size.as_str(), line.test)) {
        return Some(format!("{other} has no value of {}", metric.title()));
    }
    Some(match line.is_lone_size {
        true => format!("only {side} has size {}", line.size),
        false => format!("only {side} has {} at size {}", line.name, line.size),
    })
}

/// Reports a side whose runs differ by more than chance and so have no single figure.
fn several(side: SideName, samples: &[&SideSample<'_>], pooled: &BTreeSet<String>) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let configurations: BTreeSet<_> = samples.iter().map(|sample| &sample.run.configuration).collect();
    let facts: Vec<BTreeMap<&str, String>> = configurations.iter().map(|configuration| configuration.facts()).collect();
    for word in facts.iter().flat_map(BTreeMap::keys).filter(|word| !is_pooled(word, pooled)) {
        let of_word = facts.iter().map(|facts| facts.get(word).cloned().unwrap_or_else(|| "none".to_owned()));
        values.insert(word, of_word.collect());
    }
    values.retain(|_, values| values.len() > 1);
    // The tier follows from the options, and the options of another engine follow from the engine.
    if values.len() > 1 {
        values.remove("tier");
    }
    if values.contains_key("engine") {
        values.retain(|word, _| ["engine", "suite"].contains(word));
    }
    let (word, first) = values.iter().next().and_then(|(word, values)| Some((word, values.first()?)))?;
    let differ: Vec<String> = values.iter().map(|(word, values)| format!("{word} ({})", joined(values))).collect();
    Some(format!(
        "{side} has {} configurations, which differ in {}: narrow {side}, for example with {word}={first}",
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
        let are = if shared == 1 { "is" } else { "are" };
        let runs = counted(shared, "run");
        format!("{runs} {are} in both A and B: narrow one of them (to compare a configuration with itself, run it A against A)")
    })
}

fn verification(line: &Laid<'_>, both: &LineCounts<'_, '_>) -> Option<String> {
    let failed: Vec<String> = [("A", &both.a), ("B", &both.b)]
        .into_iter()
        .filter(|(_, counts)| counts.wrong > 0)
        .map(|(side, SampleCounts { wrong, samples, .. })| {
            format!("{wrong} of {} of {side} gave answers that differ from other engines", counted(*samples, "run"))
        })
        .collect();
    if !failed.is_empty() {
        return Some(failed.join("; "));
    }
    let mut known = Vec::new();
    let (of_a, of_b) = (NumberedInputs::of(&both.a, &mut known), NumberedInputs::of(&both.b, &mut known));
    let mut answers: HashMap<_, u64> = HashMap::with_capacity(line.a.len());
    for sample in &line.a {
        if let Some(answer) = sample.answer {
            answers.insert((sample.seed, of_a.number(sample)), answer);
        }
    }
    let differs = |sample: &&SideSample<'_>| {
        let of_a = || answers.get(&(sample.seed, of_b.number(sample)));
        sample.answer.is_some_and(|answer| of_a().is_some_and(|of_a| *of_a != answer))
    };
    let count = line.b.iter().filter(differs).count();
    (count > 0).then(|| {
        format!("A and B gave different answers to the same inputs, in {count} of {}", counted(line.b.len(), "run"))
    })
}

/// Reports answers that were not verified; they are compared anyway.
fn not_verified(both: &LineCounts<'_, '_>) -> Option<Obstacle> {
    let of_side = |side, counts: &SampleCounts<'_, '_>| (counts.unverified > 0).then_some(side);
    let (side, whose) = match (of_side(SideName::A, &both.a), of_side(SideName::B, &both.b)) {
        (None, None) => return None,
        (Some(side), None) | (None, Some(side)) => (Some(side), side.to_string()),
        (Some(_), Some(_)) => (None, "A and B".to_owned()),
    };
    let message = format!("not verified: answers of {whose} were not checked against anything");
    Some(Obstacle { kind: ObstacleKind::NotVerified, side, message, allowed: true })
}

/// The facts that determine the answers, except the seed: size, suite, and its options.
type InputFacts<'s> = (&'s str, &'s str, &'s BTreeMap<String, String>);

/// The inputs of a side's samples as numbers: equal inputs must give equal answers.
enum NumberedInputs<'s> {
    /// All samples have the same inputs, because they are of one configuration and size.
    One(usize),
    Several(HashMap<(*const RunConfiguration, &'s str), usize>),
}

impl<'s> NumberedInputs<'s> {
    /// Numbers the inputs. `known` has the inputs of the other side; this side's inputs are added to it.
    fn of(counts: &SampleCounts<'_, 's>, known: &mut Vec<InputFacts<'s>>) -> Self {
        let mut number = |run: &'s RunTests| {
            let facts = (&*run.size, run.configuration.suite.as_str(), &run.configuration.suite_options);
            known.iter().position(|known| *known == facts).unwrap_or_else(|| {
                known.push(facts);
                known.len() - 1
            })
        };
        match counts.kinds.as_slice() {
            [only] => Self::One(number(only.run)),
            several => Self::Several(several.iter().map(|sample| (kind(sample), number(sample.run))).collect()),
        }
    }

    /// Returns none for a sample that is not of the side.
    fn number(&self, sample: &SideSample<'s>) -> Option<usize> {
        match self {
            Self::One(number) => Some(*number),
            Self::Several(numbers) => numbers.get(&kind(sample)).copied(),
        }
    }
}

/// Returns the properties that distinguish the kinds of a side's samples.
fn kind<'s>(sample: &SideSample<'s>) -> (*const RunConfiguration, &'s str) {
    (Arc::as_ptr(&sample.run.configuration), &sample.run.size)
}

/// Reports sides without a ratio because of zeros. Zeros only, on both sides, are equal. A side with zeros in half of its runs or more has
/// no ratio. With fewer zeros the values still have ranks, but medians of sessions are compared by their logarithms.
fn no_ratio(matched: &Matched<'_>, common: &CommonFacts<'_>, both: &LineCounts<'_, '_>) -> Option<String> {
    let (zeros, all) = (both.a.zeros + both.b.zeros, both.a.samples + both.b.samples);
    if zeros == 0 || zeros == all {
        return None;
    }
    let is_nothing = |counts: &SampleCounts<'_, '_>| counts.zeros * 2 >= counts.samples;
    let none = matched.is_of_several_sessions(&common.added) || is_nothing(&both.a) || is_nothing(&both.b);
    let said = |side: &str, zeros: usize, of: usize| format!("{side} is 0 in {zeros} of {}", counted(of, "run"));
    none.then(|| {
        let (a, b) = (said("A", both.a.zeros, both.a.samples), said("B", both.b.zeros, both.b.samples));
        format!("no ratio: {a}, {b}")
    })
}

fn tiers(both: &LineCounts<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.configuration.durability());
    let unknown = both.a.kinds.iter().chain(&both.b.kinds).any(|sample| sample.run.configuration.tier.is_none());
    let says = if unknown { "commits may not be" } else { "commits are not" };
    (a != b).then(|| format!("{says} equally durable: A is tier {}, B is tier {}", joined(&a), joined(&b)))
}

fn suites(both: &LineCounts<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.configuration.suite.clone());
    if a != b {
        return Some(format!("suites differ: A ran {}, B ran {}", joined(&a), joined(&b)));
    }
    if sizes(both).is_some() || suite_options(both).is_some() {
        return None;
    }
    let said = |counts: &SampleCounts<'_, '_>| {
        let in_words = |done: &Option<u64>| match done {
            Some(operations) => counted(*operations, "operation"),
            None => "as many operations as the time allowed".to_owned(),
        };
        counts.operations.iter().map(in_words).collect::<BTreeSet<_>>()
    };
    let (a, b) = (said(&both.a), said(&both.b));
    (a != b).then(|| format!("the work differs: A did {}, B did {}", joined(&a), joined(&b)))
}

fn suite_options(both: &LineCounts<'_, '_>) -> Option<String> {
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

fn sizes(both: &LineCounts<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.size.to_string());
    (a != b).then(|| format!("sizes differ: A ran at {}, B at {}", joined(&a), joined(&b)))
}

fn memory(both: &LineCounts<'_, '_>) -> Option<String> {
    let words = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), units::bytes);
    let (a, b) = both.values(|sample| sample.run.configuration.memory_limit);
    let said = |limits: BTreeSet<Option<u64>>| joined(&limits.into_iter().map(words).collect());
    (a != b).then(|| format!("memory limits differ: A had {}, B had {}", said(a), said(b)))
}

fn caches(both: &LineCounts<'_, '_>) -> Option<String> {
    let (a, b) = both.values(|sample| sample.run.configuration.cache.clone());
    (a != b).then(|| {
        let (a, b) = (joined(&a), joined(&b));
        format!("starts differ: tests of A began {a}, of B {b} (the time of a cold test is open + test)")
    })
}

/// Pairs ran in one session, which is on one host. Runs of different sessions must come from one place, and from equal conditions.
fn hosts(matched: &Matched<'_>, common: &CommonFacts<'_>) -> Option<String> {
    if matched.paired {
        return None;
    }
    let of =
        |samples: &[SideSample<'_>]| samples.iter().map(|sample| sample.run.session_id).collect::<BTreeSet<Uuid>>();
    let places = |sessions: &BTreeSet<Uuid>| -> BTreeSet<String> {
        sessions.iter().filter_map(|session| common.places.get(session)).cloned().collect()
    };
    let (of_a, of_b) = (of(&matched.a), of(&matched.b));
    let (a, b) = (places(&of_a), places(&of_b));
    let apart = (a.union(&b).count() > 1)
        .then(|| format!("hosts or disks differ: A ran on {}, B on {}", joined(&a), joined(&b)));
    let conditions = common.conditions.differences(&of_a, &of_b, apart.is_none());
    let differ: Vec<String> = apart.into_iter().chain(conditions).collect();
    (!differ.is_empty()).then(|| differ.join("; "))
}

/// The counts of both sides of a line.
struct LineCounts<'l, 's> {
    a: SampleCounts<'l, 's>,
    b: SampleCounts<'l, 's>,
}

impl LineCounts<'_, '_> {
    /// Returns the values of each side's configurations.
    fn values<T: Ord>(&self, value: impl Fn(&SideSample<'_>) -> T) -> (BTreeSet<T>, BTreeSet<T>) {
        let of = |counts: &SampleCounts<'_, '_>| counts.kinds.iter().map(|sample| value(sample)).collect();
        (of(&self.a), of(&self.b))
    }
}

/// The counts of a side's samples, all from one pass: there may be very many samples.
#[derive(Default)]
struct SampleCounts<'l, 's> {
    samples: usize,
    /// One sample per configuration and size; its configuration facts are the same for all other samples of its kind.
    kinds: Vec<&'l SideSample<'s>>,
    /// Answers that differ from other engines.
    wrong: usize,
    /// Answers that were not checked against anything.
    unverified: usize,
    /// Values of 0, which have no ratio to another.
    zeros: usize,
    /// Operations per run; none for a test that ended after a fixed time, which is compared per operation.
    operations: BTreeSet<Option<u64>>,
}

impl<'l, 's> SampleCounts<'l, 's> {
    fn of(samples: &'l [SideSample<'s>]) -> Self {
        let mut counts = Self { samples: samples.len(), ..Self::default() };
        let (mut seen, mut last) = (HashSet::new(), None);
        for sample in samples {
            let (kind, operations) = (kind(sample), (!sample.timed).then_some(sample.operations));
            counts.wrong += usize::from(sample.agrees == Some(false));
            counts.unverified += usize::from(!sample.is_verified);
            counts.zeros += usize::from(sample.value <= 0.0);
            // Mostly all samples are of one kind, with the same number of operations.
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
