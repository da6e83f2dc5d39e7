//! How a command writes its report.

use super::{CsvArgs, OutArgs, Places, format_of};
use crate::cli::{
    error::CliError,
    output::{command_line, print_coloured, print_rows, table_style, written},
};
use clap::Args;
use dbdyno_foundation::base::output::Output;
use dbdyno_reports::{
    format::Format,
    results,
    sheet::{self, SHEET_FORMATS, Section, Sheet, Table, TableObjects, TableStyle},
};
use dbdyno_store::TextRows;
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

    /// Whether it is shown to people, who are shown more.
    pub(in crate::cli) fn is_for_people(&self, output: Option<&Output>) -> bool {
        self.format == Format::Table && output.is_none()
    }

    /// Writes a report that is one table.
    pub(in crate::cli) fn table(&self, table: Table, output: Option<&Output>) -> Result<ExitCode, CliError> {
        let command = command_line();
        let sheet = Sheet {
            title: command.clone(),
            sections: vec![Section::table(table.clone())],
            command: command.clone(),
            ..Sheet::default()
        };
        self.write(&sheet, &TableObjects(&table), output)
    }

    /// Writes an answer of the store, of any size.
    pub(in crate::cli) fn rows(&self, rows: &TextRows, output: Option<&Output>) -> Result<ExitCode, CliError> {
        match output {
            None => print_rows(rows, self.format, self.csv.cells),
            Some(_) => written(&results::text(rows, self.format, self.csv.cells, &command_line())?, output),
        }
    }

    /// The same with a text of its own for people.
    pub(in crate::cli) fn rows_as(
        &self,
        rows: &TextRows,
        laid_out: fn(&TextRows) -> String,
        output: Option<&Output>,
    ) -> Result<ExitCode, CliError> {
        if self.format == Format::Table { written(&laid_out(rows), output) } else { self.rows(rows, output) }
    }

    /// Writes a report; `typed` is what it was built of, which is JSON.
    pub(in crate::cli) fn write(
        &self,
        sheet: &Sheet,
        typed: &impl Serialize,
        output: Option<&Output>,
    ) -> Result<ExitCode, CliError> {
        let style = if output.is_none() { table_style() } else { TableStyle::FILE };
        let text = sheet::written(sheet, typed, self.format, style, self.csv.cells)?;
        match output {
            None if self.format == Format::Table => print_coloured(&text),
            output => written(&text, output),
        }
    }
}
