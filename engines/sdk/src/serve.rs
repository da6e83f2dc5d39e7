//! The worker's side of the protocol: what an engine program calls from `main`.

use crate::{
    EngineError,
    describe::{Description, Library},
    histogram::{Counts, Seen, to_base64},
    kv::KvEngine,
    limits,
    protocol::{Event, Job, LEAST_PROGRESS_MS, LONGEST_LINE, PROTOCOL, RunFailure, SuiteJob},
    resources::thread_cpu_ns,
    say,
    settings::Settings,
    sql::SqlEngine,
    suite::{KvSuite, SqlSuite, SuiteKind},
    workload,
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};
use std::{
    fs::{self, File},
    io::{self, BufRead, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// An engine as a program: its description and the workloads it was compiled for.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The engine's description.
    pub describe: fn() -> Description,
    /// The key-value workload, where the engine can run it.
    pub kv: Option<KvProgram>,
    /// The SQL workload, where the engine can run it.
    pub sql: Option<SqlProgram>,
    /// What the files are that the settings name, for engines with options of type `path`.
    pub probe: Option<Probe>,
}

impl Program {
    /// An engine that runs suites of both kinds.
    pub const fn both<K: KvEngine, S: SqlEngine>(describe: fn() -> Description) -> Self {
        Self { describe, kv: Some(KvProgram::of::<K>()), sql: Some(SqlProgram::of::<S>()), probe: None }
    }
}

/// Says what the files are that settings name; the error, what is wrong with one.
pub type Probe = fn(&Settings) -> Result<Library, EngineError>;

/// The key-value workload, compiled for one engine.
#[derive(Debug, Clone, Copy)]
pub struct KvProgram {
    run: fn(&Worker, &Job, &KvSuite, &Library) -> Result<(), RunFailure>,
    commit_forever: fn(&Worker, &Job, &KvSuite) -> Result<(), RunFailure>,
    recover: fn(&Worker, &Job, &KvSuite) -> Result<(), RunFailure>,
}

impl KvProgram {
    /// The workload for engine `E`.
    pub const fn of<E: KvEngine>() -> Self {
        Self {
            run: workload::kv::run::<E>,
            commit_forever: workload::crash::commit_forever::<E>,
            recover: workload::crash::recover::<E>,
        }
    }
}

/// The SQL workload, compiled for one engine.
#[derive(Debug, Clone, Copy)]
pub struct SqlProgram {
    run: fn(&Worker, &Job, &SqlSuite, &Library) -> Result<(), RunFailure>,
}

impl SqlProgram {
    /// The workload for engine `E`.
    pub const fn of<E: SqlEngine>() -> Self {
        Self { run: workload::sql::run::<E> }
    }
}

/// What an engine program is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Print the description.
    Describe,
    /// Run the job on stdin.
    Run,
    /// Say what the files that the options on stdin name are.
    Probe,
    /// Kill test: commit and acknowledge until killed.
    Commits,
    /// Kill test: open again and count the commits.
    Recover,
}

impl std::str::FromStr for Command {
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

/// The `main` of an engine program of its own: reads the command from the arguments.
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

/// Serves one command. Exit code 0: done; 1: the run failed and said so in an event; 2: no job could be read.
pub fn serve(program: &Program, command: Command) -> ExitCode {
    if command == Command::Describe {
        let described = serde_json::to_string(&(program.describe)()).map_err(|error| error.to_string());
        let told = described.and_then(|json| writeln!(io::stdout(), "{json}").map_err(|error| error.to_string()));
        return told.map_or_else(|error| refuse(&error), |()| ExitCode::SUCCESS);
    }
    if command == Command::Probe {
        return probe(program);
    }
    // Engine libraries print. The protocol moves to a private copy of stdout; fd 1 becomes the log.
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
    // The kill test goes on in the folder of a worker before.
    let allowed = if command == Command::Run { fresh } else { Ok(()) };
    match allowed.map_err(RunFailure::from).and_then(|()| run(program, command, &worker, &job)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(RunFailure { test, error }) => {
            worker.end_test();
            let message = match limits::met(&job.folder) {
                Some(limit) => format!("{} ({limit})", error.message),
                None => error.message,
            };
            worker.emit(&Event::Failed { test, message, database_usable: error.database_usable });
            ExitCode::FAILURE
        }
    }
}

/// Loading a library runs its code, which may print or crash: this is a process of its own, which says one line.
fn probe(program: &Program) -> ExitCode {
    let Some(probe) = program.probe else {
        return refuse("this engine has no options that name files");
    };
    let answer = || -> Result<(File, String), String> {
        let output = private_stdout().map_err(|error| format!("taking stdout for the protocol: {error}"))?;
        let settings = serde_json::from_reader(io::stdin().lock().take(LONGEST_LINE as u64));
        let settings = settings.map_err(|error| format!("the options on stdin: {error}"))?;
        let library = probe(&settings).map_err(|error| error.message)?;
        Ok((output, serde_json::to_string(&library).map_err(|error| error.to_string())?))
    };
    match answer().and_then(|(mut output, json)| writeln!(output, "{json}").map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => refuse(&message),
    }
}

/// That a run has its folder to itself: there is none yet, or an empty one.
fn check_fresh(folder: &Path) -> Result<(), EngineError> {
    let is_folder = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(EngineError::doing(&format!("looking at {}", folder.display())))?.is_dir(),
    };
    if is_folder && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) {
        return Ok(());
    }
    let message = "is there already: expected a folder of the run's own, empty or not made yet; it is left as it is";
    Err(EngineError::new(format!("{} {message}", folder.display())))
}

fn refuse(message: &str) -> ExitCode {
    say!("error: {message}");
    ExitCode::from(2)
}

fn run(program: &Program, command: Command, worker: &Worker, job: &Job) -> Result<(), RunFailure> {
    let description = (program.describe)();
    if job.engine != description.name {
        let message = format!("the job is for engine `{}`; this is `{}`", job.engine, description.name);
        return Err(EngineError::new(message).into());
    }
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
                Command::Commits => (kv.commit_forever)(worker, job, suite),
                Command::Recover => (kv.recover)(worker, job, suite),
                Command::Run | Command::Describe | Command::Probe => {
                    (kv.run)(worker, job, suite, &description.library())
                }
            }
        }
        SuiteJob::Sql(suite) => {
            let sql = program.sql.ok_or_else(|| cannot(SuiteKind::Sql))?;
            match command {
                Command::Run | Command::Describe | Command::Probe => {
                    (sql.run)(worker, job, suite, &description.library())
                }
                Command::Commits | Command::Recover => {
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
    if version.protocol != PROTOCOL {
        return Err(format!("the job speaks protocol {}, this worker speaks {PROTOCOL}", version.protocol));
    }
    serde_json::from_str(&line).map_err(|error| format!("the job on stdin: {error}"))
}

/// The running worker: its output, its progress reporter, and the watch on its parent.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<Shared>,
    go_on: Option<Receiver<()>>,
}

#[derive(Debug)]
struct Shared {
    output: Mutex<Output>,
    counts: Arc<Counts>,
    reporter_cpu_ns: AtomicU64,
}

#[derive(Debug)]
struct Output {
    file: File,
    active: Option<Active>,
}

/// The test under way, as the reporter sees it.
#[derive(Debug)]
struct Active {
    test: u32,
    total: Option<u64>,
    every: u64,
    begun: Instant,
    seen: Seen,
}

impl Worker {
    /// `own`: whether the job's folder is this worker's own, so that it may be removed.
    fn start(file: File, job: &Job, own: bool) -> Self {
        let shared = Arc::new(Shared {
            output: Mutex::new(Output { file, active: None }),
            counts: Arc::new(Counts::default()),
            reporter_cpu_ns: AtomicU64::new(0),
        });
        let (line, lines) = channel();
        let end = End { folder: (own && !job.keep_folder).then(|| job.folder.clone()) };
        let deadline = job.deadline_ms.map(Duration::from_millis);
        watch_parent(line, end.clone());
        watch_signals(end.clone());
        if let Some(deadline) = deadline {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                thread::sleep(deadline);
                let message = format!("the run's deadline of {} s has passed", deadline.as_secs());
                shared.emit(&Event::Failed { test: None, message, database_usable: false });
                end.now();
            });
        }
        let interval = Duration::from_millis(job.progress_ms.max(LEAST_PROGRESS_MS));
        let reporter = Arc::clone(&shared);
        thread::spawn(move || reporter.report(interval));
        Self { shared, go_on: job.wait.then_some(lines) }
    }

    /// Sends an event.
    pub fn emit(&self, event: &Event) {
        self.shared.emit(event);
    }

    /// Waits until the main process has stored what it was last told, if it asked for that.
    pub fn pause(&self) {
        if let Some(go_on) = &self.go_on {
            // An error means that stdin is closed; the watcher is ending the process.
            let _ = go_on.recv();
        }
    }

    /// Starts progress events for a test, and gives the counters it records into.
    pub fn begin_test(&self, test: u32, total: Option<u64>, every: u64) -> Arc<Counts> {
        self.shared.counts.clear();
        self.shared.lock().active =
            Some(Active { test, total, every: every.max(1), begun: Instant::now(), seen: Seen::default() });
        Arc::clone(&self.shared.counts)
    }

    /// Ends progress events: none of this test is sent after this call.
    pub fn end_test(&self) {
        self.shared.lock().active = None;
    }

    /// CPU time that the progress reporter has used, ns.
    pub fn reporter_cpu_ns(&self) -> u64 {
        self.shared.reporter_cpu_ns.load(Relaxed)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit(&self, event: &Event) {
        self.lock().write(event);
    }

    /// The reporter's loop: a heartbeat with what was done since the last.
    fn report(&self, interval: Duration) {
        loop {
            thread::sleep(interval);
            let mut output = self.lock();
            if let Some(active) = &mut output.active {
                let (samples, delta) = self.counts.delta(&mut active.seen);
                let event = Event::Progress {
                    test: active.test,
                    operations: samples * active.every,
                    total: active.total,
                    elapsed_ns: active.begun.elapsed().as_nanos() as u64,
                    histogram: (!delta.is_empty()).then(|| to_base64(&delta)),
                };
                output.write(&event);
            }
            drop(output);
            self.reporter_cpu_ns.store(thread_cpu_ns(), Relaxed);
        }
    }
}

impl Output {
    fn write(&mut self, event: &Event) {
        let line = match serde_json::to_string(event) {
            Ok(json) => json + "\n",
            Err(error) => unreachable!("an event is plain data: {error}"),
        };
        if self.file.write_all(line.as_bytes()).is_err() {
            // Nobody listens any more; the watcher of stdin ends the process and cleans up.
            say!("error: the main process no longer reads events");
        }
    }
}

/// How the process ends when it is told to: at once, leaving neither a database nor a process behind.
#[derive(Debug, Clone)]
struct End {
    folder: Option<PathBuf>,
}

impl End {
    #[expect(unsafe_code, reason = "no exit handlers of engine libraries may run while their threads do")]
    fn now(&self) -> ! {
        if let Some(folder) = &self.folder {
            // The measuring thread may still create files while they are removed.
            for _ in 0..20 {
                if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                    break;
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        // The group of a worker is its own; one that was started by hand is of its shell's.
        if rustix::process::getpgrp() == rustix::process::getpid() {
            // What the engine started goes too, and this process with it.
            let _ = rustix::process::kill_current_process_group(rustix::process::Signal::KILL);
        }
        // SAFETY: _exit takes any code and never returns.
        unsafe { libc::_exit(1) }
    }
}

/// Passes on each further line of stdin; its end means stop.
fn watch_parent(line: Sender<()>, end: End) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        loop {
            match io::stdin().lock().read(&mut bytes) {
                Ok(0) => end.now(),
                Ok(read) => {
                    for _ in bytes[..read].iter().filter(|&&byte| byte == b'\n') {
                        // An error means that nobody waits for lines.
                        let _ = line.send(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => end.now(),
            }
        }
    });
}

fn watch_signals(end: End) {
    match Signals::new([SIGTERM, SIGINT, SIGHUP]) {
        Ok(mut signals) => {
            thread::spawn(move || {
                if signals.forever().next().is_some() {
                    end.now();
                }
            });
        }
        Err(error) => say!("warning: signals cannot be watched: {error}"),
    }
}
