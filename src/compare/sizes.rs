//! Figures over several lines: geometric means over tests, and tests over sizes.

use super::{
    layout::by_size,
    load::Side,
    model::{Comparison, Figure, Line, Mean, OverSizes, Overall, Part, RatioRange, SizeRatio},
};
use crate::stats::{RatioInterval, geometric_mean, median, paired_ratio};
use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
};
use uuid::Uuid;

/// The geometric mean of each part and size, in the order of the lines.
pub(super) fn means(lines: &[Line]) -> Vec<Mean> {
    lines
        .chunk_by(|one, next| one.part == next.part && one.size == next.size)
        .filter_map(|lines| {
            let first = lines.first()?;
            let found: Vec<&Line> = lines.iter().filter(|line| line.found.is_some()).collect();
            let (ratio, interval) = geometric(&found, Some);
            Some(Mean {
                part: first.part.clone(),
                size: first.size.clone(),
                tests: found.len(),
                ratio,
                interval,
                left_out: lines.iter().filter(|line| line.found.is_none()).map(|line| line.name.clone()).collect(),
            })
        })
        .collect()
}

/// The geometric mean of all lines; none where they are of one part and size, or none is comparable.
pub(super) fn overall(lines: &[Line], a: &Side) -> Option<Overall> {
    lines.windows(2).find(|pair| pair[0].part != pair[1].part || pair[0].size != pair[1].size)?;
    let found: Vec<&Line> = lines.iter().filter(|line| line.found.is_some()).collect();
    let (ratio, interval) = Rounds::of(a).geometric(&found);
    Some(Overall { lines: found.len(), left_out: lines.len() - found.len(), ratio: ratio?, interval })
}

/// The round of each run of a side: runs of different sizes have it in common, and not their identifiers.
#[derive(Debug)]
pub(super) struct Rounds(HashMap<Uuid, (Uuid, u32)>);

impl Rounds {
    pub(super) fn of(a: &Side) -> Self {
        Self(a.runs.iter().map(|run| (run.run_id, (run.session_id, run.round))).collect())
    }

    /// The geometric mean of the ratios of lines that are comparable, with its interval: what tables, totals and pivots say alike.
    pub(super) fn geometric(&self, found: &[&Line]) -> (Option<f64>, Option<RatioRange>) {
        let one_group = found.windows(2).all(|pair| pair[0].part == pair[1].part && pair[0].size == pair[1].size);
        if one_group { geometric(found, Some) } else { geometric(found, |(a, _)| self.0.get(&a).copied()) }
    }
}

fn geometric<R: Eq + Hash>(
    found: &[&Line],
    round: impl Fn((Uuid, Uuid)) -> Option<R>,
) -> (Option<f64>, Option<RatioRange>) {
    let of_rounds = of_rounds(found, round);
    (ratio(found, of_rounds), of_rounds.map(range))
}

fn ratio(found: &[&Line], of_rounds: Option<RatioInterval>) -> Option<f64> {
    let ratios = || found.iter().filter_map(|line| Some(line.found.as_ref()?.ratio)).collect::<Vec<_>>();
    of_rounds.map(|found| found.ratio).or_else(|| geometric_mean(&ratios()).ok())
}

fn range(RatioInterval { low, high, confidence, .. }: RatioInterval) -> RatioRange {
    RatioRange { low, high, confidence }
}

/// The geometric mean over lines of each round, as one ratio a round: what lines of a round have in common is in it once. `round` tells
/// which a pair of runs is of. None where not all lines are paired, or too few rounds have them all.
fn of_rounds<R: Eq + Hash>(lines: &[&Line], round: impl Fn((Uuid, Uuid)) -> Option<R>) -> Option<RatioInterval> {
    let mut places: HashMap<R, usize> = HashMap::new();
    // Of each round in how many lines it is, and the sum of their ratios' logarithms.
    let mut rounds: Vec<(usize, f64)> = Vec::new();
    let mut before: Option<(&Figure, &Figure)> = None;
    let mut of_line: Vec<usize> = Vec::new();
    for line in lines {
        let (a, b) = (line.a.as_ref()?, line.b.as_ref()?);
        line.found.as_ref().filter(|found| found.paired)?;
        // Lines of one size have mostly the same runs.
        if !before.is_some_and(|(of_a, of_b)| of_a.run_ids == a.run_ids && of_b.run_ids == b.run_ids) {
            of_line.clear();
            for (id_a, id_b) in a.run_ids.iter().zip(&b.run_ids) {
                let next = places.len();
                of_line.push(*places.entry(round((*id_a, *id_b))?).or_insert(next));
            }
            rounds.resize(places.len(), (0, 0.0));
            before = Some((a, b));
        }
        for (place, (value_a, value_b)) in of_line.iter().zip(a.values.iter().zip(&b.values)) {
            // Where something is 0 there is no mean of logarithms.
            if *value_a <= 0.0 || *value_b <= 0.0 {
                return None;
            }
            let (lines, sum) = &mut rounds[*place];
            *lines += 1;
            *sum += (value_a / value_b).ln();
        }
    }
    let whole = rounds.into_iter().filter(|(in_round, _)| *in_round == lines.len());
    let means: Vec<f64> = whole.map(|(lines, sum)| (sum / lines as f64).exp()).collect();
    paired_ratio(&means, &vec![1.0; means.len()]).ok()
}

impl Comparison {
    /// Puts the lines of each part and size in the order of their ratios' distance from 1, the farthest first; what is not comparable comes
    /// last.
    pub fn sort_by_effect(&mut self) {
        let effect = |line: &Line| line.found.as_ref().map_or(-1.0, |found| found.ratio.ln().abs());
        for group in self.lines.chunk_by_mut(|one, next| one.part == next.part && one.size == next.size) {
            group.sort_by(|one, next| effect(next).total_cmp(&effect(one)));
        }
    }
}

/// A test, at whatever size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey<'l> {
    pub part: &'l Part,
    pub test: u32,
    /// The test's name; where names tell the size (`25000 INSERTs`), with `N` for their numbers.
    pub name: String,
}

/// The lines of each test, in the order of tests and then of sizes.
pub fn by_test(lines: &[Line]) -> BTreeMap<TestKey<'_>, Vec<&Line>> {
    let mut folded: BTreeMap<(&Part, u32, String), Vec<&Line>> = BTreeMap::new();
    for line in lines {
        folded.entry((&line.part, line.test, without_numbers(&line.name))).or_default().push(line);
    }
    folded
        .into_iter()
        .map(|((part, test, folded), mut lines)| {
            lines.sort_by(|a, b| by_size(&a.size, &b.size));
            let one_name = lines.windows(2).all(|pair| pair[0].name == pair[1].name);
            let name = lines.first().filter(|_| one_name).map_or(folded, |line| line.name.clone());
            (TestKey { part, test, name }, lines)
        })
        .collect()
}

/// A test's name with `N` for each number in it.
pub fn without_numbers(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars() {
        if !c.is_ascii_digit() {
            folded.push(c);
        } else if !folded.ends_with('N') {
            folded.push('N');
        }
    }
    folded
}

/// Each test over its sizes, in the order of tests; a test without a comparable size is left out.
pub fn over_sizes(lines: &[Line]) -> Vec<OverSizes> {
    let of_test = |(TestKey { part, test, name }, lines): (TestKey<'_>, Vec<&Line>)| {
        let at = |line: &&Line| {
            let found = line.found.as_ref()?;
            let (ratio, interval, verdict) = (found.ratio, found.interval, found.verdict);
            Some(SizeRatio { size: line.size.clone(), ratio, interval, verdict })
        };
        let sizes: Vec<SizeRatio> = lines.iter().filter_map(at).collect();
        let ratios: Vec<f64> = sizes.iter().map(|size| size.ratio).collect();
        Some(OverSizes {
            part: part.clone(),
            test,
            name,
            median: median(&ratios).ok()?,
            min: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            max: ratios.iter().copied().fold(0.0, f64::max),
            left_out: lines.iter().filter(|line| line.found.is_none()).map(|line| line.size.clone()).collect(),
            sizes,
        })
    };
    by_test(lines).into_iter().filter_map(of_test).collect()
}
