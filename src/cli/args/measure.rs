//! How runs are measured, and how progress is shown.

use super::{WorkArgs, duration, whole};
use crate::cli::{error::CliError, output::command_line, progress::Style};
use clap::Args;
use dbdyno_running::runner::{DEFAULT_SILENCE, SessionLaunch};
use std::time::Duration;

/// How runs are measured.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bench")]
pub(in crate::cli) struct MeasureArgs {
    /// Pin the measuring thread to this CPU, counted from 0.
    #[arg(long, value_name = "CPU", value_parser = whole(0..=u32::MAX))]
    pub(in crate::cli) cpu: Option<u32>,
    #[command(flatten)]
    pub(in crate::cli) work: WorkArgs,
    /// Measure at the same time as other dbdyno sessions, although they disturb each other.
    #[arg(long)]
    concurrent: bool,
    /// Fail a run whose worker is silent for longer than the run's expected time plus this [default: 30s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    silence: Option<Duration>,
    /// Fail runs that take longer than this [default: 50 times the expected time, at least 10 minutes].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    deadline: Option<Duration>,
}

impl MeasureArgs {
    /// Returns how a session starts, with defaults for everything that these arguments do not set.
    pub(in crate::cli) fn launch(&self) -> Result<SessionLaunch, CliError> {
        self.cpu.map_or(Ok(()), check_cpu)?;
        Ok(SessionLaunch {
            cpu: self.cpu,
            concurrent: self.concurrent,
            silence: self.silence.unwrap_or(DEFAULT_SILENCE),
            deadline: self.deadline,
            ..SessionLaunch::new(self.work.folder()?, command_line())
        })
    }
}

fn check_cpu(cpu: u32) -> Result<(), CliError> {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u32;
    if cpu < cpus {
        return Ok(());
    }
    Err(CliError::Usage(format!("--cpu {cpu}: expected a CPU from 0 to {}", cpus - 1)))
}

/// How progress is shown.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Terminal")]
pub(in crate::cli) struct ProgressArgs {
    /// Write events to stdout as JSON Lines; the result is the last of them.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Show no progress.
    #[arg(short, long, conflicts_with = "verbose")]
    pub(in crate::cli) quiet: bool,
    /// Print a line for each run and each test instead of progress bars.
    #[arg(short, long)]
    pub(in crate::cli) verbose: bool,
}

impl ProgressArgs {
    /// The style for these arguments and this terminal.
    pub(in crate::cli) fn style(&self) -> Style {
        Style::choose(self)
    }
}
