//! A publication's claims with the measurements that confirm or refute them.

use super::{ClaimedDirection, JudgedSizes, MeasuredRatio, Reproduction, direction, judge};
use crate::compare::{Comparison, Line, RatioRange};
use dbdyno_catalog::{Claim, ClaimedComparison, ClaimedRatio, Claims};
use dbdyno_engine::size::Size;
use dbdyno_stats::median;
use serde::Serialize;
use std::collections::BTreeSet;

/// One publication's claims, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimsTable {
    /// The claims file's name.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// The author and date of the publication.
    pub source: String,
    /// The hardware and software that it was measured on.
    pub setup: String,
    /// The facts that a reader of the published figures needs to know.
    pub caveats: Vec<String>,
    pub comparisons: Vec<JudgedComparison>,
}

/// The origin of the runs that claims are judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOrigin {
    /// dbdyno ran them.
    Measured,
    /// Imported from another program's results: these runs do not show what dbdyno measures.
    Imported,
}

/// The comparisons of the two sides of a claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparedClaims {
    /// The comparison of runs that dbdyno measured.
    pub measured: ClaimRuns,
    /// The comparison of imported runs.
    pub imported: ClaimRuns,
}

/// The stored runs of the two sides of a claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ClaimRuns {
    /// A side has no runs.
    #[default]
    Nothing,
    /// A side's selection cannot be read; the message names what was expected.
    Wrong(String),
    Pair(Box<FoundPair>),
}

/// One configuration of each side, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPair {
    pub comparison: Comparison,
    /// The number of other configurations that match A and B.
    pub others: (usize, usize),
    /// See [`JudgedComparison::unclaimed`].
    pub unclaimed: Vec<String>,
}

/// Two things that a publication compares, with their measurements.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedComparison {
    /// The origin of the runs. Imported runs have a comparison of their own, after the comparison of measured runs.
    pub origin: RunOrigin,
    /// One line about it.
    pub title: String,
    /// The publication's name for A.
    pub a_name: String,
    /// The publication's name for B.
    pub b_name: String,
    /// The selections of stored runs that are A and B: the claim's selection, with terms that exclude other matching configurations.
    pub selections: (String, String),
    /// The number of other configurations that match A and B.
    pub others: (usize, usize),
    /// Options that the claim does not name and that are not at their default: first those in which A and B differ (`B cache_size=-65536`),
    /// then those that `both` have with the same value.
    pub unclaimed: Vec<String>,
    /// The number of runs of these configurations.
    pub runs: (usize, usize),
    /// The preset that measures the comparison.
    pub preset: Option<String>,
    /// The published sizes, at which it is judged; empty if it is for all sizes.
    pub published_sizes: Vec<String>,
    /// The sizes whose ratios are shown: the published ones if any is measured, otherwise all measured ones.
    pub measured_sizes: Vec<String>,
    /// Further measured sizes. They were not published, and are not judged.
    pub other_sizes: Vec<String>,
    pub rows: Vec<JudgedClaim>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedClaim {
    pub test: String,
    /// The publication's name for the claim.
    pub name: String,
    /// The claim in words: `0.08x [0.06, 0.15]`.
    pub published: String,
    /// The side that is faster according to the claim.
    pub direction: ClaimedDirection,
    /// Whether a range was published with the figure.
    pub has_range: bool,
    /// The figures published for A and B.
    pub figures: Option<(String, String)>,
    pub measured: Option<MeasuredRatio>,
    pub reproduction: Reproduction,
    /// The reason why the runs could not be compared.
    pub obstacle: Option<String>,
}

impl ClaimsTable {
    /// Builds the table of a claims file. `compared`: the runs found for each of its comparisons.
    pub fn new(claims: &Claims, compared: &[ComparedClaims]) -> Self {
        let nothing = ComparedClaims::default();
        let compared = compared.iter().chain(std::iter::repeat(&nothing));
        let comparisons = claims.comparisons.iter().zip(compared).flat_map(|(claimed, found)| {
            let measured = judged(claimed, &found.measured, RunOrigin::Measured);
            let has_imported = found.imported != ClaimRuns::Nothing;
            let imported = has_imported.then(|| judged(claimed, &found.imported, RunOrigin::Imported));
            [measured].into_iter().chain(imported)
        });
        Self {
            name: claims.name.clone(),
            title: claims.title.clone(),
            source: claims.source.clone(),
            setup: claims.setup.clone(),
            caveats: claims.caveats.clone(),
            comparisons: comparisons.collect(),
        }
    }

    /// Returns the number of claims with each verdict by measured runs, in the order of [`Reproduction`].
    pub fn counts(&self) -> Vec<(Reproduction, usize)> {
        let measured = || self.comparisons.iter().filter(|comparison| comparison.origin == RunOrigin::Measured);
        let rows = || measured().flat_map(|comparison| &comparison.rows);
        Reproduction::ALL
            .into_iter()
            .map(|kind| (kind, rows().filter(|row| row.reproduction == kind).count()))
            .collect()
    }
}

impl JudgedComparison {
    /// Whether the comparison is judged at other sizes than the published ones.
    pub fn is_at_other_sizes(&self) -> bool {
        let is_published = |size: &String| self.published_sizes.contains(size);
        !self.published_sizes.is_empty()
            && !self.measured_sizes.is_empty()
            && !self.measured_sizes.iter().any(is_published)
    }
}

/// Returns the selections of a claim's A and B among runs of an origin.
pub(super) fn selections(claimed: &ClaimedComparison, origin: RunOrigin) -> (String, String) {
    let own = (&claimed.a, &claimed.b);
    let ((a, b), of_origin) = match origin {
        RunOrigin::Measured => (own, "source!"),
        RunOrigin::Imported => (claimed.imported.as_ref().map_or(own, |(a, b)| (a, b)), "source=*"),
    };
    (format!("{a} {of_origin}"), format!("{b} {of_origin}"))
}

fn judged(claimed: &ClaimedComparison, found: &ClaimRuns, origin: RunOrigin) -> JudgedComparison {
    let pair = if let ClaimRuns::Pair(pair) = found { Some(&**pair) } else { None };
    let published_sizes: Vec<String> = claimed.sizes.iter().map(Size::to_string).collect();
    let usable = |line: &&Line| line.a.is_some() && line.b.is_some() || !line.obstacles.is_empty();
    let all: Vec<&Line> = pair.iter().flat_map(|pair| &pair.comparison.lines).filter(usable).collect();
    let is_published = |line: &&Line| published_sizes.is_empty() || published_sizes.contains(&line.size);
    let (at, others): (Vec<&Line>, Vec<&Line>) = all.into_iter().partition(is_published);
    let (lines, others, judged) = match at.is_empty() {
        true => (others, Vec::new(), JudgedSizes::Other),
        false => (at, others, JudgedSizes::Published),
    };
    let wrong = if let ClaimRuns::Wrong(message) = found { Some(message) } else { None };
    JudgedComparison {
        origin,
        published_sizes,
        measured_sizes: sizes(&lines),
        other_sizes: sizes(&others),
        title: match origin {
            RunOrigin::Measured => claimed.title.clone(),
            RunOrigin::Imported => format!("{}, by imported runs", claimed.title),
        },
        a_name: claimed.a_name.clone(),
        b_name: claimed.b_name.clone(),
        selections: pair.map_or_else(
            || selections(claimed, origin),
            |FoundPair { comparison: Comparison { a, b, .. }, .. }| (a.selection.clone(), b.selection.clone()),
        ),
        others: pair.map_or((0, 0), |pair| pair.others),
        unclaimed: pair.map_or_else(Vec::new, |pair| pair.unclaimed.clone()),
        runs: pair.map_or((0, 0), |pair| (pair.comparison.a.runs, pair.comparison.b.runs)),
        preset: claimed.preset.clone(),
        rows: claimed.claims.iter().map(|claim| row(claim, &lines, judged, wrong)).collect(),
    }
}

/// Returns the sizes of lines, in numeric order.
fn sizes(lines: &[&Line]) -> Vec<String> {
    let sizes: BTreeSet<(Result<Size, ()>, &str)> =
        lines.iter().map(|line| (line.size.parse().map_err(|_| ()), line.size.as_str())).collect();
    sizes.into_iter().map(|(_, size)| size.to_owned()).collect()
}

fn row(claim: &Claim, lines: &[&Line], sizes: JudgedSizes, wrong: Option<&String>) -> JudgedClaim {
    let is_of = |line: &&&Line| claim.is_of(line.test, line.actor.as_deref(), &line.name);
    let lines: Vec<&Line> = lines.iter().filter(is_of).copied().collect();
    let measured = measured(&lines);
    let of_lines = || lines.iter().flat_map(|line| &line.obstacles).map(|obstacle| obstacle.message.clone()).next();
    let obstacle = match measured {
        Some(_) => None,
        None => wrong.cloned().or_else(of_lines),
    };
    let reproduction = match (&measured, &obstacle) {
        (None, Some(_)) => Reproduction::Undecided,
        _ => judge(claim.ratio, measured, sizes),
    };
    JudgedClaim {
        test: claim.test.clone(),
        name: claim.name.clone(),
        published: published(claim.ratio),
        direction: direction(claim.ratio),
        has_range: matches!(claim.ratio, ClaimedRatio::Figure { range: Some(_), .. }),
        figures: claim.a.clone().zip(claim.b.clone()),
        measured,
        reproduction,
        obstacle,
    }
}

/// Combines the lines of a test over its sizes into one figure: the median ratio, with the median of the lower ends and the median of the
/// upper ends. If each size's true ratio is within its own interval, the true median is between these two.
fn measured(lines: &[&Line]) -> Option<MeasuredRatio> {
    let mut found: Vec<_> = lines.iter().filter_map(|line| line.found.as_ref()).collect();
    // A size that ran only once must not prevent an answer from sizes that ran often enough.
    if found.iter().any(|found| found.interval.is_some()) {
        found.retain(|found| found.interval.is_some());
    }
    let ratios: Vec<f64> = found.iter().map(|found| found.ratio).collect();
    let ratio = median(&ratios).ok()?;
    let intervals: Option<Vec<_>> = found.iter().map(|found| found.interval).collect();
    let end = |intervals: &[RatioRange], end: fn(&RatioRange) -> f64| {
        median(&intervals.iter().map(end).collect::<Vec<_>>()).ok()
    };
    let interval = intervals.and_then(|all| end(&all, |one| one.low).zip(end(&all, |one| one.high)));
    Some(MeasuredRatio { ratio, interval })
}

fn published(claimed: ClaimedRatio) -> String {
    match claimed {
        ClaimedRatio::Figure { ratio, range: None } => format!("{ratio:.2}x"),
        ClaimedRatio::Figure { ratio, range: Some((low, high)) } => format!("{ratio:.2}x [{low:.2}, {high:.2}]"),
        ClaimedRatio::AFaster => "A faster".to_owned(),
        ClaimedRatio::BFaster => "B faster".to_owned(),
        ClaimedRatio::Same => "the same".to_owned(),
    }
}
