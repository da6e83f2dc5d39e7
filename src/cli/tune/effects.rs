//! `dbdyno tune effects`: which option matters how much, from runs that are stored.

use crate::{
    cli::{
        args::{CsvArgs, OutArgs, Places, format_of},
        error::CliError,
        output::{command_line, written},
    },
    compare::load,
    metric::Metric,
    report::{format::Format, sheet::SHEET_FORMATS, tune::effects_written},
    store::{Latencies, Selection},
    tune::effects::effects,
};
use clap::Args;
use std::process::ExitCode;

/// `dbdyno tune effects`.
#[derive(Debug, Args)]
pub(in crate::cli) struct EffectsArgs {
    /// Runs of one test of one suite at one size, in which options differ: terms as for `compare`, as in
    /// 'preset=pragma-grid test=1'.
    selection: String,
    /// How to write the effects.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(SHEET_FORMATS))]
    format: Format,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn show(places: &Places, args: &EffectsArgs) -> Result<ExitCode, CliError> {
    let selected = args.selection.trim();
    let wrong = |message: String| CliError::Usage(format!("'{selected}': {message}"));
    if selected.is_empty() {
        return Err(wrong("expected terms, as in 'preset=pragma-grid test=1'".to_owned()));
    }
    let selection = Selection::parse_line(selected).map_err(wrong)?;
    let output = args.out.checked(places)?;
    let side = load(&places.opened()?, selected, &selection, Metric::Wall, Latencies::Left)?;
    let found = effects(&side).map_err(|error| wrong(error.to_string()))?;
    written(&effects_written(&found, args.format, args.csv.cells, &command_line())?, output.as_ref())
}
