//! Loads a side of a comparison from the store.

use dbdyno_engine::protocol::CacheStart;
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{
    ComparedTest, Latencies, RepeatedTest, RunConfiguration, RunTests, SelectedRuns, Selection, SessionFacts, Store,
    StoreError, literal,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use uuid::Uuid;

/// One side of a comparison: the runs that a selection matches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// The selection, as it was typed.
    pub selection: String,
    /// The metric that was read for each test; sides of different metrics share no line.
    pub metric: Metric,
    /// Its runs, each with the finished tests that the selection matches.
    pub runs: Vec<RunTests>,
    /// The sessions of these runs.
    pub sessions: Vec<SessionFacts>,
    /// The first rounds of the later looks of those sessions that went on until all was decided.
    pub looks: BTreeMap<Uuid, Vec<u32>>,
    /// The A/A runs of these sessions: configurations that ran twice per round, with their twins.
    pub twins: Vec<RunTests>,
    /// The metric of its configurations in each session of the store; see [`with_repeats`].
    pub repeats: Vec<RepeatedTest>,
}

impl Side {
    /// Whether it has runs and all of their tests began cold.
    fn is_cold(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(|run| run.configuration.cache == CacheStart::Cold.word())
    }
}

/// Returns the metric of sides, as it is named: if all tests began cold, their time includes opening the database.
pub(super) fn metric_named(sides: &[&Side]) -> Metric {
    match sides.first().map_or_else(Metric::default, |side| side.metric) {
        Metric::Wall if sides.iter().all(|side| side.is_cold()) => Metric::OpenAndTest,
        metric => metric,
    }
}

/// Loads a side. `text` is the selection as typed: terms separated by spaces or commas.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn load(
    store: &Store,
    text: &str,
    selection: &Selection,
    metric: Metric,
    latencies: Latencies,
) -> Result<Side, StoreError> {
    let sides = load_all(store, &[(text, selection)], metric, latencies)?;
    Ok(sides.into_iter().next().unwrap_or_default())
}

/// Loads two sides at once, each from a selection with its text as typed.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn load_both(
    store: &Store,
    selections: [(&str, &Selection); 2],
    metric: Metric,
    latencies: Latencies,
) -> Result<[Side; 2], StoreError> {
    let mut sides = load_all(store, &selections, metric, latencies)?.into_iter();
    Ok([(); 2].map(|()| sides.next().unwrap_or_default()))
}

/// Loads several sides at once.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn load_all(
    store: &Store,
    selections: &[(&str, &Selection)],
    metric: Metric,
    latencies: Latencies,
) -> Result<Vec<Side>, StoreError> {
    let each: Vec<&Selection> = selections.iter().map(|(_, selection)| *selection).collect();
    let selected = store.selected_runs(&each, metric, latencies)?;
    let side = |(SelectedRuns { runs, sessions, twins }, (text, _)): (SelectedRuns, &(&str, &Selection))| Side {
        selection: (*text).to_owned(),
        metric,
        runs,
        looks: sessions.iter().filter_map(|session| Some((session.session_id, session.looks.clone()?))).collect(),
        sessions,
        twins,
        repeats: Vec::new(),
    };
    Ok(selected.into_iter().zip(selections).map(side).collect())
}

/// Converts sides that were read for their times to operations per second, if each of their suites has a test that ended after a fixed
/// time: such a test has no time of its own to compare, and one table has one figure. If another suite is present too, or a test has no
/// count of operations (some imported tests lack it), nothing changes. Tests that ended after a fixed time then have the time of one
/// operation.
pub fn as_rates<'s>(sides: impl IntoIterator<Item = &'s mut Side>) {
    let sides: Vec<&mut Side> = sides.into_iter().filter(|side| side.metric == Metric::Wall).collect();
    let runs = || sides.iter().flat_map(|side| &side.runs);
    let tests = || runs().flat_map(|run| &run.tests);
    let suites = |timed: bool| -> BTreeSet<&str> {
        let of_kind = runs().filter(|run| run.tests.iter().any(|test| !timed || test.timed));
        of_kind.map(|run| run.configuration.suite.as_str()).collect()
    };
    let timed = suites(true);
    if !timed.is_empty() && timed == suites(false) && tests().all(|test| test.value.is_none() || rate(test).is_some()) {
        for side in sides {
            side.metric = Metric::Rate;
            let tests = side.runs.iter_mut().chain(&mut side.twins).flat_map(|run| &mut run.tests);
            tests.for_each(|test| test.value = rate(test));
        }
    }
}

/// Returns the operations per second of a test that was read for its time.
fn rate(test: &ComparedTest) -> Option<f64> {
    let ns = test.value.filter(|ns| *ns > 0.0)?;
    // The time of a test that ended after a fixed time is the time of one operation.
    let operations = if test.timed { 1 } else { test.operations.filter(|operations| *operations > 0)? };
    Some(operations as f64 * 1e9 / ns)
}

/// Splits a side into its configurations, each as a side of its own, in the order in which they first ran. Twins of an A/A comparison are
/// left out, because they repeat the same configuration.
pub fn by_configuration(side: &Side) -> Vec<Side> {
    // Compares the requested options: the options that an engine derives from these may depend on the size.
    let mut places: Vec<(&str, &str, &str, &BTreeMap<String, String>)> = Vec::new();
    let mut parts: Vec<Side> = Vec::new();
    for run in side.runs.iter().filter(|run| run.twin_of.is_none()) {
        let RunConfiguration { engine, version, suite, .. } = &*run.configuration;
        let configuration = (engine.as_str(), version.as_str(), suite.as_str(), &*run.asked);
        let place = places.iter().position(|known| *known == configuration).unwrap_or_else(|| {
            places.push(configuration);
            parts.push(Side {
                selection: format!("{} label={}", side.selection, literal(&run.label)),
                metric: side.metric,
                runs: Vec::new(),
                sessions: side.sessions.clone(),
                looks: side.looks.clone(),
                twins: side.twins.clone(),
                repeats: side.repeats.clone(),
            });
            parts.len() - 1
        });
        parts[place].runs.push(run.clone());
    }
    parts
}

/// Loads all configurations of a side's sessions, each as a side.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn of_sessions(store: &Store, side: &Side, latencies: Latencies) -> Result<Vec<Side>, StoreError> {
    let sessions: Vec<String> = side.sessions.iter().map(|session| session.session_id.to_string()).collect();
    let text = format!("session={}", sessions.join("|"));
    // Identifiers contain no spaces or signs, so they need no quotes.
    let selection = Selection::parse_line(&text).map_err(|message| StoreError::Query { message })?;
    Ok(by_configuration(&load(store, &text, &selection, side.metric, latencies)?))
}

/// Loads the other configurations of a side's sessions, each as a side.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn others_of(store: &Store, side: &Side, latencies: Latencies) -> Result<Vec<Side>, StoreError> {
    let own: BTreeSet<&RunConfiguration> = side.runs.iter().map(|run| &*run.configuration).collect();
    let all = of_sessions(store, side, latencies)?;
    Ok(all.into_iter().filter(|part| part.runs.iter().all(|run| !own.contains(&*run.configuration))).collect())
}

/// Adds to two sides the metric of their configurations in other sessions, unless both were measured in the same sessions: only repeated
/// sessions show how far sessions differ.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn with_repeats<'s>(store: &Store, sides: [&'s Side; 2]) -> Result<[Cow<'s, Side>; 2], StoreError> {
    let [of_a, of_b] =
        sides.each_ref().map(|side| side.sessions.iter().map(|session| session.session_id).collect::<BTreeSet<_>>());
    if of_a == of_b {
        return Ok(sides.map(Cow::Borrowed));
    }
    let [a, b] = sides.map(|side| {
        let repeats = store.repeats(&one_of_each(&side.runs), side.metric)?;
        Ok::<_, StoreError>(Cow::Owned(Side { repeats, ..side.clone() }))
    });
    Ok([a?, b?])
}

/// Returns one run for each configuration, size and place.
fn one_of_each(runs: &[RunTests]) -> Vec<Uuid> {
    let mut kinds: BTreeMap<(*const RunConfiguration, &str, Uuid), Uuid> = BTreeMap::new();
    for run in runs {
        kinds.entry((Arc::as_ptr(&run.configuration), &run.size, run.session_id)).or_insert(run.run_id);
    }
    kinds.into_values().collect()
}
