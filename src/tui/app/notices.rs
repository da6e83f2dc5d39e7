//! Messages to the user: the latest stays on the screen until the next key or session, and a page lists the earlier ones.

use crate::tui::{
    overlay::Overlay,
    screens::intent::{Notice, NoticeKind},
    widgets::paint::wrap,
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use std::{collections::VecDeque, time::Duration};

/// A key that comes sooner after a notice was pressed before it could be read.
const READ: Duration = Duration::from_millis(200);
/// Notices to keep, at most.
const KEPT: usize = 100;

/// The messages to the user, newest last.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    /// With the time since the program began.
    said: VecDeque<(Duration, Notice)>,
    /// Whether the newest is on the screen.
    is_shown: bool,
}

impl NoticeKind {
    /// Returns the sign before notices of this kind, and its colour.
    pub(super) fn sign(self) -> (&'static str, Role) {
        match self {
            Self::Done => ("✓", Role::Good),
            Self::Refused => ("!", Role::Warn),
            Self::Failed => ("✗", Role::Bad),
        }
    }
}

impl Notices {
    /// Adds a notice and shows it.
    pub(super) fn say(&mut self, notice: Notice, now: Duration) {
        self.is_shown = true;
        self.said.push_back((now, notice));
        if self.said.len() > KEPT {
            self.said.pop_front();
        }
    }

    /// Returns the notice that is shown now.
    pub(crate) fn shown(&self) -> Option<&Notice> {
        self.said.back().filter(|_| self.is_shown).map(|(_, notice)| notice)
    }

    /// Takes the notice off the screen, unless it came so recently that the user cannot have read it.
    pub(super) fn seen(&mut self, now: Duration) {
        self.is_shown &= self.said.back().is_some_and(|(at, _)| now.saturating_sub(*at) < READ);
    }

    /// Takes the notice off the screen.
    pub(super) fn hide(&mut self) {
        self.is_shown = false;
    }

    /// Returns all kept notices, newest first, in full, in lines of this many columns.
    pub(super) fn page(&self, now: Duration, columns: usize) -> Overlay {
        let line = |(at, notice): &(Duration, Notice)| {
            let (sign, _) = notice.kind.sign();
            // A page scrolls by lines, so each line has to be one row.
            wrap(&plain(&format!("{sign} {} · {}", ago(now.saturating_sub(*at)), notice.text)), columns)
        };
        let mut lines: Vec<String> = self.said.iter().rev().flat_map(line).collect();
        if lines.is_empty() {
            lines.push("No messages yet.".to_owned());
        }
        Overlay::page("Messages, newest first", lines)
    }
}

/// Formats how long ago something was.
fn ago(time: Duration) -> String {
    match time.as_secs() {
        0..1 => "now".to_owned(),
        seconds @ 1..60 => format!("{seconds} s ago"),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds => format!("{} h ago", seconds / 3600),
    }
}
