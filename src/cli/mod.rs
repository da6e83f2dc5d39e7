//! The command line: parsed, dispatched, and answered with an exit code.

mod args;
mod bench;
mod claims;
mod compare;
mod doctor;
mod error;
mod export;
mod formats;
mod import;
mod list;
mod manage;
mod manage_args;
mod progress;
mod query;
mod results;
mod resume;
mod screens;
mod store;
mod tune;
mod tune_args;
mod tune_base;
mod tune_effects;
mod tune_progress;

use crate::{base::units::plain, report::text::Colour};
use args::{Cli, Command};
use clap::{CommandFactory, Parser, builder::Styles, error::ErrorKind};
use dbdyno_engine::say;
use error::CliError;
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::Arc,
};

/// Runs the program.
pub fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => {
            if !matches!(cli.command, Some(Command::Worker { .. })) {
                survive_file_limit();
            }
            dispatch(cli)
        }
        Err(error) => told(&error),
    };
    outcome.unwrap_or_else(|error| {
        say!("error: {}", error.shown());
        error.code()
    })
}

/// Prints help, or says what is wrong with the arguments. They are echoed with control characters made visible, for which the
/// message has to be made without colours: in a coloured one nobody can tell whose escape codes are whose.
fn told(error: &clap::Error) -> Result<ExitCode, CliError> {
    if !error.use_stderr() {
        return printed(error.print());
    }
    let variables = std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"DBDYNO_"));
    let mut echoed = std::env::args_os().chain(variables.map(|(_, value)| value));
    if echoed.all(|text| plain(&text.to_string_lossy()) == text.to_string_lossy()) {
        // Nobody is left to be told when this fails.
        let _ = error.print();
    } else {
        let colourless = Cli::command().styles(Styles::plain()).try_get_matches_from(std::env::args_os());
        say!("{}", colourless.err().map_or_else(String::new, |error| error.render().ansi().to_string()).trim_end());
    }
    Ok(ExitCode::from(2))
}

/// A write beyond the limit of file sizes fails instead of ending the program, so that results can still be kept elsewhere. A
/// worker ends by it: its signal says more than most engines do of a failed write.
fn survive_file_limit() {
    // Where this cannot be had, the system's default stays.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

fn dispatch(cli: Cli) -> Result<ExitCode, CliError> {
    let Cli { places, preset, theme, ascii, bench, command } = cli;
    match (command, preset) {
        (None, Some(preset)) => bench::preset(&places, &preset, bench),
        (None, None) => screens::screens(&places, theme.as_deref(), ascii, &bench),
        (Some(_), Some(_)) => {
            Cli::command().error(ErrorKind::ArgumentConflict, "--preset cannot be used with a command").exit()
        }
        (Some(Command::Run(run)), None) => bench::run(&places, run),
        (Some(Command::Results(results)), None) => results::results(&places, &results),
        (Some(Command::Resume(args)), None) => resume::resume(&places, &args),
        (Some(Command::Compare(args)), None) => compare::compare_sides(&places, &args),
        (Some(Command::Tune(args)), None) => tune::tune(&places, &args),
        (Some(Command::Claims(args)), None) => claims::claims(&places, &args),
        (Some(Command::Store { command }), None) => store::store(&places, command),
        (Some(Command::Sql(sql)), None) => query::sql(&places, &sql),
        (Some(Command::Doctor(doctor)), None) => doctor::doctor(&places, &doctor),
        (Some(Command::Export(args)), None) => export::export(&places, &args),
        (Some(Command::Import(import)), None) => import::import(&places, &import),
        (Some(Command::Copy(copy)), None) => manage::copy(&places, &copy),
        (Some(Command::Tag(tag)), None) => manage::tag(&places, &tag),
        (Some(Command::Note(note)), None) => manage::note(&places, &note),
        (Some(Command::Key(key)), None) => manage::key(&places, &key),
        (Some(Command::Delete(delete)), None) => manage::delete(&places, &delete),
        (Some(Command::List { what }), None) => list::list(&places, what),
        (Some(Command::Completions { shell }), None) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "dbdyno", &mut script);
            print_bytes(&script)
        }
        (Some(Command::Man), None) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut page)
                .map_err(|error| CliError::Failed(error.to_string()))?;
            print_bytes(&page)
        }
        (Some(Command::WatchTerminal), None) => Ok(crate::tui::watch_terminal()),
        (Some(Command::Worker { engine, command }), None) => match crate::engines::built_in(&engine) {
            Some(program) => Ok(dbdyno_engine::serve::serve(program, command)),
            None => Err(CliError::Usage(format!("there is no built-in engine `{engine}`"))),
        },
    }
}

/// Whether stdout takes colours: a terminal, and NO_COLOR is not set.
fn colour() -> Colour {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && std::io::stdout().is_terminal() { Colour::On } else { Colour::Off }
}

/// Writes the result to stdout. A reader that went away (`| head`, a closed terminal) is no error.
fn print(text: &str) -> Result<ExitCode, CliError> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<ExitCode, CliError> {
    let mut stdout = std::io::stdout().lock();
    printed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

fn printed(outcome: std::io::Result<()>) -> Result<ExitCode, CliError> {
    match outcome {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EPIPE | libc::EIO)) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(CliError::Failed(format!("writing to stdout: {error}"))),
    }
}
