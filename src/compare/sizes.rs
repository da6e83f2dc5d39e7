//! Figures over several lines: geometric means over tests, and tests over sizes.

use super::{
    layout::by_size,
    model::{Line, Mean, OverSizes, Part, SizeRatio},
};
use crate::stats::{geometric_mean, median};
use std::collections::BTreeMap;

/// The geometric mean of each part and size, in the order of the lines.
pub(super) fn means(lines: &[Line]) -> Vec<Mean> {
    lines
        .chunk_by(|one, next| one.part == next.part && one.size == next.size)
        .filter_map(|lines| {
            let first = lines.first()?;
            let ratios: Vec<f64> = lines.iter().filter_map(|line| Some(line.found.as_ref()?.ratio)).collect();
            Some(Mean {
                part: first.part.clone(),
                size: first.size.clone(),
                tests: ratios.len(),
                ratio: geometric_mean(&ratios).ok(),
                left_out: lines.iter().filter(|line| line.found.is_none()).map(|line| line.name.clone()).collect(),
            })
        })
        .collect()
}

/// A test, at whatever size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey<'l> {
    /// The part.
    pub part: &'l Part,
    /// The test's number.
    pub test: u32,
    /// The test's name.
    pub name: &'l str,
}

/// The lines of each test, in the order of tests and then of sizes.
pub fn by_test(lines: &[Line]) -> BTreeMap<TestKey<'_>, Vec<&Line>> {
    let mut tests: BTreeMap<TestKey<'_>, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        let key = TestKey { part: &line.part, test: line.test, name: &line.name };
        tests.entry(key).or_default().push(line);
    }
    for lines in tests.values_mut() {
        lines.sort_by(|a, b| by_size(&a.size, &b.size));
    }
    tests
}

/// Each test over its sizes, in the order of tests; a test without a comparable size is left out.
pub(super) fn over_sizes(lines: &[Line]) -> Vec<OverSizes> {
    let of_test = |(TestKey { part, test, name }, lines): (TestKey<'_>, Vec<&Line>)| {
        let at = |line: &&Line| {
            let ratio = line.found.as_ref()?.median_ratio;
            Some(SizeRatio { size: line.size.clone(), ratio })
        };
        let sizes: Vec<SizeRatio> = lines.iter().filter_map(at).collect();
        let ratios: Vec<f64> = sizes.iter().map(|size| size.ratio).collect();
        Some(OverSizes {
            part: part.clone(),
            test,
            name: name.to_owned(),
            median: median(&ratios).ok()?,
            min: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            max: ratios.iter().copied().fold(0.0, f64::max),
            left_out: lines.iter().filter(|line| line.found.is_none()).map(|line| line.size.clone()).collect(),
            sizes,
        })
    };
    by_test(lines).into_iter().filter_map(of_test).collect()
}
