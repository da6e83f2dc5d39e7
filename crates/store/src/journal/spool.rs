//! What version 0.1 kept beside a store that it could not write: lines of JSON, in a file that was renamed while it was taken in.

use super::{
    super::{
        Batch, Store, StoreError,
        error::Doing,
        import::{make_tables, merge_staged},
        write::stage_batch,
    },
    REFUSED,
};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

/// The files, the one with the older lines first.
fn files(store: &Store) -> [PathBuf; 2] {
    ["spool.taking", "spool.jsonl"].map(|ending| super::beside(store.path(), ending))
}

pub(super) fn is_there(store: &Store) -> bool {
    files(store).iter().any(|file| file.exists())
}

pub(super) fn bytes(store: &Store) -> u64 {
    files(store).iter().filter_map(|file| Some(fs::metadata(file).ok()?.len())).sum()
}

fn merge(store: &Store, batch: &Batch) -> Result<(), StoreError> {
    store.writing(|connection| {
        make_tables(connection).and_then(|()| stage_batch(connection, batch)).doing(store.path())?;
        merge_staged(connection).doing(store.path()).map(drop)
    })
}

/// Takes in all lines. They do not say when they were written: only what the store does not have, or has not whole, is taken.
pub(super) fn take_in(store: &Store) -> Result<(), StoreError> {
    for file in files(store) {
        let failed = |error: io::Error| StoreError::Journal { path: file.clone(), message: error.to_string() };
        let lines = match fs::read(&file) {
            Ok(lines) => lines,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        let (mut batches, mut refused) = (Vec::new(), Vec::new());
        for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Batch>(line) {
                Ok(batch) => batches.push((line, batch)),
                Err(_) => refused.extend([line, b"\n"].concat()),
            }
        }
        let mut all = Batch::default();
        batches.iter().for_each(|(_, batch)| all.extend(batch.clone()));
        if merge(store, &all).is_err() {
            // Is it the store, or a line with a value that no column takes?
            merge(store, &Batch::default())?;
            let refusals = batches.iter().filter(|(_, batch)| merge(store, batch).is_err());
            refusals.for_each(|(line, _)| refused.extend([line, &b"\n"[..]].concat()));
        }
        if !refused.is_empty() {
            let path = store.journal_folder().join(REFUSED);
            let keep = || -> io::Result<()> {
                fs::create_dir_all(store.journal_folder())?;
                OpenOptions::new().create(true).append(true).open(&path)?.write_all(&refused)
            };
            keep().map_err(|error| StoreError::Journal { path: path.clone(), message: error.to_string() })?;
        }
        fs::remove_file(&file).map_err(failed)?;
    }
    Ok(())
}
