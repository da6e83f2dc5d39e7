//! The shape of `dbdyno tune`.

use super::{
    args::{WorkArgs, parse_duration},
    formats::{CsvArgs, format_of, one_of},
};
use crate::report::{
    format::Format,
    tune::{AnswerForm, EFFECTS_FORMATS, LEDGER_FORMATS},
};
use clap::{ArgGroup, Args};
use dbdyno_engine::{describe::parse_bytes, size::Size};
use std::{path::PathBuf, time::Duration};

/// `dbdyno tune`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("action").args(["what_if", "more", "ledger", "answer", "effects", "tier"])))]
pub(super) struct TuneArgs {
    /// Try a change against the base: two configurations in rounds of ABBA. Several are tried one after the other.
    #[arg(long, value_name = "ENGINE.OPTION=VALUE")]
    pub(super) what_if: Vec<String>,
    /// Add as many rounds again to a trial [default: the last one].
    #[arg(long, value_name = "TRIAL", num_args = 0..=1, default_missing_value = "last")]
    pub(super) more: Option<String>,
    /// Make a trial's change the base of what follows [default: the last one]; with --what-if, each change that is faster,
    /// slower in no test and no less durable.
    #[arg(long, value_name = "TRIAL", num_args = 0..=1, default_missing_value = "last",
          conflicts_with_all = ["more", "ledger", "answer", "effects", "tier"])]
    pub(super) accept: Option<String>,
    /// Show what was tried under a name [default: the ledger used last].
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "last")]
    pub(super) ledger: Option<String>,
    /// Write what a trial came to in the form that people use.
    #[arg(long, value_name = "FORM", value_parser = one_of(AnswerForm::ALL.iter().map(|form| (*form, form.name(), form.meaning()))))]
    pub(super) answer: Option<AnswerForm>,
    /// The trial that --answer is about.
    #[arg(long, value_name = "TRIAL", default_value = "last", requires = "answer")]
    pub(super) of: String,
    /// Show which option matters how much in stored runs of a grid: one test of one suite at one size.
    #[arg(long, value_name = "SELECTION")]
    pub(super) effects: Option<String>,
    /// How to write the effects.
    #[arg(long = "as", value_name = "FORM", default_value = "table", value_parser = format_of(EFFECTS_FORMATS), requires = "effects")]
    pub(super) form: Format,
    /// Begin where an accepted trial ended; `last` is the one accepted last in the ledger.
    #[arg(long, value_name = "TRIAL", conflicts_with_all = ["engine", "more", "ledger"])]
    pub(super) from: Option<String>,
    /// Keep trials under this name [default: ENGINE-SUITE].
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) base: BaseArgs,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) measure: MeasureArgs,
}

/// What is tuned.
#[derive(Debug, Args)]
pub(super) struct BaseArgs {
    /// The engine with the base's options after a colon: sqlite:journal_mode=wal,synchronous=normal
    #[arg(long, value_name = "ENGINE[:OPTION=VALUE,...]")]
    pub(super) engine: Option<String>,
    /// The suite.
    #[arg(long)]
    pub(super) suite: Option<String>,
    /// Tune for the statements of this file in place of a suite. Those before a line `-- measure` prepare.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suite", "tests"])]
    pub(super) sql: Option<PathBuf>,
    /// How long each statement of the file may take when it is tried, before anything is measured.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(super) statement_limit: Duration,
    /// The SQLite database that the statements start from. It is copied, and only read.
    #[arg(long, value_name = "FILE", requires = "sql")]
    pub(super) database: Option<PathBuf>,
    /// The tests that count (number or name) [default: all].
    #[arg(long = "test", value_name = "TEST", value_delimiter = ',')]
    pub(super) tests: Vec<String>,
    /// The size [default: the suite's].
    #[arg(long, value_name = "SIZE")]
    pub(super) size: Option<Size>,
    /// Set an option of the base or of the suite.
    #[arg(long = "set", value_name = "OWNER.OPTION=VALUE")]
    pub(super) set: Vec<String>,
    /// Rounds of a trial, fixed beforehand [default: the fewest that can decide; of a search's confirmation what the budget
    /// allows].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) rounds: Option<u32>,
}

/// How settings are searched for.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Search for the fastest settings of which a commit survives at least this: 0 to 3.
    #[arg(long, value_name = "TIER", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(super) tier: Option<u8>,
    /// How long the search may take, its confirmation included.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub(super) budget: Duration,
    /// Drop settings whose program takes more memory than this: 64MiB, 1GiB.
    #[arg(long, value_name = "BYTES", requires = "tier", value_parser = parse_memory)]
    pub(super) memory_limit: Option<u64>,
}

/// How what was found is written.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// How to write the ledger.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(LEDGER_FORMATS))]
    pub(super) format: Format,
    /// Write to this file, which is replaced in one step, and not to stdout.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) csv: CsvArgs,
    /// Events as JSON Lines on stdout.
    #[arg(long)]
    pub(super) json: bool,
    /// No progress.
    #[arg(long)]
    pub(super) quiet: bool,
}

/// How runs are measured.
#[derive(Debug, Args)]
pub(super) struct MeasureArgs {
    /// Seed of all random keys and values [default: from the clock].
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Pin the measuring thread to this CPU.
    #[arg(long, value_name = "CPU")]
    pub(super) cpu: Option<u32>,
    #[command(flatten)]
    pub(super) work: WorkArgs,
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

fn parse_memory(text: &str) -> Result<u64, String> {
    parse_bytes(text).filter(|bytes| *bytes > 0).ok_or_else(|| format!("`{text}`: expected bytes, as in 64MiB or 1GiB"))
}
