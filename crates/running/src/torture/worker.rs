//! Workers that commit and are killed, and workers that open the remaining databases.

use super::{
    TortureError,
    folder::TortureFolder,
    mounted::{MountServer, Mounted},
    subject::TortureSubject,
};
use crate::runner::confinement;
use dbdyno_engine::protocol::Event;
use dbdyno_foundation::process::{ProcessFamily, in_words};
use dbdyno_workload::power::PowerLog;
use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// How long a committing worker may take.
const DEADLINE: Duration = Duration::from_secs(60);
/// How much longer than its deadline a worker may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// How much of the end of a worker's stderr is reported, bytes.
const LOG_BYTES: usize = 400;

/// A worker under way. It ends with this value at the latest, together with everything that it started.
#[derive(Debug)]
struct TortureWorker {
    child: Child,
    family: ProcessFamily,
    _stdin: Option<ChildStdin>,
    said: Receiver<Event>,
    /// The folder of its database. A lack of free space there may explain why it ended.
    folder: PathBuf,
    /// How long it may be silent.
    silence: Duration,
    log: Option<thread::JoinHandle<String>>,
}

impl TortureWorker {
    fn start(
        subject: &TortureSubject,
        torture_folder: &TortureFolder,
        command: (&str, Duration),
        environment: &[(&str, &str)],
    ) -> Result<Self, String> {
        Self::staged(subject, torture_folder, command, environment, None).map(|(worker, _)| worker)
    }

    /// Starts it, on a mount if there is one. The returned server serves the mount. Drop it before you wait for the worker.
    fn staged(
        subject: &TortureSubject,
        torture_folder: &TortureFolder,
        (command, deadline): (&str, Duration),
        environment: &[(&str, &str)],
        mounted: Option<Mounted>,
    ) -> Result<(Self, Option<MountServer>), String> {
        let engine = &subject.engine;
        let failed = |error: &dyn std::fmt::Display| format!("the worker of `{engine}` cannot be started: {error}");
        let job = subject.job(torture_folder.databases(), deadline);
        let mut program = subject.launch().command(engine)?;
        program.arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        program.envs(environment.iter().copied());
        if let Some(mounted) = &mounted {
            mounted.stage(&mut program).map_err(|error| failed(&error))?;
        }
        let mut family = ProcessFamily::controlled();
        let confinement = confinement(&job, torture_folder.path(), deadline);
        let birth = family.begin(&mut program, confinement).map_err(|error| failed(&error))?;
        let mut child = program.spawn().map_err(|error| failed(&error))?;
        family.take_in(birth, child.id());
        // The server of a mount passes on what the worker writes there.
        let (stdout, server) = match (mounted.map(Mounted::into_parts), child.stdout.take()) {
            (Some((said, server)), _) => (Some(said), Some(server)),
            (None, stdout) => (stdout.map(BufReader::new), None),
        };
        let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), stdout, child.stderr.take()) else {
            return Err(failed(&"its pipes are missing"));
        };
        let (send, said) = channel();
        thread::spawn(move || {
            // A line that a kill cut off is ignored.
            let lines = stdout.lines().map_while(Result::ok);
            let events = lines.filter_map(|line| serde_json::from_str(&line).ok());
            // The receiver is gone once the worker was killed.
            events.map(|event: Event| send.send(event).is_ok()).find(|heard| !heard)
        });
        let log = thread::spawn(move || {
            let mut text = Vec::new();
            // Unreadable output is not reported.
            let _ = BufReader::new(stderr).read_to_end(&mut text);
            String::from_utf8_lossy(&text[text.len().saturating_sub(LOG_BYTES)..]).trim().to_owned()
        });
        let job = serde_json::to_string(&job).map_err(|error| failed(&error))?;
        // A worker that does not read its job reports why, or ends.
        let _ = writeln!(stdin, "{job}");
        let (folder, silence) = (torture_folder.path().to_owned(), deadline + SILENCE);
        let worker = Self { child, family, _stdin: Some(stdin), said, folder, silence, log: Some(log) };
        Ok((worker, server))
    }

    /// Returns the next event; none after the last.
    fn next(&self) -> Result<Option<Event>, String> {
        match self.said.recv_timeout(self.silence) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(format!("it sent nothing for {:?}", self.silence)),
        }
    }

    /// Describes how it ended, with the end of its stderr.
    fn ending(&mut self) -> String {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| in_words(status, &self.folder));
        let log = self.log.take().and_then(|log| log.join().ok()).unwrap_or_default();
        if log.is_empty() { status } else { format!("{status}: {log}") }
    }
}

impl Drop for TortureWorker {
    fn drop(&mut self) {
        self.family.kill(Some(self.child.id()));
        // It was killed, or had already ended.
        let _ = self.child.wait();
    }
}

/// The environment variable with the number of committing threads.
const THREADS: &str = "DBDYNO_COMMIT_THREADS";

/// The reason why a worker that was to be killed ended by itself.
#[derive(Debug)]
pub(super) struct Unkilled {
    /// Whether it had already committed.
    pub(super) has_committed: bool,
    message: String,
}

impl Unkilled {
    pub(super) fn into_error(self) -> TortureError {
        TortureError::Worker(self.message)
    }
}

/// Has a worker commit on a fresh database, and kills it some time after its first commits. Returns how many commits each thread had
/// acknowledged.
pub(super) fn commit_until_killed(
    subject: &TortureSubject,
    torture_folder: &TortureFolder,
    threads: u32,
    after: Duration,
) -> Result<Vec<u64>, Unkilled> {
    let mut until: Option<Instant> = None;
    let unkilled = |until: Option<Instant>, message| Unkilled { has_committed: until.is_some(), message };
    let mut worker =
        TortureWorker::start(subject, torture_folder, ("commits", DEADLINE), &[(THREADS, &threads.to_string())])
            .map_err(|message| unkilled(until, message))?;
    let mut acknowledged = vec![0; threads as usize];
    let mut note = |event: &Event| {
        let Event::Committed { commits, thread } = event else { return false };
        acknowledged.get_mut(*thread as usize).into_iter().for_each(|acknowledged| *acknowledged = *commits);
        true
    };
    loop {
        let wait = until.map_or(worker.silence, |until| until.saturating_duration_since(Instant::now()));
        match worker.said.recv_timeout(wait) {
            Ok(Event::Failed { message, .. }) => return Err(unkilled(until, message)),
            Ok(event) if note(&event) => until = until.or_else(|| Some(Instant::now() + after)),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if until.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {
                return Err(unkilled(until, format!("it committed nothing for {:?}", worker.silence)));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(unkilled(until, worker.ending())),
        }
    }
    worker.family.kill(Some(worker.child.id()));
    // Earlier events are still in the pipe.
    while let Ok(event) = worker.said.recv() {
        note(&event);
    }
    Ok(acknowledged)
}

/// The environment variables that tell a worker to record, and how many commits.
const RECORD_TO: &str = "DBDYNO_POWER_LOG";
const RECORD_COMMITS: &str = "DBDYNO_POWER_COMMITS";

/// Has a worker make this many commits on a fresh database, with its calls recorded. None if its program records nothing, which shows when
/// it continues beyond that number.
pub(super) fn record(
    subject: &TortureSubject,
    torture_folder: &TortureFolder,
    most: u32,
) -> Result<Option<PowerLog>, String> {
    let (log, commits) = (torture_folder.log(), most.to_string());
    let recording = [(RECORD_TO, &*log.to_string_lossy()), (RECORD_COMMITS, &commits)];
    let mut worker = TortureWorker::start(subject, torture_folder, ("commits", DEADLINE), &recording)?;
    while let Some(event) = worker.next()? {
        match event {
            Event::Failed { message, .. } => return Err(message),
            Event::Committed { commits, .. } if commits > u64::from(most) => return Ok(None),
            _ => {}
        }
    }
    let ending = worker.ending();
    PowerLog::read(&log).map(Some).map_err(|error| format!("{ending}; cannot read its record: {error}"))
}

/// Has a worker make this many commits on a fresh database on a mount, whose server records the writes that reach it.
pub(super) fn record_mounted(
    subject: &TortureSubject,
    torture_folder: &TortureFolder,
    mounted: Mounted,
    most: u32,
) -> Result<(), String> {
    let (mut worker, server) =
        TortureWorker::staged(subject, torture_folder, ("commits", DEADLINE), &[], Some(mounted))?;
    let recorded = loop {
        match worker.next() {
            Ok(Some(Event::Committed { commits, .. })) if commits >= u64::from(most) => break Ok(true),
            Ok(Some(Event::Failed { message, .. })) => break Err(message),
            Ok(Some(_)) => {}
            Ok(None) => break Ok(false),
            Err(silence) => break Err(silence),
        }
    };
    // A worker that waits for the server could not be killed.
    drop(server);
    if recorded? {
        return Ok(());
    }
    worker.family.kill(Some(worker.child.id()));
    Err(worker.ending())
}

/// Opens a database again. Returns how many commits of each thread are there, or what is wrong with it. The outer error means that no
/// worker could be started.
pub(super) fn recover(
    subject: &TortureSubject,
    torture_folder: &TortureFolder,
    threads: u32,
) -> Result<Result<Vec<u64>, String>, String> {
    let mut worker = TortureWorker::start(
        subject,
        torture_folder,
        ("recover", torture_folder.patience()),
        &[(THREADS, &threads.to_string())],
    )?;
    let mut found = Vec::new();
    loop {
        match worker.next() {
            Ok(Some(Event::Recovered { commits, .. })) => found.push(commits),
            Ok(Some(Event::Failed { message, .. })) => return Ok(Err(torture_folder.unnamed(&message))),
            Ok(Some(_)) => {}
            Ok(None) if found.len() == threads as usize => return Ok(Ok(found)),
            Ok(None) => return Ok(Err(torture_folder.unnamed(&worker.ending()))),
            Err(silence) => return Ok(Err(silence)),
        }
    }
}

/// Does the same for a database in which one thread committed.
pub(super) fn recovered(
    subject: &TortureSubject,
    torture_folder: &TortureFolder,
) -> Result<Result<u64, String>, String> {
    Ok(recover(subject, torture_folder, 1)?.map(|found| found.into_iter().sum()))
}
