//! `dbdyno tune`: what-if trials and their ledger.

use super::{
    args::Places,
    bench::{check_cpu, command_line, parse_engine, watch_signals},
    error::{CliError, INTERRUPTED},
    print,
    progress::Style,
    query::opened,
    tune_args::{BaseArgs, MeasureArgs, OutputArgs, TuneArgs},
    tune_progress,
};
use crate::{
    catalog::Catalog,
    engines::Registry,
    report::{tune as report, units::plain},
    runner::{Handle, SessionLaunch},
    store::Store,
    tune::{
        Change, Kind, Lab, State, Trial, TuneError, WhatIf, Workload, accept, default_rounds, find_trial, last_ledger,
        ledger, more, what_if,
    },
};
use dbdyno_engine::{rng::SplitMix64, settings::Settings, size::Size};
use std::{collections::BTreeMap, process::ExitCode};
use tokio::sync::mpsc;

impl From<TuneError> for CliError {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Plan(error) => Self::Plan(error),
            TuneError::Session(error) => Self::Session(error),
            TuneError::Store(error) => Self::Store(error),
            TuneError::Asked(message) => Self::Usage(message),
            TuneError::Lost(_) => Self::Failed(error.to_string()),
        }
    }
}

pub(super) fn tune(places: &Places, args: &TuneArgs) -> Result<ExitCode, CliError> {
    if let Some(name) = &args.ledger {
        return show(places, name, &args.output);
    }
    if let Some(id) = &args.more {
        return extend(places, id, args);
    }
    match (&args.accept, args.what_if.is_empty()) {
        (Some(id), true) => accept_one(places, id),
        (_, false) => try_changes(places, args),
        (None, true) => {
            Err(CliError::Usage("give --what-if ENGINE.OPTION=VALUE, --more, --accept or --ledger".to_owned()))
        }
    }
}

fn show(places: &Places, name: &str, output: &OutputArgs) -> Result<ExitCode, CliError> {
    let store = opened(places)?;
    let none = || CliError::Usage("nothing was tuned yet: dbdyno tune --what-if ENGINE.OPTION=VALUE ...".to_owned());
    let name = if name == "last" { last_ledger(&store)?.ok_or_else(none)? } else { name.to_owned() };
    let found = ledger(&store, &name)?;
    if found.entries.is_empty() {
        let known = crate::tune::ledgers(&store)?.join(", ");
        return Err(CliError::Usage(format!("there is no ledger `{name}`: expected {}", plain(&known))));
    }
    let text = report::ledger(&found, output.format, &command_line(std::env::args()))
        .map_err(|error| CliError::Failed(format!("writing JSON: {error}")))?;
    match &output.out {
        None => print(&text),
        Some(path) => report::export(&text, path).map(|()| ExitCode::SUCCESS).map_err(|error| {
            CliError::Failed(format!("{} cannot be written: {error}: choose another with --out", path.display()))
        }),
    }
}

/// The trial that a word means.
fn found(store: &Store, id: &str) -> Result<Trial, CliError> {
    let several =
        || CliError::Usage(format!("`{id}` is no trial, or the beginning of several: dbdyno tune --ledger lists them"));
    find_trial(store, id)?.ok_or_else(several)
}

fn accept_one(places: &Places, id: &str) -> Result<ExitCode, CliError> {
    let store = opened(places)?;
    let mut trial = found(&store, id)?;
    if matches!(trial.state, State::CannotDiffer(_) | State::Failed(_)) {
        return Err(CliError::Usage(format!("{} was not measured: it cannot be accepted", trial.change)));
    }
    accept(&store, &mut trial)?;
    let lost = if trial.loses_durability() {
        format!(" Durability goes from tier {} to {}.", trial.tier.before, trial.tier.after)
    } else {
        String::new()
    };
    print(&format!("{} is now the base: go on with --from last.{lost}\n", plain(&trial.change.to_string())))
}

/// What one command tries.
struct Questions {
    workload: Workload,
    base: Settings,
    parent_id: Option<String>,
    ledger: String,
}

fn try_changes(places: &Places, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let (registry, store) = (Registry::discover(), places.store().map_err(CliError::Usage)?);
    store.prepare()?;
    let mut questions = questions(places, args, &registry, &store)?;
    let engine = questions.workload.engine.description.clone();
    let changes: Vec<Change> =
        args.what_if.iter().map(|text| Change::parse(&engine, text)).collect::<Result<_, _>>()?;
    let count = changes.len() as u32;
    let rounds = args.base.rounds.unwrap_or_else(|| default_rounds(questions.workload.tests().len(), count));
    let seed = args.measure.seed.unwrap_or_else(clock);
    let launch = launch(&args.measure)?;
    let (code, trials) = with_lab(&registry, &store, launch, &args.output, async |lab| {
        let mut trials = Vec::new();
        for (at, change) in (0..).zip(changes) {
            let question = WhatIf {
                ledger: questions.ledger.clone(),
                parent_id: questions.parent_id.clone(),
                kind: Kind::WhatIf,
                base: questions.base.clone(),
                change,
                rounds,
                changes: count,
                seed: SplitMix64::stream(seed, at).next_u64(),
            };
            let mut trial = what_if(&lab, &questions.workload, question).await?;
            if args.accept.is_some() && trial.is_gain() && !trial.loses_durability() {
                accept(&store, &mut trial)?;
                questions.base = questions.workload.settings(&trial.changed())?;
                questions.parent_id = Some(trial.trial_id.clone());
            }
            let stopped = trial.state == State::Stopped;
            trials.push(trial);
            if stopped {
                break;
            }
        }
        Ok(trials)
    })?;
    if args.accept.is_some() {
        say_not_accepted(&trials);
    }
    Ok(code)
}

fn extend(places: &Places, id: &str, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let (registry, store) = (Registry::discover(), places.store().map_err(CliError::Usage)?);
    store.prepare()?;
    let trial = found(&store, id)?;
    let workload = workload_of(places, &trial, &BaseArgs::of_nothing(), &registry)?;
    let launch = launch(&args.measure)?;
    with_lab(&registry, &store, launch, &args.output, async |lab| Ok(vec![more(&lab, &workload, trial).await?]))
        .map(|(code, _)| code)
}

/// Runs trials with progress on stderr, prints what came of them, and chooses the exit code.
fn with_lab(
    registry: &Registry,
    store: &Store,
    launch: SessionLaunch,
    output: &OutputArgs,
    tune: impl AsyncFnOnce(Lab<'_>) -> Result<Vec<Trial>, TuneError>,
) -> Result<(ExitCode, Vec<Trial>), CliError> {
    let style = Style::choose(output.json, output.quiet);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    let trials = runtime.block_on(async {
        let (events, received) = mpsc::unbounded_channel();
        let (handle, control) = Handle::new();
        let shown = tokio::spawn(tune_progress::show(received, style));
        let watching = tokio::spawn(watch_signals(handle));
        let trials = tune(Lab { registry, store, launch, events, control }).await;
        watching.abort();
        // The sender is gone with the lab, so this ends once everything is shown.
        let _ = shown.await;
        trials
    });
    // A thread may still wait for another session's turn after this one was told to stop.
    runtime.shutdown_background();
    let trials = trials?;
    if style != Style::Json {
        let texts: Vec<String> = trials.iter().map(report::trial).collect();
        print(&texts.join("\n"))?;
    }
    Ok((code(&trials), trials))
}

/// Says of each change that `--accept` was asked for why it was not accepted.
fn say_not_accepted(trials: &[Trial]) {
    for trial in trials.iter().filter(|trial| !trial.accepted && trial.state == State::Tried) {
        let why = if trial.is_gain() { "a commit would survive less" } else { "it is no gain without a loss" };
        let (change, id) = (plain(&trial.change.to_string()), &trial.trial_id);
        eprintln!("{change}: not accepted, {why}; all the same: dbdyno tune --accept {id}");
    }
}

fn code(trials: &[Trial]) -> ExitCode {
    let any = |wanted: fn(&State) -> bool| trials.iter().any(|trial| wanted(&trial.state));
    let wrong = trials.iter().flat_map(|trial| &trial.effects).any(|effect| effect.obstacle.is_some());
    if any(|state| *state == State::Stopped) {
        ExitCode::from(INTERRUPTED)
    } else if wrong || any(|state| matches!(state, State::Failed(_))) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn clock() -> u64 {
    jiff::Timestamp::now().as_nanosecond() as u64
}

fn launch(measure: &MeasureArgs) -> Result<SessionLaunch, CliError> {
    if let Some(cpu) = measure.cpu {
        check_cpu(cpu)?;
    }
    Ok(SessionLaunch {
        work_dir: measure.work.folder().map_err(CliError::Usage)?,
        cpu: measure.cpu,
        keep_databases: false,
        allow_differing_options: false,
        concurrent: measure.concurrent,
        budget: None,
        silence: measure.silence,
        deadline: measure.deadline,
        command_line: command_line(std::env::args()),
        preset: None,
        keys: BTreeMap::new(),
    })
}

/// Workload and base, from the arguments or from an accepted trial.
fn questions(places: &Places, args: &TuneArgs, registry: &Registry, store: &Store) -> Result<Questions, CliError> {
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
fn workload_of(places: &Places, trial: &Trial, base: &BaseArgs, registry: &Registry) -> Result<Workload, CliError> {
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
    fn of_nothing() -> Self {
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
