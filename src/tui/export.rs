//! Files that are written from the screens. None replaces a file that is there.

use crate::tui::{
    screens::{
        compare::{WantedComparison, whole},
        sql::Statement,
    },
    setup::TuiSetup,
};
use dbdyno_comparing::compare::Comparison;
use dbdyno_foundation::base::{csv::Cells, output::Output};
use dbdyno_reports::{
    answer,
    command::shell,
    comparison,
    evidence::EvidenceList,
    format::Format,
    results,
    sheet::{self, SHEET_FORMATS, Sheet, TableStyle},
    tune::effects_sheet,
};
use dbdyno_running::tune::effects::GridEffects;
use dbdyno_store::Selection;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What a file is to hold.
#[derive(Debug)]
pub enum FileContent {
    Text(String),
    /// A comparison as it is shown, in the format of the file's ending; with what it was made from, since some formats have more.
    Comparison(Box<Comparison>, Box<WantedComparison>),
    /// Several sides beside one reference, in the format of the file's ending.
    Comparisons(Vec<Comparison>),
    /// A report, in the format of the file's ending, with what it was built of.
    Sheet(Box<Sheet>, serde_json::Value),
    /// Which option matters how much, in the format of the file's ending, with the command that shows it.
    Effects(Box<GridEffects>, String),
    /// Results that a selection means, in the format of the file's ending.
    Results(String),
    /// The whole answer of a query, in the format of the file's ending.
    Answer(Statement),
    /// All that was found of tiers, in the format of the file's ending.
    Evidence,
}

impl FileContent {
    /// A report; `typed` is what it was built of.
    ///
    /// # Errors
    /// What it was built of cannot be JSON.
    pub(crate) fn sheet(sheet: Sheet, typed: &impl Serialize) -> Result<Self, String> {
        let typed = serde_json::to_value(typed).map_err(|error| format!("as JSON: {error}"))?;
        Ok(Self::Sheet(Box::new(sheet), typed))
    }
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    pub(crate) reason: String,
    /// The name to ask with again: the same one, or where it is taken one that is free.
    pub(crate) name: String,
}

/// Writes a file that is not there yet; where a link led, which file that is.
pub(crate) fn write(path: &Path, content: &FileContent, setup: &TuiSetup) -> Result<PathBuf, RefusedFile> {
    let name = path.to_string_lossy();
    written(path, content, setup).map_err(|reason| RefusedFile { reason, name: free_name(&name) })
}

/// A name that no file has yet: this one, or with a number before its ending (`results-2.csv`).
pub(crate) fn free_name(name: &str) -> String {
    /// More than anybody keeps; then the name is offered as it is.
    const MOST: u32 = 10_000;
    let is_taken = |name: &str| Path::new(name).symlink_metadata().is_ok();
    if name.is_empty() || !is_taken(name) {
        return name.to_owned();
    }
    let dot = name
        .rfind('.')
        .filter(|at| !name[..*at].is_empty() && !name[..*at].ends_with('/') && !name[*at..].contains('/'));
    let (stem, ending) = name.split_at(dot.unwrap_or(name.len()));
    // A name that was offered before has a number already.
    let (stem, first) = match stem.rsplit_once('-') {
        Some((stem, number)) if number.parse::<u32>().is_ok_and(|number| number > 1) => {
            (stem, number.parse::<u32>().unwrap_or(1).saturating_add(1))
        }
        _ => (stem, 2),
    };
    let mut free = (first..first.saturating_add(MOST)).map(|number| format!("{stem}-{number}{ending}"));
    free.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

fn written(path: &Path, content: &FileContent, setup: &TuiSetup) -> Result<PathBuf, String> {
    if path.as_os_str().is_empty() {
        return Err("no file was named".to_owned());
    }
    if path.exists() {
        return Err(format!("a file of this name is there already: {}", path.display()));
    }
    let output = Output::check(path, &[setup.store.guarded()]).map_err(|error| error.to_string())?;
    let told = if output.note().is_some() { output.target() } else { path }.to_owned();
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    let text = match content {
        FileContent::Text(text) => text,
        FileContent::Evidence => &evidence(path, setup)?,
        FileContent::Sheet(shown, typed) => {
            let format = Format::of_file(path, SHEET_FORMATS).map_err(|error| error.to_string())?;
            &sheet::written(shown, typed, format, TableStyle::FILE, Cells::Escaped)
                .map_err(|error| error.to_string())?
        }
        FileContent::Comparisons(sides) => {
            let format = Format::of_file(path, comparison::SEVERAL_FORMATS).map_err(|error| error.to_string())?;
            comparison::export_several(sides, format, TableStyle::FILE, Cells::Escaped, &output)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            return Ok(told);
        }
        FileContent::Effects(effects, command) => {
            let format = Format::of_file(path, SHEET_FORMATS).map_err(|error| error.to_string())?;
            let written =
                sheet::written(&effects_sheet(effects, command), effects, format, TableStyle::FILE, Cells::Escaped);
            &written.map_err(|error| error.to_string())?
        }
        FileContent::Comparison(shown, wanted) => {
            let format = Format::of_file(path, comparison::FORMATS).map_err(|error| error.to_string())?;
            let comparison = match format {
                Format::Csv | Format::Json | Format::Html | Format::Parquet => &whole(shown, wanted, &setup.store)?,
                Format::Table | Format::Markdown | Format::Benchfmt | Format::Lines => shown.as_ref(),
            };
            comparison::export(comparison, format, TableStyle::FILE, Cells::Escaped, &output)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            return Ok(told);
        }
        FileContent::Answer(statement) => {
            let format = Format::of_file(path, answer::FILE_FORMATS).map_err(|error| error.to_string())?;
            let Statement { sql, order } = statement;
            let write =
                |temporary: &Path| answer::write(&setup.store, sql, *order, (format, Cells::Escaped), temporary);
            output
                .create(write)
                .map_err(failed)?
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
    let format = Format::of_file(path, SHEET_FORMATS).map_err(|error| error.to_string())?;
    let found = EvidenceList::read(&setup.store).map_err(|error| error.to_string())?;
    let sheet = found.sheet("dbdyno list evidence");
    sheet::written(&sheet, &found, format, TableStyle::FILE, Cells::Escaped).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_the_first_number_that_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        assert_eq!(free_name(&name("a.csv")), name("a.csv"));
        for taken in ["a.csv", "a-2.csv", "a-4.csv", "plain", ".hidden"] {
            std::fs::write(name(taken), "").unwrap();
        }
        assert_eq!(free_name(&name("a.csv")), name("a-3.csv"));
        assert_eq!(free_name(&name("a-2.csv")), name("a-3.csv"));
        assert_eq!(free_name(&name("a-4.csv")), name("a-5.csv"));
        assert_eq!(free_name(&name("plain")), name("plain-2"));
        assert_eq!(free_name(&name(".hidden")), name(".hidden-2"));
        assert_eq!(free_name(""), "");
    }
}
