//! Files that are written from the screens. None replaces a file that is there.

use crate::{
    base::{csv::Cells, output::Output},
    compare::Comparison,
    report::{
        command::shell,
        comparison::{self, TableStyle},
        evidence::evidence_text,
        format::Format,
        results,
        text::Colouring,
        tune::{EFFECTS_FORMATS, LEDGER_FORMATS, effects_text, ledger_text},
    },
    store::Selection,
    tui::{
        screens::compare::{WantedComparison, whole},
        setup::TuiSetup,
    },
    tune::{Ledger, effects::GridEffects},
};
use std::path::{Path, PathBuf};

/// Columns of a table in a file.
const FILE_WIDTH: usize = 80;

/// What a file is to hold.
#[derive(Debug)]
pub enum FileContent {
    Text(String),
    /// A comparison as it is shown, in the format of the file's ending; with what it was made from, since some formats have more.
    Comparison(Box<Comparison>, Box<WantedComparison>),
    /// Several sides beside one reference, in the format of the file's ending.
    Comparisons(Vec<Comparison>),
    /// A ledger, in the format of the file's ending, with the command that shows it.
    Ledger(Box<Ledger>, String),
    /// Which option matters how much, in the format of the file's ending, with the command that shows it.
    Effects(Box<GridEffects>, String),
    /// Results that a selection means, in the format of the file's ending.
    Results(String),
    /// All that was found of tiers, in the format of the file's ending.
    Evidence,
}

/// Writes a file that is not there yet; where a link led, which file that is.
pub(crate) fn write(path: &Path, content: &FileContent, setup: &TuiSetup) -> Result<PathBuf, String> {
    if path.as_os_str().is_empty() {
        return Err("no file was named".to_owned());
    }
    if path.exists() {
        return Err(format!("{} is there already: choose another name", path.display()));
    }
    let output = Output::check(path, &[setup.store.guarded()]).map_err(|error| error.to_string())?;
    let told = if output.note().is_some() { output.target() } else { path }.to_owned();
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    let text = match content {
        FileContent::Text(text) => text,
        FileContent::Evidence => &evidence(path, setup)?,
        FileContent::Ledger(ledger, command) => &exported(ledger, command, path)?,
        FileContent::Comparisons(sides) => {
            let style = TableStyle { colour: Colouring::Off, width: FILE_WIDTH };
            let format = Format::of_file(path, comparison::SEVERAL_FORMATS).map_err(|error| error.to_string())?;
            comparison::export_several(sides, format, style, Cells::Escaped, &output)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            return Ok(told);
        }
        FileContent::Effects(effects, command) => {
            let format = Format::of_file(path, EFFECTS_FORMATS).map_err(|error| error.to_string())?;
            &effects_text(effects, format, command).map_err(|error| error.to_string())?
        }
        FileContent::Comparison(shown, wanted) => {
            let style = TableStyle { colour: Colouring::Off, width: FILE_WIDTH };
            let format = Format::of_file(path, comparison::FORMATS).map_err(|error| error.to_string())?;
            let comparison = match format {
                Format::Csv | Format::Json | Format::Html | Format::Parquet => &whole(shown, wanted, &setup.store)?,
                Format::Table | Format::Markdown | Format::Benchfmt | Format::Lines => shown.as_ref(),
            };
            comparison::export(comparison, format, style, Cells::Escaped, &output)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            return Ok(told);
        }
        FileContent::Results(line) => {
            write_results(&output, path, line, setup)?;
            return Ok(told);
        }
    };
    output.create(|temporary| std::fs::write(temporary, text)).and_then(|done| done).map_err(failed)?;
    Ok(told)
}

/// Writes the results that a line means to a file that is not there yet, in the format of its ending.
fn write_results(output: &Output, path: &Path, line: &str, setup: &TuiSetup) -> Result<(), String> {
    let format = Format::of_file(path, results::FILE_FORMATS).map_err(|error| error.to_string())?;
    let selection = Selection::parse_line(line)?;
    let command = export_command(path, line, format, setup);
    let shape = (format, Cells::Escaped);
    let write = |temporary: &Path| results::write(&setup.store, &selection, shape, &command, &setup.catalog, temporary);
    let failed = |error: &dyn std::fmt::Display| format!("{} cannot be written: {error}", path.display());
    output.create(write).map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// The command that writes the same file.
fn export_command(path: &Path, line: &str, format: Format, setup: &TuiSetup) -> String {
    let mut words = vec!["dbdyno".to_owned(), "export".to_owned()];
    words.extend(Selection::terms(line));
    words.extend(["--format", format.name(), "--out"].map(str::to_owned));
    words.push(path.display().to_string());
    words.extend(setup.arguments.iter().cloned());
    shell(words)
}

/// All that was found of tiers, in the format of a file's ending.
fn evidence(path: &Path, setup: &TuiSetup) -> Result<String, String> {
    let format = Format::of_file(path, results::FORMATS).map_err(|error| error.to_string())?;
    evidence_text(&setup.store, format, Cells::Escaped).map_err(|error| error.to_string())
}

/// A ledger in the format of a file's ending.
fn exported(ledger: &Ledger, command: &str, path: &Path) -> Result<String, String> {
    let format = Format::of_file(path, LEDGER_FORMATS).map_err(|error| error.to_string())?;
    ledger_text(ledger, format, Cells::Escaped, command).map_err(|error| error.to_string())
}
