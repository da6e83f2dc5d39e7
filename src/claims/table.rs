//! A publication's claims beside the measurements that answer them.

use super::{MeasuredRatio, Reproduction, judge};
use crate::{
    catalog::{Claim, ClaimedComparison, ClaimedRatio, Claims},
    compare::{Comparison, Line},
    stats::median,
};
use dbdyno_engine::size::Size;
use serde::Serialize;

/// One publication's claims, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimsTable {
    /// The claims file's name.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// Who published it, and when.
    pub source: String,
    /// On what it was measured.
    pub setup: String,
    /// What a reader of the published figures has to know.
    pub caveats: Vec<String>,
    pub comparisons: Vec<JudgedComparison>,
}

/// Two things that a publication compares, beside what was measured of them here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedComparison {
    /// One line about it.
    pub title: String,
    /// What the publication calls A.
    pub a_name: String,
    /// What the publication calls B.
    pub b_name: String,
    /// The selections of stored runs that are A and B.
    pub selections: (String, String),
    /// Runs found for A and B.
    pub runs: (usize, usize),
    /// What measures it.
    pub preset: Option<String>,
    /// The sizes that it was published at; empty where that is not known.
    pub published_sizes: Vec<String>,
    /// The sizes that it is judged by: published ones where any is measured, else all that are.
    pub measured_sizes: Vec<String>,
    pub rows: Vec<JudgedClaim>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedClaim {
    pub test: String,
    /// What the publication calls it.
    pub name: String,
    /// What is claimed, in words: `0.08x [0.06, 0.15]`.
    pub published: String,
    /// The figures published for A and B.
    pub figures: Option<(String, String)>,
    pub measured: Option<MeasuredRatio>,
    pub reproduction: Reproduction,
    /// Why runs that were found could not be compared.
    pub obstacle: Option<String>,
}

impl ClaimsTable {
    /// The table of a claims file. `compared`: for each of its comparisons, what was measured; none without any run.
    pub fn new(claims: &Claims, compared: &[Option<Comparison>]) -> Self {
        let none = std::iter::repeat(&None);
        let comparisons = claims
            .comparisons
            .iter()
            .zip(compared.iter().chain(none))
            .map(|(claimed, found)| judged(claimed, found.as_ref()));
        Self {
            name: claims.name.clone(),
            title: claims.title.clone(),
            source: claims.source.clone(),
            setup: claims.setup.clone(),
            caveats: claims.caveats.clone(),
            comparisons: comparisons.collect(),
        }
    }

    /// How many claims have each verdict, in the order of [`Reproduction`].
    pub fn counts(&self) -> Vec<(Reproduction, usize)> {
        let rows = || self.comparisons.iter().flat_map(|comparison| &comparison.rows);
        Reproduction::ALL
            .into_iter()
            .map(|kind| (kind, rows().filter(|row| row.reproduction == kind).count()))
            .collect()
    }
}

impl JudgedComparison {
    /// Whether it is judged by other sizes than were published.
    pub fn is_at_other_sizes(&self) -> bool {
        let is_published = |size: &String| self.published_sizes.contains(size);
        !self.published_sizes.is_empty()
            && !self.measured_sizes.is_empty()
            && !self.measured_sizes.iter().any(is_published)
    }
}

fn judged(claimed: &ClaimedComparison, found: Option<&Comparison>) -> JudgedComparison {
    let published_sizes: Vec<String> = claimed.sizes.iter().map(Size::to_string).collect();
    let lines = lines_at(found, &published_sizes);
    let mut measured_sizes: Vec<String> = lines.iter().map(|line| line.size.clone()).collect();
    measured_sizes.sort_unstable();
    measured_sizes.dedup();
    JudgedComparison {
        published_sizes,
        measured_sizes,
        title: claimed.title.clone(),
        a_name: claimed.a_name.clone(),
        b_name: claimed.b_name.clone(),
        selections: (claimed.a.clone(), claimed.b.clone()),
        runs: found.map_or((0, 0), |found| (found.a.runs, found.b.runs)),
        preset: claimed.preset.clone(),
        rows: claimed.claims.iter().map(|claim| row(claim, &lines)).collect(),
    }
}

/// The lines that both sides have: those at published sizes where there are any, else all.
fn lines_at<'c>(found: Option<&'c Comparison>, published: &[String]) -> Vec<&'c Line> {
    let usable = |line: &&Line| line.a.is_some() && line.b.is_some() || !line.obstacles.is_empty();
    let all: Vec<&Line> = found.iter().flat_map(|found| &found.lines).filter(usable).collect();
    let at: Vec<&Line> = all.iter().copied().filter(|line| published.contains(&line.size)).collect();
    if at.is_empty() { all } else { at }
}

fn row(claim: &Claim, lines: &[&Line]) -> JudgedClaim {
    let is_of = |line: &&&Line| line.test.to_string() == claim.test || line.name.eq_ignore_ascii_case(&claim.test);
    let lines: Vec<&Line> = lines.iter().filter(is_of).copied().collect();
    let measured = measured(&lines);
    let obstacle = match measured {
        Some(_) => None,
        None => lines.iter().flat_map(|line| &line.obstacles).map(|obstacle| obstacle.message.clone()).next(),
    };
    let reproduction = match (&measured, &obstacle) {
        (None, Some(_)) => Reproduction::Undecided,
        _ => judge(claim.ratio, measured),
    };
    JudgedClaim {
        test: claim.test.clone(),
        name: claim.name.clone(),
        published: published(claim.ratio),
        figures: claim.a.clone().zip(claim.b.clone()),
        measured,
        reproduction,
        obstacle,
    }
}

/// The lines of a test over its sizes as one figure: the median ratio, and an interval that holds every size's.
fn measured(lines: &[&Line]) -> Option<MeasuredRatio> {
    let found: Vec<_> = lines.iter().filter_map(|line| line.found.as_ref()).collect();
    let ratios: Vec<f64> = found.iter().map(|found| found.ratio).collect();
    let ratio = median(&ratios).ok()?;
    let intervals: Option<Vec<_>> = found.iter().map(|found| found.interval).collect();
    let interval = intervals.map(|intervals| {
        let low = intervals.iter().map(|interval| interval.low).fold(f64::INFINITY, f64::min);
        let high = intervals.iter().map(|interval| interval.high).fold(0.0, f64::max);
        (low, high)
    });
    Some(MeasuredRatio { ratio, interval })
}

fn published(claimed: ClaimedRatio) -> String {
    match claimed {
        ClaimedRatio::Figure { ratio, range: None } => format!("{ratio:.2}x"),
        ClaimedRatio::Figure { ratio, range: Some((low, high)) } => format!("{ratio:.2}x [{low:.2}, {high:.2}]"),
        ClaimedRatio::AFaster => "A faster".to_owned(),
        ClaimedRatio::BFaster => "B faster".to_owned(),
    }
}
