//! `dbdyno` without a command: the terminal UI.

use super::{
    args::{BenchArgs, Places},
    error::{CliError, INTERRUPTED},
};
use crate::{
    catalog::{Catalog, Theme},
    tui::{self, Left, Setup, widgets::Look},
};
use std::{
    env,
    io::{IsTerminal, stdin, stdout},
    process::ExitCode,
};

/// Shows the screens.
pub(super) fn screens(
    places: &Places,
    theme: Option<&str>,
    ascii: bool,
    bench: &BenchArgs,
) -> Result<ExitCode, CliError> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let message = "the terminal UI needs a terminal: give --preset NAME or a command; `dbdyno --help` lists them";
        return Err(CliError::Usage(message.to_owned()));
    }
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let look = Look { theme: chosen(&catalog, theme)?, ascii };
    let setup = Setup {
        look,
        catalog,
        store: places.store().map_err(CliError::Usage)?,
        work_dir: bench.work.folder().map_err(CliError::Usage)?,
        cpu: bench.cpu,
        arguments: places.arguments(),
    };
    let store = setup.store.clone();
    let left = tui::run(setup).map_err(|error| CliError::Failed(format!("the terminal: {error}")))?;
    // The last chance of what could not be kept while the program lived.
    if store.flush().is_err() && store.settle().is_err() {
        store.flush().map_err(|error| CliError::Failed(format!("some results could not be kept: {error}")))?;
    }
    Ok(match left {
        Left::AsAsked => ExitCode::SUCCESS,
        Left::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// The theme asked for, or one that this terminal can show; without colours under NO_COLOR.
fn chosen(catalog: &Catalog, asked: Option<&str>) -> Result<Theme, CliError> {
    let true_colour = env::var("COLORTERM").is_ok_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
    let theme = catalog.theme(asked.unwrap_or(if true_colour { "dark" } else { "sixteen" }))?;
    let colours = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    Ok(if colours { theme } else { theme.without_colour() })
}
