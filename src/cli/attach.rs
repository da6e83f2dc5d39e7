//! `dbdyno attach`: back to screens that went on without their terminal, or to what another terminal measures.

use super::{
    args::{Places, ProgressArgs},
    error::CliError,
    output::print,
    progress::{self, Style},
    screens::{has_terminal, shown},
};
use crate::tui::attach::{Server, servers};
use clap::{Args, ValueEnum};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::command::shell;
use dbdyno_running::{
    jobs::{self, FoundJob, JobEnd, JobFacts, JobRequest, jobs},
    runner::Tell,
};
use std::process::ExitCode;
use tokio::sync::mpsc;

/// `dbdyno attach`.
#[derive(Debug, Args)]
pub(super) struct AttachArgs {
    /// Which one, where there are several: its name in --list, or the beginning of it.
    name: Option<String>,
    /// List those that there are, and jobs that have ended today.
    #[arg(long, conflicts_with_all = ["name", "tell"])]
    list: bool,
    /// Tell a job something in place of watching it.
    #[arg(long, value_name = "WHAT")]
    tell: Option<JobOrder>,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// What a job is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JobOrder {
    /// To end: the run under way is given up, and all that is finished kept.
    Stop,
    /// To begin no further run.
    Pause,
    /// To go on after a pause.
    GoOn,
    /// To give up the run under way.
    Skip,
}

/// What can be attached to.
enum Attachable<'t> {
    Screens(&'t Server),
    Job(&'t FoundJob),
}

pub(super) fn attach(places: &Places, args: &AttachArgs) -> Result<ExitCode, CliError> {
    let (servers, jobs) = (servers(), jobs());
    if args.list {
        return print(&servers.iter().map(line).chain(jobs.iter().map(job_line)).collect::<String>());
    }
    let alive: Vec<&FoundJob> = jobs.iter().filter(|job| job.is_alive()).collect();
    let there = match &args.name {
        Some(name) => named(name, &servers, &jobs)?,
        // Screens come first: whoever left them wants them back, whatever another shell measures.
        None => match (only(&servers), alive.as_slice()) {
            (Some(server), _) if args.tell.is_none() => Attachable::Screens(server),
            (_, [job]) if servers.is_empty() || args.tell.is_some() => Attachable::Job(job),
            _ => return Err(none_or_several(places, &servers, &alive)),
        },
    };
    match (there, args.tell) {
        (Attachable::Job(job), Some(order)) => told(job, order),
        (Attachable::Job(job), None) => watched(job, args.progress.style()),
        (Attachable::Screens(server), None) if has_terminal() => {
            shown(server.connect().map_err(|error| CliError::Failed(format!("dbdyno {}: {error}", server.name)))?)
        }
        (Attachable::Screens(_), None) => {
            Err(CliError::Usage("screens need a terminal: `dbdyno attach --list` lists them".to_owned()))
        }
        (Attachable::Screens(server), Some(_)) => {
            let name = &server.name;
            Err(CliError::Usage(format!("--tell: {name} has screens: `dbdyno attach {name}`, then their keys")))
        }
    }
}

/// Shows what a job does from its beginning, until it ends. Ctrl-C leaves it alone.
fn watched(job: &FoundJob, style: Style) -> Result<ExitCode, CliError> {
    let id = &job.facts.id;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    let ended = runtime.block_on(async {
        let (events, received) = mpsc::unbounded_channel();
        let showing = tokio::spawn(progress::show(received, style));
        let ended = jobs::watch(job, &events).await;
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
        JobEnd::Killed => {
            let message = format!("job {id} was killed or crashed; every test that had finished is kept");
            Err(CliError::Failed(message))
        }
    }
}

fn told(job: &FoundJob, order: JobOrder) -> Result<ExitCode, CliError> {
    let id = &job.facts.id;
    let failed = |error| CliError::Failed(format!("job {id} cannot be told anything: {error}"));
    let tell = match order {
        JobOrder::Stop => Tell::Stop,
        JobOrder::Pause => Tell::Pause,
        JobOrder::GoOn => Tell::Resume,
        JobOrder::Skip => {
            let under_way = jobs::run_under_way(job).map_err(failed)?;
            Tell::Skip(under_way.ok_or_else(|| CliError::Failed(format!("job {id} is between two runs: try again")))?)
        }
    };
    if !job.is_alive() {
        return Err(CliError::Failed(format!("job {id} has ended: there is nobody to tell")));
    }
    jobs::ask(job, JobRequest::Tell(tell)).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// The one of a name, or of which this is the beginning.
fn named<'t>(name: &str, servers: &'t [Server], jobs: &'t [FoundJob]) -> Result<Attachable<'t>, CliError> {
    if let Some(server) = servers.iter().find(|server| server.name == name) {
        return Ok(Attachable::Screens(server));
    }
    let mut begin = jobs.iter().filter(|job| job.facts.id.starts_with(name));
    match (begin.next(), begin.next()) {
        (Some(job), None) => Ok(Attachable::Job(job)),
        (Some(_), Some(_)) => Err(CliError::Usage(format!("`{name}` is the beginning of several jobs' names"))),
        (None, _) => Err(unknown(name, servers, jobs)),
    }
}

/// The one that is meant without a name: the only one, or the only one without a terminal.
fn only(servers: &[Server]) -> Option<&Server> {
    if let [server] = servers {
        return Some(server);
    }
    let mut alone = servers.iter().filter(|server| !server.description.attached);
    alone.next().filter(|_| alone.next().is_none())
}

fn line(server: &Server) -> String {
    let attached = if server.description.attached { "in a terminal" } else { "without a terminal" };
    let under_way = server.description.under_way.as_deref().unwrap_or("nothing is measured");
    format!("{:<8} {attached:<18}  {}\n", server.name, plain(under_way))
}

fn job_line(job: &FoundJob) -> String {
    let JobFacts { id, command, started, .. } = &job.facts;
    let state = match job.ended() {
        None => "measures",
        Some(JobEnd::InOrder) => "has ended",
        Some(JobEnd::Killed) => "was killed",
    };
    format!("{id:<8} {state:<18}  {} UTC  {}\n", started.strftime("%H:%M"), plain(command))
}

fn unknown(name: &str, servers: &[Server], jobs: &[FoundJob]) -> CliError {
    let names = servers.iter().map(|server| server.name.as_str()).chain(jobs.iter().map(|job| job.facts.id.as_str()));
    let known = match names.collect::<Vec<_>>().as_slice() {
        [] => "there is none at all".to_owned(),
        names => format!("expected one of {}", names.join(", ")),
    };
    CliError::Usage(format!("`{}` is no dbdyno with screens, and no job: {known}", plain(name)))
}

fn none_or_several(places: &Places, servers: &[Server], jobs: &[&FoundJob]) -> CliError {
    let names = servers.iter().map(|server| server.name.as_str()).chain(jobs.iter().map(|job| job.facts.id.as_str()));
    let Some(first) = names.into_iter().next() else {
        let last = last_session(places).unwrap_or_else(|| "`dbdyno` starts one".to_owned());
        return CliError::Failed(format!("no dbdyno with screens is there to return to; {last}"));
    };
    let lines: String = servers.iter().map(line).chain(jobs.iter().copied().map(job_line)).collect();
    CliError::Usage(format!("there are several, say which, as in `dbdyno attach {first}`:\n{lines}"))
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
