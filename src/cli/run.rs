//! `dbdyno run`: a suite on engines.

use super::{
    args::Places,
    bench::{BenchArgs, bench},
    error::CliError,
};
use clap::Args;
use dbdyno_catalog::bench::{EngineChoice, Spec};
use std::process::ExitCode;

/// `dbdyno run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(long)]
    suite: String,
    /// An engine, with options after a colon: sqlite:journal_mode=wal,synchronous=off|normal; ENGINE? is left out where it cannot be used
    #[arg(long = "engine", required = true, value_name = "ENGINE[?][:OPTION=VALUE,...]")]
    engines: Vec<EngineChoice>,
    #[command(flatten)]
    bench: BenchArgs,
}

impl RunArgs {
    /// The bench, and what is still to be said of it.
    pub(super) fn spec(self) -> (Spec, BenchArgs) {
        let Self { suite, engines, bench } = self;
        (Spec { suite, engines, rounds: Spec::DEFAULT_ROUNDS, ..Spec::default() }, bench)
    }
}

pub(super) fn run(places: &Places, args: RunArgs) -> Result<ExitCode, CliError> {
    let (spec, args) = args.spec();
    bench(places, spec, &args, None)
}
