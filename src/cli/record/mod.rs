//! `dbdyno record`: what a program asks of SQLite, recorded and shown.

mod anonymise;
mod import;
mod program;
mod show;

use super::{
    args::{ReportArgs, memory},
    error::CliError,
};
use clap::{Args, Subcommand};
use std::{ffi::OsString, path::PathBuf, process::ExitCode};

/// `dbdyno record`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct RecordArgs {
    #[command(subcommand)]
    command: Option<RecordCommand>,
    /// The program and its arguments, after `--`.
    #[arg(last = true, value_name = "PROGRAM", num_args = 1..)]
    program: Vec<OsString>,
    /// Folder of the recording, which must not exist [default: PROGRAM.rec].
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Most bytes of the recording. Later calls are only counted.
    #[arg(long, value_name = "BYTES", default_value = "2GiB", value_parser = memory)]
    max: u64,
    /// Most bytes of a value. Longer ones are replaced by their length, and cannot be replayed [default: no limit].
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    max_value: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum RecordCommand {
    /// Show what a recording has in it: statements by time, transactions, concurrency.
    Show(ShowArgs),
    /// Make a recording of what another program wrote down: SQL, CSV, or a trace of keys and values.
    ///
    /// SQL is as `.trace` of sqlite3 prints it. CSV has the columns sql, time, connection, parameters (a list in JSON), duration, rows and
    /// changes. Only sql is required. Times are in seconds.
    ///
    /// Traces of keys and values are those of caches (timestamp,key,key size,value size,client id,operation,TTL), what RocksDB's
    /// `trace_analyzer -convert_to_human_readable_trace` writes, and what YCSB's `basic` database prints.
    Import {
        /// The file, which may be compressed with zstd. Its content decides which format it is.
        file: PathBuf,
        /// Folder of the recording, which must not exist.
        #[arg(short, long, value_name = "FOLDER")]
        out: PathBuf,
    },
    /// Copy a recording with other texts and blobs in it: as long, equal for equal ones.
    ///
    /// Numbers, dates and times stay, as do names of tables, columns and files.
    Anonymise {
        /// The recording.
        #[arg(value_name = "FOLDER")]
        recording: PathBuf,
        /// Folder of the copy, which must not exist.
        #[arg(short, long, value_name = "FOLDER")]
        out: PathBuf,
    },
}

/// `dbdyno record show`.
#[derive(Debug, Args)]
struct ShowArgs {
    /// The recording.
    #[arg(value_name = "FOLDER")]
    recording: PathBuf,
    #[command(flatten)]
    written: ReportArgs,
}

pub(super) fn record(places: &super::Places, args: RecordArgs) -> Result<ExitCode, CliError> {
    match args.command {
        Some(RecordCommand::Show(show)) => show::show(places, &show.recording, &show.written),
        Some(RecordCommand::Import { file, out }) => import::write(&file, &out),
        Some(RecordCommand::Anonymise { recording, out }) => anonymise::write(&recording, &out),
        None if args.program.is_empty() => Err(CliError::Usage(
            "expected a program, as in `dbdyno record -- python3 app.py`, or `dbdyno record show FOLDER`".to_owned(),
        )),
        None => program::record(&args),
    }
}
