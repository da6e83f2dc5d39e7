//! Columns of other metrics beside the compared one.

use super::words;
use dbdyno_comparing::compare::{Beside, BesideLine, Comparison, Line, Part};
use dbdyno_foundation::metric::Metric;
use serde::Serialize;
use std::collections::BTreeMap;

/// A metric's values of all lines.
#[derive(Debug)]
pub(in super::super) struct BesideColumn<'c> {
    pub(in super::super) title: String,
    metric: Metric,
    lines: BTreeMap<(u32, &'c str, &'c str, &'c Part), &'c BesideLine>,
}

/// The medians of A and of B, with their ratio where they are comparable and differ.
#[derive(Debug, Serialize)]
pub(in super::super) struct BesideCell {
    values: String,
    ratio: Option<String>,
}

pub(in super::super) fn columns(comparison: &Comparison) -> Vec<BesideColumn<'_>> {
    comparison.beside.iter().map(BesideColumn::new).collect()
}

impl<'c> BesideColumn<'c> {
    fn new(Beside { metric, lines }: &'c Beside) -> Self {
        Self {
            title: words::column(*metric, "A / B"),
            metric: *metric,
            lines: lines.iter().map(|line| ((line.test, &*line.size, &*line.name, &line.part), line)).collect(),
        }
    }

    pub(in super::super) fn cell(&self, line: &Line) -> BesideCell {
        let found = self.lines.get(&(line.test, &*line.size, &*line.name, &line.part));
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| self.metric.shown(value));
        BesideCell {
            values: found.map_or("-".to_owned(), |of| format!("{} / {}", shown(of.a), shown(of.b))),
            ratio: found.filter(|of| of.a != of.b).and_then(|of| of.ratio).map(words::ratio),
        }
    }
}
