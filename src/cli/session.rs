//! A session as a command runs it: its progress, the signals that end it in order, and its table.

use super::{
    args::Places,
    error::{CliError, INTERRUPTED},
    output::{colour, command_line, print, print_coloured, table_style},
    progress::{self, Style},
};
use dbdyno_comparing::compare::ComparedGroups;
use dbdyno_engine::say;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::{
    command::shell,
    comparison::{grown_text, several::answers, verdicts as verdicts_text},
    session_table::SessionTable,
    soak::soaks_text,
    text,
};
use dbdyno_running::{
    jobs::{Announced, AnnouncedJob, JobKind, Telling},
    runner::{Control, RunnerEvent, SessionError, SessionHandle, SessionReport},
    session::{SessionComparisons, verdicts},
    soak::Soak,
};
use dbdyno_store::{Status, Store};
use std::{fmt, process::ExitCode, sync::Arc};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
};

/// Runs a session with progress on stderr, or events on stdout, and has signals end it in order.
pub(super) fn watched(
    places: &Places,
    style: Style,
    run: impl AsyncFnOnce(UnboundedSender<RunnerEvent>, Control) -> Result<SessionReport, SessionError>,
) -> Result<SessionReport, CliError> {
    Ok(shown(places, move |events| progress::show(events, style), run)??)
}

/// Runs something that sends events, shows them with `show`, and lets signals end it in order. Other terminals can watch it as a job.
pub(super) fn shown<E: Telling + Send + 'static, T, X: fmt::Display, S: Future<Output = ()> + Send + 'static>(
    places: &Places,
    show: impl FnOnce(UnboundedReceiver<E>) -> S,
    run: impl AsyncFnOnce(UnboundedSender<E>, Control) -> Result<T, X>,
) -> Result<Result<T, X>, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("starting the runtime: {error}")))?;
    let outcome = runtime.block_on(async {
        let (events, mut told) = mpsc::unbounded_channel();
        let (to_show, received) = mpsc::unbounded_channel();
        let (handle, control) = SessionHandle::new();
        let handle = Arc::new(handle);
        let job = announced(E::KIND, places, &handle);
        let watching = tokio::spawn(StopSignals::watch()?.end(handle));
        let telling = tokio::spawn(async move {
            while let Some(event) = told.recv().await {
                job.iter().for_each(|job| job.tell(&event));
                // If the terminal is gone, the receiver is gone too; the session continues.
                let _ = to_show.send(event);
            }
            job
        });
        let showing = tokio::spawn(show(received));
        let outcome = run(events, control).await;
        watching.abort();
        let job = telling.await.ok().flatten();
        // The sender is gone with the task that owned it, so this ends once everything is shown.
        let _ = showing.await;
        job.into_iter().for_each(|job| job.end(outcome.as_ref().err().map(X::to_string)));
        Ok(outcome)
    });
    // A thread may still wait for another session's turn after a stop request for this one.
    runtime.shutdown_background();
    outcome
}

/// Registers a run as a job. A job that cannot be watched runs anyway.
fn announced(kind: JobKind, places: &Places, handle: &Arc<SessionHandle>) -> Option<AnnouncedJob> {
    let (detached, command) = (places.detached(), command_line());
    let announced = Announced { kind, detached, command: &command, places: &places.absolute_arguments() };
    let job = AnnouncedJob::announce(&announced, Arc::clone(handle));
    job.inspect_err(|error| say!("note: other terminals cannot watch this: {error}")).ok()
}

/// Signals that end a session in order: the first asks it to stop, from the second on its worker is not waited for.
pub(super) struct StopSignals([Signal; 3]);

impl StopSignals {
    /// Watches for them from now on.
    pub(super) fn watch() -> Result<Self, CliError> {
        let failed = |error| CliError::Failed(format!("watching for signals: {error}"));
        let watch = |kind| signal(kind).map_err(failed);
        Ok(Self([watch(SignalKind::interrupt())?, watch(SignalKind::terminate())?, watch(SignalKind::hangup())?]))
    }

    /// Passes them on to a session, for as long as it runs.
    async fn end(mut self, handle: Arc<SessionHandle>) {
        self.next().await;
        handle.stop();
        loop {
            self.next().await;
            handle.hurry();
        }
    }

    /// Returns the next one.
    pub(super) async fn next(&mut self) -> libc::c_int {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => libc::SIGINT,
            _ = terminate.recv() => libc::SIGTERM,
            _ = hangup.recv() => libc::SIGHUP,
        }
    }
}

/// The session's table as text.
pub(super) fn session_text(table: &SessionTable) -> String {
    text::session_table(table, colour())
}

/// Most configurations of a group whose verdicts are shown without being asked for.
const MOST_SHOWN: usize = 8;

/// Lines of a report after which its answer is repeated at the end.
const SCREENFUL: usize = 24;

/// Most lines of how figures grow that are shown without being asked for.
const MOST_CURVES: usize = 24;

/// Compares a session's configurations with the reference of their group. If there are very many, only the answer is shown.
fn told(verdicts: &SessionComparisons, command: &str) -> String {
    let SessionComparisons { compared, alone, grown } = verdicts;
    let mut text = String::new();
    if compared.groups().all(|(sides, _)| sides.len() <= MOST_SHOWN) && !compared.sides.is_empty() {
        text = verdicts_text(compared, table_style());
    } else if !compared.sides.is_empty() {
        text = format!("{}{command} shows them test by test\n", answer(compared));
    }
    let alone = alone.iter().map(|line| plain(line) + "\n");
    text.extend(alone);
    match grown {
        Some(grown) if grown.curves.len() <= MOST_CURVES => text.push_str(&format!("\n{}", grown_text(grown))),
        Some(_) => text.push_str(&format!("{command} shows how figures grow\n")),
        None => {}
    }
    text
}

/// What the verdicts say, in lines.
fn answer(compared: &ComparedGroups) -> String {
    answers(compared).iter().map(|line| plain(line) + "\n").collect()
}

/// Prints the table with `shown`, and chooses the exit code. The suggested command uses `places` to find this store.
pub(super) fn conclude(
    report: &SessionReport,
    (store, places): (&Store, &Places),
    style: Style,
    shown: fn(&SessionTable) -> String,
) -> Result<ExitCode, CliError> {
    if places.detached() {
        return Ok(code(report));
    }
    let table = SessionTable::new(
        &report.session,
        &report.runs,
        &report.results,
        &report.actors,
        &report.harness,
        &report.warnings,
    );
    let together = store.read_together();
    let soaks: Vec<Soak> = store.followed_in_session(&report.session.session_id)?.iter().map(Soak::new).collect();
    let id = &report.session.session_id;
    let selection = format!("session={id}");
    let arguments = places.arguments();
    let words = ["dbdyno", "compare", "--reference", &selection].into_iter();
    let command = shell(words.chain(arguments.iter().map(String::as_str)));
    let verdicts = verdicts(id, &command, store)?;
    drop(together);
    if style == Style::Json {
        let SessionComparisons { compared, alone, grown } = &verdicts;
        if !compared.sides.is_empty() || grown.is_some() {
            let line = serde_json::json!({
                "event": "verdicts", "session_id": id, "answer": answers(compared), "comparisons": compared.sides,
                "alone": alone, "growth": grown,
            });
            print(&format!("{line}\n"))?;
        }
        let line = serde_json::json!({ "event": "table", "session_id": id, "table": table, "followed": soaks });
        print(&format!("{line}\n"))?;
    } else {
        let mut text = told(&verdicts, &command);
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&shown(&table));
        if !soaks.is_empty() {
            text.push_str(&format!("\n{}", soaks_text(&soaks)));
        }
        // The beginning has left most terminals by then.
        if text.lines().count() > SCREENFUL && !verdicts.compared.sides.is_empty() {
            text.push_str(&format!("\n{}", answer(&verdicts.compared)));
        }
        print_coloured(&text)?;
    }
    if let Some(reason) = &report.unmerged {
        let journal = store.journal_folder();
        say!("warning: {reason}");
        say!("warning: results are kept in {}; the next command adds them to the store", journal.display());
    }
    if let Some(reason) = &report.unkept {
        return Err(CliError::Failed(format!("some results could not be saved: {reason}")));
    }
    Ok(code(report))
}

fn code(report: &SessionReport) -> ExitCode {
    match report.session.status {
        Status::Done | Status::Running => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Cancelled | Status::Interrupted | Status::Superseded => ExitCode::from(INTERRUPTED),
    }
}
