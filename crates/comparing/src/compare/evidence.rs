//! The ratios, intervals and p values of lines, and the verdicts that follow from them.

use super::{
    conditions::DecidingConditions,
    exact::exact,
    facts::{AddedSessions, LaterLooks},
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
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_stats::{
    ALPHA, Evidence, Interval, Logs, NoAnswer, RatioInterval, Spending, Verdict, benjamini_hochberg,
    bootstrap_interval, log_ratios, median, more_rounds, paired_ratio_at, rank_sum, signed_rank, unpaired_ratio,
};
use dbdyno_workload::rng::SplitMix64;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// A line with its figures, before the p values of all lines are adjusted.
#[derive(Debug)]
pub(super) struct LineDraft {
    pub(super) line: Line,
    /// The figures of a comparable line, from which `found` follows.
    tested: Option<Tested>,
    spending: Spending,
    /// How the next look will judge it, for the forecast of rounds.
    next: Spending,
}

#[derive(Debug)]
enum Tested {
    /// Values that are subject to chance.
    Sampled(SampledRatio),
    /// The ratio of two values that are the same in every run of their sides, so there is nothing to test.
    Exact(f64),
    /// Values that are subject to chance, some of which are 0.
    Ranked(RankedRatio),
}

#[derive(Debug)]
struct SampledRatio {
    interval: Result<RatioInterval, NoAnswer>,
    /// None with too few runs: the line cannot be decided and does not count as a test of the table.
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

/// The facts about both sides that all lines share.
#[derive(Debug)]
pub(super) struct CommonFacts<'s> {
    /// The place where each session ran.
    pub(super) places: BTreeMap<Uuid, String>,
    pub(super) conditions: DecidingConditions,
    pub(super) floors: Floors<'s>,
    pub(super) repeats: Repeats<'s>,
    /// Runs that are on both sides.
    pub(super) shared: HashSet<Uuid>,
    /// Sessions that added rounds to other sessions.
    pub(super) added: AddedSessions,
    pub(super) later: LaterLooks,
    /// The tests of each side that ran but have no value of the metric, by size and number.
    pub(super) without_value: [HashSet<(&'s str, u32)>; 2],
}

/// Returns a line with its figures and obstacles.
pub(super) fn draft(laid: Laid<'_>, common: &CommonFacts<'_>, metric: Metric, options: &Options) -> LineDraft {
    let matched = matched(&laid.a, &laid.b);
    let obstacles = obstacles(&laid, &matched, common, metric, options);
    let several = |side: SideName| {
        let kind = ObstacleKind::SeveralConfigurations;
        obstacles.iter().any(|found| found.kind == kind && found.side == Some(side))
    };
    // In later rounds one side may be measured alone, for another comparison.
    let whole = |samples: &[SideSample<'_>]| {
        samples.iter().filter(|sample| !common.later.is_partial(sample.run.session_id, sample.run.round)).count()
    };
    let figure = |name: SideName, matched: &[SideSample<'_>], laid: &[SideSample<'_>]| match several(name) {
        true => None,
        false => figure(matched, whole(laid).saturating_sub(whole(matched)), metric),
    };
    let a = figure(SideName::A, &matched.a, &laid.a);
    let b = figure(SideName::B, &matched.b, &laid.b);
    let runs = || matched.a.iter().chain(&matched.b).map(|sample| (sample.run.session_id, sample.run.round));
    // Each added session, and each later look, ran because the previous rounds had decided nothing.
    let later = common.later.count(runs());
    let looks = (1 + common.added.count(runs().map(|(session, _)| session)) + later.unwrap_or(0)) as u32;
    let spending = match (looks, options.first_look.or(later.map(|_| 1))) {
        (1, None) => Spending::ONCE,
        (looks, first) => Spending::at_look(looks + first.map_or(0, |first| first.saturating_sub(1)), 1),
    };
    // A session with planned looks has its next one after more rounds.
    let next = if later.is_some() { Spending::at_look(looks + 1, 1) } else { spending };
    let comparable = obstacles.iter().all(|obstacle| obstacle.allowed);
    let tested = match (&a, &b) {
        (Some(a), Some(b)) if comparable => Some(match exact(&matched, metric) {
            Some(ratio) => Tested::Exact(ratio),
            None if a.values.iter().chain(&b.values).any(|value| *value <= 0.0) => {
                Tested::Ranked(RankedRatio::new(&a.values, &b.values, matched.paired, a.median / b.median))
            }
            None => Tested::Sampled(sampled(&laid, &matched, common, a.median / b.median, spending)),
        }),
        _ => None,
    };
    let noise_floor = common.floors.of(&laid);
    let Laid { part, size, test, name, actor, .. } = laid;
    let line = Line { part, size, test, name, actor, a, b, obstacles, noise_floor, looks, found: None, reason: None };
    LineDraft { line, tested, spending, next }
}

fn figure(samples: &[SideSample<'_>], left_out: usize, metric: Metric) -> Option<Figure> {
    let first = samples.first()?;
    let values = values(samples);
    Some(Figure {
        label: first.run.label.to_string(),
        tier: first.run.configuration.tier,
        median: metric.median(&values).ok()?,
        interval: if metric.is_quantile() { median_range(&values) } else { None },
        values,
        run_ids: samples.iter().map(|sample| sample.run.run_id).collect(),
        left_out,
        operations: first.operations,
        per_operation: metric.adds_up() && samples.iter().any(|sample| sample.timed),
        sliced: samples.iter().filter(|sample| sample.result.sliced).count(),
        latency: latency(samples),
    })
}

/// Returns the bootstrap interval of the median; none with too few runs.
fn median_range(values: &[f64]) -> Option<FigureRange> {
    const RESAMPLES: usize = 1_000;
    // A fixed seed, so that the same values give the same interval.
    let mut rng = SplitMix64::new(0);
    let of_drawn = |drawn: &[&f64]| median(&drawn.iter().map(|value| **value).collect::<Vec<_>>()).ok();
    let Interval { low, high, .. } = bootstrap_interval(values, RESAMPLES, &mut rng, of_drawn).ok()?;
    Some(FigureRange { low, high })
}

fn values(samples: &[SideSample<'_>]) -> Vec<f64> {
    samples.iter().map(|sample| sample.value).collect()
}

fn sampled(
    laid: &Laid<'_>,
    matched: &Matched<'_>,
    common: &CommonFacts<'_>,
    median_ratio: f64,
    spending: Spending,
) -> SampledRatio {
    match sessions::test(laid, matched, (&common.repeats, &common.added), spending.alpha) {
        Some(SessionTest { answer, sessions }) => {
            let (interval, p) = match answer {
                Ok((interval, p)) => (Ok(interval), Some(p)),
                Err(reason) => (Err(reason), None),
            };
            SampledRatio { interval, p, median_ratio, paired: matched.paired, sessions: Some(sessions) }
        }
        None => of_runs(matched, median_ratio, spending),
    }
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

/// Lines whose p values are adjusted together.
#[derive(Default)]
struct Family {
    /// The adjusted p values of its lines, in order.
    adjusted: std::vec::IntoIter<f64>,
    /// The factor by which the adjustment multiplies the next p value that could become significant.
    factor: usize,
    tests: usize,
}

impl Family {
    fn of(p: &[f64]) -> Self {
        // A p value is between 0 and 1, so there is an answer. If there were none, nothing would be significant.
        let adjusted = benjamini_hochberg(p).unwrap_or_else(|_| vec![1.0; p.len()]);
        let significant = adjusted.iter().filter(|p| **p < ALPHA).count();
        Self { factor: p.len().div_ceil(significant + 1), tests: p.len(), adjusted: adjusted.into_iter() }
    }
}

/// Returns all lines with their verdicts, and the number of tests. If tests have lines of their own, the lines of their actors form a
/// separate family: their figures are parts of those tests, and would count twice.
pub(super) fn judge(drafts: Vec<LineDraft>, metric: Metric, options: &Options) -> (Vec<Line>, usize) {
    let spent = |draft: &LineDraft| Some((draft.tested.as_ref()?.p()? * draft.spending.factor).min(1.0));
    let family = |of_actors: bool| {
        let members = drafts.iter().filter(|draft| draft.line.actor.is_some() == of_actors);
        Family::of(&members.filter_map(spent).collect::<Vec<f64>>())
    };
    let (mut tests, mut actors) = (family(false), family(true));
    let adjusted: Vec<(LineDraft, Option<f64>, usize)> = drafts
        .into_iter()
        .map(|draft| {
            let family = if draft.line.actor.is_some() { &mut actors } else { &mut tests };
            let p_adjusted = draft.tested.as_ref().and_then(Tested::p).and_then(|_| family.adjusted.next());
            (draft, p_adjusted, family.factor)
        })
        .collect();
    // The forecast of the rounds that would decide a line takes time.
    let judged = |(draft, p_adjusted, factor): (LineDraft, _, _)| {
        draft.judged(p_adjusted, factor, metric, !options.without_forecast)
    };
    (adjusted.into_par_iter().map(judged).collect(), tests.tests)
}

impl LineDraft {
    /// Returns the difference between the sides, or the value of the only one.
    pub(super) fn difference(&self) -> f64 {
        let value = |figure: &Option<Figure>| figure.as_ref().map_or(0.0, |figure| figure.median);
        (value(&self.line.a) - value(&self.line.b)).abs()
    }

    /// Returns the line with its verdict; `factor` is the number by which its family multiplies p values.
    fn judged(self, p_adjusted: Option<f64>, factor: usize, metric: Metric, is_forecast: bool) -> Line {
        let Self { mut line, tested, next, .. } = self;
        line.found = tested.and_then(|tested| match tested {
            Tested::Exact(ratio) => Some(exact_ratio(ratio, metric)),
            Tested::Ranked(ranked) => Some(ranked.judged(p_adjusted, line.noise_floor.value, metric)),
            Tested::Sampled(sampled) => {
                let tests = (factor as f64 * next.factor) as usize;
                let more = || is_forecast.then(|| line.more_rounds(&sampled, tests, next.alpha)).flatten();
                found(&sampled, p_adjusted, line.noise_floor.value, more, metric)
            }
        });
        line
    }
}

impl Line {
    fn more_rounds(&self, sampled: &SampledRatio, tests: usize, alpha: f64) -> Option<u32> {
        // Sessions were compared: more rounds of the same sessions would decide nothing.
        let (a, b) = (self.a.as_ref()?, self.b.as_ref()?);
        let logs = sampled.sessions.is_none().then(|| Logs::new(&a.values, &b.values, sampled.paired))?;
        more_rounds(&logs.ok()?, self.noise_floor.value, tests, alpha)
    }
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

/// Returns the verdict on A from the verdict that assumes lower values are better.
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
    more_rounds: impl FnOnce() -> Option<u32>,
    metric: Metric,
) -> Option<JudgedRatio> {
    let SampledRatio { interval, p, median_ratio, paired, sessions } = sampled;
    let evidence = Evidence { interval: *interval, p_adjusted: p_adjusted.unwrap_or(1.0), noise_floor };
    let verdict = of_better(evidence.verdict(more_rounds).ok()?, metric);
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
