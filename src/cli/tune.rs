//! `dbdyno tune`: what-if trials and their ledger.

use super::{
    args::Places,
    bench::{Signals, check_cpu, command_line},
    error::{CliError, INTERRUPTED},
    print,
    progress::Style,
    query::{notices, opened},
    tune_args::{MeasureArgs, OutputArgs, TuneArgs},
    tune_base::{Questions, questions, snapshot, workload_of},
    tune_effects::show_effects,
    tune_progress,
};
use crate::{
    base::{identifier::clock_seed, output::Output, units::plain},
    engines::Registry,
    report::tune::{self as report, AnswerFormat},
    runner::{Handle, SessionLaunch},
    store::Store,
    tune::{
        Answer, Change, Kind, Lab, State, Trial, TuneError, WhatIf, accept, default_rounds, find_trial, last_ledger,
        ledger, more,
        search::{SearchSpec, search},
        what_if,
    },
};
use dbdyno_engine::{durability::Tier, say};
use dbdyno_workload::rng::SplitMix64;
use std::process::ExitCode;
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
        return show(places, name, args);
    }
    if let Some(id) = &args.more {
        return extend(places, id, args);
    }
    if let Some(format) = args.answer {
        return answer(places, format, args);
    }
    if let Some(selected) = &args.effects {
        return show_effects(places, selected, args);
    }
    if let Some(tier) = args.search.tier {
        return find_best(places, tier, args);
    }
    match (&args.accept, args.what_if.is_empty()) {
        (Some(id), true) => accept_one(places, id),
        (_, false) => try_changes(places, args),
        (None, true) => Err(CliError::Usage(
            "give --what-if ENGINE.OPTION=VALUE, --tier N to search, --more, --accept, --ledger, --answer or --effects"
                .to_owned(),
        )),
    }
}

fn show(places: &Places, name: &str, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let (store, output) = (opened(places)?, &args.output);
    let target = target(places, args)?;
    let none = || CliError::Usage("nothing was tuned yet: dbdyno tune --what-if ENGINE.OPTION=VALUE ...".to_owned());
    let name = if name == "last" { last_ledger(&store)?.ok_or_else(none)? } else { name.to_owned() };
    let found = ledger(&store, &name)?;
    if found.entries.is_empty() {
        let known = crate::tune::ledgers(&store)?.join(", ");
        return Err(CliError::Usage(format!("there is no ledger `{name}`: expected {}", plain(&known))));
    }
    let text = report::ledger(&found, output.format, output.csv.cells, &command_line(std::env::args()))
        .map_err(|error| CliError::Failed(format!("writing JSON: {error}")))?;
    written(&text, target.as_ref())
}

fn answer(places: &Places, format: AnswerFormat, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let target = target(places, args)?;
    let store = opened(places)?;
    let trial = found(&store, &args.of)?;
    if format == AnswerFormat::Preset && trial.suite.starts_with("sql-") {
        let message = format!("{} is no suite that a preset can name: take another form", trial.suite);
        return Err(CliError::Usage(message));
    }
    let text = answer_text(&Registry::discover(), &store, &trial, format)?;
    written(&text, target.as_ref())
}

/// What a trial came to, with the trials that led to it.
fn answer_text(registry: &Registry, store: &Store, trial: &Trial, format: AnswerFormat) -> Result<String, CliError> {
    let engine = registry.get(&trial.engine).map_err(CliError::Usage)?;
    let path = ledger(store, &trial.ledger)?.path(&trial.trial_id);
    let answer = Answer::new(&engine.description, path);
    let answer = answer.ok_or_else(|| CliError::Failed("the trial is no longer in its ledger".to_owned()))?;
    Ok(report::answer(&answer, format, &command_line(std::env::args())))
}

/// The file of `--out`, which must not be one that the arguments name to be read.
pub(super) fn target(places: &Places, args: &TuneArgs) -> Result<Option<Output>, CliError> {
    args.output.out.as_deref().map(|out| places.output(out, args.base.inputs())).transpose()
}

/// Prints a text, or writes it to the file of `--out`.
pub(super) fn written(text: &str, target: Option<&Output>) -> Result<ExitCode, CliError> {
    match target {
        None => print(text),
        Some(target) => target.replace_text(text).map(|()| ExitCode::SUCCESS).map_err(|error| {
            let path = target.target().display();
            CliError::Failed(format!("{path} cannot be written: {error}: choose another with --out"))
        }),
    }
}

/// The trial that a word means.
pub(super) fn found(store: &Store, id: &str) -> Result<Trial, CliError> {
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

fn try_changes(places: &Places, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let (registry, store) = (Registry::discover(), places.store().map_err(CliError::Usage)?);
    notices(&store.prepare()?);
    let mut questions = questions(places, args, &registry, &store)?;
    let engine = questions.workload.engine.description.clone();
    let changes: Vec<Change> =
        args.what_if.iter().map(|text| Change::parse(&engine, text)).collect::<Result<_, _>>()?;
    let count = changes.len() as u32;
    let rounds = args.base.rounds.unwrap_or_else(|| default_rounds(questions.workload.tests().len(), count));
    let seed = args.measure.seed.unwrap_or_else(clock_seed);
    let launch = launch(&args.measure)?;
    let trials = with_lab(&registry, &store, launch, &args.output, async |lab| {
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
    conclude(&trials, &args.output)
}

fn extend(places: &Places, id: &str, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let (registry, store) = (Registry::discover(), places.store().map_err(CliError::Usage)?);
    notices(&store.prepare()?);
    let trial = found(&store, id)?;
    let start = snapshot(args)?;
    let workload = workload_of(places, &trial, &args.base.files(), start.as_ref(), &registry)?;
    let launch = launch(&args.measure)?;
    let trial = with_lab(&registry, &store, launch, &args.output, async |lab| more(&lab, &workload, trial).await)?;
    conclude(&[trial], &args.output)
}

fn find_best(places: &Places, tier: u8, args: &TuneArgs) -> Result<ExitCode, CliError> {
    let (registry, store) = (Registry::discover(), places.store().map_err(CliError::Usage)?);
    notices(&store.prepare()?);
    let Questions { workload, base, parent_id, ledger, _start } = questions(places, args, &registry, &store)?;
    let spec = SearchSpec {
        ledger,
        parent_id,
        base,
        tier: Tier::try_from(tier).map_err(CliError::Usage)?,
        budget: args.search.budget,
        memory_limit: args.search.memory_limit,
        rounds: args.base.rounds,
        seed: args.measure.seed.unwrap_or_else(clock_seed),
    };
    let launch = launch(&args.measure)?;
    let found = with_lab(&registry, &store, launch, &args.output, async |lab| search(&lab, &workload, spec).await)?;
    if !args.output.json {
        print(&report::found(&found))?;
        if let Some(trial) = found.confirmed.as_ref().filter(|trial| trial.is_gain()) {
            print(&format!("\n{}", answer_text(&registry, &store, trial, AnswerFormat::Pragma)?))?;
        }
    }
    Ok(found.confirmed.as_ref().map_or(ExitCode::SUCCESS, |trial| code(std::slice::from_ref(trial))))
}

/// Tunes with progress on stderr.
fn with_lab<T>(
    registry: &Registry,
    store: &Store,
    launch: SessionLaunch,
    output: &OutputArgs,
    tune: impl AsyncFnOnce(Lab<'_>) -> Result<T, TuneError>,
) -> Result<T, CliError> {
    let style = Style::choose(output.json, output.quiet);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    let outcome = runtime.block_on(async {
        let (events, received) = mpsc::unbounded_channel();
        let (handle, control) = Handle::new();
        let watching = tokio::spawn(Signals::watch()?.end(handle));
        let shown = tokio::spawn(tune_progress::show(received, style));
        let outcome = tune(Lab { registry, store, launch, events, control }).await;
        watching.abort();
        // The sender is gone with the lab, so this ends once everything is shown.
        let _ = shown.await;
        Ok(outcome?)
    });
    // A thread may still wait for another session's turn after this one was told to stop.
    runtime.shutdown_background();
    outcome
}

/// Prints what came of trials, and chooses the exit code.
fn conclude(trials: &[Trial], output: &OutputArgs) -> Result<ExitCode, CliError> {
    if !output.json {
        let texts: Vec<String> = trials.iter().map(report::trial).collect();
        print(&texts.join("\n"))?;
    }
    Ok(code(trials))
}

/// Says of each change that `--accept` was asked for why it was not accepted.
fn say_not_accepted(trials: &[Trial]) {
    for trial in trials.iter().filter(|trial| !trial.accepted && trial.state == State::Tried) {
        let why = if trial.is_gain() { "a commit would survive less" } else { "it is no gain without a loss" };
        let (change, id) = (plain(&trial.change.to_string()), &trial.trial_id);
        say!("{change}: not accepted, {why}; all the same: dbdyno tune --accept {id}");
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

fn launch(measure: &MeasureArgs) -> Result<SessionLaunch, CliError> {
    if let Some(cpu) = measure.cpu {
        check_cpu(cpu)?;
    }
    Ok(SessionLaunch {
        cpu: measure.cpu,
        concurrent: measure.concurrent,
        silence: measure.silence,
        deadline: measure.deadline,
        ..SessionLaunch::new(measure.work.folder().map_err(CliError::Usage)?, command_line(std::env::args()))
    })
}
