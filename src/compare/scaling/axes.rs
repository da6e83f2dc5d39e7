//! Along which axes a side's results of a test vary, and which results lie on one curve.

use super::super::layout::SideSample;
use std::collections::{BTreeMap, BTreeSet};

/// The axis that is the suite's size.
pub(super) const SIZE: &str = "size";

/// What was chosen for a run, by name: its options and size.
pub(super) type Settings<'s> = BTreeMap<&'s str, &'s str>;

/// Results that differ along an axis, and in nothing else that was chosen.
#[derive(Debug, Clone)]
pub(super) struct Varied<'s> {
    pub(super) axis: &'s str,
    /// What is the same for all.
    pub(super) fixed: Settings<'s>,
    /// Settings that have one value for each value of the axis.
    pub(super) moving: Vec<String>,
    /// Results by the number that the axis is, which is above 0.
    pub(super) by_x: BTreeMap<Place, Vec<SideSample<'s>>>,
    /// Values of the axis that are no such number.
    pub(super) no_numbers: BTreeSet<&'s str>,
}

/// A positive number, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

impl Place {
    /// None of what is no positive number.
    fn new(text: &str) -> Option<Self> {
        // The bits of positive numbers are in the order of the numbers.
        text.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0).map(|x| Self(x.to_bits()))
    }

    pub(super) fn x(self) -> f64 {
        f64::from_bits(self.0)
    }
}

pub(super) fn settings<'s>(sample: &SideSample<'s>) -> Settings<'s> {
    let asked = sample.run.asked.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    asked.chain([(SIZE, &*sample.run.size)]).collect()
}

/// The curves of results of one test, engine, suite and place, along each axis of two numbers or more.
pub(super) fn varied<'s>(samples: &[SideSample<'s>]) -> Vec<Varied<'s>> {
    let chosen: Vec<(Settings<'s>, SideSample<'s>)> =
        samples.iter().map(|sample| (settings(sample), *sample)).collect();
    let names: BTreeSet<&str> = chosen.iter().flat_map(|(settings, _)| settings.keys().copied()).collect();
    names.into_iter().flat_map(|axis| along(axis, &chosen)).collect()
}

fn along<'s>(axis: &'s str, chosen: &[(Settings<'s>, SideSample<'s>)]) -> Vec<Varied<'s>> {
    let numbered = |settings: &Settings<'s>| settings.get(axis).is_some_and(|value| Place::new(value).is_some());
    let followers = followers(axis, chosen.iter().map(|(settings, _)| settings).filter(|settings| numbered(settings)));
    let mut curves: BTreeMap<Settings<'s>, Varied<'s>> = BTreeMap::new();
    for (settings, sample) in chosen {
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
        match Place::new(value) {
            Some(place) => curve.by_x.entry(place).or_default().push(*sample),
            None => drop(curve.no_numbers.insert(value)),
        }
    }
    curves.into_values().filter(|curve| curve.by_x.len() > 1).collect()
}

/// The other settings that vary, and have one value for each value of the axis.
fn followers<'a, 's: 'a>(axis: &str, chosen: impl Iterator<Item = &'a Settings<'s>>) -> BTreeSet<&'s str> {
    let chosen: Vec<&Settings<'s>> = chosen.collect();
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
