//! `dbdyno replay`: a recording on engines.

use super::{
    args::{EngineList, Places},
    bench::BenchArgs,
    completions::engines,
    error::CliError,
    own_files::FileArgs,
    run::own,
};
use clap::Args;
use dbdyno_catalog::SPEED;
use dbdyno_running::own::STATEMENT_LIMIT;
use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

/// `dbdyno replay`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct ReplayArgs {
    /// The recording: a folder that `dbdyno record` has written.
    #[arg(value_name = "FOLDER")]
    recording: PathBuf,
    /// Engines, with options after a colon, as in sqlite:journal_mode=wal,synchronous=off|normal,go-modernc [default: sqlite].
    ///
    /// Options that you leave out are as the program had them.
    #[arg(short, long = "engine", value_name = "ENGINE[?][:OPTION=VALUE,...]", add = engines())]
    engines: Vec<EngineList>,
    /// Begin each transaction at its recorded time, times this speed: 1 as recorded, 2 twice as fast [default: as fast as possible].
    #[arg(long, value_name = "TIMES", value_parser = speed)]
    speed: Option<u64>,
    /// The database of the recording to replay [default: the one that took the most time].
    #[arg(long, value_name = "PATH")]
    recorded_database: Option<String>,
    /// A SQLite database to start from, in place of the copy in the recording. It is only read.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    #[command(flatten)]
    bench: BenchArgs,
}

/// Reads a speed. Returns percent.
fn speed(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}`: expected a number such as 1, 2.5 or 0.5");
    let times: f64 = text.trim_end_matches(['x', '×']).parse().map_err(|_| expected())?;
    let percent = (times * 100.0).round();
    if (1.0..=1e7).contains(&percent) { Ok(percent as u64) } else { Err(expected()) }
}

pub(super) fn replay(places: &Places, args: ReplayArgs) -> Result<ExitCode, CliError> {
    let files = FileArgs {
        sql: None,
        statement_limit: STATEMENT_LIMIT,
        recording: Some(args.recording),
        recorded_database: args.recorded_database,
        database: args.database,
    };
    let percent = args.speed.map(|percent| (SPEED.to_owned(), vec![percent.to_string()]));
    own(places, args.engines, &files, &args.bench, BTreeMap::from_iter(percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_multiple_of_the_recorded_one() {
        assert_eq!(speed("1"), Ok(100));
        assert_eq!(speed("2.5x"), Ok(250));
        for wrong in ["0", "-1", "fast", "nan", "1e9"] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
