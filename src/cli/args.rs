//! The command line's shape.

use super::error::CliError;
use super::manage_args::{CopyArgs, DeleteArgs, ImportArgs, KeyArgs, NoteArgs, ResultsArgs, TagArgs, Terms};
use super::tune_args::TuneArgs;
use crate::{
    base::{
        csv::Cells,
        output::{Guarded, Output, OutputError},
    },
    bench::EngineChoice,
    catalog::UserFolders,
    report::comparison,
    store::Store,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dbdyno_engine::{say, serve, size::Size};
use etcetera::BaseStrategy;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// A dynamometer for embedded database engines: honest benchmarks on your own machine.
#[derive(Debug, Parser)]
#[command(name = "dbdyno", version, about, long_about = None, args_conflicts_with_subcommands = false)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) places: Places,
    /// Run this preset without a terminal UI: progress on stderr, the table on stdout, results in the store.
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Option<String>,
    /// Colours of the terminal UI: `dbdyno list themes` [default: dark, or sixteen without true colour].
    #[arg(long, env = "DBDYNO_THEME", value_name = "NAME")]
    pub(super) theme: Option<String>,
    /// Only ASCII characters in the terminal UI.
    #[arg(long)]
    pub(super) ascii: bool,
    #[command(flatten)]
    pub(super) bench: BenchArgs,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// Where things are.
#[derive(Debug, Args)]
pub(super) struct Places {
    /// The DuckDB file that keeps all results [default: results.duckdb in the user's data folder].
    #[arg(long, global = true, env = "DBDYNO_STORE", value_name = "FILE")]
    store: Option<PathBuf>,
    /// How long to wait for a store that another process has open: 500ms, 20s, 5m.
    #[arg(long, global = true, env = "DBDYNO_STORE_WAIT", value_name = "TIME", default_value = "20s", value_parser = parse_duration)]
    store_wait: Duration,
    /// Where results are kept until the store takes them in, on another disk perhaps [default: a folder beside the store].
    #[arg(long, global = true, env = "DBDYNO_JOURNAL", value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// The folder with your own suites/ and presets/ [default: the user's configuration folder].
    #[arg(long, global = true, env = "DBDYNO_CONFIG", value_name = "FOLDER")]
    config: Option<PathBuf>,
}

impl Places {
    /// The store.
    pub(super) fn store(&self) -> Result<Store, String> {
        let path = match &self.store {
            Some(path) => path.clone(),
            None => base()?.data_dir().join("dbdyno").join("results.duckdb"),
        };
        let store = Store::new(path).with_patience(self.store_wait);
        Ok(match &self.journal {
            Some(folder) => store.with_journal_below(folder),
            None => store,
        })
    }

    /// A file that a command writes, if that is neither the store, nor beside it under its name, nor what the command reads.
    pub(super) fn output(&self, path: &Path, inputs: Vec<Guarded>) -> Result<Output, CliError> {
        let store = self.store().map_err(CliError::Usage)?;
        let guarded: Vec<Guarded> = std::iter::once(store.guarded()).chain(inputs).collect();
        let output = Output::check(path, &guarded).map_err(|error| match error {
            OutputError::Refused { .. } => CliError::Usage(error.to_string()),
            OutputError::Unwritable { .. } => CliError::Failed(error.to_string()),
        })?;
        if let Some(note) = output.note() {
            say!("note: {note}");
        }
        Ok(output)
    }

    /// These places as arguments, where they are not the usual ones.
    pub(super) fn arguments(&self) -> Vec<String> {
        let places = [("--store", &self.store), ("--journal", &self.journal), ("--config", &self.config)];
        let given = places.into_iter().filter_map(|(flag, path)| Some((flag, path.as_ref()?)));
        given.flat_map(|(flag, path)| [flag.to_owned(), path.display().to_string()]).collect()
    }

    /// The user's suites and presets.
    pub(super) fn folders(&self) -> Result<UserFolders, String> {
        let root = match &self.config {
            Some(path) => path.clone(),
            None => base()?.config_dir().join("dbdyno"),
        };
        Ok(UserFolders { root })
    }
}

fn base() -> Result<impl BaseStrategy, String> {
    etcetera::choose_base_strategy()
        .map_err(|error| format!("the user's folders are not known ({error}): give --store, --config and --work-dir"))
}

/// How a bench is run.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Set an option of an engine or of the suite; several values with | between are a sweep.
    #[arg(long = "set", value_name = "OWNER.OPTION=VALUE[|VALUE]")]
    pub(super) set: Vec<String>,
    /// Sizes to run at.
    #[arg(long, value_name = "SIZE")]
    pub(super) size: Vec<Size>,
    /// Rounds: each runs every configuration once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) repeat: Option<u32>,
    /// Run the first configuration twice a round: comparisons then take their noise floor from it.
    #[arg(long)]
    pub(super) aa: bool,
    /// Of each engine's sweep, run only a sample of this many stars: a combination and every change of one option of it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) stars: Option<u32>,
    /// End with how much each option of the sweep matters.
    #[arg(long)]
    pub(super) effects: bool,
    /// Show the figures of this claims file beside the measured ones.
    #[arg(long, value_name = "NAME")]
    pub(super) claims: Option<String>,
    /// Seed of all random keys and values [default: from the clock].
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Begin no further round that would end after this time: 90s, 5m, 1h.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(super) budget: Option<Duration>,
    /// Measure only these tests (number or name); tests they depend on run first, untimed.
    #[arg(long = "test", value_name = "TEST[,TEST]")]
    pub(super) tests: Vec<String>,
    /// Pin the measuring thread to this CPU.
    #[arg(long, value_name = "CPU")]
    pub(super) cpu: Option<u32>,
    #[command(flatten)]
    pub(super) work: WorkArgs,
    /// Events as JSON Lines on stdout, the table as the last of them.
    #[arg(long)]
    pub(super) json: bool,
    /// No progress.
    #[arg(long)]
    pub(super) quiet: bool,
    /// Show the plan and what it will take; run nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Keep the databases of all runs.
    #[arg(long)]
    pub(super) keep_databases: bool,
    /// Run on when an option in force is not the one asked for.
    #[arg(long)]
    pub(super) allow_differing_options: bool,
    /// Do not take turns with other dbdyno sessions; their runs disturb each other.
    #[arg(long)]
    pub(super) concurrent: bool,
    /// How long a worker may say nothing, beyond what a whole run is expected to take.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration)]
    pub(super) silence: Duration,
    /// Time after which a run has failed [default: 50 times what it is expected to take, at least 10 minutes].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(super) deadline: Option<Duration>,
}

/// Where databases are put.
#[derive(Debug, Args)]
pub(super) struct WorkArgs {
    /// Where databases are put while they are measured [default: the user's cache folder].
    #[arg(long, env = "DBDYNO_WORK_DIR", value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
}

impl WorkArgs {
    /// The folder, absolute.
    pub(super) fn folder(&self) -> Result<PathBuf, String> {
        let folder = match &self.work_dir {
            Some(folder) => folder.clone(),
            None => base()?.cache_dir().join("dbdyno").join("work"),
        };
        // Workers are other processes: a relative folder would be another one after a change of folder.
        std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))
    }
}

/// Commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a suite on engines.
    Run(RunArgs),
    /// Run what an interrupted session still owes, as it was begun.
    Resume(ResumeArgs),
    /// Show stored results.
    Results(ResultsArgs),
    /// Compare two selections of stored results: A/B, interval, verdict.
    Compare(CompareArgs),
    /// What if an option were set? Which should be? Trials against a base, kept in a ledger.
    Tune(Box<TuneArgs>),
    /// Published figures beside what was measured here.
    Claims(ClaimsArgs),
    /// Query the store.
    Sql(SqlArgs),
    /// Is the store sound? And what can be saved of one that is not?
    Store {
        /// What to do.
        #[command(subcommand)]
        command: StoreCommand,
    },
    /// Write results to a file for other programs.
    Export(ExportArgs),
    /// Take in results: other stores, copies as Parquet, listings, LumoSQL benchmark databases.
    Import(ImportArgs),
    /// Copy runs to another store, or to a folder of Parquet.
    Copy(CopyArgs),
    /// Give runs a tag, or take it from them.
    Tag(TagArgs),
    /// Write a note about runs.
    Note(NoteArgs),
    /// Give runs a key with a value, or take it from them.
    Key(KeyArgs),
    /// Delete runs with all that belongs to them.
    Delete(DeleteArgs),
    /// List what there is to choose from.
    List {
        /// What to list.
        what: Listed,
    },
    /// Is this machine fit to measure on? One line a finding, and what to do.
    Doctor(WorkArgs),
    /// Write a completion script to stdout.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the man page to stdout.
    Man,
    /// Wait for the parent's end, and give the terminal back if it could not.
    #[command(hide = true)]
    WatchTerminal,
    /// Serve a built-in engine over the worker protocol.
    #[command(hide = true)]
    Worker {
        /// The engine.
        engine: String,
        /// What to do.
        command: serve::Command,
    },
}

/// `dbdyno run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The suite.
    #[arg(long)]
    pub(super) suite: String,
    /// An engine, with options after a colon: sqlite:journal_mode=wal,synchronous=off|normal
    #[arg(long = "engine", required = true, value_name = "ENGINE[:OPTION=VALUE,...]")]
    pub(super) engines: Vec<EngineChoice>,
    #[command(flatten)]
    pub(super) bench: BenchArgs,
}

/// `dbdyno store`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum StoreCommand {
    /// Read all of it, and say of each part whether it can be read; nothing is changed.
    Check,
    /// Copy all that can be read to a new store in its place, and keep the damaged file beside it.
    Repair,
}

/// `dbdyno resume`.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The session, by the beginning of its identifier [default: the last that did not come to its end].
    pub(super) session: Option<String>,
    /// Resume it although dbdyno or an engine has another version than when it began.
    #[arg(long)]
    pub(super) allow_differing_versions: bool,
    /// Events as JSON Lines on stdout, the table as the last of them.
    #[arg(long)]
    pub(super) json: bool,
    /// No progress.
    #[arg(long)]
    pub(super) quiet: bool,
}

/// `dbdyno compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Side A: terms with spaces or commas between, all must hold: 'engine=lmdb size=10000'.
    #[arg(long, value_name = "SELECTION")]
    pub(super) a: String,
    /// Side B.
    #[arg(long, value_name = "SELECTION")]
    pub(super) b: String,
    /// Show each test over its sizes: the ratio of medians at each, then their median, least and most.
    #[arg(long, value_enum, value_name = "KEY")]
    pub(super) by: Option<SummaryKey>,
    /// Spread the ratios over two keys; engine, version, label, tier and options part A, the others both sides.
    #[arg(long, value_name = "ROW,COL", conflicts_with = "by")]
    pub(super) pivot: Option<String>,
    /// How to write the comparison.
    #[arg(long, value_enum, default_value_t = comparison::Format::Table)]
    pub(super) format: comparison::Format,
    /// Write to this file, which is replaced in one step, and not to stdout.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) csv: CsvArgs,
    /// Exit with 4 when some test of A is slower by more than this, 3 when that cannot be decided.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(super) fail_if_slower: Option<f64>,
    /// Compare although a commit does not survive the same on both sides.
    #[arg(long)]
    pub(super) allow_tiers: bool,
    /// Compare although A and B ran on different hosts or disks.
    #[arg(long)]
    pub(super) allow_hosts: bool,
    /// Compare tests that A has at one size and B at one other.
    #[arg(long)]
    pub(super) allow_sizes: bool,
    /// Compare tests of different suites, or of different numbers of operations.
    #[arg(long)]
    pub(super) allow_suites: bool,
    /// Compare although the suite ran with different options.
    #[arg(long)]
    pub(super) allow_suite_options: bool,
}

/// What a comparison can be summarised over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SummaryKey {
    /// Sizes.
    Size,
}

/// `dbdyno claims`.
#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// The claims to judge; without a name they are listed.
    pub(super) name: Option<String>,
    /// How to write them.
    #[arg(long, value_enum, default_value_t = ClaimsFormat::Table)]
    pub(super) format: ClaimsFormat,
}

/// How claims are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ClaimsFormat {
    /// Aligned text.
    Table,
    /// One object.
    Json,
}

/// `dbdyno sql`.
#[derive(Debug, Args)]
pub(super) struct SqlArgs {
    /// One SELECT; the view `results` has one row a run and test.
    pub(super) query: String,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) csv: CsvArgs,
}

/// How CSV is written.
#[derive(Debug, Args)]
pub(super) struct CsvArgs {
    /// Cells of CSV: escaped with an apostrophe where a spreadsheet would take them for a formula, or raw.
    #[arg(long = "csv-cells", value_enum, value_name = "HOW", default_value_t = Cells::Escaped)]
    pub(super) cells: Cells,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Aligned text.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// An array of objects; every value is a text or null.
    Json,
}

/// `dbdyno export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) selection: Terms,
    /// How to write the results: every column, one row a run and test.
    #[arg(long, value_enum)]
    pub(super) format: ExportFormat,
    /// The file, which is replaced in one step.
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) csv: CsvArgs,
}

/// How results are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// Comma-separated values with a header.
    Csv,
    /// An array of objects; every value is a text or null.
    Json,
    /// Parquet, with types.
    Parquet,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Listed {
    /// Engines with their versions.
    Engines,
    /// Options of engines and suites.
    Options,
    /// Suites.
    Suites,
    /// Tests of every suite.
    Tests,
    /// Presets.
    Presets,
    /// Themes of the terminal UI.
    Themes,
}

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("`{text}`: expected a number with ms, s, m or h (90s, 5m, 1h)");
    let digits = text.trim_end_matches(char::is_alphabetic);
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    let seconds = digits.trim().parse::<f64>().map_err(|_| expected())? * factor;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err(expected());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// `5%` is 0.05.
fn parse_percent(text: &str) -> Result<f64, String> {
    let expected = || format!("`{text}`: expected a percentage of 0 or more, as in 5%");
    let number: f64 = text.trim().strip_suffix('%').ok_or_else(expected)?.trim().parse().map_err(|_| expected())?;
    if number.is_finite() && number >= 0.0 { Ok(number / 100.0) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(parse_duration("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_duration("7"), Ok(Duration::from_secs(7)));
        for wrong in ["", "m", "-1s", "0s", "5 weeks", "é"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_percentage_needs_its_sign() {
        assert_eq!(parse_percent("5%"), Ok(0.05));
        assert_eq!(parse_percent("0 %"), Ok(0.0));
        for wrong in ["5", "0.05", "-1%", "nan%", "inf%", "%", ""] {
            assert!(parse_percent(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
