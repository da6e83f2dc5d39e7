//! The common parts of both lines of LMDB: the options, and what they mean for durability.
//!
//! LMDB 0.9 and LMDB 1.0 cannot be linked into one program, because their symbols have the same names. Their descriptions can be in one
//! program.

use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    describe::{Conflict, ImplementationRule, MemoryTarget, OptionSpec},
    durability::{Tier, TierRule},
    kv::{is_held, read_transaction},
    settings::Settings,
    suite::SuiteKind,
    tuning::ANY,
};
use std::collections::BTreeMap;

/// Name of the file that LMDB creates in its folder.
pub const MAIN_FILE: &str = "data.mdb";
/// Bytes by which the map of a multi-threaded test is larger than its content: address space, and neither memory nor disk. A reader that
/// holds its snapshot for minutes lets a file grow by gigabytes.
pub const ROOM: usize = 32 << 30;

/// The options that both lines have.
pub fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "sync",
            &["full", "nometasync", "mapasync", "nosync"],
            "full",
            "what a commit waits for; mapasync needs writemap=on",
        )
        .in_program("nometasync", "options.flags(EnvFlags::NO_META_SYNC); // in C: MDB_NOMETASYNC")
        .in_program(
            "mapasync",
            "options.flags(EnvFlags::MAP_ASYNC | EnvFlags::WRITE_MAP); // in C: MDB_MAPASYNC | MDB_WRITEMAP",
        )
        .in_program("nosync", "options.flags(EnvFlags::NO_SYNC); // in C: MDB_NOSYNC"),
        OptionSpec::bool("writemap", "off", "write through the memory map instead of write calls")
            .in_program("on", "options.flags(EnvFlags::WRITE_MAP); // heed's EnvOpenOptions; in C: MDB_WRITEMAP")
            .risk(
                "on",
                "a stray pointer of the program can write into the database, and transactions cannot be nested",
            ),
        OptionSpec::bool("readahead", "on", "let the operating system read ahead of random reads")
            .in_program("off", "options.flags(EnvFlags::NO_READ_AHEAD); // heed's EnvOpenOptions; in C: MDB_NORDAHEAD"),
        OptionSpec::size(
            "map_size",
            1 << 20,
            1 << 46,
            &["auto"],
            "auto",
            "size of the memory map, the database's limit; auto grows it before a transaction needs it",
        )
        .in_program(ANY, "options.map_size({value}); // in C: mdb_env_set_mapsize"),
        OptionSpec::bool(
            "append",
            "off",
            "put a key that is greater than all others with MDB_APPEND: ascending loads search no tree",
        )
        .only_for(SuiteKind::Kv)
        .in_program(
            "on",
            "put_with_flags(.., PutFlags::APPEND, ..) for a key above all others, else put // in C: MDB_APPEND",
        ),
        OptionSpec::memory(MemoryTarget::Nothing),
        read_transaction(),
    ]
}

/// Returns the tier rules.
pub fn tiers() -> Vec<TierRule> {
    vec![
        TierRule::unsynced(&[("sync", &["nosync"])]),
        TierRule::new(
            &[("sync", &["mapasync"])],
            Tier::ProcessSafe,
            "the map is flushed in the background: commits survive a crash of the program, a power loss may corrupt the file",
        ),
        TierRule::new(
            &[("sync", &["nometasync"])],
            Tier::Consistent,
            "the meta page is not synced: a power loss may lose the latest commit, never consistency",
        ),
        TierRule::new(
            &[("writemap", &["off"])],
            Tier::PowerSafe,
            "every commit waits until the disk has it; the count of sync calls has one a commit, for the data; the write of \
             the meta page syncs without a call (O_DSYNC), and is not counted",
        ),
        TierRule::synced(),
    ]
}

/// Returns the settings that LMDB would ignore.
pub fn conflicts() -> Vec<Conflict> {
    vec![Conflict::new(
        &[("sync", &["mapasync"]), ("writemap", &["off"])],
        "LMDB has nothing to flush in the background without a writable map: set writemap=on too",
    )]
}

/// The time at which a commit is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncMode {
    /// Before the commit returns.
    Full,
    /// As `Full`, except for the meta page.
    NoMeta,
    /// When the operating system has flushed the map.
    MapAsync,
    /// At any time that the operating system chooses.
    No,
}

impl SyncMode {
    /// Returns the mode for these flags; if several are set, LMDB follows the laxest.
    pub fn from_flags(nosync: bool, mapasync: bool, nometasync: bool) -> Self {
        match (nosync, mapasync, nometasync) {
            (true, _, _) => Self::No,
            (_, true, _) => Self::MapAsync,
            (_, _, true) => Self::NoMeta,
            _ => Self::Full,
        }
    }
}

/// Returns the shared implementation: both lines of LMDB are versions of one library, and share its mistakes.
pub fn implementation() -> ImplementationRule {
    ImplementationRule::new(SuiteKind::Kv, &[], "lmdb")
}

/// The options of opening an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LmdbSetup {
    pub sync: SyncMode,
    /// Whether writes go through the map.
    pub writemap: bool,
    /// Whether the operating system may read ahead.
    pub readahead: bool,
    /// Size of the memory map, bytes.
    pub map_size: usize,
    /// Whether the map grows by itself.
    pub grows: bool,
    /// Whether one read transaction is held over all reads of a test.
    pub held: bool,
    /// Whether keys greater than all others are appended.
    pub append: bool,
}

/// Smallest map created if the size is `auto`, in bytes.
const LEAST_MAP: u64 = 1 << 28;

impl LmdbSetup {
    /// Reads the setup from the options; `data_bytes` is the maximum of the bytes that will be stored.
    pub fn new(settings: &Settings, data_bytes: u64) -> Result<Self, EngineError> {
        let asked = settings.text("map_size")?;
        // Room for the copy-on-write pages of one transaction and for tree overhead. A larger map costs only address space.
        let automatic = data_bytes.saturating_mul(8).max(LEAST_MAP);
        let map_size: u64 = asked.parse().unwrap_or(automatic);
        Ok(Self {
            sync: match settings.text("sync")? {
                "nometasync" => SyncMode::NoMeta,
                "mapasync" => SyncMode::MapAsync,
                "nosync" => SyncMode::No,
                _ => SyncMode::Full,
            },
            writemap: settings.flag("writemap")?,
            readahead: settings.flag("readahead")?,
            map_size: map_size.next_multiple_of(1 << 16) as usize,
            grows: asked == "auto",
            held: is_held(settings)?,
            append: settings.flag("append")?,
        })
    }

    /// Returns the options that LMDB reports, in their spelling; `self` contains the values in force.
    pub fn in_force(self) -> BTreeMap<String, String> {
        let sync = match self.sync {
            SyncMode::Full => "full",
            SyncMode::NoMeta => "nometasync",
            SyncMode::MapAsync => "mapasync",
            SyncMode::No => "nosync",
        };
        let word = |on: bool| if on { "on" } else { "off" }.to_owned();
        BTreeMap::from([
            ("sync".to_owned(), sync.to_owned()),
            ("writemap".to_owned(), word(self.writemap)),
            ("readahead".to_owned(), word(self.readahead)),
            ("map_size".to_owned(), self.map_size.to_string()),
        ])
    }
}

/// What LMDB tells about an environment without a transaction: fields of `MDB_envinfo`. None of them ever decreases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvironmentInfo {
    /// The number of the last committed transaction that wrote.
    pub last_transaction: usize,
    /// The number of the last page in use.
    pub last_page: usize,
    /// Bytes of the memory map.
    pub map_size: usize,
}

/// Returns the meaning of each counter, by name.
pub fn counters() -> BTreeMap<String, String> {
    let counters = [
        (COMMITS, "write transactions that were committed with a change"),
        (PAGES_ADDED, "pages added at the end of the file, where no free page could be used again"),
        (MAP_GROWTH, "bytes by which the memory map grew, which maps the whole file anew"),
    ];
    counters.map(|(name, about)| (name.to_owned(), about.to_owned())).into()
}

impl EnvironmentInfo {
    /// Returns the counters of the environment.
    pub fn counters(self) -> EngineCounters {
        let Self { last_transaction, last_page, map_size } = self;
        EngineCounters::of_database([
            (COMMITS, last_transaction as u64),
            (PAGES_ADDED, last_page as u64),
            (MAP_GROWTH, map_size as u64),
        ])
    }
}

const COMMITS: &str = "commits";
const PAGES_ADDED: &str = "pages_added";
const MAP_GROWTH: &str = "map_growth_bytes";

/// The greatest key of a table inside a write transaction, for puts that may be appends; empty if the table has none yet.
#[derive(Debug, Clone, Default)]
pub struct GreatestKey(Vec<u8>);

impl GreatestKey {
    /// Starts from the last key of a table.
    pub fn new(last: Option<&[u8]>) -> Self {
        Self(last.unwrap_or_default().to_vec())
    }

    /// Returns whether a key is greater than all others, and if so records it as the greatest. After a deletion the recorded key may be
    /// too great: then an append is missed, but none is wrong.
    #[inline]
    pub fn grows_to(&mut self, key: &[u8]) -> bool {
        let beyond = key > self.0.as_slice();
        if beyond {
            self.0.clear();
            self.0.extend_from_slice(key);
        }
        beyond
    }
}

/// Returns the size to which a map grows before the next transaction, if less than half of it is free. Half a map is more than one
/// transaction of a suite needs. All sizes are in bytes.
pub fn grown(map_size: usize, used: usize) -> Option<usize> {
    (used > map_size / 2).then(|| map_size.saturating_mul(2))
}

/// Returns the error for LMDB's `MDB_MAP_FULL`.
pub fn map_full() -> EngineError {
    EngineError::new("MDB_MAP_FULL: the memory map is full: set a larger map_size")
}

/// The longest key that LMDB accepts in its usual build, in bytes.
pub const LONGEST_KEY: usize = 511;

/// Returns the error for LMDB's `MDB_BAD_VALSIZE`, with LMDB's own text.
pub fn bad_size(text: &str) -> EngineError {
    EngineError::new(format!("{text}: a key has 1 to {LONGEST_KEY} bytes, a value at most 4 GiB"))
}

/// Returns the result of a check that has read every row. `counted`: the number of rows according to the tree.
pub fn judge(counted: u64, seen: u64) -> Result<(), EngineError> {
    if seen == counted {
        return Ok(());
    }
    Err(EngineError::fatal(format!("the tree counts {counted} rows, but has {seen}")))
}
