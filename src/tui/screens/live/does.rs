//! The actions that keys trigger at present, and their effects on the session.

use super::{Intents, LiveScreen, LiveView, Phase, WatchedSession};
use crate::tui::{keys::Action, launch::Opening, screens::intent::Intent};
use dbdyno_running::runner::SessionRequest;

impl LiveScreen {
    /// Whether an action has an effect at present.
    pub(super) fn does(&self, action: Action) -> bool {
        let session = self.session.as_ref();
        match (&self.replay, action) {
            (
                Some(_),
                Action::Resume | Action::Skip | Action::Compare | Action::View | Action::Export | Action::More,
            ) => false,
            (Some(replay), Action::Copy | Action::Zoom) => replay.figures.is_some(),
            (Some(_), _) => true,
            (None, Action::Pause | Action::Stop) => self.running(),
            (None, Action::Skip) => session.and_then(WatchedSession::run_under_way).is_some(),
            (None, Action::Resume) => self.was_left && !self.running(),
            (None, Action::Compare) => session.is_some_and(|session| session.sides().is_some()),
            (None, Action::Copy | Action::Zoom) => {
                session.is_some_and(|session| self.view == LiveView::Race || session.in_view().is_some())
            }
            (None, Action::View) => session.is_some(),
            (None, Action::NextTest | Action::PreviousTest) => {
                self.view == LiveView::Test && session.is_some_and(|session| session.in_view().is_some())
            }
            (None, Action::Speed) => false,
            (None, Action::More) => session.is_some_and(WatchedSession::has_undecided),
            (None, Action::Export) => session.is_some_and(|session| !session.running() && session.id.is_some()),
            _ => true,
        }
    }
}

pub(super) fn pause(session: &mut WatchedSession) -> Intents {
    if session.phase == Phase::Paused {
        session.phase = Phase::Running;
        return vec![Intent::Tell(SessionRequest::Resume), Intent::said("the session continues")];
    }
    session.phase = Phase::Paused;
    vec![
        Intent::Tell(SessionRequest::Pause),
        Intent::said("paused: the run under way finishes, no other starts; p continues"),
    ]
}

pub(super) fn compare(session: &WatchedSession) -> Intents {
    match session.sides() {
        Some((a, b)) => vec![Intent::Open(Opening::Sides { a, b })],
        None => vec![Intent::refused("there are no two configurations to compare")],
    }
}
