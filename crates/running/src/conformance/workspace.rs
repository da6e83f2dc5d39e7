//! A worker on a job of a check, in a folder of its own that is removed with it.

use super::CheckedEngine;
use crate::runner::{RunFolder, Sent, Witness, WorkerEnd, WorkerProcess, confinement, differing};
use dbdyno_engine::{
    describe::Description,
    protocol::{CacheStart, Event, Job, PROTOCOL, SliceTerms, SuiteJob, TestDone},
    settings::Settings,
    size::Size,
};
use dbdyno_foundation::{
    base::{identifier::identifier, units},
    process::ProcessFamily,
};
use std::{
    collections::BTreeMap,
    fmt,
    future::pending,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::timeout;

/// How long a worker may be silent. The requested work takes only a moment.
const SILENCE: Duration = Duration::from_secs(20);
/// How long a job that ends may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The time after which a worker must end itself, in any state.
const DEADLINE: Duration = Duration::from_secs(300);
/// Time between two progress events.
pub(super) const PROGRESS: Duration = Duration::from_millis(100);
/// The seed of all randomness: the known answers are those for this seed.
pub(super) const SEED: u64 = 1;

/// An engine under check, and the folder in which its workers have their databases.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckWorkspace<'d> {
    pub(super) candidate: &'d CheckedEngine,
    work_dir: &'d Path,
}

/// The job of a worker.
#[derive(Debug, Clone)]
pub(super) struct Errand {
    pub(super) suite: SuiteJob,
    pub(super) size: Size,
    /// Settings other than those of the check.
    pub(super) settings: Option<Settings>,
    /// A protocol version other than the engine's.
    pub(super) protocol: Option<u32>,
    /// How its tests take turns with those of other workers.
    pub(super) slices: Option<SliceTerms>,
}

impl Errand {
    pub(super) fn new(suite: SuiteJob, size: Size) -> Self {
        Self { suite, size, settings: None, protocol: None, slices: None }
    }

    pub(super) fn with_settings(self, settings: Settings) -> Self {
        Self { settings: Some(settings), ..self }
    }

    pub(super) fn in_slices(self, terms: SliceTerms) -> Self {
        Self { slices: Some(terms), ..self }
    }
}

/// The reason why a worker did not do its job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The worker gave a reason, as an engine does that cannot do what it is asked for.
    Refused(String),
    /// The worker broke the protocol.
    Broke(String),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(message) => write!(f, "it refused: {message}"),
            Self::Broke(how) => f.write_str(how),
        }
    }
}

impl Stopped {
    /// Adds the last lines of the worker's stderr, unless the worker itself reported what went wrong.
    fn explained(self, ending: &WorkerEnd) -> Self {
        match self {
            Self::Broke(how) => Self::Broke(ending.explain(how)),
            refused @ Self::Refused(_) => refused,
        }
    }
}

impl From<String> for Stopped {
    fn from(how: String) -> Self {
        Self::Broke(how)
    }
}

impl<'d> CheckWorkspace<'d> {
    pub(super) fn new(candidate: &'d CheckedEngine, work_dir: &'d Path) -> Self {
        Self { candidate, work_dir }
    }

    pub(super) fn description(&self) -> &'d Description {
        &self.candidate.engine.description
    }

    /// Starts a worker. Its reports are trusted no more than in a session.
    pub(super) fn begin(&self, errand: Errand) -> Result<CheckedWorker, String> {
        let run_id = identifier();
        let folder = RunFolder::create(self.work_dir, &run_id, false)
            .map_err(|error| format!("cannot create a folder in {}: {error}", self.work_dir.display()))?;
        let job = Job {
            protocol: errand.protocol.unwrap_or_else(|| self.description().protocol.min(PROTOCOL)),
            run_id,
            engine: self.description().name.clone(),
            options: errand.settings.unwrap_or_else(|| self.candidate.settings.clone()),
            suite: errand.suite,
            size: errand.size,
            seed: SEED,
            folder: folder.databases(),
            cpu: None,
            cache: CacheStart::Warm,
            progress_ms: PROGRESS.as_millis() as u64,
            deadline_ms: Some(DEADLINE.as_millis() as u64),
            wait: true,
            keep_folder: false,
            explain: false,
            slices: errand.slices,
        };
        let worker = WorkerProcess::start(
            &self.candidate.engine.launch,
            &job,
            ProcessFamily::controlled(),
            confinement(&job, folder.path(), DEADLINE),
            SILENCE,
            self.work_dir,
        )?;
        let witness = Witness::new(worker.process(), &job);
        let description = self.description().clone();
        Ok(CheckedWorker { worker, job, witness, description, work_dir: self.work_dir.to_owned(), _folder: folder })
    }

    /// Has a worker open a database. Returns the reported version, and the options that the engine reads back itself.
    pub(super) async fn opened(&self, errand: Errand) -> Result<(String, BTreeMap<String, String>), Stopped> {
        let mut attempt = self.begin(errand)?;
        let event = attempt.next().await;
        let ended = attempt.end().await;
        match event.map_err(|stopped| stopped.explained(&ended.ending))? {
            Event::Opened { version, in_force, .. } => Ok((version, in_force)),
            other => Err(Stopped::Broke(format!("got `{}`, expected `opened`", other.word()))),
        }
    }

    /// Has a worker do a job, and returns the results of its tests.
    pub(super) async fn done(&self, errand: Errand) -> Result<Vec<TestDone>, Stopped> {
        self.begin(errand)?.finish().await
    }
}

/// A worker under way.
#[derive(Debug)]
pub(super) struct CheckedWorker {
    worker: WorkerProcess,
    job: Job,
    witness: Witness,
    description: Description,
    work_dir: PathBuf,
    /// Removed together with the attempt, once the worker is gone.
    _folder: RunFolder,
}

/// How a worker ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Whether the worker ended by itself.
    pub(super) by_itself: bool,
    /// The worker's ending, with its log.
    pub(super) ending: WorkerEnd,
    /// Whether the job's folder was still there.
    pub(super) left_folder: bool,
}

impl CheckedWorker {
    /// Returns the next event. An event that a session would not accept is an error. If the worker waits, it is told to continue.
    pub(super) async fn next(&mut self) -> Result<Event, Stopped> {
        let Sent { event, histogram } = self.worker.next().await?;
        match &event {
            Event::Opened { in_force, .. } => {
                let differing = differing(&self.description, &self.job.options, in_force);
                if !differing.is_empty() {
                    return Err(Stopped::Broke(format!("options in force differ: {}", differing.join("; "))));
                }
                self.go_on();
            }
            Event::TestDone(done) => {
                self.witness.check(done, histogram.as_deref())?;
                self.go_on();
            }
            Event::Failed { message, .. } => return Err(Stopped::Refused(message.clone())),
            _ => {}
        }
        Ok(event)
    }

    fn go_on(&mut self) {
        self.witness.begin();
        self.worker.go_on();
    }

    /// Lets a worker go on that waits for its turn.
    pub(super) fn resume(&mut self) {
        self.worker.go_on();
    }

    /// Waits until a measured test is under way.
    pub(super) async fn measuring(&mut self) -> Result<(), Stopped> {
        while !matches!(self.next().await?, Event::TestStarted { measured: true, .. }) {}
        Ok(())
    }

    /// Whether the worker has ended without being asked to.
    pub(super) fn is_gone(&self) -> bool {
        self.worker.process().is_none()
    }

    /// Whether the folder of the job is still there.
    pub(super) fn has_databases(&self) -> bool {
        self.job.folder.exists()
    }

    /// Asks the worker to stop, with a signal.
    pub(super) fn ask_to_stop(&self) {
        self.worker.ask_to_stop();
    }

    /// Ends the worker as in a crash.
    pub(super) fn kill(&self) {
        self.worker.kill();
    }

    /// Ends the worker by closing its stdin, and by force if that is not enough.
    pub(super) async fn end(self) -> Ended {
        let ending = self.worker.end(pending()).await;
        Ended { by_itself: ending.status.is_some(), left_folder: self.job.folder.exists(), ending }
    }

    async fn finish(mut self) -> Result<Vec<TestDone>, Stopped> {
        let late = || format!("it did not finish within {}", units::clock(PATIENCE));
        let heard = timeout(PATIENCE, self.results()).await.unwrap_or_else(|_| Err(late().into()));
        let ending = self.worker.end(pending()).await;
        match heard {
            Ok(results) => ending.check_done(&self.work_dir).map(|()| results).map_err(Stopped::from),
            Err(stopped) => Err(stopped.explained(&ending)),
        }
    }

    async fn results(&mut self) -> Result<Vec<TestDone>, Stopped> {
        let mut results = Vec::new();
        loop {
            match self.next().await? {
                Event::TestDone(done) => results.push(*done),
                Event::Done => return Ok(results),
                _ => {}
            }
        }
    }
}
