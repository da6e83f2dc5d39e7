//! Gives the terminal back when this program is killed and cannot do so itself: a process of its own that waits for our end.

use super::terminal::leave;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::{
    env,
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
};

/// What is said to a guardian when all is well.
const FAREWELL: &[u8] = b"given back";

/// A guardian that waits.
#[derive(Debug)]
pub(super) struct Guardian {
    child: Child,
    word: Option<ChildStdin>,
}

impl Guardian {
    /// Starts one, which knows the terminal's settings of this moment. Without one the program works too.
    pub(super) fn start() -> Option<Self> {
        let mut child = Command::new(env::current_exe().ok()?)
            .arg("guard-terminal")
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
}

impl Drop for Guardian {
    fn drop(&mut self) {
        if let Some(mut word) = self.word.take() {
            // One that is gone need not be told.
            let _ = word.write_all(FAREWELL);
        }
        let _ = self.child.wait();
    }
}

/// The hidden command: waits for its parent's end, and gives the terminal back if the parent could not.
pub fn guard_terminal() -> ExitCode {
    let terminal = io::stdout();
    let Ok(before) = tcgetattr(&terminal) else { return ExitCode::SUCCESS };
    ignore_stop();
    let mut said = Vec::new();
    // A parent that is killed says nothing, and its end of the pipe closes.
    let _ = io::stdin().read_to_end(&mut said);
    if said != FAREWELL {
        restore(&before);
    }
    ExitCode::SUCCESS
}

fn restore(before: &Termios) {
    let mut out = io::stdout();
    // A terminal that is gone needs nothing.
    let _ = leave(&mut out);
    let _ = tcsetattr(&out, OptionalActions::Now, before);
}

/// A process of the background that changes the terminal's settings is stopped for it, unless it does not listen.
#[expect(unsafe_code, reason = "ignoring a signal has no safe wrapper among the crates used here")]
fn ignore_stop() {
    // SAFETY: SIG_IGN is a valid disposition, and no handler of this process is replaced.
    unsafe {
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
    }
}
