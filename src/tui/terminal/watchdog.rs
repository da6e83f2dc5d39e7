//! Restores the terminal if this program is killed and cannot do so itself: a separate process that waits for our end.

use super::{leave, settings::TerminalSettings};
use std::{
    env,
    io::{self, BufRead, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
};

/// The messages to a watchdog: before the terminal is taken over, with the settings it had, and after it was restored.
const TAKEN: &str = "taken ";
const GIVEN_BACK: &str = "given back";

/// A watchdog that waits.
#[derive(Debug)]
pub(super) struct Watchdog {
    child: Child,
    word: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts a watchdog. The program works without one too.
    pub(super) fn start() -> Option<Self> {
        let mut child = Command::new(env::current_exe().ok()?)
            .arg("watch-terminal")
            .stdin(Stdio::piped())
            // Standard output stays the terminal.
            .stderr(Stdio::null())
            // A separate process group, so that signals to ours do not reach the watchdog.
            .process_group(0)
            .spawn()
            .ok()?;
        let word = child.stdin.take();
        Some(Self { child, word })
    }

    /// Reports that the terminal is about to be taken over, with the settings to restore.
    pub(super) fn taken(&mut self, before: TerminalSettings) {
        self.say(&format!("{TAKEN}{before}\n"));
    }

    /// Reports that nothing needs to be restored.
    pub(super) fn given_back(&mut self) {
        self.say(&format!("{GIVEN_BACK}\n"));
    }

    fn say(&mut self, line: &str) {
        if let Some(word) = &mut self.word {
            // A single write arrives whole or not at all. A watchdog that is gone needs no message.
            let _ = word.write_all(line.as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // This closes the pipe to the watchdog, which then ends.
        self.word = None;
        let _ = self.child.wait();
    }
}

/// Runs the hidden command: waits for the parent's end, and restores the terminal if the parent could not.
pub fn watch_terminal() -> ExitCode {
    ignore_stop();
    // A killed parent sends nothing more, and its end of the pipe closes.
    let last = io::stdin().lock().lines().map_while(Result::ok).last().unwrap_or_default();
    if let Some(before) = last.strip_prefix(TAKEN).and_then(|text| text.parse().ok()) {
        restore(before);
    }
    ExitCode::SUCCESS
}

fn restore(before: TerminalSettings) {
    let mut out = io::stdout();
    // A terminal that is gone needs nothing. Settings that a shell has restored meanwhile stay.
    let _ = leave(&mut out);
    if let (Ok(raw), Ok(now)) = (before.raw(&out), TerminalSettings::read(&out))
        && now == raw
    {
        let _ = before.apply(&out);
    }
}

/// Ignores SIGTTOU, which stops a background process that changes the terminal's settings.
#[expect(unsafe_code, reason = "ignoring a signal has no safe wrapper among the crates used here")]
fn ignore_stop() {
    // SAFETY: SIG_IGN is a valid disposition, and no handler of this process is replaced.
    unsafe {
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
    }
}
