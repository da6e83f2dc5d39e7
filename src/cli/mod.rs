//! The command line: parsed, dispatched, and answered with an exit code. Each command is a module, with its arguments.

mod args;
mod attach;
mod bench;
mod capacity;
mod check;
mod choose;
mod claims;
mod compare;
mod completions;
mod copy;
mod delete;
mod doctor;
mod error;
mod export;
mod help;
mod import;
mod key;
mod list;
mod man;
mod new;
mod note;
mod output;
mod own_files;
mod preset;
mod progress;
mod record;
mod replay;
mod results;
mod resume;
mod run;
mod screens;
mod session;
mod sql;
mod store;
mod tag;
mod tips;
mod torture;
mod trend;
mod tui;
mod tune;
mod until_decided;
mod verdict;

use crate::tui::{keys::ScreenId, launch::Opening};
use args::{MeasureArgs, Places, TerminalArgs};
use bench::BenchArgs;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, builder::Styles, error::ErrorKind};
use dbdyno_catalog::engines::{WORKER_COMMAND, built_in};
use dbdyno_engine::{say, serve};
use dbdyno_foundation::base::units::plain;
use dbdyno_running::{jobs::detach, torture::MOUNT_COMMAND};
use error::CliError;
use output::{print, printed};
use screens::{LookArgs, ScreensStart};
use std::{process::ExitCode, sync::Arc};
use tips::with_tip;

/// A dynamometer for embedded database engines: honest benchmarks on your machine.
#[derive(Debug, Parser)]
#[command(name = "dbdyno", version, about, long_about = None, args_conflicts_with_subcommands = false)]
struct Cli {
    #[command(flatten)]
    places: Places,
    #[command(flatten)]
    terminal: TerminalArgs,
    /// Run this preset without the terminal UI: progress on stderr, the table on stdout, results in the store.
    #[arg(short, long, value_name = "NAME", help_heading = "Bench", add = completions::presets())]
    preset: Option<String>,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    bench: BenchArgs,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Open the terminal UI, like `dbdyno` alone, at a chosen screen and selection.
    Tui(tui::TuiArgs),
    /// Run a suite, a preset, or your own workload or SQL.
    Run(Box<run::RunArgs>),
    /// Watch a job of another terminal, or reattach to one that you left running.
    Attach(Box<attach::AttachArgs>),
    /// Resume an interrupted session: run its remaining runs.
    Resume(resume::ResumeArgs),
    /// Show stored results.
    Results(results::ResultsArgs),
    /// Compare engines, settings or sessions, test by test.
    ///
    /// Each test gets a ratio, its interval and a verdict.
    Compare(compare::CompareArgs),
    /// Show how configurations changed over their sessions.
    ///
    /// Each session is one figure; places where the figures changed are marked.
    Trend(trend::TrendArgs),
    /// Choose an engine with its settings for a workload and constraints.
    Choose(Box<choose::ChooseArgs>),
    /// Find better settings: try changes, search, and record the results.
    Tune {
        /// What to do.
        #[command(subcommand)]
        command: tune::TuneCommand,
    },
    /// Find the highest request rate that still meets a latency target.
    Capacity(Box<capacity::CapacityArgs>),
    /// Crash-test engines with kills and simulated power losses.
    ///
    /// Does acknowledged data survive?
    Torture(torture::TortureArgs),
    /// Record what a running program asks of SQLite, and show it.
    Record(record::RecordArgs),
    /// Measure what a recorded program did, on engines and options of your choice.
    Replay(replay::ReplayArgs),
    /// Compare published figures with your own measurements.
    Claims(claims::ClaimsArgs),
    /// Query the store with SQL.
    Sql(sql::SqlArgs),
    /// Check the store, or recover the readable data of a damaged one.
    Store {
        /// What to do.
        #[command(subcommand)]
        command: store::StoreCommand,
    },
    /// Write results to a file for other programs.
    Export(export::ExportArgs),
    /// Import results into the store: from other stores, Parquet copies, exported listings or LumoSQL benchmark databases.
    Import(import::ImportArgs),
    /// Copy runs to another store, or to a folder of Parquet files.
    Copy(copy::CopyArgs),
    /// Add a tag to runs, or remove it.
    Tag(tag::TagArgs),
    /// Add a note to runs.
    ///
    /// Earlier notes are kept.
    Note(note::NoteArgs),
    /// Set a key of runs to a value, or remove it.
    Key(key::KeyArgs),
    /// Delete runs and everything that belongs to them.
    Delete(delete::DeleteArgs),
    /// List engines, options, suites, tests, presets or themes.
    List(list::ListArgs),
    /// Check that this machine, the engines and the store are ready.
    ///
    /// Each line is a finding, with advice where you can do something about it.
    Doctor(doctor::DoctorArgs),
    /// Check that an engine follows the worker protocol and gives correct answers.
    ///
    /// An engine runs in a process of its own, the worker. dbdyno talks to it over the worker protocol. Each check is one
    /// line.
    CheckEngine(check::CheckEngineArgs),
    /// Check a suite file: is it valid, what would it run, and does its smallest size run?
    CheckSuite(check::CheckSuiteArgs),
    /// Create a suite or preset file in your own folder, with explanatory comments.
    New {
        /// What to write.
        #[command(subcommand)]
        command: new::NewCommand,
    },
    /// Print the script that completes commands, options and names in a shell.
    ///
    /// For bash, add `source <(dbdyno completions bash)` to ~/.bashrc.
    Completions(completions::CompletionsArgs),
    /// Print a man page, or write those of all commands.
    Man(man::ManArgs),
    /// Wait for the parent process to end, and restore the terminal if the parent could not.
    #[command(hide = true)]
    WatchTerminal,
    /// Serve the file system that the worker of a crash test writes to.
    #[command(hide = true, name = MOUNT_COMMAND)]
    TortureMount {
        #[command(subcommand)]
        command: torture::MountCommand,
    },
    /// Serve a built-in engine over the worker protocol.
    #[command(hide = true, name = WORKER_COMMAND)]
    Worker {
        engine: String,
        /// What to do.
        command: serve::WorkerCommand,
    },
}

pub fn main() -> ExitCode {
    completions::complete();
    if let Some((program, command)) = worker_asked_for() {
        return serve::serve(program, command);
    }
    let parsed = help::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let outcome = match parsed {
        Ok(cli) => {
            if !matches!(cli.command, Some(CliCommand::Worker { .. })) {
                survive_file_limit();
            }
            dispatch(cli)
        }
        Err(error) => told(with_tip(error)),
    };
    outcome.unwrap_or_else(|error| {
        say!("error: {}", error.shown());
        error.code()
    })
}

/// Returns the engine and the command if the arguments are those that sessions start their workers with. Preparing to read all others, with
/// all their help, would take 2 ms of each run.
fn worker_asked_for() -> Option<(&'static serve::Program, serve::WorkerCommand)> {
    let arguments: Vec<_> = std::env::args_os().skip(1).take(4).collect();
    let [worker, engine, command] = arguments.as_slice() else { return None };
    if worker != WORKER_COMMAND {
        return None;
    }
    Some((built_in(engine.to_str()?)?, command.to_str()?.parse().ok()?))
}

/// Prints help, or the error in the arguments. They are echoed with control characters made visible, for which the
/// message must be built without colours: in a coloured message, the echoed escape codes cannot be told from our own.
fn told(error: clap::Error) -> Result<ExitCode, CliError> {
    if error.kind() == ErrorKind::DisplayHelp && help::is_short_help() {
        return print(&help::short());
    }
    if !error.use_stderr() {
        return printed(error.print());
    }
    let variables = std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"DBDYNO_"));
    let mut echoed = std::env::args_os().chain(variables.map(|(_, value)| value));
    if echoed.all(|text| plain(&text.to_string_lossy()) == text.to_string_lossy()) {
        // If this fails too, the error cannot be reported.
        let _ = error.print();
    } else {
        let colourless = help::command().styles(Styles::plain()).try_get_matches_from(std::env::args_os());
        let text = colourless.err().map_or_else(String::new, |error| error.render().ansi().to_string());
        say!("{}", text.trim_end());
    }
    Ok(ExitCode::from(2))
}

/// A write beyond the limit of file sizes fails instead of ending the program, so that results can still be kept elsewhere. A
/// worker ends by it: its signal says more than most engines do of a failed write.
fn survive_file_limit() {
    // If this fails, the system's default stays.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

fn dispatch(cli: Cli) -> Result<ExitCode, CliError> {
    let Cli { places, terminal, preset, look, bench, command } = cli;
    terminal.apply();
    places.name_machine();
    if places.detached() {
        detach().map_err(|error| CliError::Failed(format!("--detached: {error}")))?;
    }
    let Some(command) = command else {
        return match preset {
            Some(preset) => preset::preset(&places, &preset, &bench),
            None => screens::screens(&places, start_of(look, bench, Opening::Screen(ScreenId::Bench))),
        };
    };
    if preset.is_some() {
        Cli::command().error(ErrorKind::ArgumentConflict, "--preset cannot be used with a command").exit()
    }
    match command {
        CliCommand::Tui(args) => {
            let first = args.opening()?;
            screens::screens(&places, args.over(start_of(look, bench, first)))
        }
        CliCommand::Run(args) => run::run(&places, *args),
        CliCommand::Attach(args) => attach::attach(&places, *args),
        CliCommand::Resume(args) => resume::resume(&places, &args),
        CliCommand::Results(args) => results::results(&places, &args),
        CliCommand::Compare(args) => compare::compare_sides(&places, &args),
        CliCommand::Trend(args) => trend::over_sessions(&places, &args),
        CliCommand::Choose(args) => choose::run(&places, &args),
        CliCommand::Tune { command } => tune::tune(&places, command),
        CliCommand::Capacity(args) => capacity::capacity(&places, &args),
        CliCommand::Torture(args) => torture::run(&places, &args),
        CliCommand::Record(args) => record::record(&places, args),
        CliCommand::Replay(args) => replay::replay(&places, args),
        CliCommand::Claims(args) => claims::claims(&places, &args),
        CliCommand::Sql(args) => sql::sql(&places, &args),
        CliCommand::Store { command } => store::store(&places, command),
        CliCommand::Export(args) => export::export(&places, &args),
        CliCommand::Import(args) => import::import(&places, &args),
        CliCommand::Copy(args) => copy::copy(&places, &args),
        CliCommand::Tag(args) => tag::tag(&places, &args),
        CliCommand::Note(args) => note::note(&places, &args),
        CliCommand::Key(args) => key::key(&places, &args),
        CliCommand::Delete(args) => delete::delete(&places, &args),
        CliCommand::List(args) => list::list(&places, &args),
        CliCommand::Doctor(args) => doctor::doctor(&places, &args),
        CliCommand::CheckEngine(args) => check::engine(&args),
        CliCommand::CheckSuite(args) => check::suite(&places, &args),
        CliCommand::New { command } => new::new(&places, &command),
        CliCommand::Completions(args) => completions::script(&args),
        CliCommand::Man(args) => man::man(&args),
        CliCommand::WatchTerminal => Ok(crate::tui::watch_terminal()),
        CliCommand::TortureMount { command } => torture::mount(command),
        CliCommand::Worker { engine, command } => match built_in(&engine) {
            Some(program) => Ok(serve::serve(program, command)),
            None => Err(CliError::Usage(format!("there is no built-in engine `{engine}`"))),
        },
    }
}

/// The terminal UI as the arguments before a command ask for it.
fn start_of(look: LookArgs, bench: BenchArgs, first: Opening) -> ScreensStart {
    let MeasureArgs { cpu, work, .. } = bench.measure;
    ScreensStart { look, work, cpu, first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
