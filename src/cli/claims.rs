//! `dbdyno claims`: published figures beside what this machine measured.

use super::{
    args::{ClaimsArgs, ClaimsFormat, Places},
    error::CliError,
    print,
};
use crate::{
    catalog::Catalog,
    claims::judged,
    report::{claims::claims_table, text},
};
use std::process::ExitCode;

/// Lists the claims files, or shows one judged.
pub(super) fn claims(places: &Places, args: &ClaimsArgs) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let Some(name) = &args.name else { return list(&catalog) };
    let claims = catalog.claims(name)?;
    let table = judged(&claims, &places.store().map_err(CliError::Usage)?)?;
    match args.format {
        ClaimsFormat::Table => print(&claims_table(&table)),
        ClaimsFormat::Json => {
            let json = serde_json::to_string_pretty(&table).map_err(|error| CliError::Failed(error.to_string()))?;
            print(&format!("{json}\n"))
        }
    }
}

fn list(catalog: &Catalog) -> Result<ExitCode, CliError> {
    let entries: Vec<(String, String)> = catalog
        .claims_names()
        .into_iter()
        .map(|name| {
            let about = match catalog.claims(&name) {
                Ok(claims) => {
                    let count: usize = claims.comparisons.iter().map(|comparison| comparison.claims.len()).sum();
                    format!("{} ({count} claims; {})", claims.title, claims.source)
                }
                Err(error) => format!("✗ {error}"),
            };
            (name, about)
        })
        .collect();
    print(&text::list(&entries))
}
