//! Keys and values in the main table of an environment.

use crate::{
    checksum,
    cipher::{Algorithm, Cipher},
    key::Key,
    lmdb::{Config, Env, LmdbError, Protection, Read, Table, Write, library_version},
};
use dbdyno_engine::{
    EngineError,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite, Open},
    lmdb::{MAIN_FILE, Setup},
    recorder::MonotonicClock,
    settings::Settings,
    suite::KvStatements,
};
use std::{
    collections::BTreeMap,
    fs::File,
    ops::ControlFlow,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The 0.9 line has the same symbol names. Whoever is linked with it must not run under this name.
fn expect_own_version() -> Result<(), EngineError> {
    match library_version() {
        (0, 9, 90..) | (1.., _, _) => Ok(()),
        (major, minor, patch) => Err(EngineError::fatal(format!(
            "the linked LMDB is {major}.{minor}.{patch}, expected the 1.0 line, which starts at 0.9.90"
        ))),
    }
}

/// An open environment, whose main table has the rows.
#[derive(Debug)]
pub struct Lmdb1 {
    env: Arc<Env>,
    setup: Setup,
    file: PathBuf,
}

fn protection(settings: &Settings, folder: &Path) -> Result<Protection, EngineError> {
    if let Some(algorithm) = Algorithm::of_word(settings.text("encrypt")?) {
        let key = Key::of_folder(folder, !folder.join(MAIN_FILE).exists())?;
        return Ok(Protection::Encrypted(Cipher::new(algorithm, &key)));
    }
    Ok(if settings.flag("checksum")? { Protection::Checksum } else { Protection::Plain })
}

/// Reads the first row, so that a wrong key is found now and not in the middle of a test.
fn try_key(env: &Arc<Env>) -> Result<(), EngineError> {
    let mut read = Read::begin(env)?;
    read.scan(Table::MAIN, None, |_, _| ControlFlow::Break(())).map_err(|error| {
        if error.is_decryption() {
            EngineError::fatal(
                "the key beside the database is not the one that it was encrypted with, or its first page was changed",
            )
        } else {
            error.into()
        }
    })
}

impl KvEngine for Lmdb1 {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = MonotonicClock;
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        expect_own_version()?;
        let setup = Setup::new(open.settings, open.data_bytes)?;
        let protection = protection(open.settings, open.folder)?;
        let page_size = open.settings.integer("page_size")? as usize;
        let config = Config { setup, protection, page_size, tables: 0 };
        let env = Env::open(open.folder, config).map_err(EngineError::doing("opening the environment"))?;
        try_key(&env)?;
        Ok(Self { env, setup, file: open.folder.join(MAIN_FILE) })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        let mut in_force = self.env.in_force()?.in_force();
        let page_size = self.env.page_size()?;
        let encrypt = self.env.cipher()?.map_or("off", |cipher| cipher.algorithm().word());
        let checksum = if checksum_bytes(&self.file, page_size)? == checksum::BYTES { "on" } else { "off" };
        in_force.insert("page_size".to_owned(), page_size.to_string());
        in_force.insert("encrypt".to_owned(), encrypt.to_owned());
        in_force.insert("checksum".to_owned(), checksum.to_owned());
        Ok(in_force)
    }

    fn holds_reads(&self) -> bool {
        self.setup.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<Session<'e>, EngineError> {
        if self.env.is_stale()
            && let Some(env) = Arc::get_mut(&mut self.env)
        {
            env.renew().map_err(EngineError::doing("opening the environment again"))?;
        }
        Ok(Session(self))
    }

    fn check(&mut self) -> Result<(), EngineError> {
        // LMDB has no check of its own: every page is visited by reading every row.
        let mut read = Read::begin(&self.env)?;
        let (counted, mut seen) = (read.rows(Table::MAIN)?, 0);
        read.scan(Table::MAIN, None, |_, _| {
            seen += 1;
            ControlFlow::Continue(())
        })?;
        if seen == counted {
            Ok(())
        } else {
            Err(EngineError::fatal(format!("the tree says {counted} rows and has {seen}")))
        }
    }

    fn close(self) -> Result<(), EngineError> {
        drop(self.env);
        Ok(())
    }
}

/// Bytes of a checksum as the file says: LMDB notes them at the end of its first page and has no call that tells.
fn checksum_bytes(file: &Path, page_size: usize) -> Result<usize, EngineError> {
    let mut bytes = [0; 2];
    File::open(file)
        .and_then(|file| file.read_exact_at(&mut bytes, page_size as u64 - 2))
        .map_err(EngineError::doing(&format!("reading {}", file.display())))?;
    Ok(usize::from(u16::from_ne_bytes(bytes)))
}

/// A test's session.
#[derive(Debug)]
pub struct Session<'e>(&'e Lmdb1);

impl KvSession for Session<'_> {
    type Read<'s>
        = Rows<Read>
    where
        Self: 's;
    type Write<'s>
        = Rows<Write>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Rows<Read>, EngineError> {
        Ok(Rows(Read::begin(&self.0.env)?))
    }

    fn write(&mut self) -> Result<Rows<Write>, EngineError> {
        if self.0.setup.grows {
            self.0.env.grow_if_half_full().map_err(EngineError::doing("growing the memory map"))?;
        }
        Ok(Rows(Write::begin(&self.0.env)?))
    }
}

/// The main table inside a transaction.
#[derive(Debug)]
pub struct Rows<T>(T);

impl KvTransaction for Rows<Write> {
    type Table<'t> = Rows<&'t mut Write>;

    fn table(&mut self) -> Result<Rows<&mut Write>, EngineError> {
        Ok(Rows(&mut self.0))
    }

    fn commit(self) -> Result<(), EngineError> {
        Ok(self.0.commit()?)
    }
}

impl KvRead for Rows<Read> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.0.get(Table::MAIN, key, visit)?)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.get(Table::MAIN, key, |_| ())?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        Ok(scan(&mut self.0, visit)?)
    }
}

impl KvRead for Rows<&mut Write> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.0.get(Table::MAIN, key, visit)?)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.get(Table::MAIN, key, |_| ())?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        Ok(scan(self.0, visit)?)
    }
}

impl KvWrite for Rows<&mut Write> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        Ok(self.0.put(Table::MAIN, key, value)?)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.delete(Table::MAIN, key)?)
    }
}

fn scan(read: &mut Read, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), LmdbError> {
    read.scan(Table::MAIN, None, |key, value| {
        visit(key, value);
        ControlFlow::Continue(())
    })
}
