//! The terminal: taken over, and always given back.

use crossterm::{
    cursor,
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute,
    terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen},
};
use ratatui::{Terminal, backend::CrosstermBackend};
use std::{
    io::{self, Stdout, Write},
    sync::Once,
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Gives the terminal back when it is dropped, and when the program panics.
#[derive(Debug)]
pub(super) struct Guard {
    /// What is painted on.
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Guard {
    /// Takes the terminal over.
    pub(super) fn take() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        enter()?;
        Ok(Self { terminal: blank()? })
    }

    /// Takes it over again after it was given back.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        enter()?;
        self.wipe()
    }

    /// Forgets what is on screen, so that all of it is painted again.
    pub(super) fn wipe(&mut self) -> io::Result<()> {
        self.terminal = blank()?;
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// An empty screen. ratatui's own `clear` asks the terminal where its cursor is, which not every terminal answers.
fn blank() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(io::stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(io::stdout()))
}

fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    terminal::enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, cursor::Hide)
}

/// Gives the terminal back, once. A terminal that is gone needs nothing.
pub(super) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = leave(&mut io::stdout());
        let _ = terminal::disable_raw_mode();
    }
}

/// Writes what undoes [`enter`], but for the raw mode.
pub(super) fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, cursor::Show)
}
