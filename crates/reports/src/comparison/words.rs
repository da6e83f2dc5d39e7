//! Words that all outputs share.

pub use super::ratios::{interval, range, ratio, times};
use super::{looks, wording::chance};
use crate::sheet::{BarInterval, Sense};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{
    ComparedSessions, Comparison, Figure, JudgedRatio, Line, Mean, NoiseBasis, NoiseFloor, Obstacle, ObstacleKind,
    Part, RatioRange, SizeRatio,
};
use dbdyno_foundation::{
    base::units::counted,
    metric::{Better, Metric},
};
use dbdyno_stats::Verdict;
use dbdyno_store::SessionFacts;
use std::collections::BTreeSet;

/// Explains a verdict on sessions; none if runs of the same sessions were compared.
pub fn about_sessions(comparison: &Comparison) -> Option<&'static str> {
    let differ = |found: &&JudgedRatio| found.sessions.is_some() && matches!(found.verdict, Verdict::Undecided { .. });
    let first = comparison.lines.iter().filter_map(|line| line.found.as_ref()).find(differ)?;
    Some(match first.paired {
        true => {
            "sessions differ: the ratio differs from one to the next, so each counts as one data point: run more sessions, or compare within one"
        }
        false => {
            "sessions differ: the sides ran in different sessions, which may be what differs: run both in one session, or each in more"
        }
    })
}

/// Explains how the rows of actors count; none without such a row.
pub fn about_actors(comparison: &Comparison) -> Option<&'static str> {
    comparison.lines.iter().any(|line| line.actor.is_some()).then_some(
        "rows of actors and statements are parts of their tests: not included in means and counts, with p values adjusted among themselves",
    )
}

/// Describes the family over which p values were adjusted; none without a test.
pub fn family(comparison: &Comparison) -> Option<String> {
    (comparison.compared > 1).then(|| {
        format!(
            "{}: a false discovery rate of 5 % (Benjamini-Hochberg over {} tests)",
            match comparison.metric.comparative() {
                "faster" => "faster and slower",
                _ => "less and more",
            },
            comparison.compared
        )
    })
}

/// The explanation of the number in an undecided verdict.
pub const MORE: &str = "undecided +n: n more rounds decide 9 in 10";

/// Whether more rounds could decide a line.
pub(super) fn is_undecided(line: &Line) -> bool {
    let is_open = |found: &JudgedRatio| matches!(found.verdict, Verdict::Undecided { .. }) && found.sessions.is_none();
    line.found.as_ref().is_some_and(is_open)
}

/// Whether a line's verdict names no better side, but has a range.
pub(super) fn has_open_range(line: &Line) -> bool {
    let names_none = |found: &&JudgedRatio| {
        matches!(found.verdict, Verdict::Same | Verdict::Undecided { .. }) && chance(found).is_some()
    };
    line.found.as_ref().filter(names_none).is_some()
}

/// Returns the sense of a verdict; none: there was nothing to compare.
pub fn sense(verdict: Option<Verdict>) -> Sense {
    match verdict {
        Some(Verdict::Faster) => Sense::Faster,
        Some(Verdict::Slower) => Sense::Slower,
        Some(Verdict::Same) => Sense::Same,
        Some(Verdict::Undecided { .. }) => Sense::Undecided,
        Some(Verdict::TooFew { .. }) => Sense::TooFew,
        None => Sense::NotComparable,
    }
}

/// Returns a ratio with its interval; without an interval both ends are the ratio.
pub fn estimate(found: &JudgedRatio) -> BarInterval {
    around(found.ratio, found.interval)
}

pub(super) fn around(at: f64, range: Option<RatioRange>) -> BarInterval {
    range.map_or(BarInterval { at, low: at, high: at }, |RatioRange { low, high, .. }| BarInterval { at, low, high })
}

/// Returns the verdict's sign, so that colour alone never carries the meaning.
pub fn sign(verdict: Option<Verdict>) -> &'static str {
    sense(verdict).sign()
}

/// Returns the words for the better and the worse of two values.
pub fn comparatives(metric: Metric) -> (&'static str, &'static str) {
    match metric.comparative() {
        "faster" => ("faster", "slower"),
        "less" => ("less", "more"),
        better => (better, "less"),
    }
}

/// Explains a line that is undecided although its range excludes 1; none without such a line.
pub fn about_adjusted<'l>(lines: impl Iterator<Item = &'l Line>) -> Option<&'static str> {
    let mut found = lines.filter_map(|line| line.found.as_ref()).filter(|found| found.sessions.is_none());
    let is_apart = |range: RatioRange| range.high < 1.0 || 1.0 < range.low;
    found
        .any(|found| matches!(found.verdict, Verdict::Undecided { .. }) && chance(found).is_some_and(is_apart))
        .then_some("undecided although the range excludes 1: the verdict allows for all tests and looks")
}

/// Formats a p value for a table: `0.031`, `< 0.001`.
pub fn short_p(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// Names the compared metric, unless it is the time.
pub fn figure(metric: Metric) -> Option<String> {
    let better = match metric.better() {
        Better::Less => ", less is better",
        Better::More => ", more is better",
        Better::Neither => "",
    };
    (metric != Metric::Wall).then(|| format!("{}{better}", metric.title()))
}

/// Returns the verdict's word for programs: `faster`, `not_comparable`.
pub fn verdict_word(line: &Line) -> &'static str {
    sense(line.found.as_ref().map(|found| found.verdict)).word()
}

/// The explanation of a pivot's cells, except ratios and signs.
pub const PIVOT_CELLS: &str = "g geometric mean of several tests · n/c not comparable · * without n/c";

/// Counts the sizes at which a test has each verdict: `8▼ 1= 1?`.
pub fn verdicts_over(sizes: &[SizeRatio]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for sign in sizes.iter().map(|size| sign(Some(size.verdict))) {
        match counts.iter_mut().find(|(known, _)| *known == sign) {
            Some((_, count)) => *count += 1,
            None => counts.push((sign, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.iter().map(|(sign, count)| format!("{count}{sign}")).collect::<Vec<_>>().join(" ")
}

/// Formats the part as `key=value` terms.
pub fn part(part: &Part) -> String {
    part.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
}

/// Formats the only day, or the first and the last one: `2026-11-10 to 2026-11-29`.
pub(super) fn span(days: &BTreeSet<&str>) -> String {
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (only, _) => only.copied().unwrap_or_default().to_owned(),
    }
}

/// Lists the places where the sessions of both sides ran, each once, with the day or the first and the last day: `2026-11-28 on ...`.
pub fn days_and_places(comparison: &Comparison) -> Vec<String> {
    let mut places: Vec<(String, BTreeSet<&str>)> = Vec::new();
    for session in comparison.a.sessions.iter().chain(&comparison.b.sessions) {
        let place = place(session);
        let day = session.started_at.get(..10).unwrap_or(&session.started_at);
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, days)) => drop(days.insert(day)),
            None => places.push((place, BTreeSet::from([day]))),
        }
    }
    let line = |(place, days): (String, BTreeSet<&str>)| format!("measured {} on {place}", span(&days));
    places.into_iter().map(line).collect()
}

/// Lists the places where the sessions of both sides ran, each once.
pub fn places(comparison: &Comparison) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for session in comparison.a.sessions.iter().chain(&comparison.b.sessions) {
        let place = place(session);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn place(session: &SessionFacts) -> String {
    let host = &session.host;
    let known = [&host.cpu_model, &host.os, &host.virtualisation];
    let mut facts: Vec<String> = vec![session.place()];
    facts.extend(known.into_iter().flatten().cloned());
    facts.extend(host.cores.map(|cores| counted(cores, "core")));
    facts.push(format!("kernel {}", host.kernel));
    facts.extend(session.conditions.in_words(host.cores));
    facts.join(", ")
}

/// Describes how lines were compared: `10 pairs of runs`, or `6 and 12 runs, unpaired`.
pub fn basis(comparison: &Comparison) -> Option<String> {
    let mut kinds: Vec<String> = Vec::new();
    for line in &comparison.lines {
        if let (Some(found), Some(a), Some(b)) = (&line.found, &line.a, &line.b) {
            if found.exact {
                continue;
            }
            let kind = match found.sessions {
                Some(ComparedSessions { a, .. }) if found.paired => format!("ratios of {}", counted(a, "session")),
                Some(ComparedSessions { a, b, others: 0, .. }) => {
                    format!("medians of {a} and {}", counted(b, "session"))
                }
                Some(ComparedSessions { a, b, others, .. }) => {
                    let tell = if others == 1 {
                        "1 other session shows".to_owned()
                    } else {
                        format!("{others} other sessions show")
                    };
                    format!("medians of {a} and {}; {tell} how much sessions differ", counted(b, "session"))
                }
                None if found.paired => {
                    let pairs = counted(a.values.len(), "pair");
                    let slices = match (a.sliced, b.sliced) {
                        (0, _) | (_, 0) => String::new(),
                        (of_a, of_b) if of_a + of_b == 2 * a.values.len() => ", in slices".to_owned(),
                        (some, _) => format!(", {some} of them in slices"),
                    };
                    format!("{pairs} of runs of the same round{slices}")
                }
                None => format!("{} and {}, not paired", a.values.len(), counted(b.values.len(), "run")),
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    (!kinds.is_empty()).then(|| kinds.join("; "))
}

/// Describes the noise floors of all lines.
pub fn noise(comparison: &Comparison) -> String {
    let floors = || comparison.lines.iter().map(|line| line.noise_floor);
    let least = floors().map(|floor| floor.value).fold(f64::INFINITY, f64::min) * 100.0;
    let most = floors().map(|floor| floor.value).fold(0.0, f64::max) * 100.0;
    match comparison.lines.first().map(|line| line.noise_floor.basis) {
        None => format!("no test of A or B has a value of {}", comparison.metric.title()),
        Some(NoiseBasis::Assumed) => format!("noise floor {most:.1} % (assumed: no session ran A against A)"),
        Some(_) if most - least < 0.05 => format!("noise floor {most:.1} % (measured A against A)"),
        Some(_) => format!("noise floors {least:.1} % to {most:.1} %, each test its own (measured A against A)"),
    }
}

/// Describes the noise floor of one line and its basis.
pub fn noise_floor(floor: NoiseFloor) -> String {
    let basis = match floor.basis {
        NoiseBasis::Assumed => "assumed: no session ran A against A".to_owned(),
        NoiseBasis::OtherTests => "from other tests, which ran A against A".to_owned(),
        NoiseBasis::Measured { pairs } => {
            format!("measured A against A in this test, {}, shrunk towards the other tests", counted(pairs, "pair"))
        }
    };
    format!("Noise floor {:.1} % ({basis}).", floor.value * 100.0)
}

/// Describes an obstacle with the option that allows it, or as a badge if it is allowed.
pub fn obstacle(obstacle: &Obstacle) -> String {
    let Obstacle { kind, side: _, message, allowed } = obstacle;
    match (allowed, kind) {
        (true, _) => format!("{message} (compared anyway)"),
        (false, ObstacleKind::Differ(difference)) => {
            format!("{message} (--allow {} compares them anyway)", difference.name())
        }
        (false, _) => message.clone(),
    }
}

/// Says why lines cannot be compared, with the sides' names, if all have one reason. The sentence about durability says it of tiers.
pub(super) fn reason<'l>(lines: impl IntoIterator<Item = &'l Line>, sides: [&str; 2]) -> Option<String> {
    let obstacle = |line: &'l Line| line.obstacles.iter().find(|obstacle| !obstacle.allowed);
    let mut reasons: Vec<&Obstacle> = lines.into_iter().map(obstacle).collect::<Option<_>>()?;
    reasons.dedup_by_key(|obstacle| &obstacle.message);
    let [only] = reasons.as_slice() else { return None };
    let is_told = only.kind == ObstacleKind::Differ(Difference::Tiers);
    (!is_told).then(|| with_names(&only.message, sides))
}

/// Returns a sentence about A and B with the sides' names.
fn with_names(sentence: &str, [a, b]: [&str; 2]) -> String {
    let named = |word: &str| {
        let (letter, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        let is_alone = !rest.starts_with(char::is_alphanumeric);
        match letter {
            "A" if is_alone => format!("{a}{rest}"),
            "B" if is_alone => format!("{b}{rest}"),
            _ => word.to_owned(),
        }
    };
    sentence.split(' ').map(named).collect::<Vec<_>>().join(" ")
}

/// Names the tests that a mean leaves out; none if it contains all.
pub fn left_out(mean: &Mean) -> Option<String> {
    (!mean.left_out.is_empty() && mean.ratio.is_some())
        .then(|| format!("geometric mean at size {} without: {}", mean.size, mean.left_out.join(", ")))
}

pub fn value(figure: Option<&Figure>, metric: Metric) -> String {
    figure.map_or("-".to_owned(), |figure| figure.shown(figure.median, metric))
}

/// The sentences that lines refer to by number: each once, in the order of the lines.
#[derive(Debug, Default)]
pub struct Footnotes {
    pub texts: Vec<String>,
}

impl Footnotes {
    /// Returns the numbers, from 1, of the notes on a line: its obstacles, and a note if its medians contradict its ratio.
    pub fn numbers(&mut self, line: &Line) -> Vec<usize> {
        line.obstacles.iter().map(obstacle).chain(looks::medians_apart(line)).map(|text| self.number(text)).collect()
    }

    /// Returns the number of a sentence, from 1.
    pub fn number(&mut self, text: String) -> usize {
        let at = self.texts.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.texts.push(text);
            self.texts.len() - 1
        });
        at + 1
    }
}
