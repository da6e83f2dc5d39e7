//! How a command that makes a report writes it.

use super::{CsvArgs, OutArgs, Places, format_of};
use crate::cli::{error::CliError, list::entries, output};
use clap::Args;
use dbdyno_foundation::base::{csv::Cells, output::Output};
use dbdyno_reports::{
    format::Format,
    sheet::{self, SHEET_FORMATS, Sheet},
};
use serde::Serialize;
use std::process::ExitCode;

/// How a report is written.
#[derive(Debug, Args)]
pub(in crate::cli) struct SheetArgs {
    /// How to write it. CSV has a row for each thing that was found, JSON all that is known of it.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(SHEET_FORMATS))]
    format: Format,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    csv: CsvArgs,
}

impl SheetArgs {
    /// The file, checked before anything is done; none for stdout.
    pub(in crate::cli) fn checked(&self, places: &Places) -> Result<Option<Output>, CliError> {
        self.out.checked(places)
    }

    /// The format, and what cells of CSV are written as.
    pub(in crate::cli) fn shape(&self) -> (Format, Cells) {
        (self.format, self.csv.cells)
    }

    /// Writes names, each with what it stands for.
    pub(in crate::cli) fn list(
        &self,
        listed: &[(String, String)],
        output: Option<&Output>,
    ) -> Result<ExitCode, CliError> {
        entries(listed, self.format, self.csv.cells, output)
    }

    /// Writes a report; `typed` is what it was built of, which is JSON.
    pub(in crate::cli) fn write(
        &self,
        sheet: &Sheet,
        typed: &impl Serialize,
        output: Option<&Output>,
    ) -> Result<ExitCode, CliError> {
        output::written(&sheet::written(sheet, typed, self.format, self.csv.cells)?, output)
    }
}
