//! Files that the screens export. An export never replaces an existing file.

use crate::tui::setup::TuiSetup;
use dbdyno_foundation::base::{csv::Cells, output::Output};
use dbdyno_reports::{
    command::shell,
    format::Format,
    results,
    sheet::{self, ReportStyle, SHEET_FORMATS, Sheet},
};
use dbdyno_store::Selection;
use serde::Serialize;
use std::{
    fmt::{Debug, Display},
    path::{Path, PathBuf},
};

/// The content of a file. Each implementation knows how to write itself in each format.
pub trait FileContent: Debug + Send {
    /// Writes the content to a file that does not exist yet, in the format of the file's ending.
    ///
    /// # Errors
    /// The reason why the file cannot be written.
    fn write(&self, file: &NewFile<'_>, setup: &TuiSetup) -> Result<(), String>;
}

/// A plain text. The file's ending does not matter.
impl FileContent for String {
    fn write(&self, file: &NewFile<'_>, _: &TuiSetup) -> Result<(), String> {
        file.write_bytes(self.as_bytes())
    }
}

/// A report, and the value that it was built from as JSON.
#[derive(Debug)]
struct SheetFile(Sheet, serde_json::Value);

impl FileContent for SheetFile {
    fn write(&self, file: &NewFile<'_>, _: &TuiSetup) -> Result<(), String> {
        file.write_sheet(&self.0, &self.1)
    }
}

/// Returns a report as file content; `typed` is the value that it was built from.
///
/// # Errors
/// `typed` cannot be serialised as JSON.
pub(crate) fn sheet(sheet: Sheet, typed: &impl Serialize) -> Result<Box<dyn FileContent>, String> {
    let typed = serde_json::to_value(typed).map_err(|error| format!("as JSON: {error}"))?;
    Ok(Box::new(SheetFile(sheet, typed)))
}

/// The results that a selection line matches.
#[derive(Debug)]
pub(crate) struct ResultsFile(pub(crate) String);

impl FileContent for ResultsFile {
    fn write(&self, file: &NewFile<'_>, setup: &TuiSetup) -> Result<(), String> {
        let format = file.format(results::FILE_FORMATS)?;
        let selection = Selection::parse_line(&self.0)?;
        let command = export_command(file.path, &self.0, format, setup);
        let shape = (format, Cells::Escaped);
        file.create(|to| results::write(&setup.store, &selection, shape, &command, &setup.catalog, to))
    }
}

/// A file that does not exist yet.
#[derive(Debug)]
pub struct NewFile<'p> {
    path: &'p Path,
    output: Output,
}

impl<'p> NewFile<'p> {
    fn check(path: &'p Path, setup: &TuiSetup) -> Result<Self, String> {
        if path.as_os_str().is_empty() {
            return Err("expected a file name".to_owned());
        }
        if path.exists() {
            return Err(format!("a file of this name already exists: {}", path.display()));
        }
        let output = Output::check(path, &[setup.store.guarded()]).map_err(|error| error.to_string())?;
        Ok(Self { path, output })
    }

    /// Returns the format of the file's ending, if it is one of these.
    pub(crate) fn format(&self, formats: &'static [Format]) -> Result<Format, String> {
        Format::of_file(self.path, formats).map_err(|error| error.to_string())
    }

    /// Returns the output itself, for reports that choose how they write it.
    pub(crate) fn output(&self) -> &Output {
        &self.output
    }

    /// Writes to a temporary name first: the file gets its own name once it is complete.
    pub(crate) fn create<E: Display>(&self, write: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), String> {
        self.output.create(write).map_err(|error| self.failed(&error))?.map_err(|error| self.failed(&error))
    }

    pub(crate) fn failed(&self, error: &dyn Display) -> String {
        format!("{} cannot be written: {error}", self.path.display())
    }

    fn write_bytes(&self, bytes: &[u8]) -> Result<(), String> {
        self.create(|to| std::fs::write(to, bytes))
    }

    /// Writes a report in the format of the file's ending; `typed` is the value that it was built from.
    pub(crate) fn write_sheet(&self, shown: &Sheet, typed: &impl Serialize) -> Result<(), String> {
        let format = self.format(SHEET_FORMATS)?;
        let text = sheet::written(shown, typed, format, ReportStyle::FILE);
        let bytes = text
            .as_deref()
            .map_err(ToString::to_string)
            .and_then(|text| sheet::encoded(text, format).map_err(|error| error.to_string()));
        self.write_bytes(&bytes?)
    }

    /// Returns the path of the written file. For a symbolic link this is the link's target.
    fn written(&self) -> PathBuf {
        if self.output.note().is_some() { self.output.target() } else { self.path }.to_owned()
    }
}

/// A file that was not written, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    pub(crate) reason: String,
    /// The name to offer next: the same one, or a free one if it is taken.
    pub(crate) name: String,
}

/// Writes a file that does not exist yet, and returns its path. For a symbolic link this is the link's target.
pub(crate) fn write(path: &Path, content: &dyn FileContent, setup: &TuiSetup) -> Result<PathBuf, RefusedFile> {
    let written = NewFile::check(path, setup).and_then(|file| content.write(&file, setup).map(|()| file.written()));
    written.map_err(|reason| RefusedFile { reason, name: free_name(&path.to_string_lossy()) })
}

/// Returns a name that no file has yet: this one, or with a number before its ending (`results-2.csv`).
pub(crate) fn free_name(name: &str) -> String {
    /// The numbers to try, more than anyone uses. After them the name is offered as it is.
    const MOST: u32 = 10_000;
    let is_taken = |name: &str| Path::new(name).symlink_metadata().is_ok();
    if name.is_empty() || !is_taken(name) {
        return name.to_owned();
    }
    let dot = name
        .rfind('.')
        .filter(|at| !name[..*at].is_empty() && !name[..*at].ends_with('/') && !name[*at..].contains('/'));
    let (stem, ending) = name.split_at(dot.unwrap_or(name.len()));
    // A name that was offered before already has a number.
    let (stem, first) = match stem.rsplit_once('-') {
        Some((stem, number)) if number.parse::<u32>().is_ok_and(|number| number > 1) => {
            (stem, number.parse::<u32>().unwrap_or(1).saturating_add(1))
        }
        _ => (stem, 2),
    };
    let mut free = (first..first.saturating_add(MOST)).map(|number| format!("{stem}-{number}{ending}"));
    free.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

/// Returns the command that writes the same file.
fn export_command(path: &Path, line: &str, format: Format, setup: &TuiSetup) -> String {
    let mut words = vec!["dbdyno".to_owned(), "export".to_owned()];
    words.extend(Selection::terms(line));
    words.extend(["--format", format.name(), "--out"].map(str::to_owned));
    words.push(path.display().to_string());
    words.extend(setup.arguments.iter().cloned());
    shell(words)
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
