//! `dbdyno` without a command: the terminal UI. Its jobs are separate processes.

use super::{
    args::{Places, WorkArgs},
    error::{CliError, INTERRUPTED},
    output::{is_coloured, print},
    verdict::verdict,
};
use crate::tui::{self, Left, Over, TuiSetup, keys::KeyTable, launch::Opening, widgets::Look};
use clap::Args;
use dbdyno_catalog::{Catalog, Theme};
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::leftovers::{self, LeftoverFolder},
    process::share_one_heap,
};
use dbdyno_store::Store;
use std::{
    env,
    io::{IsTerminal, stdin, stdout},
    process::ExitCode,
};

/// How the terminal UI looks.
#[derive(Debug, Args)]
pub(super) struct LookArgs {
    /// Colour theme of the terminal UI: `dbdyno list themes` lists them [default: dark, or sixteen without true colour].
    #[arg(long, env = "DBDYNO_THEME", value_name = "NAME")]
    pub(super) theme: Option<String>,
    /// Use only ASCII characters in the terminal UI.
    #[arg(long)]
    pub(super) ascii: bool,
}

/// How the terminal UI is started.
#[derive(Debug)]
pub(super) struct ScreensStart {
    pub(super) look: LookArgs,
    pub(super) work: WorkArgs,
    pub(super) cpu: Option<u32>,
    /// The first view.
    pub(super) first: Opening,
}

pub(super) fn screens(places: &Places, start: ScreensStart) -> Result<ExitCode, CliError> {
    let ScreensStart { look, work, cpu, first } = start;
    if !has_terminal() {
        let message = "the terminal UI needs a terminal: give --preset NAME or a command; `dbdyno --help` lists them";
        return Err(CliError::Usage(message.to_owned()));
    }
    if is_dumb() {
        let message = "the terminal UI cannot be shown with TERM=dumb: set TERM to the type of your terminal, or give a command; \
                       `dbdyno --help` lists them";
        return Err(CliError::Usage(message.to_owned()));
    }
    // Errors in the arguments are reported here, before another process gets them.
    let catalog = places.catalog()?;
    let colour = is_coloured(true);
    let work_dir = work.folder()?;
    leftovers::sweep(&work_dir, LeftoverFolder::Work);
    let setup = TuiSetup {
        announcements: catalog.settings()?.terminal,
        is_remote: is_remote(),
        keys: KeyTable::of_user(&catalog)?,
        look: Look { theme: chosen(&catalog, look.theme.as_deref(), colour)?, ascii: look.ascii, colour },
        catalog,
        store: places.store()?,
        work_dir,
        cpu,
        arguments: places.arguments(),
    };
    share_one_heap();
    let (store, places) = (setup.store.clone(), setup.arguments.clone());
    let over = tui::run(setup, first).map_err(|error| CliError::Failed(format!("the terminal UI: {error}")))?;
    // This is the last chance to store results that could not be stored while the program ran.
    if store.flush().is_err()
        && store.settle().is_err()
        && let Err(error) = store.flush()
    {
        return Err(CliError::Failed(format!("some results could not be saved: {error}")));
    }
    concluded(&over, &store, &places)
}

/// Prints in the terminal what remains after the screens.
fn concluded(Over { left, last }: &Over, store: &Store, places: &[String]) -> Result<ExitCode, CliError> {
    if let Some(last) = last {
        print(&verdict(last, store, places))?;
    }
    Ok(match left {
        Left::AsAsked | Left::HungUp => ExitCode::SUCCESS,
        Left::Detached => {
            say!("the job keeps running without the screens: reattach with `dbdyno attach`");
            ExitCode::SUCCESS
        }
        Left::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// Whether there is a terminal to show screens in.
pub(super) fn has_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Whether the terminal is reached over SSH, as `sshd` says; tmux passes it on.
fn is_remote() -> bool {
    ["SSH_CONNECTION", "SSH_TTY"].into_iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Whether the terminal shows lines only.
fn is_dumb() -> bool {
    env::var("TERM").is_ok_and(|kind| kind == "dumb")
}

/// The theme asked for, or one that this terminal can show; without colours where it may have none.
fn chosen(catalog: &Catalog, asked: Option<&str>, colour: bool) -> Result<Theme, CliError> {
    let true_colour = env::var("COLORTERM").is_ok_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
    let theme = catalog.theme(asked.unwrap_or(if true_colour { "dark" } else { "sixteen" }))?;
    Ok(if colour { theme } else { theme.without_colour() })
}
