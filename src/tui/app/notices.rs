//! Messages to the user: the latest stays on the screen for a while, and a page lists the earlier ones.

use crate::tui::{overlay::Overlay, screens::intent::Notice, widgets::paint::wrap};
use dbdyno_foundation::base::units::plain;
use std::{collections::VecDeque, time::Duration};

/// How long a notice stays, at least.
const SHOWN: Duration = Duration::from_secs(8);
/// How much longer it stays for each character beyond a line: long ones take time to read.
const A_CHARACTER: Duration = Duration::from_millis(50);
/// Characters that are read at a glance.
const LINE: usize = 80;
/// Notices to keep, at most.
const KEPT: usize = 100;

/// The messages to the user, newest last.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    /// With the time since the program began.
    said: VecDeque<(Duration, Notice)>,
    /// When the newest disappears from the screen.
    until: Option<Duration>,
}

impl Notices {
    /// Adds a notice and shows it.
    pub(super) fn say(&mut self, notice: Notice, now: Duration) {
        let beyond = notice.text.chars().count().saturating_sub(LINE).min(1_000) as u32;
        self.until = Some(now + SHOWN + A_CHARACTER * beyond);
        self.said.push_back((now, notice));
        if self.said.len() > KEPT {
            self.said.pop_front();
        }
    }

    /// Returns the notice that is shown now.
    pub(crate) fn shown(&self) -> Option<&Notice> {
        self.until.and_then(|_| self.said.back()).map(|(_, notice)| notice)
    }

    /// Hides the notice once its time is over.
    pub(super) fn time(&mut self, now: Duration) {
        if self.until.is_some_and(|until| until <= now) {
            self.until = None;
        }
    }

    /// Returns the time after which something changes by itself.
    pub(super) fn wakes(&self, now: Duration) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(now).max(Duration::from_millis(1)))
    }

    /// Returns all kept notices, newest first, in full, in lines of this many columns.
    pub(super) fn page(&self, now: Duration, columns: usize) -> Overlay {
        let line = |(at, notice): &(Duration, Notice)| {
            let sign = if notice.bad { "✗" } else { "✓" };
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
