//! Reading a matrix from the store: the same data that `dbdyno compare --reference` prints.

use super::super::{BesideReference, Sweep};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{
    ComparedGroups, Comparison, Leader, Options, ReferenceGroup, Side, as_rates, by_configuration, load, of_sessions,
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Selection, Store, StoreError};
use std::collections::{BTreeSet, HashSet};
use uuid::Uuid;

/// A reference, and the settings for comparing all other configurations with it.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedMatrix {
    pub(crate) beside: BesideReference,
    /// The metric to compare.
    pub(crate) metric: Metric,
    /// The differences that are allowed.
    pub(crate) allowed: BTreeSet<Difference>,
}

/// All other configurations of the reference's sessions, compared with it.
#[derive(Debug)]
pub struct Matrix {
    /// The selection of the reference.
    pub(crate) reference: String,
    /// One comparison for each other configuration: A is that configuration, B the reference. At least one.
    pub(crate) comparisons: Vec<Comparison>,
    /// The best of all of them, if there are at least two others.
    pub(crate) leader: Option<Leader>,
    /// Index of the comparison that the request was about.
    pub(crate) begin_at: usize,
    /// The effects of the options, if the session was a sweep.
    pub(crate) sweep: Option<Sweep>,
    /// The metrics that the reference has.
    pub(crate) metrics: Vec<Metric>,
}

/// The configurations of some sessions and the index of the reference.
struct MatrixSides {
    parts: Vec<Side>,
    reference: usize,
    begin_at: usize,
    /// Configurations of other sessions.
    foreign: Vec<Side>,
}

/// Reads all configurations of the reference's sessions and compares them with it. The error is the reason why they cannot be shown.
pub(in super::super) fn read(wanted: &WantedMatrix, store: &Store) -> Result<Matrix, String> {
    let WantedMatrix { beside: BesideReference { reference, with }, metric, allowed } = wanted;
    let side = loaded(reference, *metric, store)?;
    if side.runs.is_empty() {
        return Err(format!("`{reference}` matches no stored result"));
    }
    let parts = of_sessions(store, &side, Latencies::Left).map_err(words)?;
    let of = |run: Uuid| parts.iter().position(|part| part.runs.iter().any(|other| other.run_id == run));
    let reference = side.runs.iter().find_map(|run| of(run.run_id)).unwrap_or(0);
    let known: HashSet<Uuid> = parts.iter().flat_map(|part| &part.runs).map(|run| run.run_id).collect();
    let others = with.as_ref().map(|text| loaded(text, *metric, store)).transpose()?;
    let foreign = others.iter().flat_map(by_configuration);
    let foreign = foreign.filter(|part| part.runs.iter().all(|run| !known.contains(&run.run_id))).collect();
    matrix(MatrixSides { parts, reference, begin_at: 0, foreign }, *metric, allowed, store)
}

/// Returns the matrix of the session that both sides belong to. Each side must be a whole configuration of it, and the session must have
/// more than these two.
pub(in super::super) fn of_sides(
    sides: [&Side; 2],
    allowed: &BTreeSet<Difference>,
    store: &Store,
) -> Result<Option<Matrix>, String> {
    let session = |side: &Side| match side.sessions.as_slice() {
        [only] => Some(only.session_id),
        _ => None,
    };
    let [a, b] = sides;
    if session(a).is_none() || session(a) != session(b) {
        return Ok(None);
    }
    let parts = of_sessions(store, b, Latencies::Left).map_err(words)?;
    // Sides with common runs are not a pair, so the configuration of each side's first run is used.
    let of_b: HashSet<Uuid> = b.runs.iter().map(|run| run.run_id).collect();
    let overlap = a.runs.iter().any(|run| of_b.contains(&run.run_id));
    let begins = |side: &Side, part: &Side| {
        let first = side.runs.first().map(|run| run.run_id);
        part.runs.iter().any(|run| Some(run.run_id) == first)
    };
    let place = |side: &Side| parts.iter().position(|part| is_whole(side, part) || (overlap && begins(side, part)));
    let (Some(of_a), Some(of_b)) = (place(a), place(b)) else { return Ok(None) };
    if parts.len() < 3 || of_a == of_b {
        return Ok(None);
    }
    // The first configuration is the reference, as in a session's verdicts. If neither side is the first, B is the reference.
    let (reference, candidate) = if of_a == 0 { (of_a, of_b) } else { (of_b, of_a) };
    let begin_at = candidate - usize::from(candidate > reference);
    let beside = MatrixSides { parts, reference, begin_at, foreign: Vec::new() };
    matrix(beside, b.metric, allowed, store).map(Some)
}

/// Whether a side has all runs and tests that were measured of a configuration.
fn is_whole(side: &Side, part: &Side) -> bool {
    let runs = |side: &Side| -> HashSet<(Uuid, usize)> {
        let own = side.runs.iter().filter(|run| run.twin_of.is_none());
        own.map(|run| (run.run_id, run.tests.len())).collect()
    };
    runs(side) == runs(part)
}

fn matrix(
    beside: MatrixSides,
    metric: Metric,
    allowed: &BTreeSet<Difference>,
    store: &Store,
) -> Result<Matrix, String> {
    let MatrixSides { mut parts, reference, begin_at, mut foreign } = beside;
    let sweep = Sweep::of(&parts, allowed);
    as_rates(parts.iter_mut().chain(&mut foreign));
    if parts.is_empty() || parts.len() + foreign.len() < 2 {
        return Err(
            "its sessions have no other configuration: press a and b to type the selections of a pair".to_owned()
        );
    }
    let reference = parts.remove(reference);
    let candidates: Vec<Side> = parts.into_iter().chain(foreign).collect();
    let options = Options { allowed: allowed.clone(), ..Options::default() };
    let selection = Selection::parse_line(&reference.selection)?;
    let group = ReferenceGroup { reference, candidates };
    let mut compared = ComparedGroups::new(std::slice::from_ref(&group), &options);
    compared.explain(store, false).map_err(words)?;
    let ComparedGroups { sides, leaders } = compared;
    Ok(Matrix {
        comparisons: sides,
        leader: leaders.into_iter().next().flatten(),
        metrics: if store.exists() { store.metrics(&selection).map_err(words)? } else { vec![metric] },
        reference: group.reference.selection,
        begin_at,
        sweep,
    })
}

fn loaded(text: &str, metric: Metric, store: &Store) -> Result<Side, String> {
    load(store, text, &Selection::parse_line(text)?, metric, Latencies::Left).map_err(words)
}

fn words(error: StoreError) -> String {
    error.to_string()
}
