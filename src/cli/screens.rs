//! `dbdyno` without a command: the terminal UI. A process of its own measures and paints; this one shows it in the terminal.

use super::{
    args::{Places, WorkArgs},
    error::{CliError, INTERRUPTED},
    output::print,
    verdict::verdict,
};
use crate::tui::{
    self, Left, Over, TuiSetup,
    attach::{self, Ended, Outcome, Ways},
    launch::Opening,
    widgets::Look,
};
use clap::Args;
use dbdyno_catalog::{Announcements, Catalog, Theme};
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::{
        leftovers::{self, Place},
        units::plain,
    },
    process::share_one_heap,
};
use dbdyno_store::Store;
use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal, stdin, stdout},
    iter::once,
    os::unix::net::UnixStream,
    process::ExitCode,
};

/// How the terminal UI looks.
#[derive(Debug, Args)]
pub(super) struct LookArgs {
    /// Colours of the terminal UI: `dbdyno list themes` [default: dark, or sixteen if the terminal has no more colours].
    #[arg(long, env = "DBDYNO_THEME", value_name = "NAME")]
    pub(super) theme: Option<String>,
    /// Only ASCII characters in the terminal UI.
    #[arg(long)]
    pub(super) ascii: bool,
    /// Be the process that measures and paints, for the terminal whose client is at the other end of standard input.
    #[arg(long, hide = true)]
    pub(super) serve: bool,
}

/// The flag of [`LookArgs::serve`].
const SERVE: &str = "--serve";

/// How the terminal UI is started.
#[derive(Debug)]
pub(super) struct ScreensStart {
    pub(super) look: LookArgs,
    pub(super) work: WorkArgs,
    pub(super) cpu: Option<u32>,
    /// What is shown first.
    pub(super) first: Opening,
}

pub(super) fn screens(places: &Places, start: ScreensStart) -> Result<ExitCode, CliError> {
    let ScreensStart { look, work, cpu, first } = start;
    if !look.serve && !has_terminal() {
        let message = "the terminal UI needs a terminal: give --preset NAME or a command; `dbdyno --help` lists them";
        return Err(CliError::Usage(message.to_owned()));
    }
    // What is wrong with the arguments is said here, before another process has them.
    let catalog = places.catalog()?;
    let colour = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let work_dir = work.folder()?;
    leftovers::sweep(&work_dir, Place::Work);
    let setup = TuiSetup {
        announcements: announced(&catalog)?,
        look: Look { theme: chosen(&catalog, look.theme.as_deref(), colour)?, ascii: look.ascii, colour },
        catalog,
        store: places.store()?,
        work_dir,
        cpu,
        arguments: places.arguments(),
    };
    if look.serve {
        share_one_heap();
        let (store, places) = (setup.store.clone(), setup.arguments.clone());
        let code = tui::serve(setup, first, |over| concluded(over, &store, &places)).map_err(failed)?;
        return Ok(ExitCode::from(code));
    }
    let arguments = once(OsString::from(SERVE)).chain(env::args_os().skip(1));
    shown(attach::start(arguments).map_err(failed)?)
}

/// Whether there is a terminal to show screens in.
pub(super) fn has_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

fn failed(error: io::Error) -> CliError {
    CliError::Failed(format!("the terminal UI: {error}"))
}

/// Shows a server's screens until they or this terminal are gone.
pub(super) fn shown(server: UnixStream) -> Result<ExitCode, CliError> {
    match attach::show(server).map_err(|error| CliError::Failed(format!("the terminal: {error}")))? {
        Outcome::Ended(Ended { code, told, wrong }) => {
            print(&told)?;
            wrong.into_iter().for_each(|wrong| say!("error: {}", plain(&wrong)));
            return Ok(ExitCode::from(code));
        }
        Outcome::Left(Ways::HungUp) => {}
        Outcome::Left(Ways::Detached) => {
            say!("dbdyno goes on without its screens: `dbdyno attach` returns to them");
        }
        Outcome::Left(Ways::TakenOver) => {
            say!("another terminal has the screens now: `dbdyno attach` takes them back");
        }
        Outcome::Refused(reason) => return Err(CliError::Failed(reason)),
        Outcome::Died(last_words) => {
            let mut message = "dbdyno was killed or crashed; every test that had finished is kept".to_owned();
            last_words.lines().for_each(|line| message.push_str(&format!("\n{line}")));
            return Err(CliError::Failed(message));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the terminal is told once the screens are gone.
fn concluded(over: io::Result<Over>, store: &Store, places: &[String]) -> Ended {
    let (code, wrong, last) = match over {
        Ok(Over { left: Left::AsAsked, last }) => (0, None, last),
        Ok(Over { left: Left::Interrupted, last }) => (INTERRUPTED, None, last),
        Err(error) => (1, Some(format!("the terminal: {error}")), None),
    };
    // The last chance of what could not be kept while the program lived.
    if store.flush().is_err()
        && store.settle().is_err()
        && let Err(error) = store.flush()
    {
        return Ended { code: 1, told: String::new(), wrong: Some(format!("some results could not be kept: {error}")) };
    }
    Ended { code, told: last.map_or_else(String::new, |last| verdict(&last, store, places)), wrong }
}

/// What this terminal is told besides the screens; nothing where it would show that as text.
fn announced(catalog: &Catalog) -> Result<Announcements, CliError> {
    let settings = catalog.settings()?;
    let dumb = env::var("TERM").is_ok_and(|kind| kind == "dumb");
    Ok(if dumb { Announcements::NONE } else { settings.terminal })
}

/// The theme asked for, or one that this terminal can show; without colours where it may have none.
fn chosen(catalog: &Catalog, asked: Option<&str>, colour: bool) -> Result<Theme, CliError> {
    let true_colour = env::var("COLORTERM").is_ok_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
    let theme = catalog.theme(asked.unwrap_or(if true_colour { "dark" } else { "sixteen" }))?;
    Ok(if colour { theme } else { theme.without_colour() })
}
