//! What is compared and how it is looked at: all that is put back where a comparison is given up.

use super::{CompareView, WantedComparison, WantedMatrix};
use crate::tui::{filter::ListFilter, widgets::cursor::ListCursor};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::Axis;
use dbdyno_foundation::metric::Metric;
use dbdyno_store::Latencies;
use std::collections::BTreeSet;

/// What is compared and how it is looked at.
#[derive(Debug, Clone)]
pub struct Looked {
    /// The selection of side A; empty until it is chosen.
    pub(crate) a: String,
    /// The selection of side B.
    pub(crate) b: String,
    /// What stands in the matrix; none: no matrix was asked for.
    pub(crate) beside: Option<BesideReference>,
    /// Differences that are compared all the same.
    pub(crate) allowed: BTreeSet<Difference>,
    pub(crate) metric: Metric,
    /// Rows and columns of the pivot.
    pub(crate) axes: (Axis, Axis),
    pub(crate) view: CompareView,
    /// The view that a pair was opened from.
    pub(super) opened_from: CompareView,
    /// Which tests are shown.
    pub(crate) filter: ListFilter,
    /// Whether the page that offers pairs is shown.
    pub(crate) choosing: bool,
    /// The column of the pivot under the cursor.
    pub(crate) column: usize,
    /// The column of the matrix under the cursor.
    pub(crate) candidate: usize,
    /// What the sweep is ranked by: a place among all tests, or a test.
    pub(crate) ranked_by: usize,
    pub(super) cursors: [ListCursor; CompareView::ALL.len()],
}

/// What a matrix is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BesideReference {
    /// A selection; the configuration that its first run is of is what others are put beside.
    pub(crate) reference: String,
    /// A selection whose configurations are put beside it too, where they are of other sessions.
    pub(crate) with: Option<String>,
}

impl Looked {
    /// Nothing is chosen yet.
    pub(super) fn nothing() -> Self {
        Self {
            a: String::new(),
            b: String::new(),
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

    /// The pair that is looked at.
    pub(super) fn wanted(&self) -> WantedComparison {
        let are_shown = self.view == CompareView::Latencies;
        WantedComparison {
            a: self.a.clone(),
            b: self.b.clone(),
            metric: self.metric,
            allowed: self.allowed.clone(),
            axes: self.axes.clone(),
            latencies: if are_shown { Latencies::Read } else { Latencies::Left },
        }
    }

    /// The matrix that is looked at.
    pub(super) fn wanted_matrix(&self) -> Option<WantedMatrix> {
        let beside = self.beside.clone()?;
        Some(WantedMatrix { beside, metric: self.metric, allowed: self.allowed.clone() })
    }

    /// Whether a comparison is of this pair; latencies are more of the same.
    pub(super) fn is_pair(&self, of: &WantedComparison) -> bool {
        let WantedComparison { a, b, metric, allowed, axes, latencies: _ } = of;
        (a, b, allowed, axes) == (&self.a, &self.b, &self.allowed, &self.axes) && *metric == self.metric
    }

    /// Whether a matrix is this one.
    pub(super) fn is_matrix(&self, of: &WantedMatrix) -> bool {
        self.beside.as_ref() == Some(&of.beside) && of.metric == self.metric && of.allowed == self.allowed
    }

    /// The cursor of the view.
    pub(super) fn cursor_mut(&mut self) -> &mut ListCursor {
        &mut self.cursors[self.view.index()]
    }

    /// Puts the cursors of a pair's views to their beginnings.
    pub(super) fn at_the_beginning_of_a_pair(&mut self) {
        for view in CompareView::ALL.into_iter().filter(|view| !view.is_of_session()) {
            self.cursors[view.index()] = ListCursor::default();
        }
        self.column = 0;
    }
}
