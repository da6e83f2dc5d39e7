//! The requests of the Compare screen to the store. Each request has a number, so that a response to an earlier request can be recognised.

use super::matrix::{self, Matrix, WantedMatrix};
use crate::tui::{
    screens::further::{self, RoundsPlan},
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{
    AnotherLook, Axis, Comparison, Options, SecondaryMetric, Several, Side, as_rates, compare, load, with_repeats,
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Offer, ReadWatch, Selection, Store};
use std::collections::BTreeSet;

#[derive(Debug)]
pub enum Request {
    /// The configurations that can be compared.
    Offers {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
    },
    /// A comparison of two selections.
    Compare {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
        /// The two sides and the settings of the comparison.
        wanted: Box<WantedComparison>,
        /// The view to show first.
        first: FirstView,
        /// Reports the progress of reading, and whether it was cancelled.
        watch: ReadWatch,
    },
    /// All configurations of a session, compared with one reference.
    Matrix {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
        /// The reference and the settings of the comparison.
        wanted: Box<WantedMatrix>,
        /// Reports the progress of reading, and whether it was cancelled.
        watch: ReadWatch,
    },
    /// A plan for more rounds where the verdict is undecided.
    Further {
        look: Box<AnotherLook>,
        /// The equivalent command line.
        command: Vec<String>,
    },
}

/// The view to show first for two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstView {
    Pair,
    /// All configurations of their session, if the two sides are two of more than two.
    Session,
}

/// Two sides and the settings of their comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedComparison {
    /// The selection of side A.
    pub(crate) a: String,
    /// The selection of side B.
    pub(crate) b: String,
    /// The moment that separates them, if nothing else does.
    pub(crate) since: Option<String>,
    /// The metric to compare.
    pub(crate) metric: Metric,
    /// The differences that are allowed.
    pub(crate) allowed: BTreeSet<Difference>,
    /// The pivot's row key and column key.
    pub(crate) axes: (Axis, Axis),
    /// Whether latencies of single operations are read; they are most of the stored data.
    pub(crate) latencies: Latencies,
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            // One of these requests is for the content of the screen.
            Self::Offers { .. } => Subject::read("shown"),
            Self::Compare { watch, .. } | Self::Matrix { watch, .. } => Subject::watched("shown", watch),
            Self::Further { .. } => Subject::read("further rounds"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// The configurations that can be compared, or the reason why they are unknown.
    Offers { ticket: u64, found: Result<Vec<Offer>, String> },
    /// The comparison, or the reason why there is none.
    Compared { ticket: u64, found: Result<Box<Compared>, String> },
    /// The matrix, or the reason why there is none.
    Matrix { ticket: u64, found: Result<Box<Matrix>, String> },
    /// The rounds that can be run, or the reason why none can.
    Further { planned: RoundsPlan },
}

impl Response {
    /// Returns the number of the request, or none for a request that no part of the screen waits for.
    pub(super) fn ticket(&self) -> Option<u64> {
        match self {
            Self::Offers { ticket, .. } | Self::Compared { ticket, .. } | Self::Matrix { ticket, .. } => Some(*ticket),
            Self::Further { .. } => None,
        }
    }
}

/// A comparison in the forms that the views show.
#[derive(Debug)]
pub struct Compared {
    /// The comparison for the views of lines, sizes and scaling.
    pub(crate) plain: Comparison,
    /// Spread over the pivot's keys.
    pub(crate) pivot: Comparison,
    /// Whether both comparisons include latencies.
    pub(crate) latencies: Latencies,
    /// The metrics that both sides have.
    pub(crate) metrics: Vec<Metric>,
    /// Names in the selections that occur in no stored run; most likely misspelt.
    pub(crate) unknown: Vec<String>,
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::Offers { ticket } => {
            Response::Offers { ticket, found: setup.store.offers().map_err(|error| error.to_string()) }
        }
        Request::Compare { ticket, wanted, first, watch } => {
            match pair_or_session(&wanted, first, &setup.store.watched(&watch)) {
                Ok(PairOrSession::Pair(compared)) => Response::Compared { ticket, found: Ok(compared) },
                Ok(PairOrSession::Session(matrix)) => Response::Matrix { ticket, found: Ok(matrix) },
                Err(reason) => Response::Compared { ticket, found: Err(reason) },
            }
        }
        Request::Further { look, command } => Response::Further { planned: further::plan(*look, command, setup) },
        Request::Matrix { ticket, wanted, watch } => {
            Response::Matrix { ticket, found: matrix::read(&wanted, &setup.store.watched(&watch)).map(Box::new) }
        }
    }
}

/// The response to a request for two sides.
enum PairOrSession {
    Pair(Box<Compared>),
    Session(Box<Matrix>),
}

fn pair_or_session(wanted: &WantedComparison, first: FirstView, store: &Store) -> Result<PairOrSession, String> {
    let sides = SidesRead::read(wanted, store)?;
    if first == FirstView::Session
        && let Some(matrix) = matrix::of_sides([&sides.a, &sides.b], &wanted.allowed, store)?
    {
        return Ok(PairOrSession::Session(Box::new(matrix)));
    }
    Ok(PairOrSession::Pair(Box::new(compared(wanted, sides, store)?)))
}

/// Both sides, and the names in their selections that occur in no stored run.
struct SidesRead {
    a: Side,
    b: Side,
    unknown: Vec<String>,
}

impl SidesRead {
    fn read(wanted: &WantedComparison, store: &Store) -> Result<Self, String> {
        let (a, mut unknown) = side(&wanted.a, wanted, store)?;
        let (b, unknown_b) = side(&wanted.b, wanted, store)?;
        unknown.extend(unknown_b);
        unknown.dedup();
        Ok(Self { a, b, unknown })
    }
}

fn compared(wanted: &WantedComparison, sides: SidesRead, store: &Store) -> Result<Compared, String> {
    let SidesRead { mut a, mut b, unknown } = sides;
    as_rates([&mut a, &mut b]);
    let [a, b] = with_repeats(store, [&a, &b]).map_err(|error| error.to_string())?;
    let options = options(wanted);
    let spread = Options { pivot: Some(wanted.axes.clone()), ..options.clone() };
    let mut plain = compare(&a, &b, &Options { by_size: true, scaling: wanted.metric == Metric::Wall, ..options });
    plain.explain(store, false).map_err(|error| error.to_string())?;
    Ok(Compared {
        plain,
        pivot: compare(&a, &b, &spread),
        latencies: wanted.latencies,
        metrics: common_metrics([&wanted.a, &wanted.b], store)?,
        unknown,
    })
}

fn options(wanted: &WantedComparison) -> Options {
    Options {
        allowed: wanted.allowed.clone(),
        several: Several::Matched,
        since: wanted.since.clone(),
        ..Options::default()
    }
}

/// Reads a comparison again with everything that a file includes in addition: latencies and other metrics.
pub(super) fn whole(shown: &Comparison, wanted: &WantedComparison, store: &Store) -> Result<Comparison, String> {
    let wanted = &WantedComparison { latencies: Latencies::Read, ..wanted.clone() };
    let read = compared(wanted, SidesRead::read(wanted, store)?, store)?;
    let whole = if shown.pivot.is_some() { read.pivot } else { read.plain };
    let (a, b) = (Selection::parse_line(&wanted.a)?, Selection::parse_line(&wanted.b)?);
    let sides = [(wanted.a.as_str(), &a), (wanted.b.as_str(), &b)];
    let beside = SecondaryMetric::of_selections(store, sides, wanted.metric, &options(wanted));
    Ok(Comparison {
        command: shown.command.clone(),
        by_size: shown.by_size.as_ref().and(whole.by_size),
        scaling: shown.scaling.as_ref().and(whole.scaling),
        beside: beside.map_err(|error| error.to_string())?,
        ..whole
    })
}

/// Returns the metrics that tests on both sides have.
fn common_metrics([a, b]: [&str; 2], store: &Store) -> Result<Vec<Metric>, String> {
    let of = |text| store.metrics(&Selection::parse_line(text)?).map_err(|error| error.to_string());
    let of_b = of(b)?;
    Ok(of(a)?.into_iter().filter(|metric| of_b.contains(metric)).collect())
}

/// Returns a side, and the names in its selection that occur in no stored run.
fn side(text: &str, wanted: &WantedComparison, store: &Store) -> Result<(Side, Vec<String>), String> {
    let WantedComparison { metric, latencies, .. } = *wanted;
    let selection = Selection::parse_line(text)?;
    if !store.exists() {
        return Ok((Side { selection: text.to_owned(), metric, ..Side::default() }, Vec::new()));
    }
    let side = load(store, text, &selection, metric, latencies).map_err(|error| error.to_string())?;
    let unknown = match side.runs.is_empty() {
        true => store.unknown_names(&selection, &[]).map_err(|error| error.to_string())?,
        false => Vec::new(),
    };
    Ok((side, unknown))
}
