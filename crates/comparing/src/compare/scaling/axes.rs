//! Finds the axes along which a side's results of a test vary, and groups the results into curves.

use super::super::layout::SideSample;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ptr,
};

/// The axis that is the suite's size.
pub(super) const SIZE: &str = "size";

/// The settings chosen for a run, by name: its options and size.
pub(super) type RunSettings<'s> = BTreeMap<&'s str, &'s str>;

/// Results that differ along an axis, and in no other chosen setting.
#[derive(Debug, Clone)]
pub(super) struct Varied<'s> {
    pub(super) axis: &'s str,
    /// The settings that are the same for all results.
    pub(super) fixed: RunSettings<'s>,
    /// Settings that have exactly one value for each value of the axis.
    pub(super) moving: Vec<String>,
    /// Results by the number of the axis, which is above 0.
    pub(super) by_x: BTreeMap<AxisValue, Vec<SideSample<'s>>>,
    /// Values of the axis that are not positive numbers.
    pub(super) no_numbers: BTreeSet<&'s str>,
}

/// A positive number that sorts in numeric order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AxisValue(u64);

impl AxisValue {
    /// Returns none for text that is not a positive number.
    fn new(text: &str) -> Option<Self> {
        // The bits of positive numbers sort in the order of the numbers.
        text.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0).map(|x| Self(x.to_bits()))
    }

    pub(super) fn x(self) -> f64 {
        f64::from_bits(self.0)
    }
}

pub(super) fn settings<'s>(sample: &SideSample<'s>) -> RunSettings<'s> {
    let asked = sample.run.asked.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    asked.chain([(SIZE, &*sample.run.size)]).collect()
}

/// Returns the curves of one test, engine, suite and place, along each axis with at least two numbers.
pub(super) fn varied<'s>(samples: &[SideSample<'s>]) -> Vec<Varied<'s>> {
    let chosen = by_settings(samples);
    let names: BTreeSet<&str> = chosen.iter().flat_map(|alike| alike.settings.keys().copied()).collect();
    names.into_iter().flat_map(|axis| along(axis, &chosen)).collect()
}

/// Results with one set of settings: a hundred thousand results have few sets.
struct Alike<'s> {
    settings: RunSettings<'s>,
    samples: Vec<SideSample<'s>>,
}

fn by_settings<'s>(samples: &[SideSample<'s>]) -> Vec<Alike<'s>> {
    // Runs of one configuration share the requested options.
    let mut known: HashMap<(*const BTreeMap<String, String>, &'s str), usize> = HashMap::new();
    let mut chosen: Vec<Alike<'s>> = Vec::new();
    for sample in samples {
        let at = *known.entry((ptr::from_ref(&*sample.run.asked), &*sample.run.size)).or_insert_with(|| {
            chosen.push(Alike { settings: settings(sample), samples: Vec::new() });
            chosen.len() - 1
        });
        chosen[at].samples.push(*sample);
    }
    chosen
}

fn along<'s>(axis: &'s str, chosen: &[Alike<'s>]) -> Vec<Varied<'s>> {
    let numbered = |settings: &RunSettings<'s>| settings.get(axis).is_some_and(|value| AxisValue::new(value).is_some());
    let followers = followers(axis, chosen.iter().map(|alike| &alike.settings).filter(|settings| numbered(settings)));
    let mut curves: BTreeMap<RunSettings<'s>, Varied<'s>> = BTreeMap::new();
    for Alike { settings, samples } in chosen {
        let Some(value) = settings.get(axis) else { continue };
        let mut fixed = settings.clone();
        fixed.retain(|name, _| *name != axis && !followers.contains(name));
        let curve = curves.entry(fixed).or_insert_with_key(|fixed| Varied {
            axis,
            fixed: fixed.clone(),
            moving: followers.iter().map(ToString::to_string).collect(),
            by_x: BTreeMap::new(),
            no_numbers: BTreeSet::new(),
        });
        match AxisValue::new(value) {
            Some(value) => curve.by_x.entry(value).or_default().extend(samples),
            None => drop(curve.no_numbers.insert(value)),
        }
    }
    curves.into_values().filter(|curve| curve.by_x.len() > 1).collect()
}

/// Returns the other settings that vary, and have exactly one value for each value of the axis.
fn followers<'a, 's: 'a>(axis: &str, chosen: impl Iterator<Item = &'a RunSettings<'s>>) -> BTreeSet<&'s str> {
    let chosen: Vec<&RunSettings<'s>> = chosen.collect();
    let names: BTreeSet<&'s str> = chosen.iter().flat_map(|settings| settings.keys().copied()).collect();
    let follows = |name: &&'s str| {
        let mut by_place: BTreeMap<Option<&&str>, BTreeSet<Option<&&str>>> = BTreeMap::new();
        for settings in &chosen {
            by_place.entry(settings.get(axis)).or_default().insert(settings.get(name));
        }
        let values: BTreeSet<&Option<&&str>> = by_place.values().flatten().collect();
        *name != axis && values.len() > 1 && by_place.values().all(|values| values.len() == 1)
    };
    names.into_iter().filter(follows).collect()
}
