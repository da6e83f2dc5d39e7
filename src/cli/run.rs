//! `dbdyno run`: a suite on engines.

use super::{
    args::{EngineList, Places},
    bench::{BenchArgs, bench},
    completions::{engines, presets, suites},
    error::CliError,
    preset::preset,
};
use clap::Args;
use dbdyno_catalog::bench::{EngineChoice, Spec};
use std::process::ExitCode;

/// `dbdyno run`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct RunArgs {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(short, long, value_name = "NAME", required_unless_present = "preset", add = suites())]
    pub(super) suite: Option<String>,
    /// Engines, with options after a colon, as in sqlite:journal_mode=wal,synchronous=off|normal,lmdb [default: the usual ones of the suite].
    ///
    /// ENGINE? is left out if it cannot be used on this machine.
    #[arg(short, long = "engine", value_name = "ENGINE[?][:OPTION=VALUE,...]", add = engines())]
    pub(super) engines: Vec<EngineList>,
    /// Run this preset instead of a suite, as `dbdyno --preset NAME` does.
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["suite", "engines"], add = presets())]
    preset: Option<String>,
    #[command(flatten)]
    pub(super) bench: BenchArgs,
}

/// The bench of a suite on engines.
pub(super) fn spec(suite: String, engines: Vec<EngineChoice>) -> Spec {
    Spec { suite, engines, rounds: Spec::DEFAULT_ROUNDS, ..Spec::default() }
}

pub(super) fn run(places: &Places, args: RunArgs) -> Result<ExitCode, CliError> {
    match (args.preset, args.suite) {
        (Some(name), _) => preset(places, &name, &args.bench),
        (None, Some(suite)) => {
            let mut engines = EngineList::joined(args.engines);
            if engines.is_empty() {
                engines = places.catalog()?.suite(&suite)?.usual_engines;
            }
            bench(places, spec(suite, engines), &args.bench, None)
        }
        (None, None) => Err(CliError::Usage("expected --suite or --preset".to_owned())),
    }
}
