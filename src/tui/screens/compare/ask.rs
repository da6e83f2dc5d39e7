//! What the Compare screen asks of the world outside: what is stored. Each request has a number, so that responses to older
//! ones are told apart.

use super::matrix::{self, Matrix, WantedMatrix};
use crate::tui::{
    screens::further::{self, Planned},
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{
    AnotherLook, Axis, Beside, Comparison, Options, Several, Side, as_rates, compare, load, with_repeats,
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Offer, ReadWatch, Selection, Store};
use std::collections::BTreeSet;

#[derive(Debug)]
pub enum Request {
    /// What there is to compare.
    Offers {
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
    },
    /// Two selections beside each other.
    Compare {
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
        /// The sides, and how they are compared.
        wanted: Box<WantedComparison>,
        /// What is shown first.
        first: FirstView,
        /// Tells how far it is, and that nobody waits for it any more.
        watch: ReadWatch,
    },
    /// All configurations of a session beside one reference.
    Matrix {
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
        /// The reference, and how others are compared with it.
        wanted: Box<WantedMatrix>,
        /// Tells how far it is, and that nobody waits for it any more.
        watch: ReadWatch,
    },
    /// More rounds of what is undecided are planned.
    Further {
        look: Box<AnotherLook>,
        /// The command that runs the same.
        command: Vec<String>,
    },
}

/// What is shown first of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstView {
    Pair,
    /// All configurations of their session, where they are two of more.
    Session,
}

/// Two sides, and how they are to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedComparison {
    /// The selection of side A.
    pub(crate) a: String,
    /// The selection of side B.
    pub(crate) b: String,
    /// What is compared.
    pub(crate) metric: Metric,
    /// Differences that are allowed.
    pub(crate) allowed: BTreeSet<Difference>,
    /// Rows and columns of the pivot.
    pub(crate) axes: (Axis, Axis),
    /// Whether the latencies of single operations are looked at, which are most of what is stored.
    pub(crate) latencies: Latencies,
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            // One of them is shown.
            Self::Offers { .. } => Subject::read("shown"),
            Self::Compare { watch, .. } | Self::Matrix { watch, .. } => Subject::watched("shown", watch),
            Self::Further { .. } => Subject::read("further rounds"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// What there is to compare, or why that is not known.
    Offers { ticket: u64, found: Result<Vec<Offer>, String> },
    /// The comparison, or why there is none.
    Compared { ticket: u64, found: Result<Box<Compared>, String> },
    /// The matrix, or why there is none.
    Matrix { ticket: u64, found: Result<Box<Matrix>, String> },
    /// Rounds that can be run, or why none can.
    Further { planned: Planned },
}

impl Response {
    /// The number of the request; none of one that nothing on screen waits for.
    pub(super) fn ticket(&self) -> Option<u64> {
        match self {
            Self::Offers { ticket, .. } | Self::Compared { ticket, .. } | Self::Matrix { ticket, .. } => Some(*ticket),
            Self::Further { .. } => None,
        }
    }
}

/// A comparison as the views show it.
#[derive(Debug)]
pub struct Compared {
    /// Line by line, over sizes, and how figures grow.
    pub(crate) plain: Comparison,
    /// Spread over the pivot's keys.
    pub(crate) pivot: Comparison,
    /// Whether these have latencies.
    pub(crate) latencies: Latencies,
    /// The figures that both sides have.
    pub(crate) metrics: Vec<Metric>,
    /// Names in the selections that no stored run has: most likely misspelt.
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

/// What two sides lead to.
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

/// Both sides, with the names in their selections that no stored run has.
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
    Ok(Compared {
        plain: compare(&a, &b, &Options { by_size: true, scaling: wanted.metric == Metric::Wall, ..options }),
        pivot: compare(&a, &b, &spread),
        latencies: wanted.latencies,
        metrics: common_metrics([&wanted.a, &wanted.b], store)?,
        unknown,
    })
}

fn options(wanted: &WantedComparison) -> Options {
    Options { allowed: wanted.allowed.clone(), several: Several::Matched, ..Options::default() }
}

/// A comparison as it is shown, with everything that a file has beside: latencies and other metrics. It is read again.
pub(super) fn whole(shown: &Comparison, wanted: &WantedComparison, store: &Store) -> Result<Comparison, String> {
    let wanted = &WantedComparison { latencies: Latencies::Read, ..wanted.clone() };
    let read = compared(wanted, SidesRead::read(wanted, store)?, store)?;
    let whole = if shown.pivot.is_some() { read.pivot } else { read.plain };
    let (a, b) = (Selection::parse_line(&wanted.a)?, Selection::parse_line(&wanted.b)?);
    let sides = [(wanted.a.as_str(), &a), (wanted.b.as_str(), &b)];
    let beside = Beside::of_selections(store, sides, wanted.metric, &options(wanted));
    Ok(Comparison {
        command: shown.command.clone(),
        by_size: shown.by_size.as_ref().and(whole.by_size),
        scaling: shown.scaling.as_ref().and(whole.scaling),
        beside: beside.map_err(|error| error.to_string())?,
        ..whole
    })
}

/// The figures that tests on both sides have.
fn common_metrics([a, b]: [&str; 2], store: &Store) -> Result<Vec<Metric>, String> {
    let of = |text| store.metrics(&Selection::parse_line(text)?).map_err(|error| error.to_string());
    let of_b = of(b)?;
    Ok(of(a)?.into_iter().filter(|metric| of_b.contains(metric)).collect())
}

/// A side, with the names in its selection that no stored run has.
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
