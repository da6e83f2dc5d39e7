//! A session that was a sweep: its configurations ranked within each tier, and the effects of its options.

mod build;

use super::CompareScreen;
use dbdyno_comparing::compare::{Comparison, Line, RatioRange};
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_reports::comparison::several::mean_of;
use dbdyno_running::tune::effects::GridEffects;
use dbdyno_stats::Verdict;
use std::{cmp::Reverse, collections::BTreeSet};

/// Configurations of one engine that differ in options; the first is the base.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// The options that vary; each configuration has a value of each, in this order.
    pub(crate) options: Vec<SweptOption>,
    pub(crate) configurations: Vec<SweptConfiguration>,
    /// One comparison for each configuration but the base: A is that configuration, B the base. Different tiers are allowed, because the
    /// ranking separates them.
    pub(crate) comparisons: Vec<Comparison>,
    /// The places by which they can be ranked; at least one.
    pub(crate) places: Vec<SweepPlace>,
}

#[derive(Debug)]
pub(crate) struct SweptOption {
    pub(crate) name: String,
    /// The option's values, ordered.
    pub(crate) values: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct SweptConfiguration {
    pub(crate) label: String,
    pub(crate) values: Vec<String>,
    /// Durability tier; none if it was not recorded.
    pub(crate) tier: Option<u8>,
}

/// A test at a size, or all tests of a size.
#[derive(Debug)]
pub(crate) struct SweepPlace {
    pub(crate) size: String,
    /// Number and name of the test; none: the geometric mean of all tests.
    pub(crate) test: Option<(u32, String)>,
    /// The effects of the options there, computed from times; none if they cannot be computed.
    pub(crate) effects: Option<GridEffects>,
}

/// A configuration in the ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepRank {
    /// Index of the configuration; the base is 0.
    pub(crate) configuration: usize,
    /// The configuration's figure; none for a mean.
    pub(crate) value: Option<f64>,
    /// Its figure divided by the base's; none: not comparable.
    pub(crate) ratio: Option<f64>,
    pub(crate) interval: Option<RatioRange>,
    /// The verdict; none for a mean and for the base.
    pub(crate) verdict: Option<Verdict>,
}

/// A row of the ranking. The title of a tier cannot be under the cursor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SweepRow {
    /// The title of a tier, with its number of configurations.
    Tier(Option<u8>, usize),
    Configuration(SweepRank),
}

/// A combination of the values of two options.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HeatCell {
    /// Nothing was measured.
    Empty,
    Measured(SweepRank),
}

impl Sweep {
    /// Returns the metric of the comparisons.
    pub(crate) fn metric(&self) -> Metric {
        self.comparisons.first().map_or_else(Metric::default, |side| side.metric)
    }

    /// Returns the configurations by tier, most durable first; within a tier, the best first.
    pub(crate) fn rows(&self, place: &SweepPlace) -> Vec<SweepRow> {
        let tiers: BTreeSet<Reverse<Option<u8>>> = self.configurations.iter().map(|one| Reverse(one.tier)).collect();
        let of_tier = |Reverse(tier): Reverse<Option<u8>>| {
            let places = (0..self.configurations.len()).filter(|at| self.configurations[*at].tier == tier);
            let mut ranked: Vec<SweepRank> = places.map(|at| self.ranked(at, place)).collect();
            ranked.sort_by(|one, next| {
                let key = |ranked: &SweepRank| match (ranked.ratio, self.metric().better()) {
                    (None, _) => f64::INFINITY,
                    (Some(ratio), Better::More) => -ratio,
                    (Some(ratio), _) => ratio,
                };
                key(one).total_cmp(&key(next))
            });
            let title = SweepRow::Tier(tier, ranked.len());
            [title].into_iter().chain(ranked.into_iter().map(SweepRow::Configuration))
        };
        tiers.into_iter().flat_map(of_tier).collect()
    }

    /// Returns a configuration's entry in the ranking.
    pub(crate) fn ranked(&self, configuration: usize, place: &SweepPlace) -> SweepRank {
        let nothing = SweepRank { configuration, value: None, ratio: None, interval: None, verdict: None };
        let Some(side) = configuration.checked_sub(1).and_then(|at| self.comparisons.get(at)) else {
            let line = self.comparisons.iter().find_map(|side| line_at(side, place));
            let value = line.and_then(|line| line.b.as_ref()).map(|figure| figure.median);
            return SweepRank { value, ratio: Some(1.0), ..nothing };
        };
        if place.test.is_none() {
            let Some(mean) = mean_of(side, &place.size) else { return nothing };
            return SweepRank { ratio: mean.ratio, interval: mean.interval, ..nothing };
        }
        let Some(line) = line_at(side, place) else { return nothing };
        let value = line.a.as_ref().map(|figure| figure.median);
        match &line.found {
            None => SweepRank { value, ..nothing },
            Some(found) => {
                let (ratio, verdict) = (Some(found.ratio), Some(found.verdict));
                SweepRank { configuration, value, ratio, interval: found.interval, verdict }
            }
        }
    }

    /// Returns the cells by value of the first option (rows) and of the second (columns), if exactly two options vary.
    pub(crate) fn heat(&self, place: &SweepPlace) -> Option<Vec<Vec<HeatCell>>> {
        let [rows, columns] = self.options.as_slice() else { return None };
        let cell = |row: &String, column: &String| {
            let is_it = |one: &SweptConfiguration| one.values[0] == *row && one.values[1] == *column;
            let at = self.configurations.iter().position(is_it);
            at.map_or(HeatCell::Empty, |at| HeatCell::Measured(self.ranked(at, place)))
        };
        Some(rows.values.iter().map(|row| columns.values.iter().map(|column| cell(row, column)).collect()).collect())
    }
}

/// Returns the line of a test at a size.
fn line_at<'c>(side: &'c Comparison, place: &SweepPlace) -> Option<&'c Line> {
    let (test, name) = place.test.as_ref()?;
    side.lines.iter().find(|line| line.test == *test && line.name == *name && line.size == place.size)
}

impl CompareScreen {
    /// Returns the sweep, if the session was one.
    pub(crate) fn sweep(&self) -> Option<&Sweep> {
        self.matrix()?.sweep.as_ref()
    }

    /// Returns the ranking, and the place by which it is ranked.
    pub(crate) fn sweep_rows(&self) -> Option<(&SweepPlace, Vec<SweepRow>)> {
        let sweep = self.sweep()?;
        let place = sweep.places.get(self.looked.ranked_by)?;
        Some((place, sweep.rows(place)))
    }

    /// Returns the ranked configuration under the cursor.
    pub(crate) fn ranked(&self) -> Option<SweepRank> {
        let (_, rows) = self.sweep_rows()?;
        let ranked = |row: SweepRow| match row {
            SweepRow::Configuration(ranked) => Some(ranked),
            SweepRow::Tier(..) => None,
        };
        rows.into_iter().filter_map(ranked).nth(self.looked.cursors[super::CompareView::Sweep.index()].at)
    }

    /// Returns the comparison of the configuration under the cursor with the base, and its line; none for the base itself.
    pub(super) fn ranked_under_cursor(&self) -> Option<(&Comparison, Option<&Line>)> {
        let at = self.ranked()?.configuration.checked_sub(1)?;
        let sweep = self.sweep()?;
        let side = sweep.comparisons.get(at)?;
        Some((side, line_at(side, sweep.places.get(self.looked.ranked_by)?)))
    }
}
