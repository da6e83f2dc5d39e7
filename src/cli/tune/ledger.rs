//! `dbdyno tune ledger`: what was tried from where, what it gained, and what it cost.

use crate::{
    base::units::plain,
    cli::{
        args::{CsvArgs, OutArgs, Places, format_of},
        error::CliError,
        output::{command_line, written},
    },
    report::{
        format::Format,
        tune::{LEDGER_FORMATS, ledger_text},
    },
    tune::{last_ledger, ledger, ledgers},
};
use clap::Args;
use std::process::ExitCode;

/// `dbdyno tune ledger`.
#[derive(Debug, Args)]
pub(in crate::cli) struct LedgerArgs {
    /// The name that trials were kept under; `last` is the ledger used last.
    #[arg(default_value = "last")]
    name: String,
    /// How to write the ledger.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(LEDGER_FORMATS))]
    format: Format,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn show(places: &Places, args: &LedgerArgs) -> Result<ExitCode, CliError> {
    let output = args.out.checked(places)?;
    let store = places.opened()?;
    let none = || CliError::Usage("nothing was tuned yet: `dbdyno tune try` begins".to_owned());
    let name = if args.name == "last" { last_ledger(&store)?.ok_or_else(none)? } else { args.name.clone() };
    let found = ledger(&store, &name)?;
    if found.entries.is_empty() {
        let known = ledgers(&store)?.join(", ");
        return Err(CliError::Usage(format!("there is no ledger `{name}`: expected {}", plain(&known))));
    }
    let text = ledger_text(&found, args.format, args.csv.cells, &command_line())?;
    written(&text, output.as_ref())
}
