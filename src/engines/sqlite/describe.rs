//! SQLite's options and what they mean for durability.

use dbdyno_engine::{
    describe::{Description, OptionSpec},
    durability::{Tier, TierRule},
    protocol::PROTOCOL,
    suite::SuiteKind,
};
use rusqlite::Connection;

/// The engine's description.
pub fn describe() -> Description {
    Description {
        protocol: PROTOCOL,
        name: "sqlite".to_owned(),
        about: "SQLite's own B-tree, through rusqlite".to_owned(),
        version: rusqlite::version().to_owned(),
        build: compile_options(),
        suites: vec![SuiteKind::Kv],
        options: options(),
        tiers: tiers(),
        conflicts: Vec::new(),
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

fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "journal_mode",
            &["delete", "truncate", "persist", "memory", "wal", "off"],
            "delete",
            "how a transaction is made atomic: a rollback journal, a write-ahead log, or not at all",
        ),
        OptionSpec::choice(
            "synchronous",
            &["off", "normal", "full", "extra"],
            "full",
            "how often SQLite waits for the disk",
        ),
        OptionSpec::choice(
            "page_size",
            &["512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"],
            "4096",
            "bytes of a database page",
        )
        .fresh(),
        OptionSpec::integer(
            "cache_size",
            -(1 << 30),
            1 << 30,
            "-2000",
            "page cache: pages when positive, KiB when negative",
        ),
        OptionSpec::size("mmap_size", 0, 1 << 46, &[], "0", "bytes of the file that are read through a memory map"),
        OptionSpec::choice(
            "locking_mode",
            &["normal", "exclusive"],
            "normal",
            "whether file locks are released between transactions",
        ),
        OptionSpec::choice("temp_store", &["default", "file", "memory"], "default", "where temporary tables live"),
        OptionSpec::integer(
            "wal_autocheckpoint",
            0,
            1 << 30,
            "1000",
            "pages in the log that start a checkpoint inside a commit; 0: never",
        ),
        OptionSpec::choice(
            "auto_vacuum",
            &["none", "full", "incremental"],
            "none",
            "whether free pages are given back to the file system",
        )
        .fresh(),
        OptionSpec::choice(
            "open_mutex",
            &["nomutex", "fullmutex"],
            "nomutex",
            "whether the connection locks a mutex on every call",
        ),
        OptionSpec::choice(
            "transaction",
            &["deferred", "immediate", "exclusive"],
            "deferred",
            "which BEGIN a write transaction uses",
        ),
        OptionSpec::choice(
            "statements",
            &["prepared", "text"],
            "prepared",
            "prepared once a test, or parsed again for each operation as a command-line script does",
        ),
        OptionSpec::choice(
            "read_transaction",
            &["each", "held"],
            "each",
            "one read transaction for each read, or one held over all reads of a test",
        ),
    ]
}

fn tiers() -> Vec<TierRule> {
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
        TierRule::new(
            &[("synchronous", &["off"])],
            Tier::ProcessSafe,
            "nothing waits for the disk: the program's crash is survived, a power loss may corrupt the file",
        ),
        TierRule::new(
            &[("journal_mode", &["wal"]), ("synchronous", &["normal"])],
            Tier::Consistent,
            "the log is synced at checkpoints only: a power loss may lose the latest commits, never consistency",
        ),
        TierRule::new(
            &[("synchronous", &["normal"])],
            Tier::Consistent,
            "synced at most critical moments: a power loss may lose the latest commit, and SQLite's documentation leaves a \
             very small chance of corruption on old file systems",
        ),
        TierRule::new(&[], Tier::PowerSafe, "every commit waits until the disk has it"),
    ]
}
