//! Terminal output in addition to the screens: the title, a progress bar, and a notification when a job ends.

use crate::tui::app::Progress;
use crossterm::Command;
use dbdyno_catalog::Announcements;
use dbdyno_foundation::base::units::plain;
use std::fmt;

/// A sequence for the terminal. Text from outside is escaped in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TerminalSequence(String);

impl Command for TerminalSequence {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The title and progress that a terminal already has, so that it is sent only changes.
#[derive(Debug)]
pub(super) struct Announcer {
    wanted: Announcements,
    title: Option<String>,
    progress: Option<String>,
}

impl Announcer {
    pub(super) fn new(wanted: Announcements) -> Self {
        Self { wanted, title: None, progress: None }
    }

    /// Forgets what was sent: another terminal has the screens, or the same one again, which has lost it.
    pub(super) fn forget(&mut self) {
        (self.title, self.progress) = (None, None);
    }

    /// Returns the sequence that shows the current progress.
    pub(super) fn how_far(&mut self, progress: Option<&Progress>) -> TerminalSequence {
        let mut told = String::new();
        if self.wanted.title {
            let title = title(progress);
            if self.title.as_ref() != Some(&title) {
                told.push_str(&format!("\u{1b}]2;{title}\u{1b}\\"));
                self.title = Some(title);
            }
        }
        if self.wanted.progress {
            let bar = bar(progress);
            // A terminal that was sent no bar has none to remove.
            if self.progress.as_ref().map_or(bar != NO_BAR, |before| *before != bar) {
                told.push_str(&bar);
                self.progress = Some(bar);
            }
        }
        TerminalSequence(told)
    }

    /// Returns the sequence that announces the end of a job.
    pub(super) fn over(&self, what: &str) -> TerminalSequence {
        let mut told = String::new();
        if self.wanted.notification {
            // Terminals support one of two sequences, and no terminal supports both.
            let what = plain(what);
            told.push_str(&format!("\u{1b}]9;dbdyno: {what}\u{1b}\\\u{1b}]777;notify;dbdyno;{what}\u{1b}\\"));
        }
        if self.wanted.bell {
            told.push('\u{7}');
        }
        TerminalSequence(told)
    }

    /// Returns the bytes for a terminal that no longer shows the screens. The terminal guard restores the title.
    pub(super) fn farewell(&self) -> Vec<u8> {
        let has_bar = self.progress.as_ref().is_some_and(|bar| bar != NO_BAR);
        if has_bar { NO_BAR.into() } else { Vec::new() }
    }
}

/// Removes the progress bar.
const NO_BAR: &str = "\u{1b}]9;4;0\u{1b}\\";

fn title(progress: Option<&Progress>) -> String {
    match progress {
        None => "dbdyno".to_owned(),
        Some(progress) => plain(&format!("{} · dbdyno", progress.words)),
    }
}

fn bar(progress: Option<&Progress>) -> String {
    match progress {
        None => NO_BAR.to_owned(),
        Some(Progress { percent: None, .. }) => "\u{1b}]9;4;3\u{1b}\\".to_owned(),
        Some(Progress { percent: Some(percent), paused, .. }) => {
            format!("\u{1b}]9;4;{};{percent}\u{1b}\\", if *paused { 4 } else { 1 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Announcements = Announcements { title: true, progress: true, notification: true, bell: true };

    fn progress(words: &str, percent: Option<u8>) -> Progress {
        Progress { words: words.to_owned(), percent, paused: false }
    }

    #[test]
    fn a_terminal_is_told_what_has_changed() {
        let mut announcer = Announcer::new(ALL);
        assert_eq!(announcer.how_far(None).0, "\u{1b}]2;dbdyno\u{1b}\\");
        assert_eq!(announcer.how_far(None).0, "");
        let begun = announcer.how_far(Some(&progress("▶ 1/4", Some(25)))).0;
        assert_eq!(begun, "\u{1b}]2;▶ 1/4 · dbdyno\u{1b}\\\u{1b}]9;4;1;25\u{1b}\\");
        announcer.forget();
        assert_eq!(announcer.how_far(Some(&progress("▶ 1/4", Some(25)))).0, begun);
        assert_eq!(announcer.how_far(Some(&progress("▶ 1/4", None))).0, "\u{1b}]9;4;3\u{1b}\\");
        assert_eq!(announcer.farewell(), NO_BAR.as_bytes());
        assert_eq!(announcer.how_far(None).0, format!("\u{1b}]2;dbdyno\u{1b}\\{NO_BAR}"));
        assert!(announcer.farewell().is_empty());
    }

    #[test]
    fn nothing_from_outside_is_obeyed_and_nothing_is_said_that_is_not_wanted() {
        let mut announcer = Announcer::new(ALL);
        let hostile = "a\u{7}\u{1b}\\b\u{9b}c";
        let escapes = |text: &str| text.matches(['\u{1b}', '\u{7}', '\u{9b}']).count();
        assert_eq!(escapes(&announcer.how_far(Some(&progress(hostile, None))).0), 4);
        assert_eq!(escapes(&announcer.over(hostile).0), 5);
        let mut silent = Announcer::new(Announcements::NONE);
        assert_eq!((silent.how_far(Some(&progress("x", None))).0, silent.over("x").0), (String::new(), String::new()));
        assert!(silent.farewell().is_empty());
    }
}
