//! What the terminal shows.

use crate::cli::output::{ColourWhen, choose_colour};
use clap::Args;

/// What the terminal shows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Terminal")]
pub(in crate::cli) struct TerminalArgs {
    /// Use colours: auto means on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: ColourWhen,
}

impl TerminalArgs {
    /// Makes the choice hold for this process.
    pub(in crate::cli) fn apply(&self) {
        choose_colour(self.color);
    }
}
