//! `dbdyno run`: a suite on engines.

use super::{
    args::{Places, engine},
    bench::{BenchArgs, bench},
    error::CliError,
    session::{conclude, session_text},
};
use crate::plan::Request;
use clap::Args;
use std::{collections::BTreeMap, process::ExitCode};

/// Rounds when none are asked for: the least that gives an interval.
const DEFAULT_ROUNDS: u32 = 6;

/// `dbdyno run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(long)]
    suite: String,
    /// An engine, with options after a colon: sqlite:journal_mode=wal,synchronous=off|normal
    #[arg(long = "engine", required = true, value_name = "ENGINE[:OPTION=VALUE,...]")]
    engines: Vec<String>,
    #[command(flatten)]
    bench: BenchArgs,
}

pub(super) fn run(places: &Places, args: &RunArgs) -> Result<ExitCode, CliError> {
    let request = Request {
        suite: places.catalog()?.suite(&args.suite)?,
        suite_options: BTreeMap::new(),
        engines: args.engines.iter().map(|text| engine(text)).collect::<Result<_, _>>()?,
        sizes: Vec::new(),
        repeats: DEFAULT_ROUNDS,
        pick: Default::default(),
        seed: args.bench.seed(),
        stars: None,
    };
    bench(places, request, &args.bench, None, |_, report, store, style| conclude(report, store, style, session_text))
}
