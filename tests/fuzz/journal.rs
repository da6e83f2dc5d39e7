//! Journals that were cut, changed or mixed up.

use super::{harness::Target, holds};
use crate::support::asked;
use dbdyno::store::{Batch, Store, WarningRecord};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The messages in the lines of the journal.
const MESSAGES: [&str; 3] = ["first", "second \u{1b}[2J", "größer,\n\"x\""];
const JOURNAL: &str = "01890000-0000-7000-8000-00000000000a.jsonl";

fn batch((number, message): (usize, &str)) -> Batch {
    let warning = WarningRecord {
        warning_id: format!("01890000-0000-7000-8000-{number:012}"),
        session_id: "01890000-0000-7000-8000-000000000002".to_owned(),
        run_id: None,
        test: Some(1),
        linter: "x".to_owned(),
        matter: None,
        message: message.to_owned(),
    };
    Batch { warnings: vec![warning], ..Batch::default() }
}

/// The journal of a store after several appends.
fn journal(folder: &Path) -> Vec<u8> {
    let store = Store::new(folder.join("first.duckdb"));
    let _session = store.own().unwrap();
    MESSAGES.into_iter().enumerate().for_each(|message| store.append(&batch(message)).unwrap());
    let mut files = fs::read_dir(store.journal_folder()).unwrap();
    fs::read(files.next().unwrap().unwrap().path()).unwrap()
}

/// An empty store that is restored for every case.
struct Empty {
    folder: PathBuf,
    file: Vec<u8>,
}

impl Empty {
    fn new(folder: &Path) -> Self {
        let store = Store::new(folder.join("empty.duckdb"));
        store.prepare().unwrap();
        Self { folder: folder.to_owned(), file: fs::read(store.path()).unwrap() }
    }

    fn store(&self) -> Store {
        let store = Store::new(self.folder.join("store.duckdb"));
        drop(fs::remove_dir_all(store.journal_folder()));
        fs::create_dir(store.journal_folder()).unwrap();
        fs::write(store.path(), &self.file).unwrap();
        store
    }
}

fn messages(store: &Store) -> Result<Vec<String>, String> {
    let answer = asked(store, "SELECT message FROM warning ORDER BY warning_id");
    answer.map(|rows| rows.into_iter().flatten().flatten().collect()).map_err(|error| error.to_string())
}

/// Imports the journal twice. Returns the messages that the store has then.
fn settled(store: &Store) -> Result<Vec<String>, String> {
    store.settle().map_err(|error| format!("it is not taken in: {error}"))?;
    let taken = messages(store)?;
    let again = store.settle().map_err(|error| format!("not a second time: {error}"))?;
    holds(again.recovered == 0, || format!("taken in a second time: {again:?}"))?;
    holds(messages(store)? == taken, || "another time it is another".to_owned())?;
    Ok(taken)
}

#[test]
fn journals() {
    let folder = tempfile::tempdir().unwrap();
    let (sample, empty) = (journal(folder.path()), Empty::new(folder.path()));
    let lines: Vec<&[u8]> = sample.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), MESSAGES.len());
    Target::new("journals", 15).fuzz(std::slice::from_ref(&sample), |input| {
        let store = empty.store();
        fs::write(store.journal_folder().join(JOURNAL), input).unwrap();
        let taken = settled(&store)?;
        // Only complete lines equal to the written ones count, and all of them do.
        let whole = |line: &&[u8]| input.split_inclusive(|byte| *byte == b'\n').any(|found| found == *line);
        let expected: Vec<&str> =
            lines.iter().zip(MESSAGES).filter(|(line, _)| whole(line)).map(|(_, said)| said).collect();
        holds(taken == expected, || format!("taken in: {taken:?}, expected {expected:?}"))
    });
}
