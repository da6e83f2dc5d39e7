//! `dbdyno run`: a suite or a described workload on engines.

use super::{
    args::{EngineList, Places},
    bench::{BenchArgs, bench, bench_of},
    completions::{engines, presets, suites},
    error::CliError,
    own_sql::{FileArgs, with_options_of},
    preset::preset,
};
use clap::{ArgGroup, Args};
use dbdyno_catalog::{
    FIELDS, Workload,
    bench::{EngineChoice, Spec},
    engines::Registry,
};
use dbdyno_engine::say;
use std::process::ExitCode;

/// `dbdyno run`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
#[command(group = ArgGroup::new("subject").args(["suite", "workload", "preset", "sql"]).multiple(true).required(true))]
pub(super) struct RunArgs {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(short, long, value_name = "NAME", conflicts_with = "sql", add = suites())]
    pub(super) suite: Option<String>,
    /// Your own workload instead of a suite, as in read=90,update=10,value=200,rows=1M,threads=4,commit=100.
    #[arg(short, long, value_name = "FIELD=VALUE[,FIELD=VALUE]", conflicts_with_all = ["suite", "preset", "sql"], value_parser = workload, long_help = workload_help(WORKLOAD_RUN))]
    workload: Option<Box<Workload>>,
    /// Engines, with options after a colon, as in sqlite:journal_mode=wal,synchronous=off|normal,lmdb [default: the usual ones of the suite].
    ///
    /// A comma followed by OPTION=VALUE continues the options. Any other comma starts another engine. ENGINE? is left out if it
    /// cannot be used on this machine.
    #[arg(short, long = "engine", value_name = "ENGINE[?][:OPTION=VALUE,...]", add = engines())]
    pub(super) engines: Vec<EngineList>,
    /// Run this preset instead of a suite, as `dbdyno --preset NAME` does.
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["suite", "engines", "sql"], add = presets())]
    preset: Option<String>,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    pub(super) bench: BenchArgs,
}

/// Reads a described workload. It is boxed because it is much larger than other arguments.
pub(super) fn workload(line: &str) -> Result<Box<Workload>, String> {
    line.parse().map(Box::new)
}

/// What `run` does with a workload.
const WORKLOAD_RUN: &str = "Your own workload instead of a suite, as in read=90,update=10,value=200,rows=1M,threads=4,\
     commit=100.\n\nIt becomes a suite in your folder of suites, which you can edit.";

/// What `--workload` takes: a description of the option, then all fields.
pub(super) fn workload_help(about: &str) -> String {
    let mut help = format!("{about} Shares are relative to their sum. Fields:\n");
    for field in FIELDS {
        let default = if field.default.is_empty() { String::new() } else { format!(" [default: {}]", field.default) };
        help.push_str(&format!("\n{} ({}): {}{default}", field.name, field.values.join(", "), field.meaning));
    }
    help
}

/// The bench of a suite on engines.
pub(super) fn spec(suite: String, engines: Vec<EngineChoice>) -> Spec {
    Spec { suite, engines, rounds: Spec::DEFAULT_ROUNDS, ..Spec::default() }
}

pub(super) fn run(places: &Places, args: RunArgs) -> Result<ExitCode, CliError> {
    let catalog = places.catalog()?;
    let engines = |given: Vec<EngineList>, suite: &str| {
        let engines = EngineList::joined(given);
        if engines.is_empty() { catalog.suite(suite).map(|suite| suite.usual_engines) } else { Ok(engines) }
    };
    if args.files.sql.is_some() {
        return own_sql(places, &args);
    }
    match (args.preset, args.suite, args.workload) {
        (Some(name), ..) => preset(places, &name, &args.bench),
        (None, Some(suite), _) => {
            let engines = engines(args.engines, &suite)?;
            bench(places, spec(suite, engines), &args.bench, None)
        }
        (None, None, Some(workload)) => {
            let registry = Registry::discover();
            let (suite, path) = catalog.described(&workload, &registry).map_err(CliError::Usage)?;
            let mut spec = spec(suite.clone(), engines(args.engines, &suite)?);
            if !args.bench.is_quiet() {
                say!("{}\nsuite {suite}: {}", workload.sentence(), path.display());
                let chosen = spec.engines.iter().filter_map(|engine| registry.get(&engine.name).ok());
                let chosen = chosen.map(|engine| &*engine.description);
                workload.tier_options(chosen.clone()).into_iter().for_each(|line| say!("{line}"));
                workload.not_of_tier(chosen).iter().for_each(|line| say!("{line}"));
            }
            workload.adjust(&mut spec);
            let suite = catalog.suite(&suite)?;
            bench_of(places, spec, (suite, &registry), &args.bench, None)
        }
        (None, None, None) => Err(CliError::Usage("expected --suite, --workload, --sql or --preset".to_owned())),
    }
}

/// The engine of the user's own statements, if none is given.
const SQL_ENGINE: &str = "sqlite";

/// Runs the user's own statements.
fn own_sql(places: &Places, args: &RunArgs) -> Result<ExitCode, CliError> {
    let registry = Registry::discover();
    let mut engines = EngineList::joined(args.engines.clone());
    if engines.is_empty() {
        engines.push(SQL_ENGINE.parse()?);
    }
    // It is removed with this value, after the last run.
    let start = args.files.snapshot(&args.bench.measure.work)?;
    if let Some(start) = &start {
        with_options_of(start, &mut engines, &registry);
    }
    let Some(suite) = args.files.suite(start.as_ref(), &engines, &registry)? else {
        return Err(CliError::Usage("expected --sql FILE".to_owned()));
    };
    bench_of(places, spec(suite.name.clone(), engines), (suite, &registry), &args.bench, None)
}
