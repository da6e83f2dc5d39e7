//! The cost of a comparison's tests in other metrics: their medians, line by line.

use super::{
    load::{Side, load_both},
    model::{Comparison, Line, Part},
    options::Options,
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Selection, Store, StoreError};
use serde::{Deserialize, Serialize};

/// A metric that is shown alongside the compared one, without a verdict. As further tests of the table these metrics would weaken the
/// requested tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondaryMetric {
    pub metric: Metric,
    /// The lines that have a value on either side.
    pub lines: Vec<SecondaryLine>,
}

/// A line's medians in another metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondaryLine {
    pub part: Part,
    pub size: String,
    pub test: u32,
    pub name: String,
    /// The median of A, in the metric's unit; none if A has no value, or is several configurations.
    pub a: Option<f64>,
    /// The median of B, with the same conditions.
    pub b: Option<f64>,
    /// The estimate of A / B; none if they are not comparable.
    pub ratio: Option<f64>,
}

/// The costs at which time is bought; and time itself, if another metric is compared.
const SECONDARY: [Metric; 4] = [Metric::Wall, Metric::Database, Metric::Syncs, Metric::EngineMemory];

impl SecondaryMetric {
    /// Loads all metrics that are shown alongside a comparison of two selections, each with its text as typed.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn of_selections(
        store: &Store,
        sides: [(&str, &Selection); 2],
        compared: Metric,
        options: &Options,
    ) -> Result<Vec<Self>, StoreError> {
        let mut all = Vec::new();
        for metric in Self::metrics(compared) {
            let [a, b] = load_both(store, sides, metric, Latencies::Left)?;
            all.extend(Self::of(&a, &b, options));
        }
        Ok(all)
    }

    /// Returns the metrics that are shown alongside the compared one.
    pub fn metrics(compared: Metric) -> impl Iterator<Item = Metric> {
        SECONDARY.into_iter().filter(move |metric| *metric != compared)
    }

    /// Returns the medians of two sides that were read for such a metric. `options` are the options of the comparison, so that both have
    /// the same lines. Returns none if no line has a value.
    pub fn of(a: &Side, b: &Side, options: &Options) -> Option<Self> {
        let options = Options { by_size: false, scaling: false, ..options.clone() };
        let Comparison { metric, lines, .. } = super::compare(a, b, &options);
        let lines: Vec<SecondaryLine> = lines.into_iter().filter_map(SecondaryLine::of).collect();
        (!lines.is_empty()).then_some(Self { metric, lines })
    }
}

impl SecondaryLine {
    fn of(line: Line) -> Option<Self> {
        let Line { part, size, test, name, a, b, found, .. } = line;
        let [a, b] = [a, b].map(|figure| Some(figure?.median));
        (a.is_some() || b.is_some()).then(|| Self {
            part,
            size,
            test,
            name,
            a,
            b,
            ratio: found.map(|found| found.ratio),
        })
    }
}
