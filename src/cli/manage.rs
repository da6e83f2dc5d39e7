//! `dbdyno copy`, `tag`, `note`, `key` and `delete`.

use super::{
    args::Places,
    bench::command_line,
    error::CliError,
    manage_args::{CopyArgs, DeleteArgs, KeyArgs, NoteArgs, Runs, TagArgs},
    print,
    query::opened,
};
use crate::{
    base::units::counted,
    store::{Annotation, Selection, Store},
};
use dbdyno_engine::say;
use std::{
    io::{BufRead, IsTerminal},
    process::ExitCode,
};

pub(super) fn copy(places: &Places, args: &CopyArgs) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&args.selection.terms).map_err(CliError::Usage)?;
    let store = opened(places)?;
    if let Some(folder) = &args.to_parquet {
        let copied = store.copy_to_parquet(&selection, folder, &command_line(std::env::args()))?;
        return print(&format!("copied {} with {}\n", counted(copied.runs, "run"), counted(copied.results, "result")));
    }
    let Some(to) = &args.to else { return Err(CliError::Usage("give --to FILE or --to-parquet FOLDER".to_owned())) };
    let merged = store.copy_to_store(&selection, &Store::new(to))?;
    let (runs, results) = (merged.runs, merged.results);
    print(&format!(
        "copied {} with {}; {} there already\n",
        counted(runs.new + runs.completed, "run"),
        counted(results.new + results.completed, "result"),
        counted(runs.known, "run")
    ))
}

pub(super) fn tag(places: &Places, args: &TagArgs) -> Result<ExitCode, CliError> {
    let removed = args.remove.iter().cloned().map(Annotation::Untag);
    annotate(places, &args.runs, removed.chain(args.add.iter().cloned().map(Annotation::Tag)).collect())
}

pub(super) fn note(places: &Places, args: &NoteArgs) -> Result<ExitCode, CliError> {
    annotate(places, &args.runs, vec![Annotation::Note(args.text.clone())])
}

pub(super) fn key(places: &Places, args: &KeyArgs) -> Result<ExitCode, CliError> {
    let removed = args.remove.iter().cloned().map(Annotation::RemoveKey);
    let set = args.set.iter().cloned().map(|(key, value)| Annotation::SetKey { key, value });
    annotate(places, &args.runs, removed.chain(set).collect())
}

fn annotate(places: &Places, runs: &Runs, annotations: Vec<Annotation>) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&runs.terms).map_err(CliError::Usage)?;
    let changed = opened(places)?.annotate(&selection, &annotations)?;
    if changed == 0 {
        return Err(CliError::Usage("no run matches: `dbdyno results --runs` lists them".to_owned()));
    }
    print(&format!("{}\n", counted(changed, "run")))
}

pub(super) fn delete(places: &Places, args: &DeleteArgs) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&args.runs.terms).map_err(CliError::Usage)?;
    let store = opened(places)?;
    let runs = store.count_runs(&selection)?;
    if runs == 0 {
        return Err(CliError::Usage("no run matches: `dbdyno results --runs` lists them".to_owned()));
    }
    if !args.yes && !confirmed(runs)? {
        say!("nothing was deleted");
        return Ok(ExitCode::SUCCESS);
    }
    let deleted = store.delete(&selection)?;
    let (runs, sessions) = (counted(deleted.runs, "run"), counted(deleted.sessions, "session"));
    print(&format!("deleted {runs} and {sessions} that nothing is left of\n"))
}

/// Asks on the terminal. Without one, only `--yes` will do.
fn confirmed(runs: u64) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::Usage(format!(
            "this deletes {} for good: say --yes, there is no terminal to ask on",
            counted(runs, "run")
        )));
    }
    say::question(&format!("delete {} for good? [y/N] ", counted(runs, "run")));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| CliError::Failed(format!("reading the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
