//! The terminal: taken over, and always restored.

mod settings;
mod watchdog;

pub use watchdog::watch_terminal;

use crossterm::{
    Command, cursor,
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen},
};
use settings::TerminalSettings;
use std::{
    fmt,
    io::{self, Write, stdin},
    sync::{Mutex, MutexGuard, Once, PoisonError},
};
use watchdog::Watchdog;

/// The settings to restore; none while the terminal is not ours.
static BEFORE: Mutex<Option<TerminalSettings>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// Returns the columns of the terminal; very many if it does not say.
pub(crate) fn columns() -> usize {
    crossterm::terminal::size().map_or(usize::from(u16::MAX), |(columns, _)| usize::from(columns))
}

/// A guard that restores the terminal when it is dropped, and when the program panics.
#[derive(Debug)]
pub(in crate::tui) struct Guard {
    watchdog: Option<Watchdog>,
}

impl Guard {
    /// Takes the terminal over.
    pub(in crate::tui) fn take() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        let mut watchdog = Watchdog::start();
        // A partial takeover is undone here, because no guard exists yet that would undo it.
        enter(watchdog.as_mut()).inspect_err(|_| give_back())?;
        Ok(Self { watchdog })
    }

    /// Takes the terminal over again after it was restored, or after a shell has changed its settings.
    pub(in crate::tui) fn take_again(&mut self) -> io::Result<()> {
        enter(self.watchdog.as_mut())
    }

    /// Restores the terminal until it is taken over again.
    pub(in crate::tui) fn give_back(&mut self) {
        give_back();
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.given_back();
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// The command that makes the terminal save its title, which the screens may replace.
struct KeepTitle;

/// The command that restores the saved title.
struct RestoreTitle;

impl Command for KeepTitle {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\u{1b}[22;2t")
    }
}

impl Command for RestoreTitle {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\u{1b}[23;2t")
    }
}

fn enter(watchdog: Option<&mut Watchdog>) -> io::Result<()> {
    let now = TerminalSettings::read(stdin())?;
    let earlier = *before();
    // A shell that resumed the program may leave our own settings in place. Then the earlier settings are still the ones to restore.
    let unchanged = earlier.filter(|earlier| earlier.raw(stdin()).is_ok_and(|raw| raw == now));
    let restored = unchanged.unwrap_or(now);
    if let Some(watchdog) = watchdog {
        watchdog.taken(restored);
    }
    *before() = Some(restored);
    restored.raw(stdin())?.apply(stdin())?;
    execute!(io::stdout(), KeepTitle, EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, cursor::Hide)
}

/// Restores the terminal, once. A terminal that is gone needs nothing.
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

/// Writes the commands that undo [`enter`], except for the raw mode.
fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, cursor::Show, RestoreTitle)
}
