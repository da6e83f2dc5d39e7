//! The views, and how the cursor goes from one to the next.

use super::{CompareScreen, latency_rows, test_rows};

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
}

impl CompareView {
    pub(crate) const ALL: [Self; 4] = [Self::Table, Self::Sizes, Self::Latencies, Self::Pivot];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Sizes => "sizes",
            Self::Latencies => "latencies",
            Self::Pivot => "pivot",
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
    /// Shows the next view, with the cursor on the same test as far as it has it.
    pub(super) fn turn(&mut self) {
        let under = match self.view {
            CompareView::Table | CompareView::Latencies => self.line().map(|line| (line.test, line.size.clone())),
            CompareView::Sizes | CompareView::Pivot => None,
        };
        self.view = self.view.next();
        let Some((test, size)) = under else { return };
        let Some(compared) = self.compared() else { return };
        let at = match self.view {
            CompareView::Sizes => test_rows(&compared.plain, &self.filter).iter().position(|row| row.test == test),
            CompareView::Latencies => latency_rows(&compared.plain, &self.filter)
                .iter()
                .position(|line| line.test == test && line.size == size),
            CompareView::Table | CompareView::Pivot => None,
        };
        if let Some(at) = at {
            self.cursors[self.view.index()].at = at;
        }
    }
}
