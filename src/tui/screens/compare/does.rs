//! The actions that keys trigger at present; the hints show only these.

use super::{CompareScreen, CompareView, Compared};
use crate::tui::keys::Action;
use dbdyno_comparing::compare::{Line, ObstacleKind};

impl CompareScreen {
    /// Whether an action has an effect on the current view.
    pub(super) fn does(&self, action: Action) -> bool {
        match action {
            Action::MarkA | Action::MarkB | Action::Refresh | Action::Back => return true,
            Action::Matrix => return self.has_matrix_to_show(),
            _ => {}
        }
        if self.looked.choosing {
            return matches!(action, Action::Enter | Action::Copy) && !self.pairs().is_empty();
        }
        let of_session = self.looked.view.is_of_session();
        let has_both = |compared: &Compared| compared.plain.a.runs > 0 && compared.plain.b.runs > 0;
        let is_read = if of_session { self.matrix().is_some() } else { self.compared().is_some_and(has_both) };
        is_read
            && match action {
                Action::Allow | Action::AllowSome => {
                    let is_parted = self.matrix().is_some_and(|matrix| matrix.groups().count() > 1);
                    self.lines_shown().iter().any(|line| differs(line)) || (of_session && is_parted)
                }
                Action::More => self.look_under_cursor().is_some_and(|(_, look)| look.is_ok()),
                Action::Metric => self.metrics().len() > 1,
                Action::Enter | Action::Reference if of_session => self.under_cursor().is_some(),
                Action::Reference => false,
                Action::Pivot => {
                    let pivot = self.compared().and_then(|compared| compared.pivot.pivot.as_ref());
                    of_session || pivot.is_some_and(|pivot| !pivot.rows.is_empty())
                }
                Action::Explain | Action::CopyAll => self.length() > 0,
                Action::Copy | Action::Export | Action::Notes => !self.lines_shown().is_empty(),
                _ => true,
            }
    }

    fn has_matrix_to_show(&self) -> bool {
        let is_offered = self.offers.as_ref().is_some_and(|offers| offers.as_ref().is_ok_and(|all| all.len() > 1));
        match self.looked.choosing {
            true => is_offered,
            false => self.looked.view != CompareView::Matrix,
        }
    }
}

/// Whether a line has a difference that is allowed or could be.
fn differs(line: &Line) -> bool {
    line.obstacles.iter().any(|found| matches!(found.kind, ObstacleKind::Differ(_)))
}
