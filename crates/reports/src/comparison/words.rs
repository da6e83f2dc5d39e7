//! Words that all outputs share.

use super::looks;
use crate::sheet::{Interval, Sense};
use dbdyno_comparing::compare::{
    ComparedSessions, Comparison, Figure, JudgedRatio, Line, Mean, NoiseBasis, NoiseFloor, Obstacle, ObstacleKind,
    Overall, Part, PivotCell, RatioForm, RatioRange, SizeRatio,
};
use dbdyno_foundation::{
    base::units::counted,
    metric::{Better, Metric},
};
use dbdyno_stats::{MORE_ROUNDS_CAP, SAME_BAND, Verdict};

/// Returns the verdict to show next to a ratio. In percent, the ratio already has the amount, so the verdict names only the better side.
pub fn verdict_as(found: &JudgedRatio, metric: Metric, form: RatioForm) -> String {
    let better = |side: &str| format!("{side} {}", metric.comparative());
    match (form, found.verdict) {
        (RatioForm::Percent, Verdict::Faster) => better("A"),
        (RatioForm::Percent, Verdict::Slower) => better("B"),
        _ => verdict(found, metric),
    }
}

/// Returns the same verdict for narrow columns.
pub fn short_verdict_as(found: &JudgedRatio, metric: Metric, form: RatioForm) -> String {
    match found.verdict {
        Verdict::Undecided { .. } => short_verdict(found, metric),
        _ => verdict_as(found, metric, form),
    }
}

/// Returns the verdict in words: `A 3.1x faster`, `undecided, about 6 more rounds`.
pub fn verdict(found: &JudgedRatio, metric: Metric) -> String {
    verdict_between(found, metric, ["A", "B"])
}

/// Returns the verdict in words with the names of both sides in place of A and B.
pub fn verdict_between(found: &JudgedRatio, metric: Metric, [a, b]: [&str; 2]) -> String {
    let better = |side: &str| format!("{side} {} {}", times(found.ratio.max(1.0 / found.ratio)), metric.comparative());
    match (found.verdict, found.sessions) {
        (Verdict::Faster, _) => better(a),
        (Verdict::Slower, _) => better(b),
        (Verdict::Same, _) if found.exact => "equal".to_owned(),
        (Verdict::Same, _) => format!("same within {:.0} %", SAME_BAND * 100.0),
        (Verdict::Undecided { .. }, Some(sessions)) => undecided_sessions(sessions, found.paired),
        (Verdict::Undecided { more_rounds: Some(more) }, None) => {
            format!("undecided, about {}", counted(more, "more round"))
        }
        (Verdict::Undecided { more_rounds: None }, None) => format!("undecided, over {MORE_ROUNDS_CAP} more rounds"),
        (Verdict::TooFew { need }, _) => format!("need >= {need} runs"),
    }
}

/// `sessions differ by up to 5.1 %: not decidable from one each`, `A/B differs between sessions by up to 5.1 %: not decidable from 2`.
fn undecided_sessions(ComparedSessions { a, b, apart, .. }: ComparedSessions, paired: bool) -> String {
    let (differ, from) = match (paired, a, b) {
        (true, ..) => ("A/B differs between sessions", a.to_string()),
        (false, 1, 1) => ("sessions differ", "one each".to_owned()),
        (false, ..) => ("sessions differ", format!("{a} and {b}")),
    };
    match apart {
        Some(apart) => format!("{differ} by up to {:.1} %: not decidable from {from}", apart * 100.0),
        None => format!("{differ}: not decidable from {from}"),
    }
}

/// Returns the verdict for narrow columns: `undecided +6`, which [`MORE`] explains.
pub fn short_verdict(found: &JudgedRatio, metric: Metric) -> String {
    match (found.verdict, found.sessions) {
        (Verdict::Undecided { .. }, Some(ComparedSessions { apart: Some(apart), .. })) => {
            format!("sessions +-{:.1} %", apart * 100.0)
        }
        (Verdict::Undecided { .. }, Some(_)) => "sessions differ".to_owned(),
        (Verdict::Undecided { more_rounds: Some(more) }, None) => format!("undecided +{more}"),
        (Verdict::Undecided { more_rounds: None }, None) => format!("undecided +>{MORE_ROUNDS_CAP}"),
        _ => verdict(found, metric),
    }
}

/// Explains a verdict on sessions; none if runs of the same sessions were compared.
pub fn about_sessions(comparison: &Comparison) -> Option<&'static str> {
    let differ = |found: &&JudgedRatio| found.sessions.is_some() && matches!(found.verdict, Verdict::Undecided { .. });
    let first = comparison.lines.iter().filter_map(|line| line.found.as_ref()).find(differ)?;
    Some(match first.paired {
        true => {
            "sessions: A/B differs from one to the next, so each counts as one data point: run more sessions, or compare within one"
        }
        false => {
            "sessions: A and B ran in different sessions, which may be what differs: run both in one session, or each in more"
        }
    })
}

/// Explains how the rows of actors count; none without such a row.
pub fn about_actors(comparison: &Comparison) -> Option<&'static str> {
    comparison.lines.iter().any(|line| line.actor.is_some()).then_some(
        "rows of actors are parts of their tests: not included in means and counts, with p values adjusted among themselves",
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
pub fn estimate(found: &JudgedRatio) -> Interval {
    around(found.ratio, found.interval)
}

pub(super) fn around(at: f64, range: Option<RatioRange>) -> Interval {
    range.map_or(Interval { at, low: at, high: at }, |RatioRange { low, high, .. }| Interval { at, low, high })
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

/// Explains the signs.
pub fn signs(metric: Metric) -> String {
    let (better, worse) = comparatives(metric);
    format!("▼ A {better}  ▲ A {worse}  = same  ? undecided  … too few runs")
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

/// Returns the title of a column with a side's values: `time A`, `p99 A`.
pub fn column(metric: Metric, side: &str) -> String {
    match metric {
        Metric::Wall => format!("time {side}"),
        metric => format!("{} {side}", metric.title()),
    }
}

/// Returns the verdict's word for programs: `faster`, `not_comparable`.
pub fn verdict_word(line: &Line) -> &'static str {
    sense(line.found.as_ref().map(|found| found.verdict)).word()
}

/// A factor: `13x`, `3.1x`, `1.42x`, `1.004x`.
pub fn times(factor: f64) -> String {
    match factor {
        factor if factor >= 9.95 => format!("{factor:.0}x"),
        factor if factor >= 1.995 => format!("{factor:.1}x"),
        factor if factor >= 1.01 => format!("{factor:.2}x"),
        factor => format!("{factor:.3}x"),
    }
}

/// A ratio in four or five characters: `0.081`, `0.96`, `1.65`, `12.3`.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.0995 => format!("{ratio:.3}"),
        ratio if ratio < 9.995 => format!("{ratio:.2}"),
        ratio if ratio < 99.95 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.0}"),
    }
}

/// Formats a ratio in the requested form: `0.75`, or `-25 %`.
pub fn ratio_as(of: f64, form: RatioForm) -> String {
    match form {
        RatioForm::Factor => ratio(of),
        RatioForm::Percent => format!("{} %", percent(of)),
    }
}

/// Formats the difference of A from B, in percent with its sign: `-25`, `+4.1`, `+0.3`.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 9.95 { format!("{percent:+.1}") } else { format!("{percent:+.0}") }
}

/// Returns the title of a column of ratios.
pub fn ratio_column(form: RatioForm) -> &'static str {
    match form {
        RatioForm::Factor => "A/B",
        RatioForm::Percent => "A to B",
    }
}

/// Formats a range: `0.91-1.02`, `-9.0..+2.0 %`, or `-` without one.
pub fn range_as(of: Option<RatioRange>, form: RatioForm) -> String {
    match (of, form) {
        (Some(of), RatioForm::Percent) => format!("{}..{} %", percent(of.low), percent(of.high)),
        _ => range(of),
    }
}

/// Returns the geometric mean of all lines in words.
pub fn overall(overall: &Overall, form: RatioForm) -> String {
    let Overall { lines, left_out, ratio, interval } = *overall;
    let interval = interval.map_or_else(String::new, |range| format!(" [{}]", range_as(Some(range), form)));
    let left_out = if left_out > 0 { format!(", without {left_out} that are not comparable") } else { String::new() };
    format!("geometric mean of all {lines} lines: {} {}{interval}{left_out}", ratio_column(form), ratio_as(ratio, form))
}

/// Formats an interval: `0.91-1.02`, or `-` with too few runs.
pub fn interval(found: &JudgedRatio) -> String {
    range(found.interval)
}

/// Formats a range of ratios: `0.91-1.02`, or `-` without one.
pub fn range(range: Option<RatioRange>) -> String {
    range.map_or("-".to_owned(), |range| format!("{}-{}", ratio(range.low), ratio(range.high)))
}

/// `1000: 0.96 [0.91-1.02] ?`.
pub fn at_size(found: &SizeRatio, form: RatioForm) -> String {
    let (ratio, range) = (ratio_as(found.ratio, form), range_as(found.interval, form));
    format!("{}: {ratio} [{range}] {}", found.size, sign(Some(found.verdict)))
}

/// Formats a cell of a pivot: `0.42 ▼`, `0.42* g` for several lines, `n/c`, `-`; and its interval.
pub fn pivot_cell(cell: Option<&PivotCell>, form: RatioForm) -> [String; 2] {
    let Some(cell) = cell else { return ["-".to_owned(), String::new()] };
    let Some(ratio) = cell.ratio else { return ["n/c".to_owned(), String::new()] };
    let without = if cell.left_out > 0 { "*" } else { "" };
    let mark = if cell.lines > 1 { "g" } else { sign(cell.verdict) };
    [format!("{}{without} {mark}", ratio_as(ratio, form)), range_as(cell.interval, form)]
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

/// Lists the places where the sessions of both sides ran, each once.
pub fn places(comparison: &Comparison) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for session in comparison.a.sessions.iter().chain(&comparison.b.sessions) {
        let host = &session.host;
        let known = [&host.cpu_model, &host.os, &host.virtualisation];
        let mut facts: Vec<String> = vec![session.place()];
        facts.extend(known.into_iter().flatten().cloned());
        facts.extend(host.cores.map(|cores| counted(cores, "core")));
        facts.push(format!("kernel {}", host.kernel));
        facts.extend(session.conditions.in_words(host.cores));
        let place = facts.join(", ");
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
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
                None if found.paired => format!("{} of runs of the same round", counted(a.values.len(), "pair")),
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
            format!("{message} (allow different {} to compare anyway)", difference.word())
        }
        (false, _) => message.clone(),
    }
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

/// Returns the title above the intervals: the side that is better for ratios below and above 1.
pub fn bar_title(metric: Metric) -> &'static str {
    match metric.better() {
        Better::Less => "A < 1 > B",
        Better::More => "B < 1 > A",
        Better::Neither => "< 1 >",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_have_their_sign_and_tell_small_differences() {
        assert_eq!(
            [0.75, 1.0, 1.041, 2.5].map(|of| ratio_as(of, RatioForm::Percent)),
            ["-25 %", "+0.0 %", "+4.1 %", "+150 %"]
        );
        let range = RatioRange { low: 0.9, high: 1.02, confidence: 0.95 };
        assert_eq!(range_as(Some(range), RatioForm::Percent), "-10..+2.0 %");
        assert_eq!(range_as(Some(range), RatioForm::Factor), "0.90-1.02");
    }

    #[test]
    fn ratios_and_factors_are_short_and_tell_small_differences() {
        assert_eq!([0.0812, 0.9604, 1.65, 12.34, 250.0].map(ratio), ["0.081", "0.96", "1.65", "12.3", "250"]);
        assert_eq!([13.2, 3.13, 1.416, 1.004].map(times), ["13x", "3.1x", "1.42x", "1.004x"]);
    }
}
