//! Several configurations in sentences: the best, its tests, and its distance from the others.

use super::{
    ratios::Advantage,
    reasons::mostly_because,
    sentence::{listed, named_tests, superlative},
    several,
    words::{comparatives, reason},
};
use dbdyno_comparing::compare::{LeaderDuel, Line, Part, SideName};
use dbdyno_foundation::{base::units::counted, metric::Metric};
use dbdyno_stats::{SAME_BAND, Verdict};
use std::collections::BTreeMap;

/// The most distances in the answer: beyond, only the nearest and the farthest.
const DISTANCES: usize = 3;

/// Describes a leader's verdicts, and its distance from the others: `lmdb is fastest in 5 of 8 tests; undecided in 3 tests.` and
/// `By the geometric mean, it is 1.9x faster than redb (1.5-2.4) and 2.5x faster than sqlite (2.0-3.2).`
pub(super) fn leading(duels: &[LeaderDuel<'_>]) -> Vec<String> {
    let Some(first) = duels.first() else { return Vec::new() };
    let metric = first.comparison.metric;
    let tests = tests(duels);
    std::iter::once(by_tests(duels, &tests, metric)).chain(by_mean(duels, tests.len(), metric)).collect()
}

/// Returns the names of the leader and of the other configuration.
fn names(duel: &LeaderDuel<'_>) -> [String; 2] {
    let [a, b] = [&duel.comparison.a, &duel.comparison.b].map(several::name);
    if duel.leader == SideName::A { [a, b] } else { [b, a] }
}

/// A test of a leader with the verdicts on it, by duel; none: not comparable.
struct LedTest<'l> {
    line: &'l Line,
    verdicts: Vec<Option<Verdict>>,
    /// Why it cannot be compared with some, each once.
    reasons: Vec<String>,
}

/// The place of a leader in a test, by all of its verdicts. Other configurations are given by the index of their duel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Placing {
    Fastest,
    Behind(usize),
    Level(Vec<usize>),
    Undecided,
    /// The number of runs that verdicts need.
    TooFew(usize),
    NotComparable,
}

impl LedTest<'_> {
    /// Returns the gravest result of all verdicts. Each configuration that is ahead is a placing of its own.
    fn placings(&self) -> Vec<Placing> {
        let with = |wanted: Verdict| -> Vec<usize> {
            let all = self.verdicts.iter().enumerate();
            all.filter(|(_, verdict)| **verdict == Some(wanted)).map(|(duel, _)| duel).collect()
        };
        let needed = self.verdicts.iter().filter_map(|verdict| match verdict {
            Some(Verdict::TooFew { need }) => Some(*need),
            _ => None,
        });
        let is_undecided = |verdict: &Option<Verdict>| matches!(verdict, Some(Verdict::Undecided { .. }));
        let (behind, level) = (with(Verdict::Slower), with(Verdict::Same));
        if !behind.is_empty() {
            behind.into_iter().map(Placing::Behind).collect()
        } else if self.verdicts.contains(&None) {
            vec![Placing::NotComparable]
        } else if let Some(need) = needed.max() {
            vec![Placing::TooFew(need)]
        } else if self.verdicts.iter().any(is_undecided) {
            vec![Placing::Undecided]
        } else if level.is_empty() {
            vec![Placing::Fastest]
        } else {
            vec![Placing::Level(level)]
        }
    }
}

/// Returns the tests of all duels. Actors and statements are parts of tests.
fn tests<'c>(duels: &[LeaderDuel<'c>]) -> Vec<LedTest<'c>> {
    let mut tests: Vec<LedTest<'c>> = Vec::new();
    let mut places: BTreeMap<(&Part, &str, u32, &str), usize> = BTreeMap::new();
    for (at, duel) in duels.iter().enumerate() {
        for line in duel.comparison.lines.iter().filter(|line| line.actor.is_none()) {
            let key = (&line.part, line.size.as_str(), line.test, line.name.as_str());
            let place = *places.entry(key).or_insert(tests.len());
            if place == tests.len() {
                tests.push(LedTest { line, verdicts: vec![None; duels.len()], reasons: Vec::new() });
            }
            let test = &mut tests[place];
            test.verdicts[at] = line.found.as_ref().map(|found| duel.on_leader(found.verdict));
            let sides = [&duel.comparison.a, &duel.comparison.b].map(several::name);
            let reason = reason([line], [&sides[0], &sides[1]]).filter(|_| line.found.is_none());
            test.reasons.extend(reason.filter(|reason| !test.reasons.contains(reason)));
        }
    }
    tests
}

fn by_tests(duels: &[LeaderDuel<'_>], tests: &[LedTest<'_>], metric: Metric) -> String {
    let others: Vec<String> = duels.iter().map(|duel| names(duel)[1].clone()).collect();
    let name = &names(&duels[0])[0];
    let has_groups = duels.iter().any(|duel| duel.comparison.means.len() > 1);
    let mut placings: BTreeMap<Placing, Vec<&Line>> = BTreeMap::new();
    let mut reasons: Vec<&str> = tests.iter().flat_map(|test| &test.reasons).map(String::as_str).collect();
    reasons.dedup();
    let why = match reasons.as_slice() {
        [only] => format!(" ({only})"),
        _ => String::new(),
    };
    for test in tests {
        for placing in test.placings() {
            placings.entry(placing).or_default().push(test.line);
        }
    }
    let best = superlative(metric);
    let named = |with: &[usize]| listed(with.iter().map(|other| others[*other].clone()).collect());
    let in_all = match tests {
        [] => return format!("There is nothing to compare with {name}."),
        [only] => format!("in {}", only.line.name),
        [_, _] => "in both tests".to_owned(),
        all => format!("in all {}", counted(all.len(), "test")),
    };
    let one = placings.first_key_value().filter(|_| placings.len() == 1).map(|(placing, _)| placing);
    let whole = match one {
        Some(Placing::Fastest) => format!("{name} {best} {in_all}."),
        Some(Placing::Level(with)) => {
            format!("{name} is the same as {} within {:.0} % {in_all}.", named(with), SAME_BAND * 100.0)
        }
        Some(Placing::Undecided) => format!("Undecided which one {best} {in_all}: {name} leads so far."),
        Some(Placing::TooFew(need)) => format!("Too few rounds to say which one {best} {in_all}: {need} are needed."),
        Some(Placing::NotComparable) => format!("{name} is not comparable with all others {in_all}{why}."),
        Some(Placing::Behind(_)) | None => String::new(),
    };
    if !whole.is_empty() {
        return whole;
    }
    let wins = placings.remove(&Placing::Fastest).unwrap_or_default().len();
    let all = tests.len();
    let first = match wins {
        0 => format!("{name} leads by the geometric mean, but is shown to be ahead of all others in no test of {all}"),
        wins => format!("{name} {best} in {wins} of {}", counted(all, "test")),
    };
    let better = comparatives(metric).0;
    let clause = |(placing, lines): (Placing, Vec<&Line>)| {
        let tests = named_tests(&lines, has_groups);
        match placing {
            Placing::Behind(other) if better == "faster" => {
                format!("; {} is faster than {name} in {tests}", others[other])
            }
            Placing::Behind(other) => format!("; {} has {better} than {name} in {tests}", others[other]),
            Placing::Level(with) => {
                format!("; the same as {} within {:.0} % in {tests}", named(&with), SAME_BAND * 100.0)
            }
            Placing::Undecided => format!("; undecided in {tests}"),
            Placing::TooFew(_) => format!("; too few rounds in {tests}"),
            Placing::NotComparable => format!("; not comparable with all others in {tests}{why}"),
            Placing::Fastest => String::new(),
        }
    };
    format!("{first}{}.", placings.into_iter().map(clause).collect::<String>())
}

/// The distance of a leader from another configuration, by the geometric mean.
struct Distance {
    other: String,
    /// The factor between them, above 1.
    factor: f64,
    text: String,
    /// Whether it is more than chance. The interval of a mean does not allow for the choice of the leader, so a verdict on a test has to
    /// agree.
    is_shown: bool,
}

impl Distance {
    fn of(duel: &LeaderDuel<'_>, metric: Metric) -> Option<Self> {
        let (ratio, interval) = duel.comparison.whole()?;
        let advantage = Advantage::new(ratio, interval, metric);
        let [_, other] = names(duel);
        let is_ahead = advantage.is_a == (duel.leader == SideName::A);
        let is_apart = interval.is_some_and(|range| range.high < 1.0 || 1.0 < range.low);
        let mut verdicts = duel.comparison.lines.iter().filter_map(|line| line.found.as_ref());
        let has_verdict = verdicts.any(|found| duel.on_leader(found.verdict) == Verdict::Faster);
        let is_won = |line: &&Line| {
            let verdict = line.found.as_ref().map(|found| duel.on_leader(found.verdict));
            line.actor.is_none() && verdict == Some(Verdict::Faster)
        };
        let won = duel.comparison.lines.iter().filter(is_won);
        Some(Self {
            text: format!(
                "{} {} than {other}{}{}",
                advantage.factor,
                comparatives(metric).0,
                advantage.in_brackets(),
                mostly_because(won, &other)
            ),
            other,
            factor: ratio.max(1.0 / ratio),
            is_shown: is_ahead && is_apart && has_verdict,
        })
    }
}

fn by_mean(duels: &[LeaderDuel<'_>], tests: usize, metric: Metric) -> Option<String> {
    let all = duels.iter().filter_map(|duel| Distance::of(duel, metric));
    let (mut shown, open): (Vec<Distance>, Vec<Distance>) = all.partition(|distance| distance.is_shown);
    shown.sort_by(|one, next| one.factor.total_cmp(&next.factor));
    if shown.len() > DISTANCES {
        let last = shown.pop();
        shown.truncate(1);
        shown.extend(last);
    }
    let verb = match (tests, comparatives(metric).0) {
        (1, "faster") => "It is",
        (1, _) => "It has",
        (_, "faster") => "By the geometric mean, it is",
        _ => "By the geometric mean, it has",
    };
    // The first sentence already describes a single test.
    let open = match open.is_empty() || tests == 1 {
        true => String::new(),
        false => {
            format!("; it is not shown to be ahead of {}", listed(open.into_iter().map(|one| one.other).collect()))
        }
    };
    let texts: Vec<String> = shown.into_iter().map(|distance| distance.text).collect();
    // A reason has a comma before it, and needs another one behind it.
    let has_reason = texts.iter().any(|text| text.contains(", "));
    let texts = if has_reason { texts.join(", and ") } else { listed(texts) };
    (!texts.is_empty()).then(|| format!("{verb} {texts}{open}."))
}
