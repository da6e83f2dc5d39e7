//! Figures over several lines: geometric means over tests, and tests over sizes.

use super::{
    facts::AddedSessions,
    layout::by_size,
    load::Side,
    model::{Comparison, Figure, Line, Mean, OverSizes, Overall, Part, RatioRange, SizeRatio},
};
use dbdyno_stats::{
    ALPHA, RatioInterval, geometric_mean, median, paired_ratio, paired_session_ratio, ratios_of_sessions,
};
use dbdyno_store::RunTests;
use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
};
use uuid::Uuid;

/// Returns the geometric mean of each part and size, in the order of the lines.
pub(super) fn means(lines: &[Line], rounds: &Rounds) -> Vec<Mean> {
    lines
        .chunk_by(|one, next| one.part == next.part && one.size == next.size)
        .filter_map(|lines| {
            let first = lines.first()?;
            let [found, left_out] = counting(lines.iter());
            let (ratio, interval) = rounds.geometric(&found);
            Some(Mean {
                part: first.part.clone(),
                size: first.size.clone(),
                tests: found.len(),
                ratio,
                interval,
                left_out: left_out.into_iter().map(|line| line.name.clone()).collect(),
            })
        })
        .collect()
}

/// Returns the geometric mean of all lines; none if they are of one part and size, or none is comparable.
pub(super) fn overall(lines: &[Line], rounds: &Rounds) -> Option<Overall> {
    lines.windows(2).find(|pair| pair[0].part != pair[1].part || pair[0].size != pair[1].size)?;
    let [found, left_out] = counting(lines.iter());
    let (ratio, interval) = rounds.geometric(&found);
    Some(Overall { lines: found.len(), left_out: left_out.len(), ratio: ratio?, interval })
}

/// Splits the lines that count into comparable and not comparable. Lines of actors do not count: the lines of their tests include them.
pub(super) fn counting<'l>(lines: impl Iterator<Item = &'l Line>) -> [Vec<&'l Line>; 2] {
    let (found, left_out) =
        lines.filter(|line| line.actor.is_none()).partition::<Vec<_>, _>(|line| line.found.is_some());
    [found, left_out]
}

/// The rounds of a side's runs. Runs of different sizes share rounds, but not identifiers.
#[derive(Debug)]
pub(super) struct Rounds(HashMap<Uuid, RoundOfRun>);

#[derive(Debug, Clone, Copy)]
struct RoundOfRun {
    /// The session and the number of the round.
    round: (Uuid, u32),
    /// The session that the round counts for.
    session: Uuid,
}

/// The mean of a round's ratios, over the lines added so far.
struct MeanOfRound {
    session: Uuid,
    lines: usize,
    /// The sum of the logarithms.
    sum: f64,
}

impl Rounds {
    pub(super) fn of(a: &Side) -> Self {
        let added = AddedSessions::of(&[a]);
        let of_run =
            |run: &RunTests| RoundOfRun { round: (run.session_id, run.round), session: added.first(run.session_id) };
        Self(a.runs.iter().map(|run| (run.run_id, of_run(run))).collect())
    }

    /// Returns the geometric mean of the ratios of comparable lines, with its interval. Tables, totals and pivots all use it.
    pub(super) fn geometric(&self, found: &[&Line]) -> (Option<f64>, Option<RatioRange>) {
        let one_group = found.windows(2).all(|pair| pair[0].part == pair[1].part && pair[0].size == pair[1].size);
        let means = match one_group {
            // With pooled options a round may have several pairs.
            true => self.means(found, |_, pair| pair),
            false => self.means(found, |a, _| a.round),
        };
        let interval = means.and_then(|means| of_rounds(&means, found.len()));
        let ratios = || found.iter().filter_map(|line| Some(line.found.as_ref()?.ratio)).collect::<Vec<_>>();
        let ratio = interval.map(|found| found.ratio).or_else(|| geometric_mean(&ratios()).ok());
        (ratio, interval.map(|RatioInterval { low, high, confidence, .. }| RatioRange { low, high, confidence }))
    }

    /// Returns the mean over lines of each round, so that conditions that the lines of a round share count only once. `key` identifies the
    /// pairs of runs that are averaged together. Returns none if not all lines are paired.
    fn means<R: Eq + Hash>(
        &self,
        lines: &[&Line],
        key: impl Fn(RoundOfRun, (Uuid, Uuid)) -> R,
    ) -> Option<Vec<MeanOfRound>> {
        let mut places: HashMap<R, usize> = HashMap::new();
        let mut means: Vec<MeanOfRound> = Vec::new();
        let mut before: Option<(&Figure, &Figure)> = None;
        let mut of_line: Vec<usize> = Vec::new();
        for line in lines {
            let (a, b) = (line.a.as_ref()?, line.b.as_ref()?);
            line.found.as_ref().filter(|found| found.paired)?;
            // Lines of one size mostly have the same runs.
            if !before.is_some_and(|(of_a, of_b)| of_a.run_ids == a.run_ids && of_b.run_ids == b.run_ids) {
                of_line.clear();
                for (id_a, id_b) in a.run_ids.iter().zip(&b.run_ids) {
                    let of_run = *self.0.get(id_a)?;
                    let place = *places.entry(key(of_run, (*id_a, *id_b))).or_insert(means.len());
                    if place == means.len() {
                        means.push(MeanOfRound { session: of_run.session, lines: 0, sum: 0.0 });
                    }
                    of_line.push(place);
                }
                before = Some((a, b));
            }
            for (place, (value_a, value_b)) in of_line.iter().zip(a.values.iter().zip(&b.values)) {
                // If a value is 0, there is no mean of logarithms.
                if *value_a <= 0.0 || *value_b <= 0.0 {
                    return None;
                }
                means[*place].lines += 1;
                means[*place].sum += (value_a / value_b).ln();
            }
        }
        Some(means)
    }
}

/// Returns the ratio over the rounds that have all `lines` lines. Each round is one ratio; with several sessions, each session is one
/// ratio. Returns none if there are too few.
fn of_rounds(means: &[MeanOfRound], lines: usize) -> Option<RatioInterval> {
    let mut sessions: BTreeMap<Uuid, Vec<f64>> = BTreeMap::new();
    for mean in means.iter().filter(|mean| mean.lines == lines) {
        sessions.entry(mean.session).or_default().push(mean.sum / lines as f64);
    }
    let sessions: Vec<Vec<f64>> = sessions.into_values().collect();
    if let [only] = sessions.as_slice() {
        let ratios: Vec<f64> = only.iter().map(|log| log.exp()).collect();
        return paired_ratio(&ratios, &vec![1.0; ratios.len()]).ok();
    }
    let (interval, _) = paired_session_ratio(&ratios_of_sessions(&sessions).ok()?, ALPHA).ok()?;
    Some(interval)
}

impl Comparison {
    /// Sorts the lines of each part and size by the distance of their ratios from 1, the farthest first; lines that are not comparable come
    /// last.
    pub fn sort_by_effect(&mut self) {
        for group in self.lines.chunk_by_mut(|one, next| one.part == next.part && one.size == next.size) {
            group.sort_by(|one, next| next.effect().total_cmp(&one.effect()));
        }
    }
}

/// A test, at any size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey<'l> {
    pub part: &'l Part,
    pub test: u32,
    /// The test's name; if names contain the size (`25000 INSERTs`), with `N` for the numbers.
    pub name: String,
}

/// Groups the lines by test, in the order of tests and then of sizes.
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

/// Replaces each number in a test's name with `N`.
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

/// Summarises each test over its sizes, in the order of tests; leaves out tests without a comparable size.
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
