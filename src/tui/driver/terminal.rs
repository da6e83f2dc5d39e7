//! The terminal: taken over, and always given back.

use crate::tui::driver::{settings::TerminalSettings, watchdog::Watchdog};
use crossterm::{
    cursor,
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute,
    terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen},
};
use ratatui::{Terminal, backend::CrosstermBackend};
use std::{
    io::{self, Stdout, Write, stdin},
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

/// The settings to be restored; none while the terminal is not ours.
static BEFORE: Mutex<Option<TerminalSettings>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// What ratatui paints on: standard output that never fails. When its terminal is gone, ratatui would print to a standard error
/// that is gone too, which panics; that a terminal is gone is seen elsewhere.
#[derive(Debug)]
pub(super) struct Canvas(Stdout);

impl Write for Canvas {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.0.write(bytes).unwrap_or(bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        // As above.
        let _ = self.0.flush();
        Ok(())
    }
}

/// Gives the terminal back when it is dropped, and when the program panics.
#[derive(Debug)]
pub(super) struct Guard {
    /// What is painted on.
    pub(super) terminal: Terminal<CrosstermBackend<Canvas>>,
    watchdog: Option<Watchdog>,
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
        let mut watchdog = Watchdog::start();
        let terminal = enter(watchdog.as_mut()).and_then(|()| blank());
        // What was taken over in part is given back: there is no guard yet that would.
        let terminal = terminal.inspect_err(|_| give_back())?;
        Ok(Self { terminal, watchdog })
    }

    /// Takes it over again after it was given back, or after a shell has changed its settings.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        enter(self.watchdog.as_mut())?;
        self.wipe()
    }

    /// Gives it back for a while.
    pub(super) fn give_back(&mut self) {
        give_back();
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.given_back();
        }
    }

    /// Forgets what is on screen, so that all of it is painted again.
    pub(super) fn wipe(&mut self) -> io::Result<()> {
        self.terminal = blank()?;
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// An empty screen. ratatui's own `clear` asks the terminal where its cursor is, which not every terminal answers.
fn blank() -> io::Result<Terminal<CrosstermBackend<Canvas>>> {
    execute!(io::stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(Canvas(io::stdout())))
}

fn enter(watchdog: Option<&mut Watchdog>) -> io::Result<()> {
    let now = TerminalSettings::read(stdin())?;
    let earlier = *before();
    // Resumed by a shell that left our own settings in place: what was before them is still to be restored.
    let unchanged = earlier.filter(|earlier| earlier.raw(stdin()).is_ok_and(|raw| raw == now));
    let restored = unchanged.unwrap_or(now);
    if let Some(watchdog) = watchdog {
        watchdog.taken(restored);
    }
    *before() = Some(restored);
    restored.raw(stdin())?.apply(stdin())?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, cursor::Hide)
}

/// Gives the terminal back, once. A terminal that is gone needs nothing.
fn give_back() {
    let taken = before().take();
    if let Some(settings) = taken {
        let _ = leave(&mut io::stdout());
        let _ = settings.apply(stdin());
    }
}

fn before() -> MutexGuard<'static, Option<TerminalSettings>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what undoes [`enter`], but for the raw mode.
pub(super) fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, cursor::Show)
}
