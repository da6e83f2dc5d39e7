//! Functions of a database for every kind of suite: opens it with its options, commits as they require, checks it.

use crate::file::{CountedFile, FileCounts};
use dbdyno_engine::{EngineError, engine::Open};
use redb::{Database, Durability, WriteTransaction};
use std::{fmt, fs::File, sync::Arc};

pub(crate) const MAIN_FILE: &str = "redb.db";

/// The type of keys and values in redb's table types.
pub(crate) type RedbBytes = &'static [u8];

pub(crate) fn failed(error: impl fmt::Display) -> EngineError {
    EngineError::new(error.to_string())
}

/// The options of a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitOptions {
    durability: Durability,
    two_phase: bool,
    quick_repair: bool,
}

/// Opens the database in a folder, and returns it with the options of its commits and the counters of its file.
pub(crate) fn open_database(open: Open<'_>) -> Result<(Database, CommitOptions, Arc<FileCounts>), EngineError> {
    let settings = open.settings;
    // As redb opens a path itself.
    let file = File::options().read(true).write(true).create(true).truncate(false).open(open.folder.join(MAIN_FILE));
    let file = file.map_err(EngineError::doing("opening the database"))?;
    let (counts, cache_size) = (Arc::default(), settings.integer("cache_size")? as usize);
    let database = CountedFile::new(file, &counts)
        .and_then(|file| Database::builder().set_cache_size(cache_size).create_with_backend(file))
        .map_err(EngineError::doing("opening the database"))?;
    let commit = CommitOptions {
        durability: match settings.text("durability")? {
            "none" => Durability::None,
            _ => Durability::Immediate,
        },
        two_phase: settings.flag("two_phase_commit")?,
        quick_repair: settings.flag("quick_repair")?,
    };
    Ok((database, commit, counts))
}

impl CommitOptions {
    /// Begins a write transaction with these commit options.
    pub(crate) fn begin(self, database: &Database) -> Result<WriteTransaction, EngineError> {
        let mut transaction = database.begin_write().map_err(failed)?;
        transaction.set_durability(self.durability).map_err(failed)?;
        transaction.set_two_phase_commit(self.two_phase);
        transaction.set_quick_repair(self.quick_repair);
        Ok(transaction)
    }
}

/// Runs redb's own check. It repairs some damage, but repaired damage is an error too.
pub(crate) fn check(database: &mut Database) -> Result<(), EngineError> {
    match database.check_integrity() {
        Ok(true) => Ok(()),
        Ok(false) => Err(EngineError::fatal("check_integrity found damage and repaired it")),
        Err(error) => Err(EngineError::fatal(error.to_string())),
    }
}
