//! What the Results screen wants to know of the store, or have changed there.

use crate::{
    base::{csv::Cells, output::Output, units::counted},
    report::{
        command::shell,
        results::{ResultsFormat, write},
    },
    store::{Annotation, Selection, Store, StoreError},
    tui::{
        screens::results::{Answer, Question, Target, WINDOW},
        setup::Setup,
    },
};
use std::path::Path;

/// Answers a question of the Results screen.
pub(crate) fn answer(question: Question, store: &Store) -> Answer {
    match question {
        Question::Page { ticket, selection, listing, offset } => {
            let page = taken_in(store).and_then(|()| store.page(&selection, &listing, offset, WINDOW));
            Answer::Page { ticket, page: page.map(Box::new).map_err(said) }
        }
        // Without them no name is known to be wrong.
        Question::Names => Answer::Names(store.names().unwrap_or_default()),
        Question::Run { ticket, run, purpose } => {
            let gone = || format!("run {run} is no longer stored: Ctrl-r reads again");
            let found = store.run(&run).map_err(said).and_then(|found| found.map(Box::new).ok_or_else(gone));
            Answer::Run { ticket, run: found, purpose }
        }
        Question::Extent(target) => {
            let lines = extent(store, &target);
            Answer::Extent(target, lines)
        }
        Question::Annotate(target, annotations) => Answer::Changed(annotate(store, &target, &annotations)),
        Question::Delete(target) => Answer::Changed(delete(store, &target)),
    }
}

/// Takes in what could not be stored before.
fn taken_in(store: &Store) -> Result<(), StoreError> {
    if store.exists() || store.has_journals() { store.settle().map(drop) } else { Ok(()) }
}

fn said(error: StoreError) -> String {
    error.to_string()
}

fn extent(store: &Store, target: &Target) -> Result<Vec<String>, String> {
    let extent = store.extent(&target.filter.selection).map_err(said)?;
    if extent.runs == 0 {
        return Err(format!("{}: nothing is stored of it any more", target.words));
    }
    let mut lines = vec![format!(
        "{} with {} and all that was measured",
        counted(extent.runs, "run"),
        counted(extent.results, "result")
    )];
    if extent.tags + extent.notes > 0 {
        lines.push(format!("{} and {} that you gave", counted(extent.tags, "tag"), counted(extent.notes, "note")));
    }
    if extent.sessions > 0 {
        lines.push(format!("{} that nothing would be left of", counted(extent.sessions, "session")));
    }
    if extent.unfinished > 0 {
        lines.push(format!("! {} not ended: what is being measured now comes back", counted(extent.unfinished, "run")));
    }
    Ok(lines)
}

fn annotate(store: &Store, target: &Target, annotations: &[Annotation]) -> Result<String, String> {
    match store.annotate(&target.filter.selection, annotations).map_err(said)? {
        0 => Err(format!("{}: nothing is stored of it any more", target.words)),
        runs => {
            Ok(format!("{}: {}", counted(runs, "run"), annotations.iter().map(word).collect::<Vec<_>>().join(", ")))
        }
    }
}

fn word(annotation: &Annotation) -> String {
    match annotation {
        Annotation::Tag(tag) => format!("tagged {tag}"),
        Annotation::Untag(tag) => format!("no longer tagged {tag}"),
        Annotation::Note(_) => "noted".to_owned(),
        Annotation::SetKey { key, .. } => format!("{key} set"),
        Annotation::RemoveKey(key) => format!("{key} removed"),
    }
}

fn delete(store: &Store, target: &Target) -> Result<String, String> {
    let deleted = store.delete(&target.filter.selection).map_err(said)?;
    let sessions = match deleted.sessions {
        0 => String::new(),
        sessions => format!(" and {} that nothing is left of", counted(sessions, "session")),
    };
    Ok(format!("deleted {}{sessions}", counted(deleted.runs, "run")))
}

/// Writes the results that a line means to a file that is not there yet, in the format of its ending.
pub(crate) fn export(output: &Output, path: &Path, line: &str, setup: &Setup) -> Result<(), String> {
    let format = ResultsFormat::of(path)?;
    let selection = Selection::parse_line(line)?;
    let command = export_command(path, line, format, setup);
    let write = |temporary: &Path| write(&setup.store, &selection, format, Cells::Escaped, &command, temporary);
    let failed = |error: &dyn std::fmt::Display| format!("{} cannot be written: {error}", path.display());
    output.create(write).map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// The command that writes the same file.
fn export_command(path: &Path, line: &str, format: ResultsFormat, setup: &Setup) -> String {
    let mut words = vec!["dbdyno".to_owned(), "export".to_owned()];
    words.extend(Selection::terms(line));
    words.extend(["--format", format.word(), "--out"].map(str::to_owned));
    words.push(path.display().to_string());
    words.extend(setup.arguments.iter().cloned());
    shell(words)
}
