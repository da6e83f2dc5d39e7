//! What `dbdyno tune` tunes: workload and base, from the arguments or from a trial.

use super::{
    args::Places,
    bench::parse_engine,
    error::CliError,
    tune::found,
    tune_args::{BaseArgs, TuneArgs},
};
use crate::{
    catalog::Catalog,
    engines::Registry,
    store::Store,
    tune::{Trial, Workload, last_ledger, ledger},
};
use dbdyno_engine::{settings::Settings, size::Size};
use std::collections::BTreeMap;

/// What one command tries.
pub(super) struct Questions {
    pub(super) workload: Workload,
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
    if let Some(from) = &args.from {
        let parent = parent(store, from, args.name.as_deref())?;
        let workload = workload_of(places, &parent, &args.base, registry)?;
        let mut asked = parent.changed();
        asked.extend(sets(&args.base, &workload.engine.description.name)?);
        let base = workload.settings(&asked)?;
        return Ok(Questions { workload, base, ledger: parent.ledger, parent_id: Some(parent.trial_id) });
    }
    let (Some(engine), Some(suite)) = (&args.base.engine, &args.base.suite) else {
        return Err(CliError::Usage("give --engine and --suite, or --from last".to_owned()));
    };
    let choice = parse_engine(engine)?;
    let mut asked = BTreeMap::new();
    for (option, values) in choice.options {
        let [value] = values.as_slice() else {
            let message = format!("--engine {engine}: {option} has several values: a base has one of each");
            return Err(CliError::Usage(message));
        };
        asked.insert(option, value.clone());
    }
    asked.extend(sets(&args.base, &choice.name)?);
    let workload = workload(places, &choice.name, suite, &args.base, registry)?;
    let base = workload.settings(&asked)?;
    let ledger = args.name.clone().unwrap_or_else(|| format!("{}-{suite}", choice.name));
    Ok(Questions { workload, base, parent_id: None, ledger })
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

fn workload(
    places: &Places,
    engine: &str,
    suite: &str,
    base: &BaseArgs,
    registry: &Registry,
) -> Result<Workload, CliError> {
    let engine = registry.get(engine).map_err(CliError::Usage)?.clone();
    let suite = Catalog::new(places.folders().map_err(CliError::Usage)?).suite(suite)?;
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
    Ok(Workload { engine, suite, suite_options, size, pick })
}

/// The workload of a trial, with what the arguments say in place of it.
pub(super) fn workload_of(
    places: &Places,
    trial: &Trial,
    base: &BaseArgs,
    registry: &Registry,
) -> Result<Workload, CliError> {
    let suite = base.suite.as_deref().unwrap_or(&trial.suite);
    let mut workload = workload(places, &trial.engine, suite, base, registry)?;
    if suite == trial.suite {
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
    /// No argument was given.
    pub(super) fn of_nothing() -> Self {
        Self { engine: None, suite: None, tests: Vec::new(), size: None, set: Vec::new(), rounds: None }
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
