//! The worker's side of the protocol, which an engine program calls from `main`.

mod shutdown;
mod worker;

pub use worker::Worker;

use crate::{
    EngineError,
    clock::SystemClock,
    describe::{Description, Library, Probed},
    error::caught,
    limits,
    protocol::{Event, Job, LONGEST_LINE, OLDEST_PROTOCOL, PROTOCOL, RunFailure, SuiteJob},
    say,
    settings::Settings,
    suite::{KvSuite, SqlSuite, SuiteKind},
};
use std::{
    fs::{self, File},
    io::{self, BufRead, Read, Write},
    path::Path,
    process::ExitCode,
};

/// An engine as a program: its description and the workloads it was compiled for.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Returns the description that the command `describe` prints. Also called for every run.
    pub describe: fn() -> Description,
    /// The key-value workload, if the engine can run it.
    pub kv: Option<KvProgram>,
    /// The SQL workload, if the engine can run it.
    pub sql: Option<SqlProgram>,
    /// Identifies the files that the settings name, for engines with options of type `path`.
    pub probe: Option<Probe>,
}

/// Identifies the files that settings name. The error names the fault of a file.
pub type Probe = fn(&Settings) -> Result<Probed, EngineError>;

/// The key-value workload, compiled for one engine by crate `dbdyno-workload`. An engine that interprets suites itself supplies its own
/// functions.
#[derive(Debug, Clone, Copy)]
pub struct KvProgram {
    /// Runs every test of a suite on fresh databases in the job's folder.
    pub run: fn(&Worker, &Job, &KvSuite, &Library) -> Result<(), RunFailure>,
    /// Kill test: commits again and again until the process is killed, and reports each commit.
    pub commit_forever: fn(&Worker, &Job, &KvSuite) -> Result<(), RunFailure>,
    /// Kill test: reopens the database, has it checked, and counts the commits that are complete and without a gap.
    pub recover: fn(&Worker, &Job, &KvSuite) -> Result<(), RunFailure>,
}

/// The SQL workload, compiled for one engine by crate `dbdyno-workload`.
#[derive(Debug, Clone, Copy)]
pub struct SqlProgram {
    /// Runs every test of a suite on one fresh database in the job's folder, or on a copy of the database that the suite starts from.
    pub run: fn(&Worker, &Job, &SqlSuite, &Library) -> Result<(), RunFailure>,
}

/// A command to an engine program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerCommand {
    /// Print the description.
    Describe,
    /// Run the job on stdin.
    Run,
    /// Identify the files that the options on stdin name.
    Probe,
    /// Kill test: commit and acknowledge until killed.
    Commits,
    /// Kill test: reopen the database and count the commits.
    Recover,
}

impl std::str::FromStr for WorkerCommand {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "describe" => Ok(Self::Describe),
            "run" => Ok(Self::Run),
            "probe" => Ok(Self::Probe),
            "commits" => Ok(Self::Commits),
            "recover" => Ok(Self::Recover),
            other => Err(format!("command `{other}`: expected describe, run, probe, commits or recover")),
        }
    }
}

/// Runs as the `main` of a stand-alone engine program: reads the command from the arguments, and serves it.
pub fn main(program: &Program) -> ExitCode {
    let word = std::env::args().nth(1).unwrap_or_default();
    match word.parse() {
        Ok(command) => serve(program, command),
        Err(message) => {
            say!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Serves one command. Exit code 0: done; 1: the run failed and reported this in an event; 2: no job could be read.
pub fn serve(program: &Program, command: WorkerCommand) -> ExitCode {
    if command == WorkerCommand::Describe {
        let described = serde_json::to_string(&(program.describe)()).map_err(|error| error.to_string());
        let told = described.and_then(|json| writeln!(io::stdout(), "{json}").map_err(|error| error.to_string()));
        return told.map_or_else(|error| refuse(&error), |()| ExitCode::SUCCESS);
    }
    if command == WorkerCommand::Probe {
        return probe(program);
    }
    SystemClock::begin();
    // Engine libraries print to stdout. So the protocol moves to a private copy of stdout, and fd 1 becomes the log.
    let output = match private_stdout() {
        Ok(output) => output,
        Err(error) => return refuse(&format!("taking stdout for the protocol: {error}")),
    };
    let job = match read_job() {
        Ok(job) => job,
        Err(message) => return refuse(&message),
    };
    let fresh = check_fresh(&job.folder);
    let worker = Worker::start(output, &job, fresh.is_ok());
    // The kill test continues in the folder of an earlier worker.
    let allowed = if command == WorkerCommand::Run { fresh } else { Ok(()) };
    let done = || caught(|| run(program, command, &worker, &job)).unwrap_or_else(|error| Err(error.into()));
    let code = match allowed.map_err(RunFailure::from).and_then(|()| done()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(RunFailure { test, error }) => {
            let message = match limits::met(&job.folder) {
                Some(limit) => format!("{} ({limit})", error.message),
                None => error.message,
            };
            worker.fail(&Event::Failed { test, message, database_usable: error.database_usable });
            ExitCode::FAILURE
        }
    };
    worker.finish();
    code
}

/// Serves `probe` in a process of its own and prints one line, because loading a library runs its code, which may print or crash.
fn probe(program: &Program) -> ExitCode {
    let Some(probe) = program.probe else {
        return refuse("this engine has no options that name files");
    };
    let answer = || -> Result<(File, String), String> {
        let output = private_stdout().map_err(|error| format!("taking stdout for the protocol: {error}"))?;
        let settings = serde_json::from_reader(io::stdin().lock().take(LONGEST_LINE as u64));
        let settings = settings.map_err(|error| format!("the options on stdin: {error}"))?;
        let probed = probe(&settings).map_err(|error| error.message)?;
        Ok((output, serde_json::to_string(&probed).map_err(|error| error.to_string())?))
    };
    match answer().and_then(|(mut output, json)| writeln!(output, "{json}").map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => refuse(&message),
    }
}

/// Checks that a run has its folder to itself: the folder does not exist yet, or is empty.
fn check_fresh(folder: &Path) -> Result<(), EngineError> {
    let is_folder = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(EngineError::doing(&format!("checking {}", folder.display())))?.is_dir(),
    };
    if is_folder && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) {
        return Ok(());
    }
    let message = "already exists: expected an empty or missing folder for this run alone; nothing was changed";
    Err(EngineError::new(format!("{} {message}", folder.display())))
}

fn refuse(message: &str) -> ExitCode {
    say!("error: {message}");
    ExitCode::from(2)
}

fn run(program: &Program, command: WorkerCommand, worker: &Worker, job: &Job) -> Result<(), RunFailure> {
    let description = (program.describe)();
    if job.engine != description.name {
        let message = format!("the job is for engine `{}`; this is `{}`", job.engine, description.name);
        return Err(EngineError::new(message).into());
    }
    // A job with unsuitable options is refused: running anything else in its place would give a wrong figure.
    Settings::asked(&description, &job.options.to_map()).map_err(|error| EngineError::new(error.to_string()))?;
    if let Some(conflict) = description.conflict(&job.options) {
        return Err(EngineError::new(conflict).into());
    }
    if let Some(cpu) = job.cpu {
        pin(cpu).map_err(|error| EngineError::new(format!("pinning to CPU {cpu}: {error}")))?;
    }
    let cannot = |kind: SuiteKind| {
        let message = format!("engine `{}` cannot run suites of kind {}", description.name, kind.word());
        RunFailure::from(EngineError::new(message))
    };
    match &job.suite {
        SuiteJob::Kv(suite) => {
            let kv = program.kv.ok_or_else(|| cannot(SuiteKind::Kv))?;
            match command {
                WorkerCommand::Commits => (kv.commit_forever)(worker, job, suite),
                WorkerCommand::Recover => (kv.recover)(worker, job, suite),
                WorkerCommand::Run | WorkerCommand::Describe | WorkerCommand::Probe => {
                    // The main program does not send such a job. Running it in another way would give a wrong figure.
                    if let Some(reason) = description.unfit(suite) {
                        let message = format!("engine `{}`: {reason}", description.name);
                        return Err(EngineError::new(message).into());
                    }
                    (kv.run)(worker, job, suite, &description.library())
                }
            }
        }
        SuiteJob::Sql(suite) => {
            let sql = program.sql.ok_or_else(|| cannot(SuiteKind::Sql))?;
            match command {
                WorkerCommand::Run | WorkerCommand::Describe | WorkerCommand::Probe => {
                    (sql.run)(worker, job, suite, &description.library())
                }
                WorkerCommand::Commits | WorkerCommand::Recover => {
                    Err(EngineError::new("the kill test takes a job of kind kv").into())
                }
            }
        }
    }
}

/// Pins the calling thread, and the threads it starts from now on.
fn pin(cpu: u32) -> io::Result<()> {
    let cpu = cpu as usize;
    if cpu >= rustix::thread::CpuSet::MAX_CPU {
        return Err(io::Error::other("there is no such CPU"));
    }
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

fn private_stdout() -> io::Result<File> {
    let private = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(File::from(private))
}

fn read_job() -> Result<Job, String> {
    #[derive(serde::Deserialize)]
    struct Version {
        protocol: u32,
    }
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(LONGEST_LINE as u64)
        .read_line(&mut line)
        .map_err(|error| format!("reading the job from stdin: {error}"))?;
    let version: Version = serde_json::from_str(&line).map_err(|error| format!("the job on stdin: {error}"))?;
    if !(OLDEST_PROTOCOL..=PROTOCOL).contains(&version.protocol) {
        let spoken = format!("this worker speaks {OLDEST_PROTOCOL} to {PROTOCOL}");
        return Err(format!("the job speaks protocol {}, {spoken}", version.protocol));
    }
    serde_json::from_str(&line).map_err(|error| format!("the job on stdin: {error}"))
}
