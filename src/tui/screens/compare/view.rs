//! The views, and how the cursor moves from one view to the next.

use super::{CompareScreen, Intents, family_rows, latency_rows, test_rows};

/// The ways to show a comparison: first the views of all configurations of a session, then those of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareView {
    /// One reference and all other configurations.
    Matrix,
    /// The configurations of a sweep, ranked.
    Sweep,
    /// One line for each test and size.
    #[default]
    Table,
    /// Each test over its sizes.
    Sizes,
    /// The latencies of one test.
    Latencies,
    /// Ratios over two keys.
    Pivot,
    /// The scaling of figures.
    Scaling,
}

impl CompareView {
    pub(crate) const ALL: [Self; 7] =
        [Self::Matrix, Self::Sweep, Self::Table, Self::Sizes, Self::Latencies, Self::Pivot, Self::Scaling];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix",
            Self::Sweep => "sweep",
            Self::Table => "table",
            Self::Sizes => "sizes",
            Self::Latencies => "latencies",
            Self::Pivot => "pivot",
            Self::Scaling => "scaling",
        }
    }

    pub(super) fn index(self) -> usize {
        Self::ALL.iter().position(|view| *view == self).unwrap_or(0)
    }

    /// Whether this view shows all configurations of a session, instead of a pair.
    pub(crate) fn is_of_session(self) -> bool {
        matches!(self, Self::Matrix | Self::Sweep)
    }
}

/// Points of a curve from which it can show how a figure grows.
const LEAST_POINTS: usize = 3;

impl CompareScreen {
    /// Returns the views that have something to show of the current comparison, and the one that is shown.
    pub(crate) fn views(&self) -> Vec<CompareView> {
        let pair = self.compared().map(|compared| &compared.plain);
        let is_there = |view: &CompareView| match view {
            CompareView::Matrix => self.looked.beside.is_some(),
            CompareView::Sweep => {
                self.behind().and_then(|(_, matrix)| matrix).is_some_and(|matrix| matrix.sweep.is_some())
            }
            // A pair that is not read yet may have all of them.
            CompareView::Sizes => pair.is_none_or(|pair| pair.means.iter().any(|mean| mean.size != pair.means[0].size)),
            CompareView::Scaling => {
                pair.is_none_or(|pair| pair.scaling.iter().flatten().any(|curve| curve.points.len() >= LEAST_POINTS))
            }
            CompareView::Table | CompareView::Latencies | CompareView::Pivot => true,
        };
        let is_shown = |view: &CompareView| *view == self.looked.view || is_there(view);
        CompareView::ALL.into_iter().filter(is_shown).collect()
    }

    /// Shows the view after the current one, or before it. The last view of all configurations is followed by the pair under the cursor.
    pub(super) fn turn(&mut self, forward: bool) -> Intents {
        let views = self.views();
        let at = views.iter().position(|view| *view == self.looked.view).unwrap_or(0);
        let step = if forward { 1 } else { views.len() - 1 };
        self.show_the_view(views[(at + step) % views.len()])
    }

    /// Shows a view that the current comparison has.
    pub(super) fn show_the_view(&mut self, view: CompareView) -> Intents {
        match (self.looked.view.is_of_session(), view.is_of_session()) {
            (true, false) => self.open_pair(view),
            (false, true) => self.back_to(view),
            _ => {
                self.turn_to(view);
                Intents::new()
            }
        }
    }

    /// Shows another view of the same pair or session, with the cursor on the same test if the view has it.
    pub(super) fn turn_to(&mut self, view: CompareView) {
        let under = match self.looked.view {
            CompareView::Table | CompareView::Latencies => {
                self.line().map(|line| (line.part.clone(), line.test, line.size.clone()))
            }
            _ => None,
        };
        self.looked.view = view;
        let Some((part, test, size)) = under else { return };
        let Some(compared) = self.compared() else { return };
        let filter = &self.looked.filter;
        let at = match view {
            CompareView::Sizes => test_rows(&compared.plain, filter)
                .iter()
                .position(|row| row.test == test && row.lines.iter().any(|line| line.part == part)),
            CompareView::Latencies => latency_rows(&compared.plain, filter)
                .iter()
                .position(|line| line.part == part && line.test == test && line.size == size),
            CompareView::Scaling => family_rows(&compared.plain, filter).iter().position(|family| family.test == test),
            _ => None,
        };
        if let Some(at) = at {
            self.looked.cursor_mut().at = at;
        }
    }
}
