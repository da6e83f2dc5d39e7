//! SQLite's options and what they mean for durability.

use super::{
    busy::{BUSY_HANDLER, OWN},
    pragmas,
};
use dbdyno_engine::{
    describe::{Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    kv::read_transaction,
    sql::{reopen, statements},
    suite::SuiteKind,
    tuning::ANY,
};
use dbdyno_tables::counted;
use rusqlite::Connection;
use std::collections::BTreeMap;

pub fn describe() -> Description {
    let build = compile_options();
    Description {
        sqlite_files: true,
        options: [options(&build, &TRANSACTIONS), vec![memory_statistics()]].concat(),
        build,
        source: source(),
        tiers: tiers(),
        compacts: true,
        counters: counted::described(),
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY), (SuiteKind::Sql, Threads::MANY)]),
        ..Description::new(
            "sqlite",
            "SQLite's own B-tree, through rusqlite",
            rusqlite::version(),
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        // Of SQLite, and of rusqlite.
        .licensed("blessing AND MIT", &["c", "rust"])
    }
}

fn compile_options() -> Vec<String> {
    let list = || -> rusqlite::Result<Vec<String>> {
        let connection = Connection::open_in_memory()?;
        let mut statement = connection.prepare("PRAGMA compile_options")?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    list().unwrap_or_default()
}

/// Returns the option that SQLite receives before it starts; all others are set on a connection.
fn memory_statistics() -> OptionSpec {
    OptionSpec::bool(
        "memory_statistics",
        "on",
        "whether SQLite counts the memory it uses (sqlite3_config at the start); SQLite's own advice for speed is off",
    )
    .in_program("off", "sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); // before the first connection")
}

/// Returns the SQLite check-in from which the library was built.
fn source() -> Option<String> {
    let connection = Connection::open_in_memory().ok()?;
    connection.query_row("SELECT sqlite_source_id()", [], |row| row.get(0)).ok()
}

/// Returns a number from the compile options: `MAX_MMAP_SIZE=0x7fff0000`.
fn compiled(build: &[String], name: &str) -> Option<u64> {
    let text = build.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
    text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok())
}

const ROLLBACK: &[&str] = &["delete", "truncate", "persist", "memory", "off"];

/// The ways to begin a write transaction that every build supports.
pub const TRANSACTIONS: [&str; 3] = ["deferred", "immediate", "exclusive"];

/// Returns the options that every build of SQLite has. `build`: its compile options, if known; `begins`: the ways to begin a write
/// transaction.
pub fn options(build: &[String], begins: &[&str]) -> Vec<OptionSpec> {
    let mut options = vec![journal_mode(), synchronous()];
    options.extend(pages(build));
    options.push(OptionSpec::memory(MemoryTarget::NegativeKib { option: "cache_size".to_owned() }));
    options.extend(locks(build));
    options.extend(transactions(begins));
    options.into_iter().map(pragmas::with_statement).collect()
}

fn journal_mode() -> OptionSpec {
    OptionSpec::choice(
        "journal_mode",
        &["delete", "truncate", "persist", "memory", "wal", "off"],
        "delete",
        "how a transaction is made atomic: a rollback journal, a write-ahead log, or not at all",
    )
    // A search with little time tries the first.
    .tune(&["wal", "truncate", "persist", "delete", "memory", "off"])
    .risk("wal", "a -wal and a -shm file next to the database; no network file systems")
    .risk("persist", "the journal file stays next to the database")
}

fn synchronous() -> OptionSpec {
    OptionSpec::choice(
        "synchronous",
        &["off", "normal", "full", "extra"],
        "full",
        "how often SQLite waits for the disk",
    )
    .same(
        &["full", "extra"],
        &[("journal_mode", &["truncate", "persist", "memory", "wal", "off"])],
        "extra syncs the folder after a journal is deleted, and this journal mode deletes none",
    )
    .same(
        &["full", "extra"],
        &[("locking_mode", &["exclusive"])],
        "extra syncs the folder after a journal is deleted, and an exclusive lock keeps the journal",
    )
    .same(
        &["normal", "full", "extra"],
        &[("journal_mode", &["memory", "off"])],
        "they differ in how a journal file or log is synced, and this journal mode has none",
    )
}

fn pages(build: &[String]) -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "page_size",
            &["512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"],
            "4096",
            "bytes of a database page",
        )
        .fresh()
        .tune(&["1024", "4096", "8192", "16384", "32768"]),
        OptionSpec::integer(
            "cache_size",
            -(1 << 30),
            1 << 30,
            "-2000",
            "page cache: pages when positive, KiB when negative",
        )
        .tune(&["-2000", "-8000", "-32000", "-128000"]),
        OptionSpec::size("mmap_size", 0, 1 << 46, &[], "0", "bytes of the file that are read through a memory map")
            .tune(&["0", "67108864", "1073741824"])
            .most(compiled(build, "MAX_MMAP_SIZE"))
            .risk("67108864", MAPPED)
            .risk("1073741824", MAPPED),
    ]
}

const MAPPED: &str = "an I/O error while the map is read kills the program instead of being reported";

fn locks(build: &[String]) -> Vec<OptionSpec> {
    let temp_store =
        OptionSpec::choice("temp_store", &["default", "file", "memory"], "default", "where temporary tables live");
    let same_store = match compiled(build, "TEMP_STORE") {
        Some(1) => temp_store.same(&["default", "file"], &[], "this build's default is a file"),
        Some(2) => temp_store.same(&["default", "memory"], &[], "this build's default is memory"),
        Some(_) => temp_store.same(&[], &[], "this build fixes the choice"),
        None => temp_store,
    };
    vec![
        OptionSpec::choice(
            "locking_mode",
            &["normal", "exclusive"],
            "normal",
            "whether file locks are released between transactions",
        )
        .risk("exclusive", "no other connection can use the database while this one has it"),
        same_store,
        OptionSpec::integer(
            "wal_autocheckpoint",
            0,
            1 << 30,
            "1000",
            "pages in the log that start a checkpoint inside a commit; 0: never",
        )
        .tune(&["250", "1000", "4000", "16000"])
        .risk("0", "the log grows until the program checkpoints it")
        .same(&[], &[("journal_mode", ROLLBACK)], "there is no log to checkpoint: journal_mode is not wal"),
        OptionSpec::choice(
            "auto_vacuum",
            &["none", "full", "incremental"],
            "none",
            "whether free pages are given back to the file system",
        )
        .fresh(),
        OptionSpec::integer(
            "busy_timeout",
            0,
            600_000,
            "5000",
            "how long a statement waits for another connection's lock before it fails as busy, ms",
        )
        .tune(&[]),
        OptionSpec::choice(
            BUSY_HANDLER,
            &[OWN, "yield", "brief"],
            OWN,
            "how it waits for that lock: SQLite's own sleeps of 1 to 100 ms, yielding and retrying at once, or sleeps of 0.1 ms",
        )
        .tune(&[]),
        open_mutex(build),
    ]
}

fn open_mutex(build: &[String]) -> OptionSpec {
    let option = OptionSpec::choice(
        "open_mutex",
        &["nomutex", "fullmutex"],
        "nomutex",
        "whether the connection locks a mutex on every call",
    )
    .in_program("fullmutex", "open the connection with SQLITE_OPEN_FULLMUTEX");
    match compiled(build, "THREADSAFE") {
        Some(0) => option.same(&[], &[], "this build has no mutexes (THREADSAFE=0)"),
        _ => option,
    }
}

fn transactions(begins: &[&str]) -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice("transaction", begins, "deferred", "which BEGIN a write transaction uses")
            .same(
                &["immediate", "exclusive"],
                &[("journal_mode", &["wal"])],
                "BEGIN EXCLUSIVE is BEGIN IMMEDIATE in WAL mode",
            )
            .risk("exclusive", "readers wait while a write transaction is open, unless in WAL mode")
            .in_program(ANY, "begin write transactions with BEGIN {value}"),
        OptionSpec::bool("foreign_keys", "off", "whether SQLite enforces foreign keys (REFERENCES)")
            .tune(&[])
            .only_for(SuiteKind::Sql),
        statements(),
        read_transaction().risk(
            "held",
            "the program has to keep a read transaction open: it sees no newer commits, and the log cannot be reset",
        ),
        reopen(),
    ]
}

/// Returns the tier rules.
pub fn tiers() -> Vec<TierRule> {
    vec![
        TierRule::new(
            &[("journal_mode", &["off"])],
            Tier::Unsafe,
            "without a journal a crash in the middle of a commit leaves half of it",
        ),
        TierRule::new(
            &[("journal_mode", &["memory"])],
            Tier::Unsafe,
            "a journal in memory is gone after a crash, and half a commit stays",
        ),
        TierRule::unsynced(&[("synchronous", &["off"])]),
        TierRule::new(
            &[("journal_mode", &["wal"]), ("synchronous", &["normal"])],
            Tier::Consistent,
            "the log is synced at checkpoints only: a power loss may lose the latest commits, never consistency",
        ),
        TierRule::new(
            &[("synchronous", &["normal"])],
            Tier::Consistent,
            "synced at most critical moments: a power loss may lose the latest commit, and SQLite's documentation mentions a \
             very small chance of corruption on old file systems",
        ),
        // Under an exclusive lock the journal file stays: SQLite overwrites and syncs its header.
        TierRule::new(
            &[("journal_mode", &["delete"]), ("synchronous", &["full"]), ("locking_mode", &["normal"])],
            Tier::Consistent,
            "the journal is unlinked and its folder never synced: after a power loss it may reappear and undo the latest \
             commit; synchronous=extra syncs the folder",
        ),
        TierRule::synced(),
    ]
}
