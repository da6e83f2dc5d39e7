//! Assigns the results of A and of B to lines.

use super::{
    load::Side,
    matching::{SplitKeys, keys},
    model::Part,
    options::{Axis, Options},
};
use dbdyno_catalog::Difference;
use dbdyno_engine::{size::Size, suite::REPLAY_ACTOR};
use dbdyno_foundation::base::units::counted;
use dbdyno_store::{ComparedTest, RunTests};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// A test of a run that has a value of the metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideSample<'s> {
    pub(super) run: &'s RunTests,
    pub(super) result: &'s ComparedTest,
    /// In the metric's unit; see [`ComparedTest::timed`].
    pub(super) value: f64,
    /// Whether the test ended after a fixed time, from its result.
    pub(super) timed: bool,
    /// A hash of the answers, from the result. Stored here so that the data read for very many results of a line is contiguous in memory.
    pub(super) answer: Option<u64>,
    /// Whether the answers match those of other engines, from the result.
    pub(super) agrees: Option<bool>,
    /// Whether the answers were checked against anything.
    pub(super) is_verified: bool,
    /// The seed of its inputs, from the run.
    pub(super) seed: Option<u64>,
    /// Operations done. An imported test that is not counted in operations counts as one operation.
    pub(super) operations: u64,
}

impl<'s> SideSample<'s> {
    /// Returns none for a test without a value.
    pub(super) fn from_result(run: &'s RunTests, result: &'s ComparedTest) -> Option<Self> {
        let ComparedTest { value, timed, answer, agrees, operations, .. } = *result;
        value.map(|value| Self {
            run,
            result,
            value,
            timed,
            answer,
            agrees,
            is_verified: run.is_verified(result),
            seed: run.seed,
            operations: operations.unwrap_or(1),
        })
    }
}

/// One line before it is judged: the samples of both sides.
#[derive(Debug, Clone)]
pub(super) struct Laid<'s> {
    pub(super) part: Part,
    pub(super) size: String,
    /// Whether only one side has any test at this size.
    pub(super) is_lone_size: bool,
    pub(super) test: u32,
    pub(super) name: String,
    /// As [`Line::actor`](super::Line::actor).
    pub(super) actor: Option<String>,
    pub(super) a: Vec<SideSample<'s>>,
    pub(super) b: Vec<SideSample<'s>>,
}

/// The lines of a comparison, and the parts that could not be matched.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout<'s> {
    pub(super) lines: Vec<Laid<'s>>,
    /// Descriptions of parts without a partner on the other side, while other parts have one.
    pub(super) unmatched: Vec<String>,
}

/// A value or a size, in numeric order; text that is not a number comes last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Ordered {
    parsed: Result<Size, ()>,
    text: String,
}

impl Ordered {
    fn new(text: &str) -> Self {
        Self { parsed: text.parse().map_err(|_| ()), text: text.to_owned() }
    }
}

/// The values of keys, in the order of the keys.
type PartValues = Vec<Ordered>;
/// The properties that results of both sides must share to be on one line of a part: size, test, name.
type LineKey = (Ordered, u32, String);
/// The tests of one part of a side.
type SamplesByLine<'s> = BTreeMap<LineKey, Vec<SideSample<'s>>>;
/// The samples of A and of B.
type LineSamples<'s> = (Vec<SideSample<'s>>, Vec<SideSample<'s>>);

/// A part of both sides: the tests of the runs that have its values.
struct PartLines<'s> {
    values: PartValues,
    lines: BTreeMap<LineKey, LineSamples<'s>>,
}

impl<'s> PartLines<'s> {
    fn of_side(&self, side: usize) -> impl Iterator<Item = &[SideSample<'s>]> {
        self.lines.values().map(move |(a, b)| if side == 0 { a.as_slice() } else { b.as_slice() })
    }

    fn has(&self, side: usize) -> bool {
        self.of_side(side).any(|samples| !samples.is_empty())
    }

    fn has_both(&self) -> bool {
        self.has(0) && self.has(1)
    }

    fn runs(&self, side: usize) -> usize {
        self.of_side(side).flatten().map(|sample| sample.run.run_id).collect::<BTreeSet<_>>().len()
    }
}

/// Compares sizes in numeric order.
pub(super) fn by_size(a: &str, b: &str) -> std::cmp::Ordering {
    Ordered::new(a).cmp(&Ordered::new(b))
}

/// The placeholder for a value that a run does not have.
pub(super) const MISSING: &str = "-";

/// Returns the lines of a comparison, in order.
pub(super) fn lay_out<'s>(a: &'s Side, b: &'s Side, options: &Options) -> Layout<'s> {
    let keys = keys(a, b, options);
    let mut blocks = blocks(a, b, &keys);
    if options.allowed.contains(&Difference::Sizes) {
        blocks.iter_mut().for_each(|block| join_single_sizes(&mut block.lines));
    }
    let mut unmatched = Vec::new();
    // If no part has a partner, each line reports that itself.
    if blocks.iter().any(PartLines::has_both) {
        let (with, without): (Vec<_>, Vec<_>) = blocks.into_iter().partition(PartLines::has_both);
        unmatched = said_of_unmatched(&keys.shared, &with, &without);
        blocks = with;
    }
    let names = names(&keys);
    Layout { lines: blocks.into_iter().flat_map(|block| laid(block, &names)).collect(), unmatched }
}

/// Returns the names of a part's values.
fn names(keys: &SplitKeys) -> Vec<String> {
    let of_b = keys.of_b.iter().filter(|axis| !keys.of_a.contains(axis));
    keys.shared.iter().chain(&keys.of_a).chain(of_b).map(ToString::to_string).collect()
}

/// Combines each part of A with each part of B that agrees in the shared keys.
fn blocks<'s>(a: &'s Side, b: &'s Side, keys: &SplitKeys) -> Vec<PartLines<'s>> {
    let of_b = || if a.metric == b.metric { parts(b, &keys.shared, &keys.of_b) } else { BTreeMap::new() };
    // Values of different metrics share no line.
    let (of_a, of_b) = rayon::join(|| parts(a, &keys.shared, &keys.of_a), of_b);
    let shared: BTreeSet<&PartValues> = of_a.keys().chain(of_b.keys()).collect();
    let mut blocks = Vec::new();
    for values in shared {
        let nothing = |own: &[Axis]| BTreeMap::from([(missing(own), SamplesByLine::new())]);
        let (no_a, no_b) = (nothing(&keys.of_a), nothing(&keys.of_b));
        for (own_a, tests_a) in of_a.get(values).unwrap_or(&no_a) {
            for (own_b, tests_b) in of_b.get(values).unwrap_or(&no_b) {
                let own = own_values(keys, own_a, own_b);
                blocks.push(PartLines { values: [values.clone(), own].concat(), lines: both(tests_a, tests_b) });
            }
        }
    }
    blocks.sort_by(|one, next| one.values.cmp(&next.values));
    blocks
}

fn missing(axes: &[Axis]) -> PartValues {
    axes.iter().map(|_| Ordered::new(MISSING)).collect()
}

/// Returns the values of keys that are not shared; `A / B` for a key that separates both sides.
fn own_values(keys: &SplitKeys, of_a: &PartValues, of_b: &PartValues) -> PartValues {
    let in_b = |axis: &Axis| keys.of_b.iter().position(|of_b| of_b == axis).and_then(|place| of_b.get(place));
    let first = keys.of_a.iter().zip(of_a).map(|(axis, value)| match in_b(axis) {
        Some(other) => Ordered::new(&format!("{} / {}", value.text, other.text)),
        None => value.clone(),
    });
    let rest = keys.of_b.iter().zip(of_b).filter(|(axis, _)| !keys.of_a.contains(axis)).map(|(_, value)| value.clone());
    first.chain(rest).collect()
}

fn both<'s>(a: &SamplesByLine<'s>, b: &SamplesByLine<'s>) -> BTreeMap<LineKey, LineSamples<'s>> {
    let mut lines: BTreeMap<LineKey, LineSamples<'s>> = BTreeMap::new();
    for (key, samples) in a {
        lines.entry(key.clone()).or_default().0.extend(samples);
    }
    for (key, samples) in b {
        lines.entry(key.clone()).or_default().1.extend(samples);
    }
    lines
}

fn laid<'s>(PartLines { values, lines }: PartLines<'s>, names: &[String]) -> Vec<Laid<'s>> {
    let part: Part = names.iter().cloned().zip(values.into_iter().map(|value| value.text)).collect();
    let mut sides: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for ((size, ..), (a, b)) in &lines {
        let has = sides.entry(size.text.clone()).or_default();
        *has = (has.0 || !a.is_empty(), has.1 || !b.is_empty());
    }
    let is_whole = |(_, both): &(&LineKey, &LineSamples<'s>)| actor(both).is_none();
    let whole: BTreeMap<(String, u32), u64> = lines
        .iter()
        .filter(is_whole)
        .map(|((size, test, _), both)| ((size.text.clone(), *test), operations(both)))
        .collect();
    let line = |((size, test, name), both): (LineKey, LineSamples<'s>)| {
        // A figure that only actors have is not part of any line of the whole test.
        let of_test = whole.get(&(size.text.clone(), test));
        let actor = actor(&both).filter(|_| of_test.is_some()).map(|actor| actor.to_string());
        // The connections of a replay do all of it: their line would say the same again.
        if actor.as_deref() == Some(REPLAY_ACTOR) && of_test == Some(&operations(&both)) {
            return None;
        }
        let (a, b) = both;
        let other =
            b.first().map(|sample| sample.run.size.to_string()).filter(|other| !a.is_empty() && *other != size.text);
        let is_lone_size = sides.get(&size.text).is_none_or(|(a, b)| a != b);
        let size = other.map_or(size.text.clone(), |other| format!("{} / {other}", size.text));
        Some(Laid { part: part.clone(), size, is_lone_size, test, name, actor, a, b })
    };
    lines.into_iter().filter_map(line).collect()
}

/// Returns the operations of all samples.
fn operations((a, b): &LineSamples<'_>) -> u64 {
    a.iter().chain(b).filter_map(|sample| sample.result.operations).sum()
}

/// Returns the actor whose share of a test the samples are.
fn actor<'s>((a, b): &LineSamples<'s>) -> Option<&'s Arc<str>> {
    a.first().or_else(|| b.first())?.result.actor.as_ref()
}

/// Returns the tests of a side by the values of the shared keys, then by the values of its own keys.
fn parts<'s>(
    side: &'s Side,
    shared: &[Axis],
    own: &[Axis],
) -> BTreeMap<PartValues, BTreeMap<PartValues, SamplesByLine<'s>>> {
    let of_run = |run: &RunTests, axes: &[Axis]| -> PartValues {
        axes.iter().map(|axis| Ordered::new(&value(run, side, axis))).collect()
    };
    // Many runs share few parts and sizes.
    let mut places: Vec<((PartValues, PartValues, &str), Groups<'s>)> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    let mut place = |run: &'s RunTests| {
        let same = (Arc::as_ptr(&run.configuration), run.session_id, Arc::as_ptr(&run.label), Arc::as_ptr(&run.size));
        *known.entry(same).or_insert_with(|| {
            let place = (of_run(run, shared), of_run(run, own), &*run.size);
            places.iter().position(|(known, _)| *known == place).unwrap_or_else(|| {
                places.push((place, Groups::default()));
                places.len() - 1
            })
        })
    };
    let of_runs: Vec<usize> = side.runs.iter().map(&mut place).collect();
    for place in &of_runs {
        places[*place].1.runs += 1;
    }
    for (run, place) in side.runs.iter().zip(of_runs) {
        for (at, result) in run.tests.iter().enumerate() {
            if let Some(sample) = SideSample::from_result(run, result) {
                places[place].1.add(sample, at);
            }
        }
    }
    let mut parts: BTreeMap<PartValues, BTreeMap<PartValues, SamplesByLine<'_>>> = BTreeMap::new();
    for ((shared, own, size), Groups { groups, .. }) in places {
        let tests = parts.entry(shared).or_default().entry(own).or_default();
        tests.extend(
            groups.into_iter().map(|((test, name), samples)| ((Ordered::new(size), test, name.to_owned()), samples)),
        );
    }
    parts
}

/// Samples by the numbers and names of their tests.
#[derive(Default)]
struct Groups<'s> {
    /// The number of runs, each with a sample of most tests.
    runs: usize,
    groups: Vec<((u32, &'s str), Vec<SideSample<'s>>)>,
}

impl<'s> Groups<'s> {
    /// Adds a sample. Runs mostly have the same tests in the same order: `at` is the index of this test in its run.
    fn add(&mut self, sample: SideSample<'s>, at: usize) {
        let test = (sample.result.test, &*sample.result.name);
        let is_it = |place: &usize| self.groups.get(*place).is_some_and(|(known, _)| *known == test);
        let place = Some(at).filter(is_it).or_else(|| self.groups.iter().position(|(known, _)| *known == test));
        match place.and_then(|place| self.groups.get_mut(place)) {
            Some((_, samples)) => samples.push(sample),
            None => {
                let mut samples = Vec::with_capacity(self.runs);
                samples.push(sample);
                self.groups.push((test, samples));
            }
        }
    }
}

fn value(run: &RunTests, side: &Side, axis: &Axis) -> String {
    match axis {
        Axis::Session => run.session_id.to_string(),
        Axis::Host => {
            let session = side.sessions.iter().find(|session| session.session_id == run.session_id);
            session.map_or(MISSING.to_owned(), |session| session.host.name.clone())
        }
        Axis::Property(word) if word == "label" => run.label.to_string(),
        axis => run.configuration.facts().remove(axis.to_string().as_str()).unwrap_or_else(|| MISSING.to_owned()),
    }
}

/// Describes the parts without a partner, by the shared key that explains why: `only A has cache_size=1 | 3 (24 runs), B has 2`.
fn said_of_unmatched(shared: &[Axis], with: &[PartLines<'_>], without: &[PartLines<'_>]) -> Vec<String> {
    let values_of = |place: usize, side: usize| -> BTreeSet<&str> {
        let has = |block: &&PartLines<'_>| block.has(side);
        let values = with.iter().chain(without).filter(has).filter_map(|block| block.values.get(place));
        values.map(|value| value.text.as_str()).collect()
    };
    let mut said: BTreeMap<(usize, usize), (BTreeSet<&str>, usize)> = BTreeMap::new();
    let mut combinations: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for block in without {
        let (side, other) = if block.has(0) { (0, 1) } else { (1, 0) };
        let value = |place: usize| block.values.get(place).map_or("", |value| value.text.as_str());
        match (0..shared.len()).find(|place| !values_of(*place, other).contains(value(*place))) {
            Some(place) => {
                let (values, of_values) = said.entry((side, place)).or_default();
                values.insert(value(place));
                *of_values += block.runs(side);
            }
            None => {
                let (parts, of_parts) = combinations.entry(side).or_default();
                *parts += 1;
                *of_parts += block.runs(side);
            }
        }
    }
    let names = ["A", "B"];
    let joined = |values: BTreeSet<&str>| values.into_iter().collect::<Vec<_>>().join(" | ");
    let by_value = said.into_iter().map(|((side, place), (values, runs))| {
        let (name, others) = (&shared[place], joined(values_of(place, 1 - side)));
        format!(
            "only {} has {name}={} ({}), {} has {others}",
            names[side],
            joined(values),
            counted(runs, "run"),
            names[1 - side]
        )
    });
    let keys = shared.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let by_combination = combinations.into_iter().map(|(side, (parts, runs))| {
        format!("only {} has {parts} of the combinations of {keys} ({})", names[side], counted(runs, "run"))
    });
    by_value.chain(by_combination).collect()
}

/// Joins the lines of a test into one if exactly one size is only in A and exactly one is only in B.
fn join_single_sizes(lines: &mut BTreeMap<LineKey, LineSamples<'_>>) {
    // The keys of lines that only A has, and of lines that only B has, grouped by everything except the size.
    let mut alone: BTreeMap<(u32, &str), [Vec<LineKey>; 2]> = BTreeMap::new();
    let keys: Vec<(LineKey, bool, bool)> =
        lines.iter().map(|(key, (a, b))| (key.clone(), a.is_empty(), b.is_empty())).collect();
    for (key, no_a, no_b) in &keys {
        let (_, test, name) = key;
        if no_a != no_b {
            alone.entry((*test, name)).or_default()[usize::from(*no_a)].push(key.clone());
        }
    }
    for [of_a, of_b] in alone.into_values() {
        if let ([of_a], [of_b]) = (of_a.as_slice(), of_b.as_slice())
            && let Some((_, samples)) = lines.remove(of_b)
            && let Some(line) = lines.get_mut(of_a)
        {
            line.1 = samples;
        }
    }
}
