//! Ratios, intervals and p values of lines, and the verdicts that follow.

use super::{
    latency::latency,
    layout::{Laid, SideSample},
    model::{ComparedSessions, Figure, JudgedRatio, Line, ObstacleKind, RatioRange, SideName},
    noise::Floors,
    obstacles::obstacles,
    options::Options,
    pairs::{Matched, matched},
    sessions::{self, Repeats, SessionTest},
};
use crate::stats::{
    ALPHA, Evidence, NoAnswer, RatioInterval, Verdict, benjamini_hochberg, log_ratios, median, paired_ratio, rank_sum,
    signed_rank, unpaired_ratio,
};
use std::collections::BTreeMap;

/// A line that has its figures, and waits for the p values of the others.
#[derive(Debug)]
pub(super) struct LineDraft {
    line: Line,
    /// The figures of a comparable line; its `found` follows from them.
    tested: Option<Tested>,
}

#[derive(Debug)]
struct Tested {
    interval: Result<RatioInterval, NoAnswer>,
    /// None with too few runs: such a line cannot be decided and is no test of the table.
    p: Option<f64>,
    median_ratio: f64,
    paired: bool,
    sessions: Option<ComparedSessions>,
}

/// What is known beside the lines.
#[derive(Debug)]
pub(super) struct Known<'s> {
    /// Where each session ran.
    pub(super) places: BTreeMap<&'s str, String>,
    pub(super) floors: Floors<'s>,
    pub(super) repeats: Repeats<'s>,
}

/// Figures and obstacles of a line.
pub(super) fn draft(laid: Laid<'_>, known: &Known<'_>, options: &Options) -> LineDraft {
    let matched = matched(&laid.a, &laid.b);
    let obstacles = obstacles(&laid, &matched, &known.places, options);
    let several = |side: SideName| {
        let kind = ObstacleKind::SeveralConfigurations;
        obstacles.iter().any(|found| found.kind == kind && found.side == Some(side))
    };
    let a = if several(SideName::A) { None } else { figure(&matched.a, laid.a.len()) };
    let b = if several(SideName::B) { None } else { figure(&matched.b, laid.b.len()) };
    let comparable = obstacles.iter().all(|obstacle| obstacle.allowed);
    let tested = match (&a, &b) {
        (Some(a), Some(b)) if comparable => {
            let median_ratio = a.median_ns / b.median_ns;
            Some(if matched.is_across_sessions() {
                of_sessions(sessions::test(&laid, &matched, &known.repeats), median_ratio)
            } else {
                of_runs(&matched, median_ratio)
            })
        }
        _ => None,
    };
    let noise_floor = known.floors.of(&laid);
    let Laid { part, size, test, name, .. } = laid;
    LineDraft { line: Line { part, size, test, name, a, b, obstacles, noise_floor, found: None }, tested }
}

fn figure(samples: &[SideSample<'_>], selected: usize) -> Option<Figure> {
    let first = samples.first()?;
    Some(Figure {
        label: first.run.label.clone(),
        tier: first.run.configuration.tier,
        median_ns: median(&times(samples)).ok()?,
        times_ns: samples.iter().map(|sample| sample.wall_ns).collect(),
        run_ids: samples.iter().map(|sample| sample.run.run_id.clone()).collect(),
        left_out: selected - samples.len(),
        operations: first.operations(),
        latency: latency(samples),
    })
}

fn times(samples: &[SideSample<'_>]) -> Vec<f64> {
    samples.iter().map(|sample| sample.wall_ns as f64).collect()
}

fn of_runs(matched: &Matched<'_>, median_ratio: f64) -> Tested {
    let (a, b) = (times(&matched.a), times(&matched.b));
    let interval = if matched.paired { paired_ratio(&a, &b) } else { unpaired_ratio(&a, &b) };
    let p = || match matched.paired {
        true => log_ratios(&a, &b).and_then(|logs| signed_rank(&logs)),
        false => rank_sum(&a, &b),
    };
    let p = if interval.is_ok() { p().ok().map(|test| test.p) } else { None };
    Tested { interval, p, median_ratio, paired: matched.paired, sessions: None }
}

fn of_sessions(SessionTest { answer, sessions }: SessionTest, median_ratio: f64) -> Tested {
    let (interval, p) = match answer {
        Ok((interval, p)) => (Ok(interval), Some(p)),
        Err(reason) => (Err(reason), None),
    };
    Tested { interval, p, median_ratio, paired: false, sessions: Some(sessions) }
}

/// Verdicts of all lines, and how many were tested.
pub(super) fn judge(drafts: Vec<LineDraft>) -> (Vec<Line>, usize) {
    let p: Vec<f64> = drafts.iter().filter_map(|draft| draft.tested.as_ref()?.p).collect();
    // A p value is between 0 and 1, so there is an answer; without one nothing is significant.
    let adjusted = benjamini_hochberg(&p).unwrap_or_else(|_| vec![1.0; p.len()]);
    let significant = adjusted.iter().filter(|p| **p < ALPHA).count();
    let factor = p.len().div_ceil(significant + 1);
    let mut adjusted = adjusted.into_iter();
    let lines = drafts
        .into_iter()
        .map(|LineDraft { mut line, tested }| {
            line.found = tested.and_then(|tested| {
                let p_adjusted = tested.p.and_then(|_| adjusted.next());
                found(&tested, p_adjusted, line.noise_floor.value, factor)
            });
            line
        })
        .collect();
    (lines, p.len())
}

fn found(tested: &Tested, p_adjusted: Option<f64>, noise_floor: f64, tests: usize) -> Option<JudgedRatio> {
    let Tested { interval, p, median_ratio, paired, sessions } = tested;
    let evidence = Evidence { interval: *interval, p_adjusted: p_adjusted.unwrap_or(1.0), noise_floor, tests };
    let verdict = match evidence.verdict().ok()? {
        // More rounds of the same sessions decide nothing.
        Verdict::Undecided { .. } if sessions.is_some() => Verdict::Undecided { more_rounds: None },
        verdict => verdict,
    };
    let interval = interval.ok();
    Some(JudgedRatio {
        verdict,
        ratio: interval.map_or(*median_ratio, |interval| interval.ratio),
        median_ratio: *median_ratio,
        interval: interval.map(|RatioInterval { low, high, confidence, .. }| RatioRange { low, high, confidence }),
        paired: *paired,
        sessions: *sessions,
        p: *p,
        p_adjusted,
    })
}
