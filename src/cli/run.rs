//! `dbdyno run`: a suite or a described workload on engines.

use super::{
    args::{EngineList, Places},
    bench::{BenchArgs, bench, bench_of},
    completions::{engines, presets, suites},
    error::CliError,
    own_files::{FileArgs, with_options_of},
    preset::preset,
};
use clap::{ArgGroup, Args};
use dbdyno_catalog::{
    FIELDS, SPEED, Workload,
    bench::{EngineChoice, Spec},
    engines::{REFERENCE_ENGINE, Registry},
};
use dbdyno_engine::{describe::Description, say};
use std::{collections::BTreeMap, process::ExitCode};

/// `dbdyno run`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
#[command(group = ArgGroup::new("subject").args(["suite", "workload", "preset", "sql", "recording"]).multiple(true).required(true))]
pub(super) struct RunArgs {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(short, long, value_name = "NAME", conflicts_with = "own", add = suites())]
    pub(super) suite: Option<String>,
    /// Your own workload instead of a suite, as in read=90,update=10,value=200,rows=1M,threads=4,commit=100.
    #[arg(short, long, value_name = "FIELD=VALUE[,FIELD=VALUE]", conflicts_with_all = ["suite", "preset", "own"], value_parser = workload, long_help = workload_help(WORKLOAD_RUN))]
    workload: Option<Box<Workload>>,
    /// Engines, with options after a colon, as in sqlite:journal_mode=wal,synchronous=off|normal,lmdb [default: the usual ones of the suite].
    ///
    /// A comma followed by OPTION=VALUE continues the options. Any other comma starts another engine. ENGINE? is left out if it
    /// cannot be used on this machine.
    #[arg(short, long = "engine", value_name = "ENGINE[?][:OPTION=VALUE,...]", add = engines())]
    pub(super) engines: Vec<EngineList>,
    /// Run this preset instead of a suite, as `dbdyno --preset NAME` does.
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["suite", "engines", "own"], add = presets())]
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
    if args.files.files().is_some() {
        return own(places, args.engines, &args.files, &args.bench, BTreeMap::new());
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
        (None, None, None) => {
            Err(CliError::Usage("expected --suite, --workload, --sql, --recording or --preset".to_owned()))
        }
    }
}

/// Measures the user's own files, with these options of their suite.
pub(super) fn own(
    places: &Places,
    engines: Vec<EngineList>,
    files: &FileArgs,
    bench: &BenchArgs,
    suite_options: BTreeMap<String, Vec<String>>,
) -> Result<ExitCode, CliError> {
    let registry = Registry::discover();
    let mut engines = EngineList::joined(engines);
    let names: Vec<&str> = match engines.as_slice() {
        [] => vec![REFERENCE_ENGINE],
        chosen => chosen.iter().map(|engine| engine.name.as_str()).collect(),
    };
    let found = names.into_iter().filter_map(|name| registry.get(name).ok());
    let descriptions: Vec<&Description> = found.map(|engine| &*engine.description).collect();
    // Its copies are removed with this value, after the last run.
    let Some(workload) = files.workload(&descriptions, &bench.measure.work)? else {
        return Err(CliError::Usage("expected --sql FILE or --recording FOLDER".to_owned()));
    };
    if suite_options.contains_key(SPEED) && !workload.has_times() {
        return Err(CliError::Usage(
            "--speed: the recording has the order of its calls, but not their times".to_owned(),
        ));
    }
    if engines.is_empty() {
        engines = workload.usual_engines();
    }
    if !bench.is_quiet() {
        workload.facts().iter().for_each(|fact| say!("{fact}"));
    }
    with_options_of(&workload, &mut engines, &registry);
    let suite = workload.suite().clone();
    let rounds = workload.rounds_needed().max(Spec::DEFAULT_ROUNDS);
    let spec = Spec { suite_options, rounds, ..spec(suite.name.clone(), engines) };
    bench_of(places, spec, (suite, &registry), bench, None)
}
