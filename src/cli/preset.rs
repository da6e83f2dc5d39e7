//! `dbdyno --preset NAME`: a ready-made bench, or a sequence of them.

use super::{
    args::Places,
    bench::{BenchArgs, bench, show_claims},
    error::{CliError, INTERRUPTED},
};
use dbdyno_catalog::{
    CatalogError,
    bench::{PlanError, ReadyMade, Sequence, Spec},
};
use dbdyno_comparing::claims::judged;
use dbdyno_engine::say;
use std::process::ExitCode;

pub(super) fn preset(places: &Places, name: &str, args: &BenchArgs) -> Result<ExitCode, CliError> {
    match ReadyMade::find(&places.catalog()?, name)? {
        ReadyMade::Bench(preset) => run(places, name, preset.spec, args),
        ReadyMade::Sequence(all) => sequence(places, &all, args),
    }
}

/// Runs a preset's bench. A request that cannot be met is an error in its file, with line and column, unless arguments change the bench.
fn run(places: &Places, name: &str, spec: Spec, args: &BenchArgs) -> Result<ExitCode, CliError> {
    let is_as_written = args.adjusted(spec.clone())? == spec;
    bench(places, spec, args, Some(name)).map_err(|error| match &error {
        CliError::Plan(PlanError::Request(_) | PlanError::Setting(_))
        | CliError::Catalog(CatalogError::Missing { .. })
            if is_as_written =>
        {
            let source = places.catalog().and_then(|catalog| Ok(catalog.preset_source(name)?));
            source.map_or_else(|unread| unread, |source| source.wrong_where_named(&error.to_string()).into())
        }
        _ => error,
    })
}

/// Runs every bench of a sequence, even if one fails, and shows the published figures at the end. The exit code is that of the last bench
/// that failed.
fn sequence(places: &Places, sequence: &Sequence, args: &BenchArgs) -> Result<ExitCode, CliError> {
    let specs: Vec<&Spec> = sequence.presets.iter().map(|preset| &preset.spec).collect();
    args.check_sequence(&specs)?;
    let mut code = ExitCode::SUCCESS;
    for (preset, place) in sequence.presets.iter().zip(1..) {
        if !args.is_quiet() {
            say!("{place} of {}: {}: {}", sequence.presets.len(), preset.name, preset.title);
        }
        let spec = Spec { claims: None, ..preset.spec.clone() };
        let args = args.of_part(&spec);
        let ended = match run(places, &preset.name, spec, &args) {
            // Its published claims then stay without a figure of this machine, and the report says so.
            Err(CliError::Plan(PlanError::ComparesNothing(message))) => {
                say!("not run: {message}");
                continue;
            }
            ended => ended?,
        };
        match ended {
            ExitCode::SUCCESS => {}
            interrupted if interrupted == ExitCode::from(INTERRUPTED) => return Ok(interrupted),
            other => code = other,
        }
    }
    if args.is_dry_run() {
        return Ok(code);
    }
    let (catalog, store) = (places.catalog()?, places.store()?);
    for name in &sequence.claims {
        show_claims(&judged(&catalog.claims(name)?, &store)?, args.style())?;
    }
    Ok(code)
}
