//! The views, and how the cursor goes from one to the next.

use super::{CompareScreen, family_rows, latency_rows, test_rows};

/// The ways to show a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareView {
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
    pub(crate) const ALL: [Self; 5] = [Self::Table, Self::Sizes, Self::Latencies, Self::Pivot, Self::Scaling];

    pub(crate) fn name(self) -> &'static str {
        match self {
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

    pub(super) fn next(self) -> Self {
        Self::ALL[(self.index() + 1) % Self::ALL.len()]
    }
}

impl CompareScreen {
    /// Shows the next view.
    pub(super) fn turn(&mut self) {
        self.turn_to(self.view.next());
    }

    /// Shows a view, with the cursor on the same test as far as it has it.
    pub(super) fn turn_to(&mut self, view: CompareView) {
        let under = match self.view {
            CompareView::Table | CompareView::Latencies => {
                self.line().map(|line| (line.part.clone(), line.test, line.size.clone()))
            }
            CompareView::Sizes | CompareView::Pivot | CompareView::Scaling => None,
        };
        self.view = view;
        let Some((part, test, size)) = under else { return };
        let Some(compared) = self.compared() else { return };
        let at = match self.view {
            CompareView::Sizes => test_rows(&compared.plain, &self.filter)
                .iter()
                .position(|row| row.test == test && row.lines.iter().any(|line| line.part == part)),
            CompareView::Latencies => latency_rows(&compared.plain, &self.filter)
                .iter()
                .position(|line| line.part == part && line.test == test && line.size == size),
            CompareView::Scaling => {
                family_rows(&compared.plain, &self.filter).iter().position(|family| family.test == test)
            }
            CompareView::Table | CompareView::Pivot => None,
        };
        if let Some(at) = at {
            self.cursors[self.view.index()].at = at;
        }
    }
}
