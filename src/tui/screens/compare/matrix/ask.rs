//! Reading a matrix from the store: the same data that `dbdyno compare --reference` prints.

use super::super::{BesideReference, Sweep};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{
    ComparedGroups, Comparison, Grouped, Leader, Options, ReferenceGroup, Side, as_rates, by_configuration,
    by_reference, grouped, load, of_sessions,
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
    /// One comparison for each other configuration: A is that configuration, B the reference of its group. First group by group those that
    /// have an equal, then those without one, with the first reference. At least one.
    pub(crate) comparisons: Vec<Comparison>,
    /// The leader of each group.
    leaders: Vec<Option<Leader>>,
    /// How many comparisons at the end are of configurations without an equal.
    alone: usize,
    /// Index of the comparison that the request was about.
    pub(crate) begin_at: usize,
    /// The effects of the options, if the session was a sweep.
    pub(crate) sweep: Option<Sweep>,
    /// The metrics that the reference has.
    pub(crate) metrics: Vec<Metric>,
}

impl Matrix {
    /// Returns the comparisons of each group of equals, with the leader of the group.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&[Comparison], Option<&Leader>)> {
        let equals = &self.comparisons[..self.comparisons.len() - self.alone];
        by_reference(equals).zip(&self.leaders).map(|(sides, leader)| (sides, leader.as_ref()))
    }

    /// Returns the comparisons of configurations without an equal.
    pub(crate) fn alone(&self) -> &[Comparison] {
        &self.comparisons[self.comparisons.len() - self.alone..]
    }

    /// Returns the columns after the first reference.
    pub(crate) fn columns(&self) -> Vec<MatrixPlace> {
        let mut columns = Vec::new();
        for at in 0..self.comparisons.len() {
            let is_equal = |before: usize| self.comparisons[before].b.selection == self.comparisons[at].b.selection;
            let is_alone = at >= self.comparisons.len() - self.alone;
            if at.checked_sub(1).is_some_and(|before| !is_equal(before)) && !is_alone {
                columns.push(MatrixPlace::Reference(at));
            }
            columns.push(MatrixPlace::Candidate(at));
        }
        columns
    }

    /// Returns all comparisons with the leader of each run of them that has the same reference.
    pub(crate) fn leaders(&self) -> Vec<Option<Leader>> {
        let runs = by_reference(&self.comparisons).count();
        self.leaders.iter().cloned().chain(std::iter::repeat(None)).take(runs).collect()
    }
}

/// The content of a column after the first reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixPlace {
    /// The reference of the group that begins with this comparison.
    Reference(usize),
    /// The configuration of this comparison.
    Candidate(usize),
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
    let wanted = parts.remove(reference);
    let candidates: Vec<Side> = parts.into_iter().chain(foreign).collect();
    let begin_at = candidates.get(begin_at).map(|side| side.selection.clone());
    let options = Options { allowed: allowed.clone(), ..Options::default() };
    let selection = Selection::parse_line(&wanted.selection)?;
    let (groups, alone) = by_durability(wanted, candidates, allowed);
    let ComparedGroups { mut sides, leaders } = explained(&groups, &options, store)?;
    let reference = groups[0].reference.clone();
    let (reference_selection, alone_count) = (reference.selection.clone(), alone.len());
    if !alone.is_empty() {
        let beside = [ReferenceGroup { reference, candidates: alone }];
        sides.extend(explained(&beside, &options, store)?.sides);
    }
    Ok(Matrix {
        begin_at: sides.iter().position(|side| Some(&side.a.selection) == begin_at.as_ref()).unwrap_or(0),
        comparisons: sides,
        leaders,
        alone: alone_count,
        metrics: if store.exists() { store.metrics(&selection).map_err(words)? } else { vec![metric] },
        reference: reference_selection,
        sweep,
    })
}

/// Groups configurations that are equally durable, each group with its reference: `wanted` for its own group, which is the first, and for
/// all if no two are equal. Returns also those without an equal.
fn by_durability(
    wanted: Side,
    candidates: Vec<Side>,
    allowed: &BTreeSet<Difference>,
) -> (Vec<ReferenceGroup>, Vec<Side>) {
    let labels = wanted.runs.iter().map(|run| run.label.to_string()).collect();
    let all = std::iter::once(wanted.clone()).chain(candidates.clone()).collect();
    let Grouped { groups, alone } = grouped(all, &labels, allowed);
    let has_equals = match groups.as_slice() {
        [only] => only.candidates.len() + 1 + alone.len() > 2 && !alone.is_empty(),
        several => !several.is_empty(),
    };
    if has_equals { (groups, alone) } else { (vec![ReferenceGroup { reference: wanted, candidates }], Vec::new()) }
}

fn explained(groups: &[ReferenceGroup], options: &Options, store: &Store) -> Result<ComparedGroups, String> {
    let mut compared = ComparedGroups::new(groups, options);
    compared.explain(store, false).map_err(words)?;
    Ok(compared)
}

fn loaded(text: &str, metric: Metric, store: &Store) -> Result<Side, String> {
    load(store, text, &Selection::parse_line(text)?, metric, Latencies::Left).map_err(words)
}

fn words(error: StoreError) -> String {
    error.to_string()
}
