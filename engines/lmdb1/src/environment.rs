//! Functions of an environment for every kind of suite: opens it with its options, reads them back, checks it.

use crate::{
    checksum,
    cipher::{Algorithm, Cipher},
    key::EncryptionKey,
    lmdb::{Dbi, Env, EnvOptions, Lmdb1Read, Protection, library_version},
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    engine::Open,
    ordered::{Direction, Keys},
    settings::Settings,
};
use dbdyno_lmdb_common::{LmdbSetup, MAIN_FILE, judge};
use std::{
    collections::BTreeMap,
    fs::File,
    ops::ControlFlow,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Checks that the 1.0 line is linked. The 0.9 line has the same symbol names, and must not run under this name.
fn expect_own(version: (i32, i32, i32)) -> Result<(), EngineError> {
    match version {
        (0, 9, 90..) | (1.., _, _) => Ok(()),
        (major, minor, patch) => Err(EngineError::fatal(format!(
            "the linked LMDB is {major}.{minor}.{patch}, expected the 1.0 line, which starts at 0.9.90"
        ))),
    }
}

/// An open environment with its options.
#[derive(Debug)]
pub struct Lmdb1Environment {
    pub(crate) env: Arc<Env>,
    pub(crate) setup: LmdbSetup,
    file: PathBuf,
}

impl Lmdb1Environment {
    /// Opens the environment in a folder, and creates it if it does not exist. `tables`: the maximum number of named tables.
    pub(crate) fn open(open: Open<'_>, tables: u32) -> Result<Self, EngineError> {
        expect_own(library_version())?;
        let setup = LmdbSetup::new(open.settings, open.data_bytes)?;
        let protection = protection(open.settings, open.folder)?;
        let page_size = open.settings.integer("page_size")? as usize;
        let config = EnvOptions { setup, protection, page_size, tables };
        let env = Env::open(open.folder, config).map_err(|error| {
            let error: EngineError = error.into();
            EngineError { message: format!("opening the environment: {}", error.message), ..error }
        })?;
        Ok(Self { env, setup, file: open.folder.join(MAIN_FILE) })
    }

    /// Returns every option that can be read back, with the value in force.
    pub(crate) fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        let mut in_force = self.env.in_force()?.in_force();
        let page_size = self.env.page_size()?;
        let encrypt = self.env.cipher()?.map_or("off", |cipher| cipher.algorithm().word());
        let checksum = if checksum_bytes(&self.file, page_size)? == checksum::BYTES { "on" } else { "off" };
        in_force.insert("page_size".to_owned(), page_size.to_string());
        in_force.insert("encrypt".to_owned(), encrypt.to_owned());
        in_force.insert("checksum".to_owned(), checksum.to_owned());
        Ok(in_force)
    }

    /// Returns what LMDB counted: nothing after a failure to reopen the environment, which the next transaction reports.
    pub(crate) fn counters(&self) -> EngineCounters {
        self.env.counters().unwrap_or_default()
    }

    /// Does the work that is due between two transactions; returns whether handles of named tables have become invalid.
    pub(crate) fn get_ready_to_write(&mut self) -> Result<bool, EngineError> {
        let renewed =
            Env::renew_if_stale(&mut self.env).map_err(EngineError::doing("opening the environment again"))?;
        if self.setup.grows {
            self.env.grow_if_half_full().map_err(EngineError::doing("growing the memory map"))?;
        }
        Ok(renewed)
    }

    /// Reads every row of a table, which visits every page, because LMDB has no check of its own.
    pub(crate) fn check(&self, table: Dbi) -> Result<(), EngineError> {
        let mut read = Lmdb1Read::begin(&self.env)?;
        let (counted, mut seen) = (read.rows(table)?, 0);
        read.range(table, Keys::ALL, Direction::Up, |_, _| {
            seen += 1;
            ControlFlow::Continue(())
        })?;
        judge(counted, seen)
    }
}

fn protection(settings: &Settings, folder: &Path) -> Result<Protection, EngineError> {
    if let Some(algorithm) = Algorithm::from_word(settings.text("encrypt")?) {
        let key = EncryptionKey::in_folder(folder, !folder.join(MAIN_FILE).exists())?;
        return Ok(Protection::Encrypted(Cipher::new(algorithm, &key)?));
    }
    Ok(if settings.flag("checksum")? { Protection::Checksum } else { Protection::Plain })
}

/// Returns the bytes of a checksum from the file: LMDB records them at the end of its first page, and has no call that returns them.
fn checksum_bytes(file: &Path, page_size: usize) -> Result<usize, EngineError> {
    let mut bytes = [0; 2];
    File::open(file)
        .and_then(|file| file.read_exact_at(&mut bytes, page_size as u64 - 2))
        .map_err(EngineError::doing(&format!("reading {}", file.display())))?;
    Ok(usize::from(u16::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_line_of_lmdb_is_refused() {
        assert_eq!(expect_own(library_version()), Ok(()));
        assert_eq!(expect_own((1, 0, 0)), Ok(()));
        let error = expect_own((0, 9, 33)).unwrap_err();
        assert_eq!(error.message, "the linked LMDB is 0.9.33, expected the 1.0 line, which starts at 0.9.90");
    }
}
