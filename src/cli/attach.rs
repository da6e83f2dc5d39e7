//! `dbdyno attach`: watch a job of another terminal, or one that continued without its screens.

use super::{
    args::{Places, ProgressArgs, WorkArgs},
    choose,
    error::CliError,
    output::print,
    progress::{self, Style},
    screens::{LookArgs, ScreensStart, has_terminal, screens},
    torture, tune,
};
use crate::tui::launch::Opening;
use clap::{Args, ValueEnum};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::command::shell;
use dbdyno_running::{
    choose::ChooseEvent,
    jobs::{self, FoundJob, JobEnd, JobFacts, JobKind, JobRequest, jobs},
    runner::{RunnerEvent, SessionRequest},
    torture::SeriesEvent,
    tune::TuneEvent,
    watching::{JobEvent, watch},
};
use std::process::ExitCode;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver},
    task::JoinHandle,
};

/// `dbdyno attach`.
#[derive(Debug, Args)]
pub(super) struct AttachArgs {
    /// The job, if several are running: its name in --list, or the beginning of it.
    name: Option<String>,
    /// List the running jobs, and those that ended within the last day.
    #[arg(long, conflicts_with_all = ["name", "tell"])]
    list: bool,
    /// Control a job instead of watching it.
    #[arg(long, value_name = "WHAT")]
    tell: Option<JobOrder>,
    /// Show only its progress, without the terminal UI.
    #[arg(long)]
    progress: bool,
    #[command(flatten)]
    shown: ProgressArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    work: WorkArgs,
}

/// A command for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JobOrder {
    /// Stop the job: cancel the current run and keep all finished results.
    Stop,
    /// Pause: start no further run.
    Pause,
    /// Continue after a pause.
    GoOn,
    /// Cancel the current run.
    Skip,
}

pub(super) fn attach(places: &Places, args: AttachArgs) -> Result<ExitCode, CliError> {
    let jobs = jobs();
    if args.list {
        if jobs.is_empty() {
            say!("note: no job is running, and none ended within the last day");
        }
        return print(&jobs.iter().map(line).collect::<String>());
    }
    let job = match &args.name {
        Some(name) => named(name, &jobs)?,
        None => only(places, &jobs)?,
    };
    if let Some(order) = args.tell {
        return told(job, order);
    }
    let ProgressArgs { json, quiet, verbose } = args.shown;
    // A search for capacity has no screen.
    if json || quiet || verbose || args.progress || job.facts.kind == JobKind::Capacity || !has_terminal() {
        return watched(job, args.shown.style());
    }
    let places = Places::of_arguments(&job.facts.places)?;
    places.name_machine();
    let first = Opening::Job(job.facts.id.clone());
    screens(&places, ScreensStart { look: args.look, work: args.work, cpu: None, first })
}

/// Shows what a job does from its beginning, until it ends. Ctrl-C leaves it alone.
fn watched(job: &FoundJob, style: Style) -> Result<ExitCode, CliError> {
    let id = &job.facts.id;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    let ended = runtime.block_on(async {
        let (events, told) = mpsc::unbounded_channel();
        let showing = shown(job.facts.kind, told, style);
        let ended = watch(job, &events).await;
        drop(events);
        // The sender is gone, so this ends once everything is shown.
        let _ = showing.await;
        ended
    });
    match ended.map_err(|error| CliError::Failed(format!("job {id}: its events cannot be read: {error}")))? {
        JobEnd::InOrder => {
            say!("job {id} has ended: {}", plain(&job.facts.command));
            Ok(ExitCode::SUCCESS)
        }
        JobEnd::Failed(reason) => Err(CliError::Failed(format!("job {id} failed: {reason}"))),
        JobEnd::Killed => {
            let message = format!("job {id} was killed or crashed; the results of finished tests are kept");
            Err(CliError::Failed(message))
        }
    }
}

/// Shows the progress of a job of this kind, as its own command does.
fn shown(kind: JobKind, told: UnboundedReceiver<JobEvent>, style: Style) -> JoinHandle<()> {
    match kind {
        JobKind::Session | JobKind::Capacity => {
            tokio::spawn(progress::show(of_kind::<RunnerEvent>(told, |event| event.of_session().cloned()), style))
        }
        JobKind::Tune => tokio::spawn(tune::show(
            of_kind::<TuneEvent>(told, |event| match event {
                JobEvent::Tune(event) => Some(*event),
                _ => None,
            }),
            style,
        )),
        JobKind::Choose => tokio::spawn(choose::show(
            of_kind::<ChooseEvent>(told, |event| match event {
                JobEvent::Choose(event) => Some(*event),
                _ => None,
            }),
            style,
        )),
        JobKind::Torture => tokio::spawn(torture::show(of_kind::<SeriesEvent>(told, |event| match event {
            JobEvent::Torture(event) => Some(*event),
            _ => None,
        }))),
    }
}

/// The events of one kind among all.
fn of_kind<E: Send + 'static>(
    mut told: UnboundedReceiver<JobEvent>,
    kind: fn(JobEvent) -> Option<E>,
) -> UnboundedReceiver<E> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(event) = told.recv().await {
            // The receiver lasts as long as this task.
            kind(event).into_iter().for_each(|event| drop(sender.send(event)));
        }
    });
    receiver
}

fn told(job: &FoundJob, order: JobOrder) -> Result<ExitCode, CliError> {
    let id = &job.facts.id;
    let failed = |error| CliError::Failed(format!("job {id} cannot be reached: {error}"));
    let tell = match order {
        JobOrder::Stop => SessionRequest::Stop,
        JobOrder::Pause => SessionRequest::Pause,
        JobOrder::GoOn => SessionRequest::Resume,
        JobOrder::Skip => {
            let under_way = jobs::run_under_way(job).map_err(failed)?;
            SessionRequest::Skip(
                under_way.ok_or_else(|| CliError::Failed(format!("job {id} is between two runs: try again")))?,
            )
        }
    };
    if !job.is_alive() {
        return Err(CliError::Failed(format!("job {id} has already ended")));
    }
    jobs::ask(job, JobRequest::Tell(tell)).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the job with this name, or whose name begins with it.
fn named<'t>(name: &str, jobs: &'t [FoundJob]) -> Result<&'t FoundJob, CliError> {
    let mut begin = jobs.iter().filter(|job| job.facts.id.starts_with(name));
    match (begin.next(), begin.next()) {
        (Some(job), None) => Ok(job),
        (Some(_), Some(_)) => Err(CliError::Usage(format!("`{name}` matches several jobs (dbdyno attach --list)"))),
        (None, _) => {
            let known = match jobs.iter().map(|job| job.facts.id.as_str()).collect::<Vec<_>>().as_slice() {
                [] => "there are no jobs".to_owned(),
                names => format!("expected one of {}", names.join(", ")),
            };
            Err(CliError::Usage(format!("unknown job `{}`: {known}", plain(name))))
        }
    }
}

/// The one that is meant without a name: the only one that measures.
fn only<'t>(places: &Places, jobs: &'t [FoundJob]) -> Result<&'t FoundJob, CliError> {
    let alive: Vec<&FoundJob> = jobs.iter().filter(|job| job.is_alive()).collect();
    match alive.as_slice() {
        [job] => Ok(job),
        [] => {
            let last = last_session(places).unwrap_or_else(|| "start one with `dbdyno`".to_owned());
            Err(CliError::Failed(format!("no job is running; {last}")))
        }
        [first, ..] => {
            let lines: String = alive.iter().copied().map(line).collect();
            let id = &first.facts.id;
            Err(CliError::Usage(format!("several jobs are running: choose one, as in `dbdyno attach {id}`:\n{lines}")))
        }
    }
}

fn line(job: &FoundJob) -> String {
    let JobFacts { id, command, started, .. } = &job.facts;
    let state = job.state();
    format!("{id:<8} {state:<10}  {} UTC  {}\n", started.strftime("%H:%M"), plain(command))
}

/// How the last session ended, and what shows it.
fn last_session(places: &Places) -> Option<String> {
    let store = places.settled().ok().filter(|store| store.exists())?;
    let last = "SELECT session_id::VARCHAR, suite, status, strftime(started_at, '%Y-%m-%d %H:%M') FROM session
        ORDER BY started_at DESC NULLS LAST LIMIT 1";
    let found = store.query(last, &[]).ok()?;
    let [Some(id), Some(suite), Some(status), begun] = found.rows.get(0)?.first() else { return None };
    let begun = begun.map_or_else(String::new, |begun| format!(" of {begun} UTC"));
    let words = ["dbdyno", "results", &format!("session={id}")].map(str::to_owned);
    let command = shell(words.into_iter().chain(places.arguments()));
    Some(format!("the last session, {suite}{begun}, is {status}: `{command}` shows it"))
}
