//! fjall's options and what they mean for durability.

use super::counted;
use dbdyno_engine::{
    EngineError,
    describe::{Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    kv::read_transaction,
    settings::Settings,
    suite::SuiteKind,
    tuning::ANY,
};
use fjall::{
    CompressionType, KeyspaceCreateOptions, KvSeparationOptions, PersistMode,
    config::{BlockSizePolicy, CompressionPolicy},
};
use std::{collections::BTreeMap, thread};

/// The version of the library, which cannot report it: the only one that Cargo.toml allows.
const LIBRARY_VERSION: &str = "3.1.13";

pub fn describe() -> Description {
    Description {
        build: vec!["feature lz4".to_owned()],
        options: [options(), dbdyno_tables::options()].concat(),
        tiers: tiers(),
        // The limit that fjall documents.
        longest_key: Some(65_536),
        implementations: dbdyno_tables::implementations(),
        tables_as_data: true,
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY)]),
        counters: [counted::described(), dbdyno_tables::counters()].into_iter().flatten().collect(),
        ..Description::new(
            "fjall",
            "fjall, a log-structured merge tree in Rust",
            LIBRARY_VERSION,
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        .licensed("MIT OR Apache-2.0", &["rust"])
    }
}

fn options() -> Vec<OptionSpec> {
    // fjall's own default.
    let threads = thread::available_parallelism().map_or(1, usize::from).min(4);
    vec![
        OptionSpec::choice(
            "persist",
            &["none", "buffer", "sync_data", "sync_all"],
            "buffer",
            "what a commit waits for: nothing, the operating system, fdatasync or fsync of the journal",
        )
        .in_program("none", "Database::builder(path).manual_journal_persist(true), and the same of each keyspace")
        .in_program("sync_data", "database.write_tx().durability(Some(PersistMode::SyncData))")
        .in_program("sync_all", "database.write_tx().durability(Some(PersistMode::SyncAll))"),
        OptionSpec::choice(
            "compression",
            &["lower", "none", "lz4"],
            "lower",
            "of data blocks: lz4 below the two upper levels, nowhere, or everywhere",
        )
        .fresh()
        .in_program("none", "keyspace.data_block_compression_policy(CompressionPolicy::all(CompressionType::None))")
        .in_program("lz4", "keyspace.data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))"),
        OptionSpec::size("cache_size", 0, 1 << 46, &[], "33554432", "bytes of fjall's own block cache")
            .tune(&["33554432", "134217728", "536870912"])
            .in_program(ANY, "Database::builder(path).cache_size({value})"),
        OptionSpec::memory(MemoryTarget::Bytes { option: "cache_size".to_owned() }),
        OptionSpec::size(
            "memtable_size",
            1 << 20,
            1 << 40,
            &[],
            "67108864",
            "bytes at which the memtable is flushed in the background: less data than that never leaves memory and journal",
        )
        .fresh()
        .tune(&["16777216", "67108864", "268435456"])
        .in_program(ANY, "keyspace.max_memtable_size({value})"),
        OptionSpec::size("journal_size", 64 << 20, 1 << 46, &[], "536870912", "maximum bytes of all journals")
            .in_program(ANY, "Database::builder(path).max_journaling_size({value})"),
        OptionSpec::size("block_size", 1 << 10, 1 << 20, &[], "4096", "bytes of a data block")
            .fresh()
            .tune(&["4096", "16384", "65536"])
            .in_program(ANY, "keyspace.data_block_size_policy(BlockSizePolicy::all({value}))"),
        OptionSpec::size(
            "separate_values",
            1,
            1 << 30,
            &["off"],
            "off",
            "values of this many bytes or more go to separate files",
        )
        .fresh()
        .in_program(
            ANY,
            "keyspace.with_kv_separation(Some(KvSeparationOptions::default().separation_threshold({value})))",
        ),
        OptionSpec::integer("worker_threads", 1, 64, &threads.to_string(), "threads for flush and compaction")
            .in_program(ANY, "Database::builder(path).worker_threads({value})"),
        read_transaction(),
    ]
}

fn tiers() -> Vec<TierRule> {
    vec![
        TierRule::new(
            &[("persist", &["none"])],
            Tier::Unsafe,
            "commits stay in a buffer of the program: its crash loses them, but never consistency",
        ),
        TierRule::new(
            &[("persist", &["buffer"])],
            Tier::ProcessSafe,
            "the journal is in the operating system's cache: commits survive a crash of the program; after a power loss fjall \
             refuses a journal whose pages were not written in order",
        ),
        TierRule::new(&[], Tier::PowerSafe, "every commit waits until the disk has the journal"),
    ]
}

/// Returns how far a commit waits for its journal to be written; `None`: not at all, not even for the operating system.
pub(crate) fn persist(settings: &Settings) -> Result<Option<PersistMode>, EngineError> {
    Ok(match settings.text("persist")? {
        "none" => None,
        "sync_data" => Some(PersistMode::SyncData),
        "sync_all" => Some(PersistMode::SyncAll),
        _ => Some(PersistMode::Buffer),
    })
}

/// Returns the storage options of a table.
pub(crate) fn keyspace_options(settings: &Settings) -> Result<KeyspaceCreateOptions, EngineError> {
    let mut options = KeyspaceCreateOptions::default()
        .manual_journal_persist(persist(settings)?.is_none())
        .max_memtable_size(settings.integer("memtable_size")? as u64)
        .data_block_size_policy(BlockSizePolicy::all(settings.integer("block_size")? as u32));
    if let Some(compression) = match settings.text("compression")? {
        "none" => Some(CompressionType::None),
        "lz4" => Some(CompressionType::Lz4),
        _ => None,
    } {
        options = options.data_block_compression_policy(CompressionPolicy::all(compression));
    }
    if let Ok(threshold) = settings.text("separate_values")?.parse() {
        let separation = KvSeparationOptions::default().separation_threshold(threshold);
        options = options.with_kv_separation(Some(separation));
    }
    Ok(options)
}

/// Returns the value of the option `compression` for a policy.
pub(crate) fn compression_word(policy: &CompressionPolicy) -> &'static str {
    match policy.split_first() {
        Some((CompressionType::None, rest)) if rest.iter().all(|level| *level == CompressionType::None) => "none",
        Some((CompressionType::None, _)) | None => "lower",
        Some(_) => "lz4",
    }
}
