//! Gives the terminal back when this program is killed and cannot do so itself: a process of its own that waits for our end.

use super::{leave, settings::TerminalSettings};
use std::{
    env,
    io::{self, BufRead, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
};

/// What is said to a watchdog: before the terminal is taken over, with the settings it had, and after it was given back.
const TAKEN: &str = "taken ";
const GIVEN_BACK: &str = "given back";

/// A watchdog that waits.
#[derive(Debug)]
pub(super) struct Watchdog {
    child: Child,
    word: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts one. Without one the program works too.
    pub(super) fn start() -> Option<Self> {
        let mut child = Command::new(env::current_exe().ok()?)
            .arg("watch-terminal")
            .stdin(Stdio::piped())
            // Standard output stays the terminal.
            .stderr(Stdio::null())
            // A group of its own, so that what is sent to ours does not reach it.
            .process_group(0)
            .spawn()
            .ok()?;
        let word = child.stdin.take();
        Some(Self { child, word })
    }

    /// Says that the terminal is about to be taken over, and how it is to be restored.
    pub(super) fn taken(&mut self, before: TerminalSettings) {
        self.say(&format!("{TAKEN}{before}\n"));
    }

    /// Says that nothing is to be restored.
    pub(super) fn given_back(&mut self) {
        self.say(&format!("{GIVEN_BACK}\n"));
    }

    fn say(&mut self, line: &str) {
        if let Some(word) = &mut self.word {
            // One write, so that it is told whole or not at all; one that is gone need not be told.
            let _ = word.write_all(line.as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Its end of the pipe closes.
        self.word = None;
        let _ = self.child.wait();
    }
}

/// The hidden command: waits for its parent's end, and gives the terminal back if the parent could not.
pub fn watch_terminal() -> ExitCode {
    ignore_stop();
    // A parent that is killed says nothing more, and its end of the pipe closes.
    let last = io::stdin().lock().lines().map_while(Result::ok).last().unwrap_or_default();
    if let Some(before) = last.strip_prefix(TAKEN).and_then(|text| text.parse().ok()) {
        restore(before);
    }
    ExitCode::SUCCESS
}

fn restore(before: TerminalSettings) {
    let mut out = io::stdout();
    // A terminal that is gone needs nothing, and one that a shell has put in order meanwhile is the shell's.
    let _ = leave(&mut out);
    if let (Ok(raw), Ok(now)) = (before.raw(&out), TerminalSettings::read(&out))
        && now == raw
    {
        let _ = before.apply(&out);
    }
}

/// A process of the background that changes the terminal's settings is stopped for it, unless it does not listen.
#[expect(unsafe_code, reason = "ignoring a signal has no safe wrapper among the crates used here")]
fn ignore_stop() {
    // SAFETY: SIG_IGN is a valid disposition, and no handler of this process is replaced.
    unsafe {
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
    }
}
