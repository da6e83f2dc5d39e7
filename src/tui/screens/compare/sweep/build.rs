//! Building a sweep from the configurations of a session.

use super::{Sweep, SweepPlace, SweptConfiguration, SweptOption};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{Options, Side, as_rates, compare_all};
use dbdyno_foundation::metric::Metric;
use dbdyno_running::tune::effects::{GridEffects, effects};
use dbdyno_stats::geometric_mean;
use dbdyno_store::{ComparedTest, RunConfiguration, RunTests};
use rayon::prelude::*;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

/// Maximum number of configurations of a sweep; the effects of options in a larger grid cannot be distinguished quickly.
const MOST: usize = 1_024;

impl Sweep {
    /// Returns the sweep of these configurations. Returns none if they differ in engine, version or suite, if there are fewer than three or
    /// more than 1,024, if no option varies, or if an option of the suite does.
    pub(in super::super) fn of(parts: &[Side], allowed: &BTreeSet<Difference>) -> Option<Self> {
        let (base, others) = parts.split_first()?;
        let what = |part: &Side| {
            let RunConfiguration { engine, version, suite, .. } = &*part.runs.first()?.configuration;
            Some((engine.clone(), version.clone(), suite.clone()))
        };
        if others.len() < 2 || parts.len() > MOST || parts.iter().any(|part| what(part) != what(base)) {
            return None;
        }
        let options = varying(parts)?;
        let value = |part: &Side, option: &SweptOption| asked(part, &option.name).unwrap_or("-").to_owned();
        let configuration = |part: &Side| SweptConfiguration {
            label: part.runs.first().map_or_else(String::new, |run| run.label.to_string()),
            values: options.iter().map(|option| value(part, option)).collect(),
            tier: part.runs.first().and_then(|run| run.configuration.tier),
        };
        let mut allowed = allowed.clone();
        allowed.insert(Difference::Tiers);
        let mut compared = parts.to_vec();
        as_rates(&mut compared);
        let comparisons = compare_all(&compared[1..], &compared[0], &Options { allowed, ..Options::default() });
        let all = Side { runs: parts.iter().flat_map(|part| part.runs.iter().cloned()).collect(), ..base.clone() };
        Some(Self {
            configurations: parts.iter().map(configuration).collect(),
            comparisons,
            places: places(&all),
            options,
        })
    }
}

/// Returns the requested value of an option in a configuration.
fn asked<'s>(part: &'s Side, name: &str) -> Option<&'s str> {
    part.runs.first()?.asked.get(name).map(String::as_str)
}

/// Returns the engine's options that vary; none if an option of the suite varies.
fn varying(parts: &[Side]) -> Option<Vec<SweptOption>> {
    let mut values: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    let names: BTreeSet<&str> = parts
        .iter()
        .filter_map(|part| part.runs.first())
        .flat_map(|run| run.asked.keys().map(String::as_str))
        .collect();
    for part in parts {
        for name in &names {
            values.entry(name).or_default().insert(asked(part, name));
        }
    }
    values.retain(|_, values| values.len() > 1);
    let of_engine = |name: &str| {
        parts.iter().filter_map(|part| part.runs.first()).any(|run| run.configuration.options.contains_key(name))
    };
    let option = |(name, values): (&str, BTreeSet<Option<&str>>)| {
        let mut values: Vec<String> = values.into_iter().map(|value| value.unwrap_or("-").to_owned()).collect();
        values.sort_by(|one, next| by_value(one, next));
        of_engine(name).then(|| SweptOption { name: name.to_owned(), values })
    };
    let options: Option<Vec<SweptOption>> = values.into_iter().map(option).collect();
    options.filter(|options| !options.is_empty())
}

/// Orders numbers by size and words alphabetically.
fn by_value(one: &str, next: &str) -> Ordering {
    match (one.parse::<f64>(), next.parse::<f64>()) {
        (Ok(one), Ok(next)) => one.total_cmp(&next),
        _ => one.cmp(next),
    }
}

/// Returns, for each size, all tests together and then each test.
fn places(all: &Side) -> Vec<SweepPlace> {
    let mut sizes: Vec<&str> = Vec::new();
    for run in &all.runs {
        if !sizes.contains(&&*run.size) {
            sizes.push(&run.size);
        }
    }
    sizes.sort_by(|one, next| by_value(one, next));
    let of_size = |size: &&str| {
        let runs = || all.runs.iter().filter(|run| *run.size == **size);
        let tests: BTreeSet<(u32, &str, bool)> =
            runs().flat_map(|run| &run.tests).map(|test| (test.test, &*test.name, test.actor.is_none())).collect();
        let whole = tests.iter().filter(|(.., is_whole)| *is_whole).count();
        let together = (whole > 1).then(|| SweepPlace {
            size: (*size).to_owned(),
            test: None,
            effects: effects_of(all, runs().filter_map(|run| of_all_tests(run, whole))),
        });
        let each = tests.into_iter().map(|(test, name, _)| SweepPlace {
            size: (*size).to_owned(),
            test: Some((test, name.to_owned())),
            effects: effects_of(all, runs().map(|run| of_test(run, test, name))),
        });
        together.into_iter().chain(each).collect::<Vec<_>>()
    };
    sizes.par_iter().flat_map(of_size).collect()
}

fn effects_of(all: &Side, runs: impl Iterator<Item = RunTests>) -> Option<GridEffects> {
    // Effects are defined only for times.
    let runs = runs.filter(|_| all.metric == Metric::Wall).collect();
    let side = Side { selection: all.selection.clone(), metric: all.metric, runs, ..Side::default() };
    effects(&side).ok()
}

/// Returns the same run with only one of its tests.
fn of_test(run: &RunTests, test: u32, name: &str) -> RunTests {
    let tests = run.tests.iter().filter(|one| one.test == test && *one.name == *name).cloned().collect();
    RunTests { tests, ..without_tests(run) }
}

/// Returns the same run with the geometric mean of its tests as the only test; none if it lacks a test.
fn of_all_tests(run: &RunTests, all: usize) -> Option<RunTests> {
    let whole = run.tests.iter().filter(|test| test.actor.is_none());
    let values: Vec<f64> = whole.filter_map(|test| test.value.filter(|value| *value > 0.0)).collect();
    if values.len() != all {
        return None;
    }
    let test = ComparedTest {
        test: 0,
        name: "geometric mean of all tests".into(),
        actor: None,
        value: Some(geometric_mean(&values).ok()?),
        timed: false,
        sliced: false,
        operations: None,
        answer: None,
        is_verified: run.tests.iter().all(|test| run.is_verified(test)),
        agrees: None,
        latencies: None,
    };
    Some(RunTests { tests: vec![test], ..without_tests(run) })
}

fn without_tests(run: &RunTests) -> RunTests {
    RunTests {
        run_id: run.run_id,
        session_id: run.session_id,
        ordinal: run.ordinal,
        round: run.round,
        seed: run.seed,
        status: run.status.clone(),
        label: run.label.clone(),
        twin_of: run.twin_of.clone(),
        size: run.size.clone(),
        configuration: run.configuration.clone(),
        asked: run.asked.clone(),
        peak_memory_bytes: run.peak_memory_bytes,
        tests: Vec::new(),
    }
}
