//! redb, a copy-on-write B-tree in Rust.

mod ordered;

pub use ordered::RedbStore;

use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    describe::{Description, OptionSpec},
    durability::{Tier, TierRule},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite, Open},
    protocol::PROTOCOL,
    suite::{KvStatements, SuiteKind},
};
use redb::{
    Database, Durability, ReadOnlyTable, ReadableDatabase, ReadableTable, Table as RedbTable, TableDefinition,
    WriteTransaction,
};
use std::{collections::BTreeMap, fmt};

const MAIN_FILE: &str = "redb.db";
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("kv");

/// The engine's description.
pub fn describe() -> Description {
    Description {
        protocol: PROTOCOL,
        name: "redb".to_owned(),
        about: "redb, a copy-on-write B-tree in Rust".to_owned(),
        version: env!("DBDYNO_REDB_VERSION").to_owned(),
        build: Vec::new(),
        suites: vec![SuiteKind::Kv, SuiteKind::Sql],
        options: [options(), dbdyno_tables::options()].concat(),
        tiers: vec![
            TierRule::new(
                &[("durability", &["none"])],
                Tier::Unsafe,
                "commits stay in the program until a durable one: its crash loses them, though never consistency",
            ),
            TierRule::new(&[], Tier::PowerSafe, "every commit waits until the disk has it"),
        ],
        conflicts: Vec::new(),
    }
}

fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "durability",
            &["immediate", "none"],
            "immediate",
            "whether a commit waits for the disk, or is kept in memory until a later one does",
        ),
        OptionSpec::size("cache_size", 0, 1 << 46, &[], "1073741824", "bytes of redb's own page cache").tune(&[
            "16777216",
            "134217728",
            "1073741824",
        ]),
        OptionSpec::bool("two_phase_commit", "off", "sync twice a commit, against crafted crashes"),
        OptionSpec::bool("quick_repair", "off", "save the allocator's state in each commit, for a fast reopening"),
        OptionSpec::choice(
            "read_transaction",
            &["each", "held"],
            "each",
            "one read transaction for each read, or one held over all reads of a test",
        )
        .only_for(SuiteKind::Kv),
    ]
}

fn failed(error: impl fmt::Display) -> EngineError {
    EngineError::new(error.to_string())
}

/// An open database.
#[derive(Debug)]
pub struct Redb {
    database: Database,
    commit: Commit,
    held: bool,
}

/// How transactions are committed.
#[derive(Debug, Clone, Copy)]
struct Commit {
    durability: Durability,
    two_phase: bool,
    quick_repair: bool,
}

/// The database in a folder, and how the options want it to be committed.
fn database(open: Open<'_>) -> Result<(Database, Commit), EngineError> {
    let settings = open.settings;
    let database = Database::builder()
        .set_cache_size(settings.integer("cache_size")? as usize)
        .create(open.folder.join(MAIN_FILE))
        .map_err(EngineError::doing("opening the database"))?;
    let commit = Commit {
        durability: match settings.text("durability")? {
            "none" => Durability::None,
            _ => Durability::Immediate,
        },
        two_phase: settings.flag("two_phase_commit")?,
        quick_repair: settings.flag("quick_repair")?,
    };
    Ok((database, commit))
}

impl Commit {
    fn begin(self, database: &Database) -> Result<WriteTransaction, EngineError> {
        let mut transaction = database.begin_write().map_err(failed)?;
        transaction.set_durability(self.durability).map_err(failed)?;
        transaction.set_two_phase_commit(self.two_phase);
        transaction.set_quick_repair(self.quick_repair);
        Ok(transaction)
    }
}

impl KvEngine for Redb {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = MonotonicClock;
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let (database, commit) = database(open)?;
        let created = database.begin_write().map_err(failed)?;
        created.open_table(TABLE).map_err(failed)?;
        created.commit().map_err(failed)?;
        Ok(Self { database, commit, held: open.settings.text("read_transaction")? == "held" })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    /// redb has no call that tells what it was opened with.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<Session<'e>, EngineError> {
        Ok(Session { database: &self.database, commit: self.commit })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&mut self.database)
    }

    fn close(self) -> Result<(), EngineError> {
        drop(self.database);
        Ok(())
    }
}

fn check(database: &mut Database) -> Result<(), EngineError> {
    match database.check_integrity() {
        Ok(true) => Ok(()),
        Ok(false) => Err(EngineError::fatal("check_integrity found damage and repaired it")),
        Err(error) => Err(EngineError::fatal(error.to_string())),
    }
}

/// A test's session.
#[derive(Debug)]
pub struct Session<'e> {
    database: &'e Database,
    commit: Commit,
}

impl KvSession for Session<'_> {
    type Read<'s>
        = Read
    where
        Self: 's;
    type Write<'s>
        = Write
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Read, EngineError> {
        let transaction = self.database.begin_read().map_err(failed)?;
        Ok(Rows(transaction.open_table(TABLE).map_err(failed)?))
    }

    fn write(&mut self) -> Result<Write, EngineError> {
        self.commit.begin(self.database).map(Write)
    }
}

/// A read transaction; the table keeps it alive.
pub type Read = Rows<ReadOnlyTable<&'static [u8], &'static [u8]>>;

/// A write transaction.
pub struct Write(WriteTransaction);

impl KvTransaction for Write {
    type Table<'t> = Table<'t>;

    fn table(&mut self) -> Result<Table<'_>, EngineError> {
        Ok(Rows(self.0.open_table(TABLE).map_err(failed)?))
    }

    fn commit(self) -> Result<(), EngineError> {
        self.0.commit().map_err(failed)
    }
}

/// A table, inside a read transaction or a write transaction.
pub struct Rows<T>(T);

/// The table inside a write transaction.
pub type Table<'t> = Rows<RedbTable<'t, &'static [u8], &'static [u8]>>;

impl<T: ReadableTable<&'static [u8], &'static [u8]>> KvRead for Rows<T> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.0.get(key).map_err(failed)?.map(|value| visit(value.value())))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.get(key).map_err(failed)?.is_some())
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for row in self.0.iter().map_err(failed)? {
            let (key, value) = row.map_err(failed)?;
            visit(key.value(), value.value());
        }
        Ok(())
    }
}

impl KvWrite for Table<'_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.0.insert(key, value).map_err(failed)?;
        Ok(())
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.remove(key).map_err(failed)?.is_some())
    }
}
