//! Runs a program with the recorder in it.

use super::RecordArgs;
use crate::cli::{error::CliError, session::StopSignals};
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::units::{counted, duration, plain},
    host::HostFacts,
};
use dbdyno_recorded::RecordingSummary;
use dbdyno_recording::{RECORDING_VERSION, RecordingManifest};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::{
    env, fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitCode, ExitStatus},
};
use tokio::process::{Child, Command};

/// File name of the recorder's library, and its folder in an installation, from the folder of this program.
const LIBRARY: &str = "libdbdyno_record.so";
const INSTALLED: &str = "../lib/dbdyno";
/// The environment variables that the recorder reads.
const FOLDER: &str = "DBDYNO_RECORDING";
const MOST_BYTES: &str = "DBDYNO_RECORD_MAX";
const MOST_VALUE_BYTES: &str = "DBDYNO_RECORD_VALUE_MAX";
/// What a shell returns for a program that a signal ended: this and the signal.
const SIGNALLED: i32 = 128;

/// Runs a program, and returns its exit code.
pub(super) fn record(args: &RecordArgs) -> Result<ExitCode, CliError> {
    let library = library()?;
    let folder = folder(args)?;
    manifest(args).write(&folder).map_err(|error| CliError::Failed(error.to_string()))?;
    let status = run(args, &library, &folder)?;
    report(&folder, &library);
    let code = status.code().unwrap_or_else(|| SIGNALLED + status.signal().unwrap_or(0));
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Finds the recorder's library, next to this program or where it was installed.
fn library() -> Result<PathBuf, CliError> {
    let program = env::current_exe().map_err(|error| CliError::Failed(format!("finding this program: {error}")))?;
    let beside = program.parent().unwrap_or(Path::new("."));
    // Cargo leaves it among the dependencies where only tests were built.
    let places = [beside.join(LIBRARY), beside.join(INSTALLED).join(LIBRARY), beside.join("deps").join(LIBRARY)];
    let found = places.iter().find(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
    found.ok_or_else(|| {
        CliError::Failed(format!(
            "the recorder's library is in neither {} nor {}: `cargo build --release` builds it",
            places[0].display(),
            places[1].display()
        ))
    })
}

/// Creates the folder of the recording.
fn folder(args: &RecordArgs) -> Result<PathBuf, CliError> {
    let mut named = Path::new(&args.program[0]).file_name().unwrap_or_default().to_owned();
    named.push(".rec");
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(named));
    let wrong = |message: String| CliError::Usage(format!("{}: {message}", folder.display()));
    if folder.exists() {
        return Err(wrong("it already exists: choose another folder with --out, or remove it".to_owned()));
    }
    fs::create_dir_all(&folder).map_err(|error| wrong(error.to_string()))?;
    folder.canonicalize().map_err(|error| wrong(error.to_string()))
}

fn manifest(args: &RecordArgs) -> RecordingManifest {
    let text = |part: &std::ffi::OsString| part.to_string_lossy().into_owned();
    let facts = HostFacts::read();
    let host = [("os", facts.os), ("cpu_model", facts.cpu_model), ("kernel", Some(facts.kernel))];
    let host = host.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), Value::from(fact?))));
    RecordingManifest {
        version: RECORDING_VERSION,
        command: args.program.iter().map(text).collect(),
        directory: env::current_dir().unwrap_or_default().display().to_string(),
        started_at: Timestamp::now().to_string(),
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        host: host.collect::<Map<String, Value>>(),
    }
}

fn run(args: &RecordArgs, library: &Path, folder: &Path) -> Result<ExitStatus, CliError> {
    let failed = |error: std::io::Error| CliError::Failed(format!("starting the runtime: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let signals = StopSignals::watch()?;
        let program = &args.program[0];
        let mut command = Command::new(program);
        command.args(&args.program[1..]).env(FOLDER, folder).env(MOST_BYTES, args.max.to_string());
        command.envs(args.max_value.map(|most| (MOST_VALUE_BYTES, most.to_string())));
        // Other libraries that are loaded first stay so.
        let before = env::var_os("LD_PRELOAD").filter(|before| !before.is_empty());
        let mut preload = library.as_os_str().to_owned();
        if let Some(before) = before {
            preload.push(":");
            preload.push(before);
        }
        command.env("LD_PRELOAD", preload);
        let child = command.spawn().map_err(|error| {
            // An empty recording is of no use.
            let _ = fs::remove_dir_all(folder);
            CliError::Failed(format!("{}: {error}", Path::new(program).display()))
        })?;
        ended(child, signals).await
    })
}

/// Waits for the program. The terminal sends its signals to the program too; one that asks this process to end is passed on.
async fn ended(mut child: Child, mut signals: StopSignals) -> Result<ExitStatus, CliError> {
    let failed = |error: std::io::Error| CliError::Failed(format!("waiting for the program: {error}"));
    loop {
        tokio::select! {
            status = child.wait() => return status.map_err(failed),
            signal = signals.next() => if let (Some(pid), true) = (child.id(), signal != libc::SIGINT) {
                // SAFETY: the process is a child that was not waited for, so its identifier is its own.
                unsafe { libc::kill(pid as libc::pid_t, signal) };
            },
        }
    }
}

/// Prints what was recorded, what it cost, and the command that shows it.
fn report(folder: &Path, library: &Path) {
    let shown = plain(&folder.display().to_string());
    match RecordingSummary::read(folder) {
        Err(error) => say!("note: the recording in {shown} cannot be read: {}", plain(&error.to_string())),
        Ok(summary) if summary.calls == 0 => say!(
            "nothing was recorded in {shown}: the program used no shared SQLite. If it has an SQLite of its own, let it load the extension \
             {} and record it again",
            library.with_extension("").display()
        ),
        Ok(summary) => {
            let lost =
                if summary.lost > 0 { format!(", {} lost", counted(summary.lost, "call")) } else { String::new() };
            say!(
                "recorded {} of {} in {shown}{lost}; the recorder took {} of the program's {}",
                counted(summary.calls, "call"),
                counted(summary.fingerprints.len(), "statement"),
                duration(summary.cost_ns as f64),
                duration(summary.span_ns as f64),
            );
            say!("dbdyno record show {shown}");
        }
    }
}
