//! Tables of SQL suites on RocksDB. They are the table layer's; added is which library answers, which is known once it is loaded.

use super::{
    RocksStore,
    database::{MAIN_FILE, library_of},
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::Library,
    engine::{Engine, Open},
    sql::SqlEngine,
    suite::{IndexSpec, TableSpec},
};
use dbdyno_tables::{Layered, LayeredSession};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

pub struct RocksTables {
    layered: Layered<RocksStore>,
    /// The database's.
    folder: PathBuf,
}

impl Engine for RocksTables {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        self.layered.clock()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.layered.in_force()
    }

    fn library(&self) -> Option<Library> {
        library_of(&self.folder)
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.layered.check()
    }

    fn close(self) -> Result<(), EngineError> {
        self.layered.close()
    }
}

impl SqlEngine for RocksTables {
    type Session<'e> = LayeredSession<'e, RocksStore>;

    fn open(open: Open<'_>, tables: &[TableSpec], indexes: &[IndexSpec]) -> Result<Self, EngineError> {
        let folder = Path::to_owned(open.folder);
        Ok(Self { layered: Layered::open(open, tables, indexes)?, folder })
    }

    fn reopens(&self) -> bool {
        self.layered.reopens()
    }

    fn session<'e>(&'e mut self) -> Result<Self::Session<'e>, EngineError> {
        self.layered.session()
    }
}
