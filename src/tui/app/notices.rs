//! What was said: the last of it for a while on the screen, the rest for whoever asks.

use crate::tui::{overlay::Overlay, screens::intent::Notice, widgets::paint::wrap};
use dbdyno_foundation::base::units::plain;
use std::{collections::VecDeque, time::Duration};

/// How long a notice stays, at least.
const SHOWN: Duration = Duration::from_secs(8);
/// How much longer it stays for each character beyond a line: long ones take time to read.
const A_CHARACTER: Duration = Duration::from_millis(50);
/// Characters that are read at a glance.
const LINE: usize = 80;
/// Notices that are kept.
const KEPT: usize = 100;

/// What was said, the last of it last.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    /// With the time since the program began.
    said: VecDeque<(Duration, Notice)>,
    /// Until when the last is shown.
    until: Option<Duration>,
}

impl Notices {
    /// Says something.
    pub(super) fn say(&mut self, notice: Notice, now: Duration) {
        let beyond = notice.text.chars().count().saturating_sub(LINE).min(1_000) as u32;
        self.until = Some(now + SHOWN + A_CHARACTER * beyond);
        self.said.push_back((now, notice));
        if self.said.len() > KEPT {
            self.said.pop_front();
        }
    }

    /// What is shown now.
    pub(crate) fn shown(&self) -> Option<&Notice> {
        self.until.and_then(|_| self.said.back()).map(|(_, notice)| notice)
    }

    /// Time has passed.
    pub(super) fn time(&mut self, now: Duration) {
        if self.until.is_some_and(|until| until <= now) {
            self.until = None;
        }
    }

    /// After how long something changes by itself.
    pub(super) fn wakes(&self, now: Duration) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(now).max(Duration::from_millis(1)))
    }

    /// All that is kept, the latest first, whole, in lines of so many columns.
    pub(super) fn page(&self, now: Duration, columns: usize) -> Overlay {
        let line = |(at, notice): &(Duration, Notice)| {
            let sign = if notice.bad { "✗" } else { "✓" };
            // A page is scrolled by its lines: each has to be one row.
            wrap(&plain(&format!("{sign} {} · {}", ago(now.saturating_sub(*at)), notice.text)), columns)
        };
        let mut lines: Vec<String> = self.said.iter().rev().flat_map(line).collect();
        if lines.is_empty() {
            lines.push("Nothing was said yet.".to_owned());
        }
        Overlay::page("Messages, the latest first", lines)
    }
}

/// How long ago something was.
fn ago(time: Duration) -> String {
    match time.as_secs() {
        0..1 => "now".to_owned(),
        seconds @ 1..60 => format!("{seconds} s ago"),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds => format!("{} h ago", seconds / 3600),
    }
}
