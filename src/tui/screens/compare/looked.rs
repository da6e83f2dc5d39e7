//! The state of the Compare screen (selections and view settings), restored when reading a comparison is cancelled.

use super::{CompareView, WantedComparison, WantedMatrix};
use crate::tui::{filter::ListFilter, widgets::cursor::ListCursor};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::Axis;
use dbdyno_foundation::metric::Metric;
use dbdyno_store::Latencies;
use std::collections::BTreeSet;

/// The selections under comparison and the settings of the views.
#[derive(Debug, Clone)]
pub struct Looked {
    /// The selection of side A; empty until it is chosen.
    pub(crate) a: String,
    /// The selection of side B.
    pub(crate) b: String,
    /// The moment since which A ran and before which B ran; none: the sides differ in something else.
    pub(super) since: Option<String>,
    /// The content of the matrix; none if no matrix was requested.
    pub(crate) beside: Option<BesideReference>,
    /// The differences that are allowed.
    pub(crate) allowed: BTreeSet<Difference>,
    pub(crate) metric: Metric,
    /// The pivot's row key and column key.
    pub(crate) axes: (Axis, Axis),
    pub(crate) view: CompareView,
    /// The view that a pair was opened from.
    pub(super) opened_from: CompareView,
    /// The filter for the tests shown.
    pub(crate) filter: ListFilter,
    /// Whether the page that offers pairs is shown.
    pub(crate) choosing: bool,
    /// The pivot's column under the cursor.
    pub(crate) column: usize,
    /// The matrix's column under the cursor.
    pub(crate) candidate: usize,
    /// Index of the place by which the sweep is ranked: all tests of a size, or one test.
    pub(crate) ranked_by: usize,
    pub(super) cursors: [ListCursor; CompareView::ALL.len()],
}

/// The content of a matrix: a reference and what it is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BesideReference {
    /// A selection; the configuration of its first run is the reference.
    pub(crate) reference: String,
    /// A selection of more configurations, from other sessions, to compare with the reference.
    pub(crate) with: Option<String>,
}

impl Looked {
    /// Returns the initial state, in which nothing is chosen.
    pub(super) fn nothing() -> Self {
        Self {
            a: String::new(),
            b: String::new(),
            since: None,
            beside: None,
            allowed: BTreeSet::new(),
            metric: Metric::Wall,
            axes: (Axis::Test, Axis::Size),
            view: CompareView::default(),
            opened_from: CompareView::Matrix,
            filter: ListFilter::default(),
            choosing: true,
            column: 0,
            candidate: 0,
            ranked_by: 0,
            cursors: Default::default(),
        }
    }

    /// Returns the current pair as a request.
    pub(super) fn wanted(&self) -> WantedComparison {
        let are_shown = self.view == CompareView::Latencies;
        WantedComparison {
            a: self.a.clone(),
            b: self.b.clone(),
            since: self.since.clone(),
            metric: self.metric,
            allowed: self.allowed.clone(),
            axes: self.axes.clone(),
            latencies: if are_shown { Latencies::Read } else { Latencies::Left },
        }
    }

    /// Returns the current matrix as a request.
    pub(super) fn wanted_matrix(&self) -> Option<WantedMatrix> {
        let beside = self.beside.clone()?;
        Some(WantedMatrix { beside, metric: self.metric, allowed: self.allowed.clone() })
    }

    /// Whether a comparison is of the current pair; one with latencies also counts as this pair.
    pub(super) fn is_pair(&self, of: &WantedComparison) -> bool {
        let WantedComparison { a, b, since, metric, allowed, axes, latencies: _ } = of;
        (a, b, since, allowed, axes) == (&self.a, &self.b, &self.since, &self.allowed, &self.axes)
            && *metric == self.metric
    }

    /// Whether a matrix is the current one.
    pub(super) fn is_matrix(&self, of: &WantedMatrix) -> bool {
        self.beside.as_ref() == Some(&of.beside) && of.metric == self.metric && of.allowed == self.allowed
    }

    /// Returns the current view's cursor.
    pub(super) fn cursor_mut(&mut self) -> &mut ListCursor {
        &mut self.cursors[self.view.index()]
    }

    /// Moves the cursors of a pair's views to the top.
    pub(super) fn at_the_beginning_of_a_pair(&mut self) {
        for view in CompareView::ALL.into_iter().filter(|view| !view.is_of_session()) {
            self.cursors[view.index()] = ListCursor::default();
        }
        self.column = 0;
    }
}
