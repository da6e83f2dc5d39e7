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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey<'l> {
    pub part: &'l Part,
    pub test: u32,
    /// The test's name; where names tell the size (`25000 INSERTs`), with `N` for their numbers.
    pub name: String,
}

/// The lines of each test, in the order of tests and then of sizes.
pub fn by_test(lines: &[Line]) -> BTreeMap<TestKey<'_>, Vec<&Line>> {
    let mut folded: BTreeMap<(&Part, u32, String), Vec<&Line>> = BTreeMap::new();
    for line in lines {
        folded.entry((&line.part, line.test, without_numbers(&line.name))).or_default().push(line);
    }
    folded
        .into_iter()
        .map(|((part, test, folded), mut lines)| {
            lines.sort_by(|a, b| by_size(&a.size, &b.size));
            let one_name = lines.windows(2).all(|pair| pair[0].name == pair[1].name);
            let name = lines.first().filter(|_| one_name).map_or(folded, |line| line.name.clone());
            (TestKey { part, test, name }, lines)
        })
        .collect()
}

/// A test's name with `N` for each number in it.
pub(super) fn without_numbers(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars() {
        if !c.is_ascii_digit() {
            folded.push(c);
        } else if !folded.ends_with('N') {
            folded.push('N');
        }
    }
    folded
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
            name,
            median: median(&ratios).ok()?,
            min: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            max: ratios.iter().copied().fold(0.0, f64::max),
            left_out: lines.iter().filter(|line| line.found.is_none()).map(|line| line.size.clone()).collect(),
            sizes,
        })
    };
    by_test(lines).into_iter().filter_map(of_test).collect()
}
