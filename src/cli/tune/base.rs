//! The workload and the base that `dbdyno tune` tunes, from the arguments or from a trial.

use super::lab::trial_of;
use crate::cli::{
    args::{Places, WorkArgs, owner_option},
    completions,
    error::CliError,
    own_files::FileArgs,
};
use clap::Args;
use dbdyno_catalog::{
    Suite,
    bench::{EngineChoice, suited},
    engines::{Engine, Registry},
    is_script,
};
use dbdyno_engine::{settings::Settings, size::Size};
use dbdyno_foundation::base::identifier::clock_seed;
use dbdyno_running::{
    own::FileWorkload,
    tune::{Trial, TunedWorkload, last_ledger, ledger},
};
use dbdyno_store::Store;
use std::collections::BTreeMap;

/// What changes are tried against.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct BaseArgs {
    /// The engine, with the base's options after a colon: sqlite:journal_mode=wal,synchronous=normal
    #[arg(short, long, value_name = "ENGINE[:OPTION=VALUE,...]", add = completions::engines())]
    engine: Option<String>,
    /// Start from an accepted trial; `last` is the one accepted last in the ledger.
    #[arg(long, value_name = "TRIAL", conflicts_with = "engine")]
    from: Option<String>,
    /// Name of the ledger that keeps the trials [default: ENGINE-SUITE].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// Seed of all random keys and values [default: from the clock].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// What is measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct WorkloadArgs {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(short, long, value_name = "NAME", conflicts_with = "own", add = completions::suites())]
    suite: Option<String>,
    #[command(flatten)]
    files: FileArgs,
    /// The tests that count (number or name) [default: all].
    #[arg(short, long = "test", value_name = "TEST[,TEST]", add = completions::tests(), value_delimiter = ',', conflicts_with = "own")]
    tests: Vec<String>,
    /// The size [default: the suite's].
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,
    /// Set an option of the base or of the suite.
    #[arg(long = "set", value_name = "OWNER.OPTION=VALUE", add = completions::settings())]
    set: Vec<String>,
}

impl BaseArgs {
    /// The seed that was given, or one that differs from command to command; it is recorded.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(clock_seed)
    }
}

impl WorkloadArgs {
    /// What the extension of a trial may say: the files of its suite.
    pub(super) fn of_files(files: FileArgs) -> Self {
        Self { suite: None, files, tests: Vec::new(), size: None, set: Vec::new() }
    }
}

/// What one command tries.
pub(super) struct Questions {
    pub(super) workload: TunedWorkload,
    /// The copies of the workload's files; gone with this value.
    pub(super) _own: Option<FileWorkload>,
    pub(super) base: Settings,
    pub(super) parent_id: Option<String>,
    pub(super) ledger: String,
}

/// Workload and base, from the arguments or from an accepted trial.
pub(super) fn questions(
    places: &Places,
    args: &BaseArgs,
    work: &WorkArgs,
    registry: &Registry,
    store: &Store,
) -> Result<Questions, CliError> {
    if let Some(from) = &args.from {
        let parent = parent(store, from, args.name.as_deref())?;
        let own = own_of(&args.workload, &parent.engine, work, registry)?;
        let workload = workload_of(places, &parent, &args.workload, own.as_ref(), registry)?;
        let mut asked = parent.changed();
        asked.extend(sets(&args.workload, &workload.engine.description.name)?);
        let base = workload.settings(&asked)?;
        let (ledger, parent_id) = (parent.ledger, Some(parent.trial_id));
        return Ok(Questions { workload, _own: own, base, ledger, parent_id });
    }
    let Some(asked_engine) = &args.engine else {
        return Err(CliError::Usage("give --engine and --suite, or --from last".to_owned()));
    };
    let choice: EngineChoice = asked_engine.parse()?;
    let own = own_of(&args.workload, &choice.name, work, registry)?;
    let engine = registry.get(&choice.name).map_err(CliError::Usage)?;
    let mut asked = own.as_ref().map(|own| own.options(&engine.description)).unwrap_or_default();
    for (option, values) in choice.options {
        let [value] = values.as_slice() else {
            let message = format!(
                "--engine {asked_engine}: {option} has several values: expected one, because a base has one value of each option"
            );
            return Err(CliError::Usage(message));
        };
        asked.insert(option, value.clone());
    }
    asked.extend(sets(&args.workload, &choice.name)?);
    let suite = suite(places, &args.workload, None, own.as_ref())?;
    let workload = workload(engine, suite, &args.workload)?;
    let base = workload.settings(&asked)?;
    let ledger = args.name.clone().unwrap_or_else(|| format!("{}-{}", choice.name, workload.suite.name));
    Ok(Questions { workload, _own: own, base, parent_id: None, ledger })
}

/// The workload of the files in the arguments, for an engine.
pub(super) fn own_of(
    given: &WorkloadArgs,
    engine: &str,
    work: &WorkArgs,
    registry: &Registry,
) -> Result<Option<FileWorkload>, CliError> {
    let engine = registry.get(engine).map_err(CliError::Usage)?;
    let description = &engine.description;
    if given.files.database.is_some() && !description.sqlite_files {
        let message = format!(
            "--database: databases of the engine {} are no files of SQLite: expected sqlite, or another engine with SQLite's files (elsewhere, the statements of `sqlite3 FILE .dump` can prepare one)",
            description.name
        );
        return Err(CliError::Usage(message));
    }
    given.files.workload(&[description], work)
}

/// The suite of the arguments, or else of a trial.
fn suite(
    places: &Places,
    given: &WorkloadArgs,
    of_trial: Option<&str>,
    own: Option<&FileWorkload>,
) -> Result<Suite, CliError> {
    if let (Some(own), Some(files)) = (own, given.files.files()) {
        let suite = own.suite();
        return match of_trial.filter(|of_trial| given.suite.is_none() && *of_trial != suite.name) {
            Some(of_trial) => Err(CliError::Usage(format!(
                "{}: with its database this is {}, but the trial ran {of_trial}: their contents differ",
                files.path().display(),
                suite.name
            ))),
            None => Ok(suite.clone()),
        };
    }
    match given.suite.as_deref().or(of_trial) {
        Some(name) if is_script(name) && given.suite.is_none() => Err(CliError::Usage(format!(
            "the trial ran {name}: give its --sql FILE or --recording FOLDER again, with its --database if it had one"
        ))),
        Some(name) => Ok(places.catalog()?.suite(name)?),
        None => Err(CliError::Usage("give --suite, --sql FILE or --recording FOLDER".to_owned())),
    }
}

/// The accepted trial that `--from` means.
fn parent(store: &Store, from: &str, name: Option<&str>) -> Result<Trial, CliError> {
    let refused = |why: String| CliError::Usage(format!("--from {from}: {why}"));
    let trial = if from == "last" {
        let name = match name {
            Some(name) => Some(name.to_owned()),
            None => last_ledger(store)?,
        };
        let name = name.ok_or_else(|| refused("there are no trials yet".to_owned()))?;
        let ledger = ledger(store, &name)?;
        ledger.accepted().cloned().ok_or_else(|| refused(format!("ledger `{name}` has no accepted trial")))?
    } else {
        trial_of(store, from)?
    };
    if trial.accepted {
        Ok(trial)
    } else {
        Err(refused(format!("the trial of {} was not accepted: dbdyno tune accept {from}", trial.change)))
    }
}

fn workload(engine: &Engine, suite: Suite, given: &WorkloadArgs) -> Result<TunedWorkload, CliError> {
    let suite_options = sets(given, &suite.name)?;
    for (owner, ..) in split_sets(given)? {
        if owner != engine.description.name && owner != suite.name {
            return Err(CliError::Usage(format!(
                "--set {owner}: expected the engine {} or the suite {}",
                engine.description.name, suite.name
            )));
        }
    }
    let pick = suite.pick(&given.tests).map_err(CliError::Usage)?;
    let size = given.size.or_else(|| suite.default_sizes.first().copied()).unwrap_or_else(|| Size::one(1));
    let engine = suited(engine, &suite)?;
    Ok(TunedWorkload { engine, suite, suite_options, size, pick })
}

/// The workload of a trial, with what the arguments say in place of it.
pub(super) fn workload_of(
    places: &Places,
    trial: &Trial,
    given: &WorkloadArgs,
    own: Option<&FileWorkload>,
    registry: &Registry,
) -> Result<TunedWorkload, CliError> {
    let engine = registry.get(&trial.engine).map_err(CliError::Usage)?;
    let suite = suite(places, given, Some(&trial.suite), own)?;
    let mut workload = workload(engine, suite, given)?;
    if workload.suite.name == trial.suite {
        let mut options = trial.suite_options.clone();
        options.append(&mut workload.suite_options);
        workload.suite_options = options;
        if given.tests.is_empty() {
            workload.pick.0 = trial.tests.iter().copied().collect();
        }
        if given.size.is_none() {
            workload.size = trial.size.parse().map_err(CliError::Usage)?;
        }
    }
    Ok(workload)
}

/// What `--set` says of one owner's options.
fn sets(given: &WorkloadArgs, owner: &str) -> Result<BTreeMap<String, String>, CliError> {
    let of_owner = split_sets(given)?.into_iter().filter(|(of, ..)| *of == owner);
    Ok(of_owner.map(|(_, option, value)| (option.to_owned(), value.to_owned())).collect())
}

fn split_sets(given: &WorkloadArgs) -> Result<Vec<(&str, &str, &str)>, CliError> {
    given.set.iter().map(|set| owner_option(set, "sqlite.synchronous=normal")).collect()
}
