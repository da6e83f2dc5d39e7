//! A comparison in a sentence, made from its verdicts.

use super::{
    facts,
    ratios::{Advantage, percent},
    reasons::{because, mostly_because},
    wording::{Wording, chance},
    words::{comparatives, part, reason},
};
use crate::doubts::doubts_sentence;
use dbdyno_catalog::is_script;
use dbdyno_comparing::compare::{Comparison, JudgedRatio, Line, MeasuredConfiguration, Part, SideFacts};
use dbdyno_foundation::{base::units::counted, metric::Metric};
use dbdyno_stats::{SAME_BAND, Verdict};
use std::collections::BTreeSet;

/// The most tests that are named; more are counted.
const NAMED: usize = 2;
/// The most parts of tests that are named.
const NAMED_PARTS: usize = 3;

/// Returns the comparison in a sentence, as certain as its verdicts: `lmdb is faster than redb in 14 of 16 tests, 2.3x by the geometric
/// mean (2.0-2.6); undecided in Random reads and Mixed.`
pub fn sentence(comparison: &Comparison) -> String {
    let wording = Wording::of(comparison);
    let lines: Vec<&Line> = comparison.lines.iter().filter(|line| line.actor.is_none()).collect();
    let (a, b) = (&wording.sides.a, &wording.sides.b);
    if let (Some(since), false) = (&comparison.since, lines.is_empty()) {
        return changed_since(comparison, &wording, &lines, since);
    }
    match lines.as_slice() {
        [] => format!("There is nothing to compare between {a} and {b}."),
        [only] => of_test(comparison, &wording, only),
        _ => of_tests(comparison, &wording, &lines),
    }
}

/// Returns the comparison in a sentence, its parts in another one if it has any, whether the sides are equally durable, and the doubts.
pub fn sentences(comparison: &Comparison) -> Vec<String> {
    let durability = facts::durability([&comparison.a, &comparison.b].into_iter());
    let doubted = doubts_sentence(&comparison.doubts);
    std::iter::once(sentence(comparison)).chain(of_parts(comparison)).chain(durability).chain(doubted).collect()
}

/// Returns which parts of the tests gain and which lose, in a sentence: statements of the user's own SQL, or actors. None if there are no
/// parts that can be compared: `By part: sqlite is faster in newest of a feed (2.1x) and 3 more; duckdb is faster in unread by feed (4.2x).`
pub(super) fn of_parts(comparison: &Comparison) -> Option<String> {
    let wording = Wording::of(comparison);
    let tests: BTreeSet<(&Part, &str, u32)> =
        comparison.lines.iter().map(|line| (&line.part, line.size.as_str(), line.test)).collect();
    let parts = comparison.lines.iter().filter_map(|line| {
        let own = line.actor.as_ref()?;
        let name = if tests.len() == 1 { own.clone() } else { name(comparison, line) };
        Some(JudgedPart { name, found: line.found.as_ref() })
    });
    let is = is_better(&wording, None);
    let [a, b] = [&wording.sides.a, &wording.sides.b].map(|who| format!("{who} {is}"));
    let sides = [&comparison.a, &comparison.b];
    let mut suites = sides.into_iter().flat_map(|side| &side.configurations).map(|one| &*one.configuration.suite);
    by_part(suites.all(is_script), wording.metric, [&a, &b], parts.collect())
}

/// A part of a test with its ratio; none: not comparable.
pub(crate) struct JudgedPart<'p> {
    pub(crate) name: String,
    pub(crate) found: Option<&'p JudgedRatio>,
}

/// Returns which parts gain and which lose, with the words before each. None if nothing is comparable.
pub(crate) fn by_part(
    are_statements: bool,
    metric: Metric,
    [gain, lose]: [&str; 2],
    parts: Vec<JudgedPart<'_>>,
) -> Option<String> {
    let with = |wanted: fn(Option<Verdict>) -> bool| -> Vec<&JudgedPart<'_>> {
        parts.iter().filter(|part| wanted(part.found.map(|found| found.verdict))).collect()
    };
    let not_comparable = with(|verdict| verdict.is_none()).len();
    if not_comparable == parts.len() {
        return None;
    }
    let changed = |words: &str, parts: Vec<&JudgedPart<'_>>| {
        (!parts.is_empty()).then(|| format!("{words} in {}", most_changed(parts, metric)))
    };
    let is_open = |verdict| matches!(verdict, Some(Verdict::Undecided { .. } | Verdict::TooFew { .. }));
    let rest = [
        (with(|verdict| verdict == Some(Verdict::Same)).len(), "the same"),
        (with(is_open).len(), "undecided"),
        (not_comparable, "not comparable"),
    ];
    let rest = rest.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{word} in {count}"));
    let changes = [
        changed(gain, with(|verdict| verdict == Some(Verdict::Faster))),
        changed(lose, with(|verdict| verdict == Some(Verdict::Slower))),
    ];
    let clauses: Vec<String> = changes.into_iter().flatten().chain(rest).collect();
    let by = if are_statements { "By statement" } else { "By part" };
    Some(format!("{by}: {}.", clauses.join("; ")))
}

/// Names the parts that change most, with their factors: `newest of a feed (2.1x), search (1.3x) and 3 more`.
fn most_changed(mut parts: Vec<&JudgedPart<'_>>, metric: Metric) -> String {
    let ratio = |part: &JudgedPart<'_>| part.found.map_or(1.0, |found| found.ratio);
    let change = |part: &JudgedPart<'_>| ratio(part).ln().abs();
    parts.sort_by(|one, other| change(other).total_cmp(&change(one)));
    let named =
        |part: &&JudgedPart<'_>| format!("{} ({})", part.name, Advantage::new(ratio(part), None, metric).factor);
    let mut names: Vec<String> = parts.iter().take(NAMED_PARTS).map(named).collect();
    if parts.len() > NAMED_PARTS {
        names.push(format!("{} more", parts.len() - NAMED_PARTS));
    }
    listed(names)
}

/// `a, b and c`.
pub(super) fn listed(mut names: Vec<String>) -> String {
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn of_test(comparison: &Comparison, wording: &Wording, line: &Line) -> String {
    let (a, b) = (&wording.sides.a, &wording.sides.b);
    let test = name(comparison, line);
    let Some(found) = &line.found else {
        let reason = reason([line], [a, b]).map_or_else(String::new, |reason| format!(": {reason}"));
        return format!("{a} and {b} are not comparable in {test}{reason}.");
    };
    let better = |who: &str, than: &str| {
        let advantage = Advantage::new(found.ratio, chance(found), wording.metric);
        let is = is_better(wording, Some(&advantage.factor));
        format!("{who} {is} than {than} in {test}{}{}.", advantage.in_brackets(), because(line, wording))
    };
    match found.verdict {
        Verdict::Faster => better(a, b),
        Verdict::Slower => better(b, a),
        Verdict::Same if found.exact => format!("{a} and {b} are equal in {test}."),
        Verdict::Same => format!("{a} and {b} are the same within {:.0} % in {test}.", SAME_BAND * 100.0),
        Verdict::Undecided { .. } | Verdict::TooFew { .. } => {
            format!("{a} and {b} in {test}: {}.", wording.verdict_with_range(found))
        }
    }
}

/// `Slower since 2026-10-25 in 4 of 8 tests, time +17.6 % (+16.3..+19.0 %) by the geometric mean; the same in 4 tests; sqlite changed from
/// 3.54.0 to 3.54.1.` A few tests are named with their own change, which the mean of all would make smaller: `Slower since 2026-10-25 in 2
/// of 8 tests: Random reads (time +33.1 %) and Exists checks (time +34.2 %)`.
fn changed_since(comparison: &Comparison, wording: &Wording, lines: &[&Line], since: &str) -> String {
    let verdicts = LinesByVerdict::of(lines);
    let (better, worse) = comparatives(wording.metric);
    let in_how_many = |of: &[&Line]| match lines {
        [only] => format!("in {}", name(comparison, only)),
        all => format!("in {} of {}", of.len(), counted(all.len(), "test")),
    };
    let each = |of: &[&Line]| {
        let change = |line: &&Line| {
            let ratio = line.found.as_ref().map_or(1.0, |found| found.ratio);
            format!("{} ({} {} %)", name(comparison, line), wording.metric.title(), percent(ratio))
        };
        format!(": {}", listed(of.iter().map(change).collect()))
    };
    // A mean that goes the other way would contradict the verdicts.
    let by = |of: &[&Line], is_better: bool| {
        if lines.len() > 1 && of.len() <= NAMED_PARTS {
            return each(of);
        }
        let whole = match lines {
            [only] => only.found.as_ref().map(|found| (found.ratio, chance(found))),
            _ => comparison.whole(),
        };
        let agreeing = whole.filter(|(ratio, _)| Advantage::new(*ratio, None, wording.metric).is_a == is_better);
        agreeing.map_or_else(String::new, |(ratio, interval)| {
            let ends = interval.map(|range| format!(" ({}..{} %)", percent(range.low), percent(range.high)));
            let mean = if lines.len() > 1 { " by the geometric mean" } else { "" };
            format!(", {} {} %{}{mean}", wording.metric.title(), percent(ratio), ends.unwrap_or_default())
        })
    };
    let versions = versions_between(comparison);
    let (first, other) = match (verdicts.worse.len(), verdicts.better.len()) {
        (0, 0) => (format!("No change is shown since {since}"), Vec::new()),
        (worse_in, better_in) if worse_in >= better_in => (
            format!(
                "{} since {since} {}{}",
                capitalised(worse),
                in_how_many(&verdicts.worse),
                by(&verdicts.worse, false)
            ),
            vec![(verdicts.better.as_slice(), better)],
        ),
        _ => (
            format!(
                "{} since {since} {}{}",
                capitalised(better),
                in_how_many(&verdicts.better),
                by(&verdicts.better, true)
            ),
            vec![(verdicts.worse.as_slice(), worse)],
        ),
    };
    let rest = [
        (verdicts.same.as_slice(), "the same"),
        (&verdicts.undecided, "undecided"),
        (&verdicts.too_few, "too few runs"),
        (&verdicts.not_comparable, "not comparable"),
    ];
    let rest = other.into_iter().chain(rest).filter(|(lines, _)| !lines.is_empty());
    let rest = rest.map(|(lines, word)| format!("; {word} in {}", named(comparison, lines)));
    format!("{first}{}{versions}.", rest.collect::<String>())
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns what else changed between the sides: `; sqlite changed from 3.54.0 to 3.54.1`.
fn versions_between(comparison: &Comparison) -> String {
    let versions = |side: &SideFacts| -> BTreeSet<String> {
        let engine =
            |one: &MeasuredConfiguration| format!("{} {}", one.configuration.engine, one.configuration.version);
        side.configurations.iter().map(engine).collect()
    };
    let (since, before) = (versions(&comparison.a), versions(&comparison.b));
    let new = since.difference(&before).map(|version| {
        let (engine, number) = version.split_once(' ').unwrap_or((version, ""));
        let old: Vec<&str> = before.iter().filter_map(|of| of.strip_prefix(engine)?.strip_prefix(' ')).collect();
        if old.is_empty() {
            format!("; {version} is new")
        } else {
            format!("; {engine} changed from {} to {number}", old.join(" and "))
        }
    });
    new.collect()
}

/// The lines of a comparison by verdict.
struct LinesByVerdict<'c> {
    better: Vec<&'c Line>,
    worse: Vec<&'c Line>,
    same: Vec<&'c Line>,
    undecided: Vec<&'c Line>,
    too_few: Vec<&'c Line>,
    not_comparable: Vec<&'c Line>,
}

impl<'c> LinesByVerdict<'c> {
    fn of(lines: &[&'c Line]) -> Self {
        let with = |wanted: fn(Option<Verdict>) -> bool| {
            let verdict = |line: &&Line| wanted(line.found.as_ref().map(|found| found.verdict));
            lines.iter().copied().filter(verdict).collect()
        };
        Self {
            better: with(|verdict| verdict == Some(Verdict::Faster)),
            worse: with(|verdict| verdict == Some(Verdict::Slower)),
            same: with(|verdict| verdict == Some(Verdict::Same)),
            undecided: with(|verdict| matches!(verdict, Some(Verdict::Undecided { .. }))),
            too_few: with(|verdict| matches!(verdict, Some(Verdict::TooFew { .. }))),
            not_comparable: with(|verdict| verdict.is_none()),
        }
    }
}

fn of_tests(comparison: &Comparison, wording: &Wording, lines: &[&Line]) -> String {
    let verdicts = LinesByVerdict::of(lines);
    let (a, b) = (&wording.sides.a, &wording.sides.b);
    let all = counted(lines.len(), "test");
    let (ahead, behind, wins, losses) = match verdicts.better.len() >= verdicts.worse.len() {
        true => (a, b, &verdicts.better, &verdicts.worse),
        false => (b, a, &verdicts.worse, &verdicts.better),
    };
    let is = is_better(wording, None);
    let why = |lines: &[&Line]| {
        let reason = lines.iter().all(|line| line.found.is_none()).then(|| reason(lines.iter().copied(), [a, b]));
        reason.flatten().map_or_else(String::new, |reason| format!(" ({reason})"))
    };
    let mut rest = vec![
        (verdicts.same.as_slice(), "the same"),
        (&verdicts.undecided, "undecided"),
        (&verdicts.too_few, "too few runs"),
        (&verdicts.not_comparable, "not comparable"),
    ];
    rest.retain(|(lines, _)| !lines.is_empty());
    let first = match (wins.len(), losses.len()) {
        (0, _) => {
            let (first, word) = rest.remove(0);
            let first = first.to_vec();
            let count = format!("{} of {all}", first.len());
            match word {
                "the same" => format!("{a} and {b} are the same within {:.0} % in {count}", SAME_BAND * 100.0),
                "undecided" => format!("Neither {a} nor {b} is shown to be better: undecided in {count}"),
                word => format!("{a} and {b}: {word} in {count}{}", why(&first)),
            }
        }
        (wins, losses) if wins == losses => {
            format!("Neither is ahead: {ahead} {is} than {behind} in {wins} of {all}, and the reverse in {losses}")
        }
        (wins_in, 0) => {
            let mean = mean(comparison, wording, ahead);
            let why = mostly_because(wins.iter().copied(), behind);
            format!("{ahead} {is} than {behind} in {wins_in} of {all}{mean}{why}")
        }
        (wins_in, _) => {
            let mean = mean(comparison, wording, ahead);
            let why = mostly_because(wins.iter().copied(), behind);
            let reverse = named(comparison, losses);
            format!("{ahead} {is} than {behind} in {wins_in} of {all}{mean}{why}; {behind} {is} in {reverse}")
        }
    };
    let rest = rest.iter().map(|(lines, word)| format!("; {word} in {}{}", named(comparison, lines), why(lines)));
    format!("{first}{}.", rest.collect::<String>())
}

/// `is faster`, `is 3.1x faster`, `has less disk`, `has 3.1x less disk`.
fn is_better(wording: &Wording, factor: Option<&str>) -> String {
    let factor = factor.map_or_else(String::new, |factor| format!("{factor} "));
    match comparatives(wording.metric).0 {
        "faster" => format!("is {factor}faster"),
        better => format!("has {factor}{better} {}", wording.metric.title()),
    }
}

/// Returns the geometric mean, if it favours the side that is better in most tests: `, 2.3x by the geometric mean (2.0-2.6)`.
fn mean(comparison: &Comparison, wording: &Wording, ahead: &str) -> String {
    let advantage = comparison.whole().map(|(ratio, interval)| Advantage::new(ratio, interval, wording.metric));
    let of_ahead = advantage.filter(|advantage| advantage.is_a == (ahead == wording.sides.a));
    of_ahead.map_or_else(String::new, |advantage| {
        format!(", {} by the geometric mean{}", advantage.factor, advantage.in_brackets())
    })
}

/// Names a few tests, or counts them.
fn named(comparison: &Comparison, lines: &[&Line]) -> String {
    named_tests(lines, comparison.means.len() > 1)
}

/// Names a few tests, or counts them. `has_groups`: whether there are several sizes or parts.
pub(super) fn named_tests(lines: &[&Line], has_groups: bool) -> String {
    match lines.len() <= NAMED {
        true => lines.iter().map(|line| test_name(line, has_groups)).collect::<Vec<_>>().join(" and "),
        false => counted(lines.len(), "test"),
    }
}

fn name(comparison: &Comparison, line: &Line) -> String {
    test_name(line, comparison.means.len() > 1)
}

/// `Random reads`, with size and part if there are several. The number of the test would read like a count.
fn test_name(line: &Line, has_groups: bool) -> String {
    match has_groups {
        true => format!("{} at size {} {}", line.name, line.size, part(&line.part)).trim_end().to_owned(),
        false => line.name.clone(),
    }
}

/// `is fastest`, `has the least disk`.
pub(super) fn superlative(metric: Metric) -> String {
    match comparatives(metric).0 {
        "faster" => "is fastest".to_owned(),
        "less" => format!("has the least {}", metric.title()),
        _ => format!("has the most {}", metric.title()),
    }
}
