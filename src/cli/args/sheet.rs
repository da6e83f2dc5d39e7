//! How a command writes its report.

use super::{OutArgs, OutputFormat, Places, StyleArgs, chosen_format, format_of};
use crate::cli::{
    error::CliError,
    output::{command_line, print, print_coloured, print_rows, to_file, written},
};
use clap::Args;
use dbdyno_foundation::base::output::Output;
use dbdyno_reports::{
    format::Format,
    results,
    sheet::{self, ReportStyle, SHEET_FORMATS, Section, Sheet, Table, TableObjects},
};
use dbdyno_store::TextRows;
use serde::Serialize;
use std::process::ExitCode;

/// How a report is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct SheetArgs {
    /// Format of the report [default: by the ending of --out, else table].
    #[arg(long, value_name = "FORMAT", value_parser = format_of(SHEET_FORMATS))]
    format: Option<Format>,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    style: StyleArgs,
}

impl SheetArgs {
    /// Where the report goes, checked before anything is done.
    pub(in crate::cli) fn checked(&self, places: &Places) -> Result<ReportTarget<'_>, CliError> {
        self.checked_as(self.format, places)
    }

    fn checked_as(&self, format: Option<Format>, places: &Places) -> Result<ReportTarget<'_>, CliError> {
        let output = self.out.checked(places)?;
        let requested = format.map(OutputFormat::Own);
        let format = chosen_format(requested, self.out.file(), SHEET_FORMATS, Format::Table)?;
        self.style.check(format)?;
        let format = format.own(SHEET_FORMATS).map_err(CliError::Usage)?;
        Ok(ReportTarget { format, style: self.style.style(output.is_some()), output })
    }
}

/// How a report is written by a command that shows no progress.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct ReportArgs {
    #[command(flatten)]
    sheet: SheetArgs,
    /// Same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl ReportArgs {
    /// Where the report goes, checked before anything is done.
    pub(in crate::cli) fn checked(&self, places: &Places) -> Result<ReportTarget<'_>, CliError> {
        let format = if self.json { Some(Format::Json) } else { self.sheet.format };
        self.sheet.checked_as(format, places)
    }
}

/// Where a report goes, and in which format.
pub(in crate::cli) struct ReportTarget<'a> {
    format: Format,
    style: ReportStyle<'a>,
    /// None for stdout.
    output: Option<Output>,
}

impl ReportTarget<'_> {
    /// Whether people read it on their terminal.
    pub(in crate::cli) fn is_for_people(&self) -> bool {
        self.format == Format::Table && self.output.is_none()
    }

    /// Whether it goes to a file.
    pub(in crate::cli) fn has_file(&self) -> bool {
        self.output.is_some()
    }

    /// Writes a report that is one table.
    pub(in crate::cli) fn table(&self, table: Table) -> Result<ExitCode, CliError> {
        let command = command_line();
        let sheet = Sheet {
            title: command.clone(),
            sections: vec![Section::table(table.clone())],
            command: command.clone(),
            ..Sheet::default()
        };
        self.write(&sheet, &TableObjects(&table))
    }

    /// Writes an answer of the store, of any size.
    pub(in crate::cli) fn rows(&self, rows: &TextRows) -> Result<ExitCode, CliError> {
        match &self.output {
            None => print_rows(rows, self.format, self.style.cells),
            output => written(&results::text(rows, self.format, self.style.cells, &command_line())?, output.as_ref()),
        }
    }

    /// Writes an answer of the store; as a table, in a layout of its own.
    pub(in crate::cli) fn rows_as(
        &self,
        rows: &TextRows,
        laid_out: fn(&TextRows) -> String,
    ) -> Result<ExitCode, CliError> {
        if self.format == Format::Table { written(&laid_out(rows), self.output.as_ref()) } else { self.rows(rows) }
    }

    /// Writes a report; `typed` is the value that it was built from, which is JSON.
    pub(in crate::cli) fn write(&self, sheet: &Sheet, typed: &impl Serialize) -> Result<ExitCode, CliError> {
        let text = sheet::written(sheet, typed, self.format, self.style)?;
        match &self.output {
            None if self.format == Format::Table => print_coloured(&text),
            None => print(&text),
            Some(output) => to_file(sheet::encoded(&text, self.format)?, output),
        }
    }
}
