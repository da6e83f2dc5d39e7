//! Ratios, intervals and p values of lines, and the verdicts that follow.

use super::{
    conditions::DecidingConditions,
    latency::latency,
    layout::{Laid, SideSample},
    model::{ComparedSessions, Figure, FigureRange, JudgedRatio, Line, ObstacleKind, RatioRange, SideName},
    noise::Floors,
    obstacles::obstacles,
    options::Options,
    pairs::{Matched, matched},
    sessions::{self, Repeats, SessionTest},
    zeros::RankedRatio,
};
use crate::{
    metric::{Better, Metric, Variability},
    stats::{
        ALPHA, Evidence, Interval, NoAnswer, RatioInterval, Spending, Verdict, benjamini_hochberg, bootstrap_interval,
        log_ratios, median, paired_ratio_at, rank_sum, signed_rank, unpaired_ratio,
    },
};
use dbdyno_workload::rng::SplitMix64;
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// A line that has its figures, and waits for the p values of the others.
#[derive(Debug)]
pub(super) struct LineDraft {
    line: Line,
    /// The figures of a comparable line; its `found` follows from them.
    tested: Option<Tested>,
    spending: Spending,
}

#[derive(Debug)]
enum Tested {
    /// Values in which chance has a part.
    Sampled(SampledRatio),
    /// The ratio of two values that are the same in every run of their sides: there is nothing to test.
    Exact(f64),
    /// Values in which chance has a part, and of which some are 0.
    Ranked(RankedRatio),
}

#[derive(Debug)]
struct SampledRatio {
    interval: Result<RatioInterval, NoAnswer>,
    /// None with too few runs: such a line cannot be decided and is no test of the table.
    p: Option<f64>,
    median_ratio: f64,
    paired: bool,
    sessions: Option<ComparedSessions>,
}

impl Tested {
    fn p(&self) -> Option<f64> {
        match self {
            Self::Sampled(sampled) => sampled.p,
            Self::Exact(_) => None,
            Self::Ranked(ranked) => ranked.p,
        }
    }
}

/// What is known beside the lines.
#[derive(Debug)]
pub(super) struct Known<'s> {
    /// Where each session ran.
    pub(super) places: BTreeMap<Uuid, String>,
    pub(super) conditions: DecidingConditions,
    pub(super) floors: Floors<'s>,
    pub(super) repeats: Repeats<'s>,
    /// Runs that are on both sides.
    pub(super) shared: HashSet<Uuid>,
    /// Sessions that add rounds to others.
    pub(super) adding: HashSet<Uuid>,
    /// The tests of each side that were run and have no value of the metric, by size and number.
    pub(super) without_value: [HashSet<(&'s str, u32)>; 2],
}

/// Figures and obstacles of a line.
pub(super) fn draft(laid: Laid<'_>, known: &Known<'_>, metric: Metric, options: &Options) -> LineDraft {
    let matched = matched(&laid.a, &laid.b);
    let obstacles = obstacles(&laid, &matched, known, metric, options);
    let several = |side: SideName| {
        let kind = ObstacleKind::SeveralConfigurations;
        obstacles.iter().any(|found| found.kind == kind && found.side == Some(side))
    };
    let a = if several(SideName::A) { None } else { figure(&matched.a, laid.a.len(), metric) };
    let b = if several(SideName::B) { None } else { figure(&matched.b, laid.b.len(), metric) };
    let looks = looks(&matched, &known.adding);
    let spending = match (looks, options.first_look) {
        (1, None) => Spending::ONCE,
        (looks, first) => Spending::at_look(looks + first.map_or(0, |first| first.saturating_sub(1)), 1),
    };
    let comparable = obstacles.iter().all(|obstacle| obstacle.allowed);
    let tested = match (&a, &b) {
        (Some(a), Some(b)) if comparable => Some(match exact(a, b, metric) {
            Some(ratio) => Tested::Exact(ratio),
            None if matched.is_across_sessions() => {
                Tested::Sampled(of_sessions(sessions::test(&laid, &matched, &known.repeats), a.median / b.median))
            }
            None if a.values.iter().chain(&b.values).any(|value| *value <= 0.0) => {
                Tested::Ranked(RankedRatio::new(&a.values, &b.values, matched.paired, a.median / b.median))
            }
            None => Tested::Sampled(of_runs(&matched, a.median / b.median, spending)),
        }),
        _ => None,
    };
    let noise_floor = known.floors.of(&laid);
    let Laid { part, size, test, name, .. } = laid;
    let line = Line { part, size, test, name, a, b, obstacles, noise_floor, looks, found: None };
    LineDraft { line, tested, spending }
}

/// How often these runs were looked at: each session that adds to another was run because what was there before had decided nothing.
fn looks(matched: &Matched<'_>, adding: &HashSet<Uuid>) -> u32 {
    if adding.is_empty() {
        return 1;
    }
    let sessions = matched.a.iter().chain(&matched.b).map(|sample| sample.run.session_id);
    let added: HashSet<Uuid> = sessions.filter(|session| adding.contains(session)).collect();
    1 + added.len() as u32
}

/// The ratio of values of which every run of a side has the same: that of a metric without chance, or nothing on both sides.
fn exact(a: &Figure, b: &Figure, metric: Metric) -> Option<f64> {
    let only = |figure: &Figure| {
        let first = *figure.values.first()?;
        figure.values.iter().all(|value| *value == first).then_some(first)
    };
    match (only(a)?, only(b)?) {
        (0.0, 0.0) => Some(1.0),
        (a, b) => (metric.variability() == Variability::Exact).then(|| a / b),
    }
}

fn figure(samples: &[SideSample<'_>], selected: usize, metric: Metric) -> Option<Figure> {
    let first = samples.first()?;
    let values = values(samples);
    Some(Figure {
        label: first.run.label.to_string(),
        tier: first.run.configuration.tier,
        median: metric.median(&values).ok()?,
        interval: if metric.is_quantile() { median_range(&values) } else { None },
        values,
        run_ids: samples.iter().map(|sample| sample.run.run_id).collect(),
        left_out: selected - samples.len(),
        operations: first.operations,
        per_operation: metric.adds_up() && samples.iter().any(|sample| sample.timed),
        latency: latency(samples),
    })
}

/// The bootstrap's interval of the median; none with too few runs.
fn median_range(values: &[f64]) -> Option<FigureRange> {
    const RESAMPLES: usize = 1_000;
    // The same values give the same interval.
    let mut rng = SplitMix64::new(0);
    let of_drawn = |drawn: &[&f64]| median(&drawn.iter().map(|value| **value).collect::<Vec<_>>()).ok();
    let Interval { low, high, .. } = bootstrap_interval(values, RESAMPLES, &mut rng, of_drawn).ok()?;
    Some(FigureRange { low, high })
}

fn values(samples: &[SideSample<'_>]) -> Vec<f64> {
    samples.iter().map(|sample| sample.value).collect()
}

fn of_runs(matched: &Matched<'_>, median_ratio: f64, spending: Spending) -> SampledRatio {
    let (a, b) = (values(&matched.a), values(&matched.b));
    let interval = if matched.paired { paired_ratio_at(&a, &b, spending.alpha) } else { unpaired_ratio(&a, &b) };
    let p = || match matched.paired {
        true => log_ratios(&a, &b).and_then(|logs| signed_rank(&logs)),
        false => rank_sum(&a, &b),
    };
    let p = if interval.is_ok() { p().ok().map(|test| test.p) } else { None };
    SampledRatio { interval, p, median_ratio, paired: matched.paired, sessions: None }
}

fn of_sessions(SessionTest { answer, sessions }: SessionTest, median_ratio: f64) -> SampledRatio {
    let (interval, p) = match answer {
        Ok((interval, p)) => (Ok(interval), Some(p)),
        Err(reason) => (Err(reason), None),
    };
    SampledRatio { interval, p, median_ratio, paired: false, sessions: Some(sessions) }
}

/// Verdicts of all lines, and how many were tested.
pub(super) fn judge(drafts: Vec<LineDraft>, metric: Metric) -> (Vec<Line>, usize) {
    let spent = |draft: &LineDraft| Some((draft.tested.as_ref()?.p()? * draft.spending.factor).min(1.0));
    let p: Vec<f64> = drafts.iter().filter_map(spent).collect();
    // A p value is between 0 and 1, so there is an answer; without one nothing is significant.
    let adjusted = benjamini_hochberg(&p).unwrap_or_else(|_| vec![1.0; p.len()]);
    let significant = adjusted.iter().filter(|p| **p < ALPHA).count();
    let factor = p.len().div_ceil(significant + 1);
    let mut adjusted = adjusted.into_iter();
    let lines = drafts
        .into_iter()
        .map(|LineDraft { mut line, tested, spending }| {
            line.found = tested.and_then(|tested| match tested {
                Tested::Exact(ratio) => Some(exact_ratio(ratio, metric)),
                Tested::Ranked(ranked) => {
                    let p_adjusted = ranked.p.and_then(|_| adjusted.next());
                    Some(ranked.judged(p_adjusted, line.noise_floor.value, metric))
                }
                Tested::Sampled(sampled) => {
                    let p_adjusted = sampled.p.and_then(|_| adjusted.next());
                    let tests = (factor as f64 * spending.factor) as usize;
                    found(&sampled, p_adjusted, line.noise_floor.value, tests, metric)
                }
            });
            line
        })
        .collect();
    (lines, p.len())
}

fn exact_ratio(ratio: f64, metric: Metric) -> JudgedRatio {
    let lower = if ratio == 1.0 {
        Verdict::Same
    } else if ratio < 1.0 {
        Verdict::Faster
    } else {
        Verdict::Slower
    };
    JudgedRatio {
        verdict: of_better(lower, metric),
        ratio,
        median_ratio: ratio,
        interval: Some(RatioRange { low: ratio, high: ratio, confidence: 1.0 }),
        paired: false,
        exact: true,
        sessions: None,
        p: None,
        p_adjusted: None,
    }
}

/// The verdict on A, given that on values of which the lower is the better one.
fn of_better(lower: Verdict, metric: Metric) -> Verdict {
    match (metric.better(), lower) {
        (Better::More, Verdict::Faster) => Verdict::Slower,
        (Better::More, Verdict::Slower) => Verdict::Faster,
        _ => lower,
    }
}

fn found(
    sampled: &SampledRatio,
    p_adjusted: Option<f64>,
    noise_floor: f64,
    tests: usize,
    metric: Metric,
) -> Option<JudgedRatio> {
    let SampledRatio { interval, p, median_ratio, paired, sessions } = sampled;
    let evidence = Evidence { interval: *interval, p_adjusted: p_adjusted.unwrap_or(1.0), noise_floor, tests };
    let verdict = match evidence.verdict().ok()? {
        // More rounds of the same sessions decide nothing.
        Verdict::Undecided { .. } if sessions.is_some() => Verdict::Undecided { more_rounds: None },
        verdict => of_better(verdict, metric),
    };
    let interval = interval.ok();
    Some(JudgedRatio {
        verdict,
        ratio: interval.map_or(*median_ratio, |interval| interval.ratio),
        median_ratio: *median_ratio,
        interval: interval.map(|RatioInterval { low, high, confidence, .. }| RatioRange { low, high, confidence }),
        paired: *paired,
        exact: false,
        sessions: *sessions,
        p: *p,
        p_adjusted,
    })
}
