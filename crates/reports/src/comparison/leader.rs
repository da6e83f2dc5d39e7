//! Several configurations in sentences: which one is best, in which tests, and by how much.

use super::{
    ratios::Advantage,
    sentence::{listed, named_tests, superlative},
    several,
    words::comparatives,
};
use dbdyno_comparing::compare::{Leader, LeaderDuel, Line, Part, SideName};
use dbdyno_foundation::{base::units::counted, metric::Metric};
use dbdyno_stats::{SAME_BAND, Verdict};
use std::collections::BTreeMap;

/// The most configurations whose distance from the leader is told. Of more, those of the next and of the last are.
const TOLD: usize = 3;

/// Returns what the verdicts on a leader say, and its distance from the others: `lmdb is fastest in 5 of 8 tests; undecided in 3 tests.` and
/// `By the geometric mean, it is 1.9x faster than redb (1.5-2.4) and 2.5x faster than sqlite (2.0-3.2).`
pub(super) fn leading(leader: &Leader) -> Vec<String> {
    let Some(first) = leader.duels.first() else { return Vec::new() };
    let metric = first.comparison.metric;
    let tests = tests(leader);
    std::iter::once(by_tests(leader, &tests, metric)).chain(by_mean(leader, tests.len(), metric)).collect()
}

/// Returns the name of the leader in a duel, and that of the other.
fn names(duel: &LeaderDuel) -> [String; 2] {
    let [a, b] = [&duel.comparison.a, &duel.comparison.b].map(several::name);
    if duel.leader == SideName::A { [a, b] } else { [b, a] }
}

/// A test of a leader with the verdicts on it, by duel; none: not comparable.
struct LedTest<'l> {
    line: &'l Line,
    verdicts: Vec<Option<Verdict>>,
}

/// What the verdicts on a leader in a test say together. Other numbers are those of duels.
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
    /// Returns what the verdicts say, the gravest of it; each of the others that are ahead is a placing of its own.
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
fn tests(leader: &Leader) -> Vec<LedTest<'_>> {
    let mut tests: Vec<LedTest<'_>> = Vec::new();
    let mut places: BTreeMap<(&Part, &str, u32, &str), usize> = BTreeMap::new();
    for (at, duel) in leader.duels.iter().enumerate() {
        for line in duel.comparison.lines.iter().filter(|line| line.actor.is_none()) {
            let key = (&line.part, line.size.as_str(), line.test, line.name.as_str());
            let place = *places.entry(key).or_insert(tests.len());
            if place == tests.len() {
                tests.push(LedTest { line, verdicts: vec![None; leader.duels.len()] });
            }
            tests[place].verdicts[at] = line.found.as_ref().map(|found| duel.on_leader(found.verdict));
        }
    }
    tests
}

fn by_tests(leader: &Leader, tests: &[LedTest<'_>], metric: Metric) -> String {
    let others: Vec<String> = leader.duels.iter().map(|duel| names(duel)[1].clone()).collect();
    let name = &names(&leader.duels[0])[0];
    let has_groups = leader.duels.iter().any(|duel| duel.comparison.means.len() > 1);
    let mut placings: BTreeMap<Placing, Vec<&Line>> = BTreeMap::new();
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
        Some(Placing::NotComparable) => format!("{name} is not comparable with all others {in_all}."),
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
            Placing::Behind(other) if better == "faster" => format!("; {} is faster in {tests}", others[other]),
            Placing::Behind(other) => format!("; {} has {better} in {tests}", others[other]),
            Placing::Level(with) => {
                format!("; the same as {} within {:.0} % in {tests}", named(&with), SAME_BAND * 100.0)
            }
            Placing::Undecided => format!("; undecided in {tests}"),
            Placing::TooFew(_) => format!("; too few rounds in {tests}"),
            Placing::NotComparable => format!("; not comparable with all others in {tests}"),
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
    /// Whether it is more than chance. The mean has an interval of its own, which knows nothing of the choice of the leader, so a verdict
    /// on a test has to say the same.
    is_shown: bool,
}

impl Distance {
    fn of(duel: &LeaderDuel, metric: Metric) -> Option<Self> {
        let (ratio, interval) = duel.comparison.whole()?;
        let advantage = Advantage::new(ratio, interval, metric);
        let [_, other] = names(duel);
        let is_ahead = advantage.is_a == (duel.leader == SideName::A);
        let is_apart = interval.is_some_and(|range| range.high < 1.0 || 1.0 < range.low);
        let mut verdicts = duel.comparison.lines.iter().filter_map(|line| line.found.as_ref());
        let has_verdict = verdicts.any(|found| duel.on_leader(found.verdict) == Verdict::Faster);
        Some(Self {
            text: format!("{} {} than {other}{}", advantage.factor, comparatives(metric).0, advantage.in_brackets()),
            other,
            factor: ratio.max(1.0 / ratio),
            is_shown: is_ahead && is_apart && has_verdict,
        })
    }
}

fn by_mean(leader: &Leader, tests: usize, metric: Metric) -> Option<String> {
    let all = leader.duels.iter().filter_map(|duel| Distance::of(duel, metric));
    let (mut shown, open): (Vec<Distance>, Vec<Distance>) = all.partition(|distance| distance.is_shown);
    shown.sort_by(|one, next| one.factor.total_cmp(&next.factor));
    if shown.len() > TOLD {
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
    // About a single test, the first sentence has said it.
    let open = match open.is_empty() || tests == 1 {
        true => String::new(),
        false => {
            format!("; it is not shown to be ahead of {}", listed(open.into_iter().map(|one| one.other).collect()))
        }
    };
    let texts = listed(shown.into_iter().map(|distance| distance.text).collect());
    (!texts.is_empty()).then(|| format!("{verb} {texts}{open}."))
}
