//! `dbdyno check-engine` and `dbdyno check-suite`: one line per check, as each is done.

use super::{
    args::{Places, WorkArgs},
    completions,
    error::{CliError, INTERRUPTED},
    output::print,
    session::StopSignals,
};
use clap::{Args, ValueHint};
use dbdyno_catalog::{CatalogFolder, bench::EngineChoice, engines::Registry};
use dbdyno_engine::say;
use dbdyno_foundation::base::input;
use dbdyno_reports::command::shell;
use dbdyno_running::{
    conformance::{
        Check, CheckReceiver, CheckedEngine, CheckedFile, SuiteSource, check_engine, check_file, check_run, summary,
        undescribed,
    },
    runner::{MeasurementLock, waiting_for_lock},
};
use std::{
    collections::BTreeMap,
    future::Ready,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// `dbdyno check-engine`.
#[derive(Debug, Args)]
pub(super) struct CheckEngineArgs {
    /// The engine, with options after a colon.
    #[arg(value_name = "ENGINE[:OPTION=VALUE,...]", add = completions::engines())]
    engine: EngineChoice,
    #[command(flatten)]
    told: ToldArgs,
    #[command(flatten)]
    work: WorkArgs,
}

/// `dbdyno check-suite`.
#[derive(Debug, Args)]
pub(super) struct CheckSuiteArgs {
    /// The suite's file.
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    told: ToldArgs,
    #[command(flatten)]
    work: WorkArgs,
}

/// How checks are printed.
#[derive(Debug, Args)]
struct ToldArgs {
    /// Write each check as a line of JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn engine(args: &CheckEngineArgs) -> Result<ExitCode, CliError> {
    let registry = Registry::discover();
    let name = &args.engine.name;
    if name.contains(',') {
        return Err(CliError::Usage(format!("{name}: expected one engine, because a check runs one configuration")));
    }
    let engine = match registry.get(name) {
        Ok(engine) => engine,
        Err(reason) => {
            let Some(found) = registry.unavailable.iter().find(|found| found.name == *name) else {
                return Err(CliError::Usage(reason));
            };
            return told(args.told.json, vec![undescribed(&found.reason)], None::<NoRun>);
        }
    };
    let candidate = CheckedEngine::new(engine, &single(&args.engine)?).map_err(CliError::Usage)?;
    let work_dir = args.work.folder()?;
    told(
        args.told.json,
        Vec::new(),
        Some(async |tell: CheckReceiver<'_>| check_engine(&candidate, &work_dir, tell).await),
    )
}

/// The options, each with one value.
fn single(choice: &EngineChoice) -> Result<BTreeMap<String, String>, CliError> {
    let one = |(name, values): (&String, &Vec<String>)| match &values[..] {
        [value] => Ok((name.clone(), value.clone())),
        _ => Err(CliError::Usage(format!(
            "option `{name}` has several values: expected one, because a check runs one configuration"
        ))),
    };
    choice.options.iter().map(one).collect()
}

pub(super) fn suite(places: &Places, args: &CheckSuiteArgs) -> Result<ExitCode, CliError> {
    let file = &args.file;
    let place = file.display().to_string();
    let text = input::read_text(file).map_err(|error| CliError::Usage(format!("{place}: {error}")))?;
    let stem = file.file_stem().filter(|_| file.extension().is_some_and(|extension| extension == "toml"));
    let Some(name) = stem.and_then(|stem| stem.to_str()).map(str::to_owned) else {
        return Err(CliError::Usage(format!("{place}: expected a file called NAME.toml")));
    };
    let work_dir = args.work.folder()?;
    let found = in_place(places, &name, file)?;
    let CheckedFile { mut checks, runnable } = check_file(SuiteSource { name, place, text });
    let Some((suite, size)) = runnable else {
        checks.push(found);
        return told(args.told.json, checks, None::<NoRun>);
    };
    let run = async |tell: CheckReceiver<'_>| {
        check_run(&suite, size, &Registry::discover(), &work_dir, tell).await;
        tell(found);
    };
    told(args.told.json, checks, Some(run))
}

/// Whether `run` finds the file by its name.
fn in_place(places: &Places, name: &str, file: &Path) -> Result<Check, CliError> {
    let catalog = places.catalog()?;
    if catalog.is_own(CatalogFolder::Suites, name, file) {
        return Ok(Check::passed(
            "place",
            shell(["dbdyno", "run", "--suite", name, "--engine", "sqlite", "--engine", "lmdb"]),
        ));
    }
    let folder = catalog.folder(CatalogFolder::Suites);
    Ok(Check::skipped(
        "place",
        format!("`run --suite {name}` looks in {}, and this file is not there", folder.display()),
    ))
}

/// The type of checks that run something, where there are none.
type NoRun = fn(CheckReceiver<'_>) -> Ready<()>;

/// Prints each check as it is done: those that are known already, then those that run something. Only these wait for a run that another
/// dbdyno measures. Exit code 1 if one failed.
fn told(json: bool, known: Vec<Check>, run: Option<impl AsyncFnOnce(CheckReceiver<'_>)>) -> Result<ExitCode, CliError> {
    let (mut all, mut unprinted) = (Vec::new(), None);
    let mut tell = |check: Check| {
        let line = if json { json_line(&check) } else { check.line() };
        unprinted = print(&line).err().or(unprinted.take());
        all.push(check);
    };
    known.into_iter().for_each(&mut tell);
    let is_whole = match run {
        Some(run) => run_locked(run, &mut tell)?,
        None => true,
    };
    if let Some(error) = unprinted {
        return Err(error);
    }
    if !is_whole {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if !json {
        say!("{}", summary(&all));
    }
    Ok(if all.iter().any(Check::is_failed) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs checks while no other dbdyno measures; false if a signal stopped them.
fn run_locked(run: impl AsyncFnOnce(CheckReceiver<'_>), tell: CheckReceiver<'_>) -> Result<bool, CliError> {
    // A check would take time from a measurement that runs alongside it. If there is no place for the lock, checks do not wait.
    let _lock = MeasurementLock::take(|holder| say!("{}", waiting_for_lock(holder.as_deref())));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    runtime.block_on(async {
        let mut signals = StopSignals::watch()?;
        tokio::select! {
            () = run(tell) => Ok(true),
            // Dropping the future also ends the current worker.
            _ = signals.next() => Ok(false),
        }
    })
}

fn json_line(check: &Check) -> String {
    // A check consists of texts, so this cannot fail.
    serde_json::to_string(check).unwrap_or_default() + "\n"
}
