//! The views, and how the cursor goes from one to the next.

use super::{CompareScreen, Intents, family_rows, latency_rows, test_rows};

/// The ways to show a comparison: first those of all configurations of a session, then those of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareView {
    /// One reference, and every other configuration beside it.
    Matrix,
    /// The configurations of a sweep, ranked.
    Sweep,
    /// A line a test and size.
    #[default]
    Table,
    /// Each test over its sizes.
    Sizes,
    /// The latencies of one test.
    Latencies,
    /// Ratios over two keys.
    Pivot,
    /// How figures grow.
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

    /// Whether it shows all configurations of a session, and not a pair.
    pub(crate) fn is_of_session(self) -> bool {
        matches!(self, Self::Matrix | Self::Sweep)
    }
}

impl CompareScreen {
    /// The views that there are of what is compared.
    pub(crate) fn views(&self) -> Vec<CompareView> {
        let is_there = |view: &CompareView| match view {
            CompareView::Matrix => self.looked.beside.is_some(),
            CompareView::Sweep => {
                self.behind().and_then(|(_, matrix)| matrix).is_some_and(|matrix| matrix.sweep.is_some())
            }
            _ => true,
        };
        CompareView::ALL.into_iter().filter(is_there).collect()
    }

    /// Shows the next view. From the last that shows all configurations it leads to the pair under the cursor.
    pub(super) fn turn(&mut self) -> Intents {
        let views = self.views();
        let at = views.iter().position(|view| *view == self.looked.view).unwrap_or(0);
        let next = views[(at + 1) % views.len()];
        match (self.looked.view.is_of_session(), next.is_of_session()) {
            (true, false) => self.open_pair(next),
            (false, true) => self.back_to(next),
            _ => {
                self.turn_to(next);
                Intents::new()
            }
        }
    }

    /// Shows a view of the same pair or session, with the cursor on the same test as far as it has it.
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
