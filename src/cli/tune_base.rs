//! What `dbdyno tune` tunes: workload and base, from the arguments or from a trial.

use super::{
    args::Places,
    error::CliError,
    tune::found,
    tune_args::{BaseArgs, TuneArgs},
};
use crate::{
    base::output::Guarded,
    bench::EngineChoice,
    catalog::{Catalog, Suite},
    engines::{Engine, Registry},
    store::Store,
    tune::{
        Trial, Workload, last_ledger, ledger,
        script::{self, Snapshot},
    },
};
use dbdyno_engine::{settings::Settings, size::Size};
use std::collections::BTreeMap;

/// What one command tries.
pub(super) struct Questions {
    pub(super) workload: Workload,
    /// The copy of a database that the workload starts from; gone with this value.
    pub(super) _start: Option<Snapshot>,
    pub(super) base: Settings,
    pub(super) parent_id: Option<String>,
    pub(super) ledger: String,
}

/// Workload and base, from the arguments or from an accepted trial.
pub(super) fn questions(
    places: &Places,
    args: &TuneArgs,
    registry: &Registry,
    store: &Store,
) -> Result<Questions, CliError> {
    let start = snapshot(args)?;
    if let Some(from) = &args.from {
        let parent = parent(store, from, args.name.as_deref())?;
        let workload = workload_of(places, &parent, &args.base, start.as_ref(), registry)?;
        let mut asked = parent.changed();
        asked.extend(sets(&args.base, &workload.engine.description.name)?);
        let base = workload.settings(&asked)?;
        let (ledger, parent_id) = (parent.ledger, Some(parent.trial_id));
        return Ok(Questions { workload, _start: start, base, ledger, parent_id });
    }
    let Some(engine) = &args.base.engine else {
        return Err(CliError::Usage("give --engine and --suite, or --from last".to_owned()));
    };
    let choice: EngineChoice = engine.parse()?;
    let mut asked = start.as_ref().map(|start| start.options().clone()).unwrap_or_default();
    for (option, values) in choice.options {
        let [value] = values.as_slice() else {
            let message = format!("--engine {engine}: {option} has several values: a base has one of each");
            return Err(CliError::Usage(message));
        };
        asked.insert(option, value.clone());
    }
    asked.extend(sets(&args.base, &choice.name)?);
    let engine = registry.get(&choice.name).map_err(CliError::Usage)?;
    let suite = suite(places, &args.base, None, start.as_ref(), engine)?;
    let workload = workload(engine, suite, &args.base)?;
    let base = workload.settings(&asked)?;
    let ledger = args.name.clone().unwrap_or_else(|| format!("{}-{}", choice.name, workload.suite.name));
    Ok(Questions { workload, _start: start, base, parent_id: None, ledger })
}

/// The copy of the database of `--database`.
pub(super) fn snapshot(args: &TuneArgs) -> Result<Option<Snapshot>, CliError> {
    let Some(database) = &args.base.database else { return Ok(None) };
    let work_dir = args.measure.work.folder().map_err(CliError::Usage)?;
    Snapshot::of(database, &work_dir).map(Some).map_err(|error| CliError::Usage(error.to_string()))
}

/// The suite of the arguments, or else of a trial.
fn suite(
    places: &Places,
    base: &BaseArgs,
    of_trial: Option<&str>,
    start: Option<&Snapshot>,
    engine: &Engine,
) -> Result<Suite, CliError> {
    let description = &engine.description;
    if start.is_some() && description.name != "sqlite" {
        let message = format!("--database: only the engine sqlite can start from one, {} cannot", description.name);
        return Err(CliError::Usage(message));
    }
    if let Some(file) = &base.sql {
        let suite = script::suite(file, start, description, base.statement_limit)
            .map_err(|error| CliError::Usage(error.to_string()))?;
        return match of_trial.filter(|of_trial| base.suite.is_none() && *of_trial != suite.name) {
            Some(of_trial) => Err(CliError::Usage(format!(
                "{}: with its database this is {}, and the trial is of {of_trial}: their contents differ",
                file.display(),
                suite.name
            ))),
            None => Ok(suite),
        };
    }
    match base.suite.as_deref().or(of_trial) {
        Some(name) if name.starts_with("sql-") && base.suite.is_none() => {
            Err(CliError::Usage(format!("the trial is of {name}: give its --sql FILE again, and its --database")))
        }
        Some(name) => Ok(Catalog::new(places.folders().map_err(CliError::Usage)?).suite(name)?),
        None => Err(CliError::Usage("give --suite, or --sql FILE".to_owned())),
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
        let name = name.ok_or_else(|| refused("nothing was tuned yet".to_owned()))?;
        let ledger = ledger(store, &name)?;
        ledger.accepted().cloned().ok_or_else(|| refused(format!("ledger `{name}` has no accepted trial")))?
    } else {
        found(store, from)?
    };
    if trial.accepted {
        Ok(trial)
    } else {
        Err(refused(format!("the trial of {} was not accepted: dbdyno tune --accept {from}", trial.change)))
    }
}

fn workload(engine: &Engine, suite: Suite, base: &BaseArgs) -> Result<Workload, CliError> {
    let suite_options = sets(base, &suite.name)?;
    for (owner, ..) in split_sets(base)? {
        if owner != engine.description.name && owner != suite.name {
            return Err(CliError::Usage(format!(
                "--set {owner}: expected the engine {} or the suite {}",
                engine.description.name, suite.name
            )));
        }
    }
    let pick = suite.pick(&base.tests).map_err(CliError::Usage)?;
    let size = base.size.or_else(|| suite.default_sizes.first().copied()).unwrap_or_else(|| Size::one(1));
    Ok(Workload { engine: engine.clone(), suite, suite_options, size, pick })
}

/// The workload of a trial, with what the arguments say in place of it.
pub(super) fn workload_of(
    places: &Places,
    trial: &Trial,
    base: &BaseArgs,
    start: Option<&Snapshot>,
    registry: &Registry,
) -> Result<Workload, CliError> {
    let engine = registry.get(&trial.engine).map_err(CliError::Usage)?;
    let suite = suite(places, base, Some(&trial.suite), start, engine)?;
    let mut workload = workload(engine, suite, base)?;
    if workload.suite.name == trial.suite {
        let mut options = trial.suite_options.clone();
        options.append(&mut workload.suite_options);
        workload.suite_options = options;
        if base.tests.is_empty() {
            workload.pick.0 = trial.tests.iter().copied().collect();
        }
        if base.size.is_none() {
            workload.size = trial.size.parse().map_err(CliError::Usage)?;
        }
    }
    Ok(workload)
}

impl BaseArgs {
    /// The files that the arguments name to be read.
    pub(super) fn inputs(&self) -> Vec<Guarded> {
        let sql = self.sql.iter().map(|sql| Guarded::file(sql, "what --sql reads"));
        // With its log and journal.
        let database = self.database.iter().map(|database| Guarded::family(database, "what --database reads"));
        sql.chain(database).collect()
    }

    /// What of the arguments an extension of a trial may say: the files of its suite.
    pub(super) fn files(&self) -> Self {
        Self {
            engine: None,
            suite: None,
            sql: self.sql.clone(),
            statement_limit: self.statement_limit,
            database: self.database.clone(),
            tests: Vec::new(),
            size: None,
            set: Vec::new(),
            rounds: None,
        }
    }
}

/// What `--set` says of one owner's options.
fn sets(base: &BaseArgs, owner: &str) -> Result<BTreeMap<String, String>, CliError> {
    let of_owner = split_sets(base)?.into_iter().filter(|(of, ..)| of == owner);
    Ok(of_owner.map(|(_, option, value)| (option, value)).collect())
}

fn split_sets(base: &BaseArgs) -> Result<Vec<(String, String, String)>, CliError> {
    base.set
        .iter()
        .map(|set| {
            let parts = set.split_once('=').and_then(|(path, value)| Some((path.split_once('.')?, value)));
            let ((owner, option), value) = parts.ok_or_else(|| {
                CliError::Usage(format!("--set {set}: expected OWNER.OPTION=VALUE, as in sqlite.synchronous=normal"))
            })?;
            Ok((owner.trim().to_owned(), option.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}
