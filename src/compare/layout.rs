//! Which results of A and of B belong on one line.

use super::{
    load::Side,
    model::Part,
    options::{Axis, Options},
};
use crate::{
    catalog::Difference,
    store::{ComparedTest, RunTests},
};
use dbdyno_engine::size::Size;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A test of a run that has a value of the metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideSample<'s> {
    pub(super) run: &'s RunTests,
    pub(super) result: &'s ComparedTest,
    /// In the metric's unit.
    pub(super) value: f64,
}

impl<'s> SideSample<'s> {
    /// None of a test without a value.
    pub(super) fn from_result(run: &'s RunTests, result: &'s ComparedTest) -> Option<Self> {
        result.value.map(|value| Self { run, result, value })
    }

    /// Operations done. Of an imported test that is not counted in operations, the whole test is one.
    pub(super) fn operations(&self) -> u64 {
        self.result.operations.unwrap_or(1)
    }
}

/// One line before it is judged: what both sides have for it.
#[derive(Debug, Clone)]
pub(super) struct Laid<'s> {
    pub(super) part: Part,
    pub(super) size: String,
    pub(super) test: u32,
    pub(super) name: String,
    pub(super) a: Vec<SideSample<'s>>,
    pub(super) b: Vec<SideSample<'s>>,
}

/// What both sides must have in common to be on one line: values of the pivot's keys, size, test.
type LineKey = (Vec<String>, OrderedSize, u32, String);

/// A key without its size.
type Sizeless<'k> = (&'k [String], u32, &'k str);

/// What A and B have.
type Both<'s> = (Vec<SideSample<'s>>, Vec<SideSample<'s>>);

/// A size in the order of its numbers; text that is no size comes last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OrderedSize {
    parsed: Result<Size, ()>,
    text: String,
}

impl OrderedSize {
    fn new(text: &str) -> Self {
        Self { parsed: text.parse().map_err(|_| ()), text: text.to_owned() }
    }
}

/// Orders sizes as numbers.
pub(super) fn by_size(a: &str, b: &str) -> std::cmp::Ordering {
    OrderedSize::new(a).cmp(&OrderedSize::new(b))
}

/// The lines of a comparison, in order.
pub(super) fn lines<'s>(a: &'s Side, b: &'s Side, options: &Options) -> Vec<Laid<'s>> {
    let axes: Vec<&Axis> = options.pivot.iter().flat_map(|(row, column)| [row, column]).collect();
    // Test and size part the lines anyway.
    let shared: Vec<&Axis> =
        axes.iter().copied().filter(|axis| matches!(axis, Axis::Suite | Axis::Host | Axis::Session)).collect();
    let own: Vec<&Axis> = axes.iter().copied().filter(|axis| matches!(axis, Axis::Property(_))).collect();

    let of_a = grouped(a, &[shared.clone(), own.clone()].concat());
    let of_b = if a.metric == b.metric { grouped(b, &shared) } else { BTreeMap::new() };
    let parts: BTreeSet<&[String]> = of_a.keys().map(|(part, ..)| part.as_slice()).collect();
    let mut sides: BTreeMap<LineKey, Both<'s>> = BTreeMap::new();
    for (key, samples) in &of_a {
        sides.entry(key.clone()).or_default().0.extend(samples);
    }
    for ((part, size, test, name), samples) in &of_b {
        // The whole of B belongs to each part of A; to none where A has nothing there.
        let mut parts: Vec<Vec<String>> =
            parts.iter().filter(|of_a| of_a.starts_with(part)).map(|of_a| of_a.to_vec()).collect();
        if parts.is_empty() {
            let missing = own.iter().map(|_| MISSING.to_owned());
            parts.push(part.iter().cloned().chain(missing).collect());
        }
        for part in parts {
            sides.entry((part, size.clone(), *test, name.clone())).or_default().1.extend(samples);
        }
    }
    if options.allowed.contains(&Difference::Sizes) {
        join_single_sizes(&mut sides);
    }
    let names: Vec<String> = shared.iter().chain(&own).map(ToString::to_string).collect();
    let line = |((part, size, test, name), (a, b)): (LineKey, Both<'s>)| {
        let part = names.iter().cloned().zip(part).collect();
        let other =
            b.first().map(|sample| sample.run.size.to_string()).filter(|other| !a.is_empty() && *other != size.text);
        let size = other.map_or(size.text.clone(), |other| format!("{} / {other}", size.text));
        Laid { part, size, test, name, a, b }
    };
    sides.into_iter().map(line).collect()
}

/// What stands for a value that a run does not have.
pub(super) const MISSING: &str = "-";

fn grouped<'s>(side: &'s Side, axes: &[&Axis]) -> BTreeMap<LineKey, Vec<SideSample<'s>>> {
    // Many runs have few parts and sizes between them, and the names of tests are shared.
    let mut places: Vec<(Vec<String>, &str)> = Vec::new();
    let mut groups: HashMap<(usize, u32, &str), Vec<SideSample<'s>>> = HashMap::new();
    for run in &side.runs {
        let part: Vec<String> = axes.iter().map(|axis| value(run, side, axis)).collect();
        let known = places.iter().position(|(known, size)| *known == part && *size == &*run.size);
        let place = known.unwrap_or_else(|| {
            places.push((part, &run.size));
            places.len() - 1
        });
        for sample in run.tests.iter().filter_map(|result| SideSample::from_result(run, result)) {
            groups.entry((place, sample.result.test, &sample.result.name)).or_default().push(sample);
        }
    }
    let key = |((place, test, name), samples): ((usize, u32, &str), _)| {
        let (part, size) = &places[place];
        ((part.clone(), OrderedSize::new(size), test, name.to_owned()), samples)
    };
    groups.into_iter().map(key).collect()
}

fn value(run: &RunTests, side: &Side, axis: &Axis) -> String {
    match axis {
        Axis::Session => run.session_id.to_string(),
        Axis::Host => {
            let session = side.sessions.iter().find(|session| *session.session_id == *run.session_id);
            session.map_or(MISSING.to_owned(), |session| session.host.name.clone())
        }
        Axis::Property(word) if word == "label" => run.label.to_string(),
        axis => run.configuration.facts().remove(axis.to_string().as_str()).unwrap_or_else(|| MISSING.to_owned()),
    }
}

/// Where a test has one size that only A has and one that only B has, puts them on one line.
fn join_single_sizes(sides: &mut BTreeMap<LineKey, Both<'_>>) {
    // The keys of lines that only A, and that only B has, by everything but their size.
    let mut alone: BTreeMap<Sizeless<'_>, [Vec<LineKey>; 2]> = BTreeMap::new();
    let keys: Vec<(LineKey, bool, bool)> =
        sides.iter().map(|(key, (a, b))| (key.clone(), a.is_empty(), b.is_empty())).collect();
    for (key, no_a, no_b) in &keys {
        let (part, _, test, name) = key;
        if no_a != no_b {
            alone.entry((part, *test, name)).or_default()[usize::from(*no_a)].push(key.clone());
        }
    }
    for [of_a, of_b] in alone.into_values() {
        if let ([of_a], [of_b]) = (of_a.as_slice(), of_b.as_slice())
            && let Some((_, samples)) = sides.remove(of_b)
            && let Some(line) = sides.get_mut(of_a)
        {
            line.1 = samples;
        }
    }
}
