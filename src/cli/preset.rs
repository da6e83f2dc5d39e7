//! `dbdyno --preset NAME`: a ready-made bench, or several that run one after the other.

use super::{
    args::Places,
    bench::{BenchArgs, bench, show_claims},
    error::{CliError, INTERRUPTED},
};
use crate::{
    bench::{PlanError, ReadyMade, Sequence, Spec},
    claims::judged,
};
use dbdyno_engine::say;
use std::process::ExitCode;

pub(super) fn preset(places: &Places, name: &str, args: &BenchArgs) -> Result<ExitCode, CliError> {
    match ReadyMade::find(&places.catalog()?, name)? {
        ReadyMade::Bench(preset) => bench(places, preset.spec, args, Some(name)),
        ReadyMade::Sequence(all) => sequence(places, &all, args),
    }
}

/// Runs every bench of a sequence, whatever becomes of one, and shows what is published of them at the end. The exit code is that of the
/// last one that did not go well.
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
        let ended = match bench(places, spec, &args, Some(&preset.name)) {
            // What is published of it stays without a figure of this machine, and says so.
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
