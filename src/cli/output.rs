//! Where results go: stdout, or a file.

use super::error::{CliError, unwritten};
use clap::ValueEnum;
use dbdyno_engine::say::is_obeyed;
use dbdyno_foundation::base::{csv::Cells, output::Output};
use dbdyno_reports::{
    command::shell,
    format::{Format, WriteError},
    results,
    sheet::{Colouring, TableStyle},
    tracked::TrackError,
};
use dbdyno_running::jobs::DETACHED;
use dbdyno_store::TextRows;
use std::{
    io::{self, BufWriter, IsTerminal, Write},
    process::ExitCode,
    sync::OnceLock,
};

/// Prints a text, or writes it to a file.
pub(super) fn written(text: &str, output: Option<&Output>) -> Result<ExitCode, CliError> {
    match output {
        None => print(text),
        Some(output) => to_file(text, output),
    }
}

/// Writes a content to a file.
pub(super) fn to_file(content: impl AsRef<[u8]>, output: &Output) -> Result<ExitCode, CliError> {
    output.replace_with(content).map_err(|error| unwritten(output.target())(error.into()))?;
    Ok(ExitCode::SUCCESS)
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColourWhen {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

static COLOUR_WHEN: OnceLock<ColourWhen> = OnceLock::new();

/// Sets when this process uses colours; the first choice holds.
pub(super) fn choose_colour(when: ColourWhen) {
    let when = COLOUR_WHEN.get_or_init(|| when);
    if *when != ColourWhen::Auto {
        console::set_colors_enabled_stderr(*when == ColourWhen::Always);
    }
}

/// Whether an output takes colours.
pub(super) fn is_coloured(is_terminal: bool) -> bool {
    match COLOUR_WHEN.get().unwrap_or(&ColourWhen::Auto) {
        ColourWhen::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        ColourWhen::Always => true,
        ColourWhen::Never => false,
    }
}

/// Returns whether stdout takes colours.
pub(super) fn colour() -> Colouring {
    if is_coloured(io::stdout().is_terminal()) { Colouring::On } else { Colouring::Off }
}

/// How the terminal shows a table.
pub(super) fn table_style() -> TableStyle {
    let terminal = console::Term::stdout();
    TableStyle {
        colour: colour(),
        width: terminal.size_checked().map_or(TableStyle::FILE.width, |(_, columns)| usize::from(columns)),
    }
}

/// Writes the result to stdout. A reader that went away (`| head`, a closed terminal) is no error.
pub(super) fn print(text: &str) -> Result<ExitCode, CliError> {
    print_obeying(text, &[])
}

/// Writes the answer of a query to stdout, as it is made.
pub(super) fn print_rows(rows: &TextRows, format: Format, cells: Cells) -> Result<ExitCode, CliError> {
    streamed(|mut stdout| results::write_text(rows, (format, cells), &command_line(), &mut stdout))
}

/// Streams a text to stdout. A terminal gets it whole, so that it obeys nothing in it.
pub(super) fn streamed<E: Into<StreamError>>(
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<ExitCode, CliError> {
    if io::stdout().is_terminal() {
        let mut text = Vec::new();
        return match write(&mut text).map_err(Into::into) {
            Ok(()) => print(&String::from_utf8_lossy(&text)),
            Err(StreamError::Output(error)) => printed(Err(error)),
            Err(StreamError::Other(error)) => Err(error),
        };
    }
    let mut stdout = BufWriter::new(io::stdout().lock());
    printed(match write(&mut stdout).map_err(Into::into) {
        Ok(()) => stdout.flush(),
        Err(StreamError::Output(error)) => Err(error),
        Err(StreamError::Other(error)) => return Err(error),
    })
}

/// Why a text could not be streamed.
pub(super) enum StreamError {
    /// The output could not be written.
    Output(io::Error),
    Other(CliError),
}

impl From<WriteError> for StreamError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::File(error) => Self::Output(error),
            WriteError::Json(error) if error.is_io() => Self::Output(error.into()),
            error => Self::Other(error.into()),
        }
    }
}

impl From<TrackError> for StreamError {
    fn from(error: TrackError) -> Self {
        match error {
            TrackError::File(error) => Self::Output(error),
            TrackError::Json(error) if error.is_io() => Self::Output(error.into()),
            error => Self::Other(error.into()),
        }
    }
}

/// Prints a table with colours. No other text in it may have any.
pub(super) fn print_coloured(text: &str) -> Result<ExitCode, CliError> {
    print_obeying(text, &COLOURS)
}

/// The escape codes of coloured tables.
const COLOURS: [&str; 3] = ["\u{1b}[0m", "\u{1b}[31m", "\u{1b}[32m"];

fn print_obeying(text: &str, obeyed: &[&str]) -> Result<ExitCode, CliError> {
    let is_terminal = io::stdout().is_terminal();
    if is_terminal { print_bytes(displayed(text, obeyed).as_bytes()) } else { print_bytes(text.as_bytes()) }
}

/// Returns a text that is safe for a terminal: formats for programs keep texts as they were stored, and a terminal would obey them.
fn displayed(text: &str, obeyed: &[&str]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_obeyed) {
        let (before, found) = rest.split_at(at);
        shown.push_str(before);
        let ours = obeyed.iter().copied().chain(["\n"]).find(|ours| found.starts_with(ours));
        let taken = ours.map_or_else(|| found.chars().next().map_or(0, char::len_utf8), str::len);
        match ours {
            Some(ours) => shown.push_str(ours),
            None => shown.extend(found[..taken].chars().flat_map(char::escape_default)),
        }
        rest = &found[taken..];
    }
    shown.push_str(rest);
    shown
}

/// Writes bytes to stdout.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<ExitCode, CliError> {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// Returns the outcome of writing to stdout.
pub(super) fn printed(outcome: io::Result<()>) -> Result<ExitCode, CliError> {
    match outcome {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EPIPE | libc::EIO)) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(CliError::Failed(format!("writing to stdout: {error}"))),
    }
}

/// Returns this command as it can be typed again.
pub(super) fn command_line() -> String {
    // A path may not be valid UTF-8.
    let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    typed(arguments.filter(|argument| argument != DETACHED))
}

fn typed(arguments: impl Iterator<Item = String>) -> String {
    // The program's own path is of no interest, and differs between machines.
    shell(std::iter::once("dbdyno".to_owned()).chain(arguments.skip(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_given_nothing_to_obey_but_our_colours_and_line_ends() {
        let coloured = "\u{1b}[31mred\u{1b}[0m\n\u{1b}[32mgreen\u{1b}[0m\n";
        assert_eq!(displayed(coloured, &COLOURS), coloured);
        assert_eq!(displayed("\u{1b}[31m", &[]), "\\u{1b}[31m");
        let hostile = "a\u{1b}[2Jb\r\n\u{9b}31m\u{202e}é";
        assert_eq!(displayed(hostile, &COLOURS), "a\\u{1b}[2Jb\\r\n\\u{9b}31m\\u{202e}é");
        assert_eq!(displayed("\u{1b}]0;title\u{7}", &COLOURS), "\\u{1b}]0;title\\u{7}");
    }

    #[test]
    fn the_command_can_be_typed_again() {
        let arguments = ["/usr/bin/dbdyno", "--set", "sqlite.synchronous=off|normal", "it's", ""];
        let line = typed(arguments.into_iter().map(str::to_owned));
        assert_eq!(line, r"dbdyno --set 'sqlite.synchronous=off|normal' 'it'\''s' ''");
    }
}
