//! `dbdyno claims`: published figures beside what this machine measured.

use super::{
    args::{Places, format_of},
    error::CliError,
    list::entries,
    output::print,
};
use crate::{
    base::{csv::Cells, units::counted},
    catalog::Catalog,
    claims::judged,
    report::{
        claims::{FORMATS, text},
        format::Format,
    },
};
use clap::Args;
use std::process::ExitCode;

/// `dbdyno claims`.
#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// The claims to judge. Without a name, the publications are listed.
    name: Option<String>,
    /// How to write them.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(FORMATS))]
    format: Format,
}

/// Lists the claims files, or shows one judged.
pub(super) fn claims(places: &Places, args: &ClaimsArgs) -> Result<ExitCode, CliError> {
    let catalog = places.catalog()?;
    let Some(name) = &args.name else { return entries(&listed(&catalog), args.format, Cells::default()) };
    let claims = catalog.claims(name)?;
    let table = judged(&claims, &places.settled()?)?;
    print(&text(&table, args.format)?)
}

fn listed(catalog: &Catalog) -> Vec<(String, String)> {
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
