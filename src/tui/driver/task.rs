//! The job that the screens watch: a separate process, which continues when the screens are gone.

use crate::tui::{app::Message, setup::TuiSetup};
use dbdyno_running::{
    jobs::{self, FoundJob, JobEnd, JobRequest, StartedJob, jobs},
    runner::{QuietTurn, SessionRequest},
    watching::{JobEvent, watch},
};
use std::{
    io,
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::{JoinHandle, spawn_blocking},
    time::sleep,
};

/// How often to check whether a started job has announced itself.
const LOOK: Duration = Duration::from_millis(10);

/// A job that is watched, until this is dropped.
#[derive(Debug)]
pub(super) struct Task {
    job: Arc<OnceLock<FoundJob>>,
    tells: UnboundedSender<SessionRequest>,
    watching: JoinHandle<()>,
}

impl Drop for Task {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Task {
    /// Starts a command as a job, and watches it.
    pub(super) fn start(command: Vec<String>, setup: &TuiSetup, messages: UnboundedSender<Message>) -> Self {
        let work_dir = setup.work_dir.clone();
        Self::spawn(messages, async move |watched| {
            // The first word is the program itself.
            started(command.into_iter().skip(1), &work_dir, watched).await
        })
    }

    /// Watches the job of this name.
    pub(super) fn watch(id: String, messages: UnboundedSender<Message>) -> Self {
        Self::spawn(messages, async move |watched| {
            let found = spawn_blocking(jobs).await.map_err(|error| error.to_string())?;
            let job = found.into_iter().find(|job| job.facts.id == id);
            let job = job.ok_or_else(|| format!("job {id} is gone: `dbdyno attach --list` lists the existing jobs"))?;
            outcome(watched.until_its_end(job).await?, String::new)
        })
    }

    fn spawn<F>(messages: UnboundedSender<Message>, run: impl FnOnce(JobWatch) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send,
    {
        let (tells, told) = unbounded_channel();
        let job = Arc::new(OnceLock::new());
        let watched = JobWatch { job: Arc::clone(&job), told, messages: messages.clone() };
        let watching = tokio::spawn(async move {
            let outcome = run(watched).await;
            // The receiver is gone if the screens are gone.
            let _ = messages.send(Message::JobOver(outcome));
        });
        Self { job, tells, watching }
    }

    pub(super) fn tell(&self, tell: SessionRequest) {
        // A job that has ended takes no messages.
        let _ = self.tells.send(tell);
    }

    /// Returns a function that waits until nothing is measured. The next test begins when the turn is dropped. The function returns none
    /// before the job has announced itself.
    pub(super) fn turn(&self) -> impl FnOnce() -> Option<QuietTurn> + Send + 'static {
        let job = Arc::clone(&self.job);
        move || job.get()?.turn().ok()
    }
}

/// A watched job, for the code that waits for its end.
struct JobWatch {
    job: Arc<OnceLock<FoundJob>>,
    told: UnboundedReceiver<SessionRequest>,
    messages: UnboundedSender<Message>,
}

impl JobWatch {
    /// Passes the job's events to the screens, and control messages to the job, until the job ends.
    async fn until_its_end(mut self, job: FoundJob) -> Result<JobEnd, String> {
        let job = self.job.get_or_init(|| job);
        let _ = self.messages.send(Message::JobBegan { is_own: job.facts.detached, kind: job.facts.kind });
        let (events, mut passed_on) = unbounded_channel::<JobEvent>();
        let watching = watch(job, &events);
        tokio::pin!(watching);
        let ended = loop {
            tokio::select! {
                Some(event) = passed_on.recv() => drop(self.messages.send(Message::Job(Box::new(event)))),
                Some(tell) = self.told.recv() => drop(jobs::ask(job, JobRequest::Tell(tell))),
                ended = &mut watching => break ended,
            }
        };
        while let Ok(event) = passed_on.try_recv() {
            let _ = self.messages.send(Message::Job(Box::new(event)));
        }
        ended.map_err(|error| format!("the job's messages cannot be read: {error}"))
    }
}

/// Starts this program with these arguments, and watches it to its end.
async fn started(arguments: impl Iterator<Item = String>, work_dir: &Path, watched: JobWatch) -> Result<(), String> {
    let failed = |error: io::Error| format!("dbdyno cannot be started: {error}");
    let mut started = StartedJob::start(arguments, work_dir).map_err(failed)?;
    let job = loop {
        // This check comes first, because a job may announce itself and end before it is looked for.
        let has_ended = started.has_ended().map_err(failed)?;
        match started.found() {
            Some(job) => break job,
            None if has_ended => return Err(said(&started.last_words())),
            None => sleep(LOOK).await,
        }
    };
    let outcome = outcome(watched.until_its_end(job).await?, || started.last_words());
    // The system keeps an ended process until its parent has waited for it.
    spawn_blocking(move || started.wait());
    outcome
}

/// Returns success if a job did what it was started for, or the reason why not.
fn outcome(ended: JobEnd, last_words: impl FnOnce() -> String) -> Result<(), String> {
    match ended {
        JobEnd::InOrder => Ok(()),
        JobEnd::Failed(reason) => Err(reason),
        JobEnd::Killed => Err(killed(&last_words())),
    }
}

/// Returns the error of a command that ended before it became a job.
fn said(last_words: &str) -> String {
    let error = last_words.lines().find_map(|line| line.strip_prefix("error: "));
    match error.or_else(|| last_words.lines().last()) {
        Some(line) => line.to_owned(),
        None => "it ended without a message".to_owned(),
    }
}

fn killed(last_words: &str) -> String {
    let mut message = "it was killed or crashed; the results of finished tests are kept".to_owned();
    if let Some(line) = last_words.lines().last() {
        message.push_str(&format!(" ({line})"));
    }
    message
}
