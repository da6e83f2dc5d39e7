//! The spool: results that could not be stored, as lines of JSON beside the store, taken in by the next start.

use super::{Batch, Store, StoreError};
use std::{
    fs::{self, OpenOptions},
    io::{BufRead, BufReader, ErrorKind, Write},
    path::PathBuf,
};

/// What was taken in from the spool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spooled {
    /// Batches that are now stored.
    pub taken: usize,
    /// Lines that are not batches (a line cut off by a crash); they stay in the file named.
    pub refused: Option<(usize, PathBuf)>,
}

impl Store {
    /// The spool's file.
    pub fn spool_path(&self) -> PathBuf {
        let mut name = self.path().file_name().unwrap_or_default().to_owned();
        name.push(".spool.jsonl");
        self.path().with_file_name(name)
    }
}

fn failed(path: PathBuf) -> impl FnOnce(std::io::Error) -> StoreError {
    move |error| StoreError::Spool { path, message: error.to_string() }
}

/// Appends a batch as one line, and syncs it.
pub(super) fn append(store: &Store, batch: &Batch) -> Result<(), StoreError> {
    let path = store.spool_path();
    let mut line = serde_json::to_string(batch)
        .map_err(|error| StoreError::Spool { path: path.clone(), message: error.to_string() })?;
    line.push('\n');
    let write = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        // Several processes may append: one at a time, whole lines.
        file.lock()?;
        let before = file.metadata()?.len();
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        if written.is_err() {
            // Half a line would swallow the next one; should this fail too, the first error is the one to tell.
            let _ = file.set_len(before);
        }
        written
    };
    write().map_err(failed(path.clone()))
}

/// Stores what is in the spool and removes it. The file is first renamed, so that a process that appends meanwhile
/// starts a new one and nothing is stored and then lost.
pub(super) fn take_in(store: &Store) -> Result<Spooled, StoreError> {
    let path = store.spool_path();
    let taking = path.with_extension("taking");
    if !taking.exists() {
        match fs::rename(&path, &taking) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Spooled::default()),
            Err(error) => return Err(failed(path)(error)),
        }
    }
    let file = fs::File::open(&taking).map_err(failed(taking.clone()))?;
    file.lock().map_err(failed(taking.clone()))?;
    let mut spooled = Spooled::default();
    let mut refused = Vec::new();
    for line in BufReader::new(&file).split(b'\n') {
        let line = line.map_err(failed(taking.clone()))?;
        match serde_json::from_slice::<Batch>(&line) {
            Ok(batch) => {
                store.write(&batch)?;
                spooled.taken += 1;
            }
            Err(_) if line.is_empty() => {}
            Err(_) => refused.push(line),
        }
    }
    if !refused.is_empty() {
        let kept = path.with_extension("refused");
        let mut file = OpenOptions::new().create(true).append(true).open(&kept).map_err(failed(kept.clone()))?;
        for line in &refused {
            file.write_all(line).and_then(|()| file.write_all(b"\n")).map_err(failed(kept.clone()))?;
        }
        spooled.refused = Some((refused.len(), kept));
    }
    fs::remove_file(&taking).map_err(failed(taking.clone()))?;
    Ok(spooled)
}
