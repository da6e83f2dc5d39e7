//! `dbdyno claims`: published figures beside what this machine measured.

use super::{
    args::{ClaimsArgs, Places},
    error::CliError,
    print,
};
use crate::{
    catalog::Catalog,
    claims::{JudgeError, judged},
    report::{claims::text, text::list},
};
use std::process::ExitCode;

impl From<JudgeError> for CliError {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Selection { .. } => Self::Usage(error.to_string()),
            JudgeError::Store(error) => Self::Store(error),
        }
    }
}

/// Lists the claims files, or shows one judged.
pub(super) fn claims(places: &Places, args: &ClaimsArgs) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let Some(name) = &args.name else { return listed(&catalog) };
    let claims = catalog.claims(name)?;
    let table = judged(&claims, &places.store().map_err(CliError::Usage)?)?;
    print(&text(&table, args.format)?)
}

fn listed(catalog: &Catalog) -> Result<ExitCode, CliError> {
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
    print(&list(&entries))
}
