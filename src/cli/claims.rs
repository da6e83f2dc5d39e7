//! `dbdyno claims`: published figures compared with those that this machine measured.

use super::{
    args::{Places, ReportArgs},
    completions,
    error::CliError,
    list::named,
    output::command_line,
};
use clap::Args;
use dbdyno_catalog::Catalog;
use dbdyno_comparing::claims::judged;
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::claims::sheet;
use std::process::ExitCode;

/// `dbdyno claims`.
#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// The claims file to judge. Without a name, dbdyno lists all of them.
    #[arg(add = completions::claims())]
    name: Option<String>,
    #[command(flatten)]
    written: ReportArgs,
}

/// Lists the claims files, or judges one.
pub(super) fn claims(places: &Places, args: &ClaimsArgs) -> Result<ExitCode, CliError> {
    let catalog = places.catalog()?;
    let report = args.written.checked(places)?;
    let Some(name) = &args.name else { return report.table(named(listed(&catalog))) };
    let claims = catalog.claims(name)?;
    let table = judged(&claims, &places.settled()?)?;
    report.write(&sheet(&table, &command_line()), &table)
}

pub(super) fn listed(catalog: &Catalog) -> Vec<(String, String)> {
    catalog
        .claims_names()
        .into_iter()
        .map(|name| {
            let about = match catalog.claims(&name) {
                Ok(claims) => {
                    let count: usize = claims.comparisons.iter().map(|comparison| comparison.claims.len()).sum();
                    format!("{} ({}; {})", claims.title, counted(count, "claim"), claims.source)
                }
                Err(error) => format!("✗ {error}"),
            };
            (name, about)
        })
        .collect()
}
