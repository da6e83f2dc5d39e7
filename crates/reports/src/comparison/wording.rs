//! The words of a comparison: the names of its sides, its metric, and the form of its ratios.

use super::{
    SideNames,
    ratios::{self, amount, factors, gain, times},
    words::{self, comparatives, sign},
};
use dbdyno_comparing::compare::{
    ComparedSessions, Comparison, JudgedRatio, Line, Overall, PivotCell, RatioForm, RatioRange, SizeRatio,
};
use dbdyno_foundation::{
    base::units::counted,
    metric::{Better, Metric},
};
use dbdyno_stats::{MORE_ROUNDS_CAP, SAME_BAND, Verdict};

/// The choice of words for a comparison.
#[derive(Debug, Clone)]
pub struct Wording {
    pub sides: SideNames,
    pub metric: Metric,
    pub form: RatioForm,
    /// Whether the lines of parts directly follow those of their tests, so that they need not repeat the tests' names.
    pub parts_follow: bool,
}

impl Wording {
    pub fn of(comparison: &Comparison) -> Self {
        Self::of_lines(comparison, &comparison.lines)
    }

    /// Returns the words for a comparison of which only these lines are shown.
    pub fn of_lines<'l>(comparison: &Comparison, shown: impl IntoIterator<Item = &'l Line>) -> Self {
        let mut above: Option<&Line> = None;
        let parts_follow = shown.into_iter().all(|line| {
            let is_same_test =
                |above: &Line| (above.test, &above.size, &above.part) == (line.test, &line.size, &line.part);
            let follows = above.is_some_and(is_same_test);
            above = Some(line);
            line.actor.is_none() || follows
        });
        Self { sides: SideNames::of(comparison), metric: comparison.metric, form: comparison.ratios, parts_follow }
    }

    /// Returns the name of a line in tables: `2 Random reads`, and `· newest of a feed` for a part of the test above it.
    pub fn line_name(&self, line: &Line) -> String {
        match &line.actor {
            Some(part) if self.parts_follow => part_title(part),
            _ => format!("{} {}", line.test, line.name),
        }
    }
}

/// Returns the title of the row of an actor or a statement below its test: `· newest of a feed`.
pub fn part_title(name: &str) -> String {
    format!("· {name}")
}

/// Titles and legends.
impl Wording {
    /// Returns the title of a column of ratios.
    pub fn ratio_column(&self) -> String {
        let SideNames { a, b } = &self.sides;
        match self.form {
            RatioForm::Words | RatioForm::Factor => self.sides.ratio(),
            RatioForm::Percent => format!("{a} to {b}"),
            RatioForm::Speedup => format!("{a} speedup"),
        }
    }

    /// Returns the titles of the columns with the values of both sides: `lmdb`, `time A`, `p99 lmdb`.
    pub fn columns(&self) -> [String; 2] {
        [&self.sides.a, &self.sides.b].map(|side| self.column(self.metric, side))
    }

    /// Returns the title of a column with the values of both sides: `disk lmdb / redb`.
    pub fn both(&self, metric: Metric) -> String {
        self.column(metric, &format!("{} / {}", self.sides.a, self.sides.b))
    }

    fn column(&self, metric: Metric, side: &str) -> String {
        match metric {
            Metric::Wall if metric == self.metric && !self.sides.are_letters() => side.to_owned(),
            Metric::Wall => format!("time {side}"),
            metric => format!("{} {side}", metric.title()),
        }
    }

    /// Returns the title above the intervals: the side that is better for ratios below and above 1.
    pub fn bar_title(&self) -> String {
        match self.metric.better() {
            Better::Neither => "< 1 >".to_owned(),
            _ => self.better_sides().join(" < 1 > "),
        }
    }

    /// Returns the meanings of ratios below and above 1: `lmdb faster`, `redb faster`.
    pub fn directions(&self) -> [String; 2] {
        let better = comparatives(self.metric).0;
        self.better_sides().map(|side| format!("{side} {better}"))
    }

    /// Returns the sides that are better for ratios below and above 1.
    pub(super) fn better_sides(&self) -> [&str; 2] {
        let SideNames { a, b } = &self.sides;
        if self.metric.better() == Better::More { [b, a] } else { [a, b] }
    }

    /// Explains the signs.
    pub fn signs(&self) -> String {
        let (better, worse) = comparatives(self.metric);
        let a = &self.sides.a;
        format!("▼ {a} {better}  ▲ {a} {worse}  = same  ? undecided  … too few runs")
    }

    /// Explains the range of a verdict that names no better side, with the first as the example: `same within 3 % (0.998-1.009x): lmdb is
    /// between 0.998 and 1.009 times as fast as redb, with 95 % confidence`.
    pub fn about_ranges<'l>(&self, lines: impl IntoIterator<Item = &'l Line>) -> Option<String> {
        let mut open =
            lines.into_iter().filter(|line| words::has_open_range(line)).filter_map(|line| line.found.as_ref());
        let first = open.next()?;
        let range = chance(first)?;
        let SideNames { a, b } = &self.sides;
        let ends = factors([range.low, range.high].map(|end| gain(end, self.metric))).replacen('-', " and ", 1);
        let said = self.short_verdict_with_range(first);
        Some(format!(
            "{said}: {a} is between {ends} times {} as {b}, with 95 % confidence",
            ratios::as_much(self.metric)
        ))
    }
}

/// Ratios.
impl Wording {
    /// Formats a ratio: `0.75`, `-25 %`, or as a speedup `1.33x`. A column has no room for words, so it has bare ratios instead.
    pub fn ratio(&self, of: f64) -> String {
        match self.form {
            RatioForm::Words | RatioForm::Factor => ratios::ratio(of),
            RatioForm::Percent => format!("{} %", ratios::percent(of)),
            RatioForm::Speedup => times(gain(of, self.metric)),
        }
    }

    /// Formats a range: `0.91-1.02`, `-9.0..+2.0 %`, `0.98-1.10`, or `-` without one.
    pub fn range(&self, of: Option<RatioRange>) -> String {
        match (of, self.form) {
            (Some(of), RatioForm::Percent) => {
                format!("{}..{} %", ratios::percent(of.low), ratios::percent(of.high))
            }
            (Some(of), RatioForm::Speedup) => factors([of.low, of.high].map(|end| gain(end, self.metric))),
            _ => ratios::range(of),
        }
    }

    /// `1000: 0.96 [0.91-1.02] ?`.
    pub fn at_size(&self, found: &SizeRatio) -> String {
        let (ratio, range) = (self.ratio(found.ratio), self.range(found.interval));
        format!("{}: {ratio} [{range}] {}", found.size, sign(Some(found.verdict)))
    }

    /// Formats a cell of a pivot: `0.42 ▼`, `0.42* g` for several lines, `n/c`, `-`; and its interval.
    pub fn pivot_cell(&self, cell: Option<&PivotCell>) -> [String; 2] {
        let Some(cell) = cell else { return ["-".to_owned(), String::new()] };
        let Some(ratio) = cell.ratio else { return ["n/c".to_owned(), String::new()] };
        let without = if cell.left_out > 0 { "*" } else { "" };
        let mark = if cell.lines > 1 { "g" } else { sign(cell.verdict) };
        [format!("{}{without} {mark}", self.ratio(ratio)), self.range(cell.interval)]
    }

    /// Says how much better one side is: `lmdb 2.8x faster (2.5-3.1)`. After a moment things became better or worse: `since 1.3x slower`.
    pub fn amount(&self, ratio: f64, interval: Option<RatioRange>) -> String {
        if self.sides.are_moments() {
            return format!("{} {}", self.sides.a, self.amount_of_a(ratio, interval));
        }
        amount(ratio, interval, self.metric, Some(&self.sides))
    }

    /// Says how much better or worse A is, below its own name: `2.8x faster (2.5-3.1)`.
    pub fn amount_of_a(&self, ratio: f64, interval: Option<RatioRange>) -> String {
        amount(ratio, interval, self.metric, None)
    }

    /// Returns the geometric mean of all lines.
    pub fn overall(&self, overall: &Overall) -> String {
        let Overall { lines, left_out, ratio, interval } = *overall;
        let mean = match self.form {
            RatioForm::Words => self.amount(ratio, interval),
            _ => {
                let interval = interval.map_or_else(String::new, |range| format!(" [{}]", self.range(Some(range))));
                format!("{} {}{interval}", self.ratio_column(), self.ratio(ratio))
            }
        };
        let left_out =
            if left_out > 0 { format!(", without {left_out} that are not comparable") } else { String::new() };
        format!("geometric mean of all {lines} lines: {mean}{left_out}")
    }
}

/// Verdicts.
impl Wording {
    /// Returns the verdict in words: `lmdb 3.1x faster`, `undecided, about 6 more rounds`.
    pub fn verdict(&self, found: &JudgedRatio) -> String {
        match (found.verdict, found.sessions) {
            (Verdict::Faster | Verdict::Slower, _) => self.amount(found.ratio, None),
            (Verdict::Same, _) if found.exact => "equal".to_owned(),
            (Verdict::Same, _) => format!("same within {:.0} %", SAME_BAND * 100.0),
            (Verdict::Undecided { .. }, Some(compared)) => self.undecided_sessions(compared, found.paired),
            (Verdict::Undecided { more_rounds: Some(more) }, None) => {
                format!("undecided, about {}", counted(more, "more round"))
            }
            (Verdict::Undecided { more_rounds: None }, None) => {
                format!("undecided, over {MORE_ROUNDS_CAP} more rounds")
            }
            (Verdict::TooFew { need }, _) => format!("need >= {need} runs"),
        }
    }

    /// Returns the verdict for narrow columns: `undecided +6`, which [`MORE`](super::words::MORE) explains.
    pub fn short_verdict(&self, found: &JudgedRatio) -> String {
        match (found.verdict, found.sessions) {
            (Verdict::Undecided { .. }, Some(ComparedSessions { apart: Some(apart), .. })) => {
                format!("sessions differ by {} %", ratios::percent(1.0 + apart).trim_start_matches('+'))
            }
            (Verdict::Undecided { .. }, Some(_)) => "sessions differ".to_owned(),
            (Verdict::Undecided { more_rounds: Some(more) }, None) => format!("undecided +{more}"),
            (Verdict::Undecided { more_rounds: None }, None) => format!("undecided +>{MORE_ROUNDS_CAP}"),
            _ => self.verdict(found),
        }
    }

    /// Returns the verdict with the range of the factor: `lmdb 3.1x faster (2.8-3.3)`, `undecided, about 6 more rounds (lmdb 0.95-1.09x as fast)`.
    pub fn verdict_with_range(&self, found: &JudgedRatio) -> String {
        let range = |range| format!("{} {range} {}", self.sides.a, ratios::as_much(self.metric));
        self.ranged(found, self.verdict(found), range)
    }

    /// Returns the same for narrow columns: `lmdb 3.1x faster (2.8-3.3)`, `undecided +6 (0.95-1.09x)`.
    pub fn short_verdict_with_range(&self, found: &JudgedRatio) -> String {
        self.ranged(found, self.short_verdict(found), |range| range)
    }

    /// Returns the verdict on A below its own name: `3.1x faster (2.8-3.3)`, `1.4x slower (1.3-1.5)`, `undecided +6 (0.95-1.09x)`.
    pub fn verdict_on_a(&self, found: &JudgedRatio) -> String {
        match found.verdict {
            Verdict::Faster | Verdict::Slower => self.amount_of_a(found.ratio, chance(found)),
            _ => self.short_verdict_with_range(found),
        }
    }

    fn ranged(&self, found: &JudgedRatio, verdict: String, range: impl Fn(String) -> String) -> String {
        let possible = |of: RatioRange| factors([of.low, of.high].map(|end| gain(end, self.metric))) + "x";
        match found.verdict {
            Verdict::Faster | Verdict::Slower => self.amount(found.ratio, chance(found)),
            Verdict::TooFew { .. } => format!("{verdict} (so far {})", self.amount(found.ratio, None)),
            Verdict::Same | Verdict::Undecided { .. } => {
                let range = chance(found).map(|of| format!(" ({})", range(possible(of))));
                verdict + &range.unwrap_or_default()
            }
        }
    }

    /// Returns the verdict next to a column of ratios. In percent and as a speedup the ratio already has the amount, so the verdict names
    /// only the better side.
    pub fn verdict_beside_ratio(&self, found: &JudgedRatio) -> String {
        let better = |side: &str| format!("{side} {}", self.metric.comparative());
        match (self.form, found.verdict) {
            (RatioForm::Percent | RatioForm::Speedup, Verdict::Slower) if self.sides.are_moments() => {
                format!("{} {}", self.sides.a, comparatives(self.metric).1)
            }
            (RatioForm::Percent | RatioForm::Speedup, Verdict::Faster) => better(&self.sides.a),
            (RatioForm::Percent | RatioForm::Speedup, Verdict::Slower) => better(&self.sides.b),
            _ => self.verdict(found),
        }
    }

    /// Returns the same for narrow columns.
    pub fn short_verdict_beside_ratio(&self, found: &JudgedRatio) -> String {
        match found.verdict {
            Verdict::Undecided { .. } => self.short_verdict(found),
            _ => self.verdict_beside_ratio(found),
        }
    }

    /// `sessions differ by up to 5.1 %: not decidable from one each`, `lmdb/redb differs between sessions by up to 5.1 %: not decidable
    /// from 2`.
    fn undecided_sessions(&self, compared: ComparedSessions, paired: bool) -> String {
        let ComparedSessions { a, b, apart, .. } = compared;
        let (differ, from) = match (paired, a, b) {
            (true, ..) => (format!("{} differs between sessions", self.sides.ratio()), a.to_string()),
            (false, 1, 1) => ("sessions differ".to_owned(), "one each".to_owned()),
            (false, ..) => ("sessions differ".to_owned(), format!("{a} and {b}")),
        };
        match apart {
            Some(apart) => format!("{differ} by up to {:.1} %: not decidable from {from}", apart * 100.0),
            None => format!("{differ}: not decidable from {from}"),
        }
    }
}

/// Returns the interval of a ratio; none for exact values, which are not subject to chance.
pub(super) fn chance(found: &JudgedRatio) -> Option<RatioRange> {
    found.interval.filter(|_| !found.exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wording(form: RatioForm, metric: Metric) -> Wording {
        Wording { sides: SideNames::letters(), metric, form, parts_follow: true }
    }

    #[test]
    fn percents_have_their_sign_and_tell_small_differences() {
        let percent = wording(RatioForm::Percent, Metric::Wall);
        assert_eq!([0.75, 1.0, 1.041, 2.5].map(|of| percent.ratio(of)), ["-25 %", "+0.0 %", "+4.1 %", "+150 %"]);
        let range = RatioRange { low: 0.9, high: 1.02, confidence: 0.95 };
        assert_eq!(percent.range(Some(range)), "-10..+2.0 %");
        assert_eq!(wording(RatioForm::Factor, Metric::Wall).range(Some(range)), "0.90-1.02");
    }

    #[test]
    fn a_speedup_is_above_one_where_a_is_faster() {
        let speedup = wording(RatioForm::Speedup, Metric::Wall);
        let range = RatioRange { low: 0.2, high: 0.5, confidence: 0.95 };
        assert_eq!([speedup.ratio(0.25), speedup.range(Some(range))], ["4.0x", "2.0-5.0"]);
        assert_eq!(wording(RatioForm::Speedup, Metric::Rate).ratio(0.25), "0.25x");
    }
}
