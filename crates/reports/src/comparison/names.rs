//! The names of the sides of a comparison: tables, verdicts and sentences say `lmdb` and `redb`, not A and B.

use dbdyno_comparing::compare::{Comparison, MeasuredConfiguration, SideFacts};
use dbdyno_foundation::base::units::plain;
use std::collections::{BTreeMap, BTreeSet};

/// The longest name that is chosen first, and the longest of all, in characters. Longer ones would push the figures out of a table.
const SHORT: usize = 16;
const LONGEST: usize = 32;

/// What both sides of a comparison are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideNames {
    pub a: String,
    pub b: String,
}

impl SideNames {
    /// Returns the shortest property in which the sides differ: their labels, options, engines or versions. Sides without one, such as
    /// groups of several configurations, are A and B.
    pub fn of(comparison: &Comparison) -> Self {
        if comparison.since.is_some() {
            return Self::moments();
        }
        let (a, b) = (&comparison.a, &comparison.b);
        let each = |name: fn(&MeasuredConfiguration) -> String| Some((only(a, name)?, only(b, name)?));
        let labels = each(|one| one.label.clone());
        let options = differing(a, b);
        let engines = each(|one| one.configuration.engine.clone());
        let versions = each(|one| format!("{} {}", one.configuration.engine, one.configuration.version));
        let versions = versions.filter(|_| engines.as_ref().is_some_and(|(a, b)| a == b));
        let is_within = |most: usize, (a, b): &(String, String)| {
            a != b && [a, b].iter().all(|name| !name.is_empty() && name.chars().count() <= most)
        };
        let short = [&labels, &options, &versions].into_iter().flatten().find(|names| is_within(SHORT, names)).cloned();
        let all = || [labels, options, versions, engines].into_iter().flatten().find(|names| is_within(LONGEST, names));
        let named = short.or_else(all);
        named.map_or_else(Self::letters, |(a, b)| Self { a: plain(&a), b: plain(&b) })
    }

    /// Returns A and B, for sides without names of their own.
    pub fn letters() -> Self {
        Self { a: "A".to_owned(), b: "B".to_owned() }
    }

    /// Returns the names of the runs since a moment and before it.
    fn moments() -> Self {
        Self { a: "since".to_owned(), b: "before".to_owned() }
    }

    /// Whether the sides are the runs since a moment and before it.
    pub(super) fn are_moments(&self) -> bool {
        *self == Self::moments()
    }

    /// Whether the sides are called A and B.
    pub fn are_letters(&self) -> bool {
        *self == Self::letters()
    }

    /// Names the ratio of A's value to B's: `lmdb/redb`.
    pub fn ratio(&self) -> String {
        format!("{}/{}", self.a, self.b)
    }
}

/// Returns the name that all configurations of a side share.
fn only(side: &SideFacts, name: fn(&MeasuredConfiguration) -> String) -> Option<String> {
    let mut names: BTreeSet<String> = side.configurations.iter().map(name).collect();
    if names.len() == 1 { names.pop_first() } else { None }
}

/// Names two configurations of one engine by the options in which they differ: `synchronous=NORMAL` and `synchronous=FULL`.
fn differing(a: &SideFacts, b: &SideFacts) -> Option<(String, String)> {
    let (first, second) = (&a.configurations.first()?.configuration, &b.configurations.first()?.configuration);
    let is_alone = |side: &SideFacts| side.configurations.iter().all(|one| one.label == side.configurations[0].label);
    if first.engine != second.engine || !is_alone(a) || !is_alone(b) {
        return None;
    }
    let names: BTreeSet<&String> = first.options.keys().chain(second.options.keys()).collect();
    let differ: Vec<&String> =
        names.into_iter().filter(|name| first.options.get(*name) != second.options.get(*name)).collect();
    let named = |options: &BTreeMap<String, String>| {
        let value = |name: &&String| format!("{name}={}", options.get(*name).map_or("none", String::as_str));
        differ.iter().map(value).collect::<Vec<_>>().join(" ")
    };
    (!differ.is_empty()).then(|| (named(&first.options), named(&second.options)))
}
