//! `dbdyno --preset NAME`: a ready-made bench, with what its file asks to be shown at the end.

use super::{
    args::Places,
    bench::{BenchArgs, bench},
    error::CliError,
    output::print,
    progress::Style,
    session::{conclude, session_text},
    tune::effects_of_session,
};
use crate::{
    catalog::Claims,
    claims::judged,
    plan::Request,
    report::{claims::claims_table, text::session_notes},
    store::Store,
};
use std::process::ExitCode;

pub(super) fn preset(places: &Places, name: &str, args: &BenchArgs) -> Result<ExitCode, CliError> {
    let catalog = places.catalog()?;
    let preset = catalog.preset(name)?;
    let suite = catalog.suite(&preset.suite)?;
    let claims = preset.claims.as_deref().map(|claims| catalog.claims(claims)).transpose()?;
    let request = Request::from_preset(&preset, suite, args.seed())?;
    bench(places, request, args, Some(name), |plan, report, store, style| {
        if preset.effects {
            effects_of_session(plan, &report.session.session_id, store, style)?;
        }
        // The effects have a ranking already: only the warnings of the table are left.
        let code = conclude(report, store, style, if preset.effects { session_notes } else { session_text })?;
        if let Some(claims) = claims {
            show_claims(&claims, store, style)?;
        }
        Ok(code)
    })
}

/// Shows what was published beside what is now stored.
fn show_claims(claims: &Claims, store: &Store, style: Style) -> Result<ExitCode, CliError> {
    let table = judged(claims, store)?;
    if style == Style::Json {
        print(&format!("{}\n", serde_json::json!({ "event": "claims", "claims": table })))
    } else {
        print(&format!("\n{}", claims_table(&table)))
    }
}
