//! Conditions in which sessions on one machine and disk may still differ: mounts, limits and builds.

use super::load::Side;
use dbdyno_foundation::{
    base::units::{bytes, duration},
    host::{Limits, MountEffect, MountOption, cpus_in_words},
};
use dbdyno_store::{SessionConditions, SessionFacts};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// The limit between sessions on one disk: their small synced writes differ by less than this factor.
const FSYNC_FACTOR: u64 = 10;

/// A condition in words; none if it is unknown for a session.
struct NamedCondition {
    /// `CPU quotas differ`.
    differ: &'static str,
    value: fn(&SessionConditions) -> Option<String>,
}

/// The conditions that must match for times to be comparable.
const DECIDING: [NamedCondition; 8] = [
    NamedCondition { differ: "sync targets differ", value: syncs },
    NamedCondition { differ: "mount options that change times differ", value: changing_options },
    NamedCondition { differ: "CPU quotas differ", value: |of| limit(of, |limits| limits.cpu_quota.map(cpus_in_words)) },
    NamedCondition { differ: "CPUs to run on differ", value: |of| limit(of, |limits| Some(limits.cpus.to_string())) },
    NamedCondition {
        differ: "memory limits of control groups differ",
        value: |of| limit(of, |limits| limits.memory_bytes.map(bytes)),
    },
    NamedCondition { differ: "allocators differ", value: |of| of.allocator.clone() },
    NamedCondition { differ: "preloaded libraries differ", value: preloaded },
    NamedCondition { differ: "builds of dbdyno differ", value: optimisation },
];

/// The conditions whose differences are reported without blocking the comparison.
const BADGES: [NamedCondition; 4] = [
    NamedCondition { differ: "mount options differ", value: |of| of.mount_options.clone() },
    NamedCondition { differ: "CPU governors differ", value: |of| of.cpu_governor.clone() },
    NamedCondition { differ: "clock sources differ", value: |of| of.clock_source.clone() },
    NamedCondition { differ: "build flags of dbdyno differ", value: |of| of.build_flags.clone() },
];

fn none() -> String {
    "none".to_owned()
}

fn limit(of: &SessionConditions, value: fn(&Limits) -> Option<String>) -> Option<String> {
    of.limits.as_ref().map(|limits| value(limits).unwrap_or_else(none))
}

fn syncs(of: &SessionConditions) -> Option<String> {
    of.syncs_believed.map(|believed| if believed { "the disk" } else { "no disk" }.to_owned())
}

fn changing_options(of: &SessionConditions) -> Option<String> {
    let options = of.mount_options.as_deref()?.split(',').filter_map(MountOption::find);
    let changing = |option: &&MountOption| !matches!(option.effect, MountEffect::KeepsLess | MountEffect::Known);
    let names: BTreeSet<&str> = options.filter(changing).map(|option| option.name).collect();
    Some(if names.is_empty() { none() } else { names.into_iter().collect::<Vec<_>>().join(",") })
}

fn preloaded(of: &SessionConditions) -> Option<String> {
    // If the allocator is known, the preloaded libraries are known too.
    of.allocator.as_ref().map(|_| of.preloaded.clone().unwrap_or_else(none))
}

/// `release, opt-level=3`.
fn optimisation(of: &SessionConditions) -> Option<String> {
    let flags = of.build_flags.as_deref().unwrap_or_default();
    let level = flags.split(", ").find(|flag| flag.starts_with("opt-level="));
    Some([of.build_profile.as_deref()?].into_iter().chain(level).collect::<Vec<_>>().join(", "))
}

/// The conditions that decide whether times of sessions are comparable.
#[derive(Debug, Default)]
pub(super) struct DecidingConditions {
    sessions: BTreeMap<Uuid, SessionValues>,
}

#[derive(Debug)]
struct SessionValues {
    /// One value for each of [`DECIDING`].
    values: [Option<String>; DECIDING.len()],
    /// The time of a small synced write: the shortest one if it is known, because load makes it longer.
    fsync_ns: Option<u64>,
}

impl DecidingConditions {
    pub(super) fn of(sides: &[&Side]) -> Self {
        let values = |SessionFacts { conditions, .. }: &SessionFacts| SessionValues {
            values: DECIDING.map(|condition| (condition.value)(conditions)),
            fsync_ns: conditions.sync_least_ns.or(conditions.fsync_ns),
        };
        let sessions = sides.iter().flat_map(|side| &side.sessions);
        Self { sessions: sessions.map(|session| (session.session_id, values(session))).collect() }
    }

    /// Returns the differences between the sessions of A and B, each in a sentence. `is_one_place`: they ran on one machine and disk.
    pub(super) fn differences(&self, a: &BTreeSet<Uuid>, b: &BTreeSet<Uuid>, is_one_place: bool) -> Vec<String> {
        let of = |side: &BTreeSet<Uuid>| side.iter().filter_map(|id| self.sessions.get(id)).collect::<Vec<_>>();
        let (a, b) = (of(a), of(b));
        let mut found = Vec::new();
        for (at, condition) in DECIDING.iter().enumerate() {
            let known = |side: &[&SessionValues]| -> BTreeSet<String> {
                side.iter().filter_map(|session| session.values[at].clone()).collect()
            };
            found.extend(differ(condition.differ, &known(&a), &known(&b)));
        }
        found.extend(fsyncs(&a, &b).filter(|_| is_one_place));
        found
    }
}

/// Reports a condition that has several values. An unknown side matches any value.
fn differ(what: &str, a: &BTreeSet<String>, b: &BTreeSet<String>) -> Option<String> {
    (a.union(b).count() > 1 && !a.is_empty() && !b.is_empty())
        .then(|| format!("{what}: A {}, B {}", joined(a), joined(b)))
}

fn fsyncs(a: &[&SessionValues], b: &[&SessionValues]) -> Option<String> {
    let range = |side: &[&SessionValues]| {
        let known: BTreeSet<u64> = side.iter().filter_map(|session| session.fsync_ns).collect();
        Some((*known.first()?, *known.last()?))
    };
    let (of_a, of_b) = (range(a)?, range(b)?);
    let far = of_a.1.max(of_b.1) > FSYNC_FACTOR.saturating_mul(of_a.0.min(of_b.0));
    let words = |(least, most): (u64, u64)| {
        let [least, most] = [least, most].map(|ns| duration(ns as f64));
        if least == most { least } else { format!("{least} to {most}") }
    };
    far.then(|| {
        let (a, b) = (words(of_a), words(of_b));
        format!("small synced writes to this disk took {a} in A, {b} in B: measure both in one session")
    })
}

/// Returns the conditions that differ between A and B without deciding anything: `mount options differ: A noatime, B relatime,discard`.
pub(super) fn badges(a: &Side, b: &Side) -> Vec<String> {
    let of_sessions = BADGES.iter().filter_map(|condition| {
        let of = |side: &Side| side.sessions.iter().filter_map(|one| (condition.value)(&one.conditions)).collect();
        badge(condition.differ, &of(a), &of(b))
    });
    of_sessions.chain(engine_builds(a, b)).collect()
}

/// Reports the elements of comma-separated lists that not all lists contain.
fn badge(what: &str, a: &BTreeSet<String>, b: &BTreeSet<String>) -> Option<String> {
    if a == b || a.is_empty() || b.is_empty() {
        return None;
    }
    let parts = |list: &str| list.split(',').map(|part| part.trim().to_owned()).collect::<BTreeSet<String>>();
    let lists = || a.iter().chain(b).map(|list| parts(list));
    let common = lists().reduce(|common, list| &common & &list).unwrap_or_default();
    let own = |side: &BTreeSet<String>| -> BTreeSet<String> {
        let own = |list: &String| (&parts(list) - &common).into_iter().collect::<Vec<_>>().join(",");
        side.iter().map(own).map(|own| if own.is_empty() { none() } else { own }).collect()
    };
    differ(what, &own(a), &own(b))
}

/// Reports engines that have the same version on both sides, but different builds.
fn engine_builds(a: &Side, b: &Side) -> Vec<String> {
    let builds = |side: &Side| {
        let mut builds: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        let mut seen = HashSet::new();
        for run in side.runs.iter().filter(|run| seen.insert(Arc::as_ptr(&run.configuration))) {
            let one = &run.configuration;
            let known = builds.entry((one.engine.clone(), one.version.clone())).or_default();
            known.extend(one.build.clone());
        }
        builds
    };
    let (a, b) = (builds(a), builds(b));
    let both = a.iter().filter_map(|(engine, of_a)| Some((engine, of_a, b.get(engine)?)));
    both.filter_map(|((engine, version), of_a, of_b)| {
        badge(&format!("builds of {engine} {version} differ"), of_a, of_b)
    })
    .collect()
}

fn joined(values: &BTreeSet<String>) -> String {
    values.iter().map(String::as_str).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[&str]) -> BTreeSet<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn of_lists_only_what_differs_is_said() {
        let said =
            badge("mount options differ", &set(&["rw,noatime,data=ordered"]), &set(&["data=ordered,rw,discard"]));
        assert_eq!(said.unwrap(), "mount options differ: A noatime, B discard");
        let more = badge("mount options differ", &set(&["rw"]), &set(&["rw,discard"]));
        assert_eq!(more.unwrap(), "mount options differ: A none, B discard");
        assert_eq!(badge("x", &set(&["rw,a"]), &set(&["a,rw"])), None, "the order is nothing");
        assert_eq!(badge("x", &set(&["rw"]), &set(&[])), None, "what is not known differs from nothing");
        assert_eq!(badge("x", &set(&["rw", "ro"]), &set(&["ro", "rw"])), None, "both have both");
    }

    #[test]
    fn syncs_of_one_disk_differ_by_less_than_ten_times() {
        let session = |fsync_ns| SessionValues { values: Default::default(), fsync_ns };
        let (fast, near, slow) = (session(Some(2_000)), session(Some(20_000)), session(Some(3_000_000)));
        let unknown = session(None);
        assert_eq!(fsyncs(&[&fast], &[&near]), None);
        assert_eq!(fsyncs(&[&fast], &[&unknown]), None);
        assert_eq!(
            fsyncs(&[&fast, &near], &[&slow]).unwrap(),
            "small synced writes to this disk took 2.00 µs to 20.0 µs in A, 3.00 ms in B: measure both in one session"
        );
    }
}
