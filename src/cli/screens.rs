//! The terminal UI: `dbdyno` without a command.

use super::{
    args::{Places, WorkArgs},
    error::{CliError, INTERRUPTED},
};
use crate::{
    catalog::{Catalog, Theme},
    tui::{self, Left, TuiSetup, launch::Opening, widgets::Look},
};
use clap::Args;
use std::{
    env,
    io::{IsTerminal, stdin, stdout},
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
}

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
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let message = "the terminal UI needs a terminal: give --preset NAME or a command; `dbdyno --help` lists them";
        return Err(CliError::Usage(message.to_owned()));
    }
    let catalog = places.catalog()?;
    let ScreensStart { look, work, cpu, first } = start;
    let colour = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let look = Look { theme: chosen(&catalog, look.theme.as_deref(), colour)?, ascii: look.ascii, colour };
    let setup = TuiSetup {
        look,
        catalog,
        store: places.store()?,
        work_dir: work.folder()?,
        cpu,
        arguments: places.arguments(),
    };
    let store = setup.store.clone();
    let left = tui::run(setup, first).map_err(|error| CliError::Failed(format!("the terminal: {error}")))?;
    // The last chance of what could not be kept while the program lived.
    if store.flush().is_err() && store.settle().is_err() {
        store.flush().map_err(|error| CliError::Failed(format!("some results could not be kept: {error}")))?;
    }
    Ok(match left {
        Left::AsAsked => ExitCode::SUCCESS,
        Left::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// The theme asked for, or one that this terminal can show; without colours where it may have none.
fn chosen(catalog: &Catalog, asked: Option<&str>, colour: bool) -> Result<Theme, CliError> {
    let true_colour = env::var("COLORTERM").is_ok_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
    let theme = catalog.theme(asked.unwrap_or(if true_colour { "dark" } else { "sixteen" }))?;
    Ok(if colour { theme } else { theme.without_colour() })
}
