//! `dbdyno choose`: which engine, with which settings, for this workload and these constraints.

mod asked;
mod progress;

pub(super) use progress::show;

use super::{
    args::{MeasureArgs, Places, ProgressArgs, ReportTarget, SheetArgs, notices, one_of},
    error::{CliError, INTERRUPTED},
    output::{command_line, print},
    session::shown,
};
use asked::{Asked, ConstraintArgs, WorkloadChoice};
use clap::Args;
use dbdyno_catalog::engines::Registry;
use dbdyno_engine::names::instead_of;
use dbdyno_reports::{
    choose::{choice_sheet, sentences},
    tune::{AnswerForm, answer_text},
};
use dbdyno_running::{
    choose::{
        ChoiceAnswer, ChoiceVerdict, Considered, StoredChoice, choose, considered, find_choice, unanswered_choice,
    },
    tune::Lab,
};
use dbdyno_store::Store;
use std::process::ExitCode;

/// `dbdyno choose`.
#[derive(Debug, Args)]
pub(super) struct ChooseArgs {
    #[command(flatten)]
    workload: WorkloadChoice,
    #[command(flatten)]
    constraints: ConstraintArgs,
    /// Go on with a choice that was interrupted, by its identifier or the beginning of it [default: the last one].
    ///
    /// For a choice with --sql or --recording, give these again, and --database if the choice had it.
    #[arg(long, value_name = "CHOICE", num_args = 0..=1, default_missing_value = "last", conflicts_with_all = ["suite", "workload", "tier", "show"])]
    resume: Option<String>,
    /// Show the answer of an earlier choice, by its identifier or the beginning of it [default: the last one].
    #[arg(long, value_name = "CHOICE", num_args = 0..=1, default_missing_value = "last", conflicts_with_all = ["suite", "workload", "tier", "own"])]
    show: Option<String>,
    /// Write the settings alone, in a form to use, instead of the report.
    #[arg(long = "as", value_name = "FORM", value_parser = one_of(AnswerForm::OF_SETTINGS.iter().map(|form| (*form, form.name(), form.meaning()))))]
    form: Option<AnswerForm>,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    progress: ProgressArgs,
    #[command(flatten)]
    written: SheetArgs,
}

pub(super) fn run(places: &Places, args: &ChooseArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    if let Some(id) = &args.show {
        let store = places.opened()?;
        let stored = found(&store, id)?;
        let choice = stored.answer.ok_or_else(|| {
            let id = &stored.record.choice_id;
            CliError::Usage(format!("choice {id} has no answer yet: `dbdyno choose --resume {id}` goes on"))
        })?;
        return conclude(&choice, args, &report);
    }
    let store = places.store()?;
    notices(&store.prepare()?);
    let registry = Registry::discover();
    let earlier = args.resume.as_ref().map(|id| resumed(&store, id)).transpose()?;
    let Asked { workload, question, own } = match &earlier {
        Some(earlier) => asked::again(places, &args.workload, &args.measure.work, &earlier.question)?,
        None => asked::anew(places, &args.workload, &args.constraints, &args.measure.work, &registry)?,
    };
    check_names(&registry, &question.constraints.engines, "--engine")?;
    check_names(&registry, &question.constraints.without, "--without")?;
    let options = |engine: &_| own.as_ref().map(|own| own.options(engine)).unwrap_or_default();
    let considered: Considered = considered(&registry, &workload, &question.constraints, options);
    let (launch, style) = (args.measure.launch()?, args.progress.style());
    let choice = shown(
        places,
        move |events| show(events, style),
        async |events, control| {
            let lab = Lab { registry: &registry, store: &store, launch, events, control };
            choose(&lab, &workload, considered, question, earlier).await
        },
    )??;
    if args.progress.json && !report.has_file() {
        return Ok(code(&choice));
    }
    conclude(&choice, args, &report)
}

/// Writes the report, or the settings in the form that was asked for.
fn conclude(choice: &ChoiceAnswer, args: &ChooseArgs, report: &ReportTarget<'_>) -> Result<ExitCode, CliError> {
    match (args.form, choice.first()) {
        (Some(form), Some(first)) => {
            print(&answer_text(&first.tune_answer(sentences(choice)), form, &command_line()))?;
        }
        (Some(_), None) => return Err(CliError::Failed(sentences(choice).join(" "))),
        (None, _) => drop(report.write(&choice_sheet(choice, &command_line()), choice)?),
    }
    Ok(code(choice))
}

/// The exit code: success with an answer, also one that names several engines.
fn code(choice: &ChoiceAnswer) -> ExitCode {
    match choice.verdict {
        ChoiceVerdict::One | ChoiceVerdict::Level | ChoiceVerdict::Alone => ExitCode::SUCCESS,
        ChoiceVerdict::Nothing => ExitCode::FAILURE,
        ChoiceVerdict::Stopped => ExitCode::from(INTERRUPTED),
    }
}

fn found(store: &Store, id: &str) -> Result<StoredChoice, CliError> {
    find_choice(store, id)?.ok_or_else(|| {
        CliError::Usage(match id {
            "last" => "nothing was chosen yet: `dbdyno choose --suite NAME --tier 3` does".to_owned(),
            _ => format!("`{id}` is the beginning of no choice, or of several: expected the identifier of one"),
        })
    })
}

/// Returns the choice to go on with.
fn resumed(store: &Store, id: &str) -> Result<StoredChoice, CliError> {
    if id == "last" {
        let none = || CliError::Usage("no choice was interrupted: there is nothing to go on with".to_owned());
        return unanswered_choice(store)?.ok_or_else(none);
    }
    let stored = found(store, id)?;
    match stored.answer {
        None => Ok(stored),
        Some(_) => Err(CliError::Usage(format!("choice {id} has its answer: `dbdyno choose --show {id}`"))),
    }
}

fn check_names(registry: &Registry, names: &[String], flag: &str) -> Result<(), CliError> {
    let known = || {
        let missing = registry.unavailable.iter().map(|one| one.name.clone());
        registry.engines.iter().map(|engine| engine.description.name.clone()).chain(missing)
    };
    match names.iter().find(|name| !known().any(|one| one == **name)) {
        Some(name) => Err(CliError::Usage(format!("{flag} {name}: unknown engine: {}", instead_of(name, known())))),
        None => Ok(()),
    }
}
