//! The options of RocksDB and what they mean for durability.

use super::{
    counted,
    options::{COMPACTIONS, COMPRESSIONS, OWN},
};
use dbdyno_engine::{
    describe::{Conflict, Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    kv::read_transaction,
    suite::SuiteKind,
    tuning::ANY,
};
use std::collections::BTreeMap;

/// Name of the option that names the library.
pub(super) const LIBRARY: &str = "library";

pub fn describe() -> Description {
    Description {
        options: [options(), dbdyno_tables::options()].concat(),
        tiers: tiers(),
        conflicts: vec![Conflict::new(
            &[("sync", &["on"]), ("wal", &["off"])],
            "a commit syncs only the log: set wal=on too, or sync=off",
        )],
        implementations: dbdyno_tables::implementations(),
        tables_as_data: true,
        compacts: true,
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY)]),
        counters: [counted::described(), dbdyno_tables::counters()].into_iter().flatten().collect(),
        ..Description::new(
            "rocksdb",
            "RocksDB, a log-structured merge tree in C++: the system's library, or the one of the option library",
            "any",
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        .licensed("GPL-2.0-only OR Apache-2.0", &["c", "rust"])
    }
}

fn options() -> Vec<OptionSpec> {
    [of_commits(), of_memory(), of_files()].concat()
}

fn of_commits() -> Vec<OptionSpec> {
    vec![
        OptionSpec::path(
            LIBRARY,
            "librocksdb.so",
            "the shared library to load: a path, or a name that the system's loader finds, in any version",
        )
        .fresh(),
        OptionSpec::bool("sync", "off", "whether a commit waits until the disk has the log (WriteOptions::sync)")
            .in_program("on", "write_options.sync = true;"),
        OptionSpec::bool(
            "wal",
            "on",
            "whether commits are written to a log; without it, a crash of the program loses them",
        )
        .risk("off", "rows not yet written to a table are lost when the program crashes")
        .in_program("off", "write_options.disableWAL = true;"),
        OptionSpec::bool(
            "pipelined_write",
            "off",
            "whether a group of commits is written to the log while the previous group goes to the memtable",
        )
        .in_program("on", "options.enable_pipelined_write = true;"),
        read_transaction(),
    ]
}

fn of_memory() -> Vec<OptionSpec> {
    vec![
        OptionSpec::size(
            "cache_size",
            0,
            1 << 46,
            &[OWN],
            OWN,
            "bytes of the block cache; own: the library's default, 8 MiB before RocksDB 8, 32 MiB since",
        )
        .tune(&["33554432", "134217728", "536870912"])
        .in_program(ANY, "table_options.block_cache = rocksdb::NewLRUCache({value});"),
        OptionSpec::memory(MemoryTarget::Bytes { option: "cache_size".to_owned() }),
        OptionSpec::bool(
            "cache_index",
            "off",
            "whether indexes and filters of tables are in the block cache too, or in memory outside it",
        )
        .in_program("on", "table_options.cache_index_and_filter_blocks = true;"),
        OptionSpec::size(
            "memtable_size",
            64 << 10,
            1 << 40,
            &[],
            "67108864",
            "bytes at which the memtable is flushed in the background: less data than that never leaves memory and log",
        )
        .tune(&["16777216", "67108864", "268435456"])
        .in_program(ANY, "options.write_buffer_size = {value};"),
        OptionSpec::integer(
            "memtables",
            2,
            64,
            "2",
            "memtables at most, including those being flushed; then writes wait",
        )
        .in_program(ANY, "options.max_write_buffer_number = {value};"),
        OptionSpec::integer(
            "background_threads",
            1,
            64,
            "2",
            "flush and compaction jobs at a time (max_background_jobs)",
        )
        .in_program(ANY, "options.max_background_jobs = {value};"),
    ]
}

fn of_files() -> Vec<OptionSpec> {
    let compressions: Vec<&str> = [OWN].into_iter().chain(COMPRESSIONS.map(|(word, _)| word)).collect();
    vec![
        OptionSpec::choice(
            "compression",
            &compressions,
            OWN,
            "of data blocks, if the library was built with it; own: the library's default, Snappy or (recently) LZ4",
        )
        .fresh(),
        OptionSpec::choice(
            "compaction",
            &COMPACTIONS.map(|(word, _)| word),
            "level",
            "how tables are merged: less space and faster reads, or fewer writes",
        )
        .fresh(),
        OptionSpec::size("block_size", 1 << 10, 1 << 20, &[], "4096", "bytes of a data block before compression")
            .fresh()
            .tune(&["4096", "16384", "65536"])
            .in_program(ANY, "table_options.block_size = {value};"),
        OptionSpec::integer(
            "bloom_bits",
            0,
            64,
            "0",
            "bits per key of a table's Bloom filter, for missing keys; 0: none",
        )
        .fresh()
        .tune(&["0", "10"])
        .in_program(ANY, "table_options.filter_policy.reset(rocksdb::NewBloomFilterPolicy({value}));"),
        OptionSpec::size(
            "separate_values",
            1,
            1 << 30,
            &["off"],
            "off",
            "values of this many bytes or more go to blob files, in versions that have them",
        )
        .fresh()
        .in_program(ANY, "options.enable_blob_files = true; options.min_blob_size = {value};"),
        OptionSpec::bool("direct_io", "off", "whether reads and writes of tables bypass the system's cache")
            .in_program("on", "options.use_direct_reads = options.use_direct_io_for_flush_and_compaction = true;"),
    ]
}

fn tiers() -> Vec<TierRule> {
    vec![
        TierRule::new(
            &[("wal", &["off"])],
            Tier::Unsafe,
            "commits stay in the program's memory until a table is written: a crash of the program loses them",
        ),
        TierRule::new(
            &[("sync", &["off"])],
            Tier::Consistent,
            "the log is in the operating system's cache: commits survive a crash of the program; after a power loss RocksDB replays \
             the log up to where it was cut off, in the order of the commits",
        ),
        TierRule::new(&[], Tier::PowerSafe, "every commit waits until the disk has the log"),
    ]
}
