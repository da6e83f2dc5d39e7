//! DuckDB's options and what they mean for durability.

use super::append::insert;
use dbdyno_engine::{
    describe::{Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    kv::read_transaction,
    sql::{reopen, statements},
    suite::SuiteKind,
    tuning::ANY,
};
use std::{collections::BTreeMap, thread};

pub fn describe() -> Description {
    Description {
        options: options(),
        tiers: tiers(),
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY), (SuiteKind::Sql, Threads::MANY)]),
        ..Description::new(
            "duckdb",
            "DuckDB, a column store for analysis, here also used for single rows",
            version(),
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        // Of DuckDB, and of its crate.
        .licensed("MIT", &["c", "rust"])
    }
}

#[expect(unsafe_code, reason = "a call of C: asking a connection for the version would start DuckDB's threads")]
fn version() -> String {
    // SAFETY: the library returns a zero-terminated text of its own, which stays valid.
    let version = unsafe { std::ffi::CStr::from_ptr(duckdb::ffi::duckdb_library_version()) };
    version.to_string_lossy().trim_start_matches('v').to_owned()
}

fn options() -> Vec<OptionSpec> {
    // DuckDB's own default.
    let threads = thread::available_parallelism().map_or(1, usize::from);
    vec![
        OptionSpec::choice(
            "fsync_mode",
            &["standard", "none"],
            "standard",
            "whether a commit waits until the disk has the log",
        ),
        OptionSpec::integer("threads", 1, 1024, &threads.to_string(), "threads that a statement may use")
            .statement(0, "SET threads = {value};"),
        OptionSpec::size(
            "memory_limit",
            16 << 20,
            1 << 46,
            &["auto"],
            "auto",
            "memory that DuckDB may use; auto is 80 % of the machine's",
        )
        .tune(&[])
        .statement(1, "SET memory_limit = '{value}B';"),
        OptionSpec::memory(MemoryTarget::Bytes { option: "memory_limit".to_owned() }),
        OptionSpec::size(
            "checkpoint_threshold",
            0,
            1 << 46,
            &[],
            "16777216",
            "bytes in the log that start a checkpoint inside a commit",
        )
        .tune(&["1048576", "16777216", "268435456"])
        .risk("268435456", "a longer log is read at the next opening after a crash")
        .statement(2, "SET checkpoint_threshold = '{value}B';"),
        OptionSpec::choice(
            "block_size",
            &["16384", "32768", "65536", "131072", "262144"],
            "262144",
            "bytes of a block of the database file",
        )
        .fresh()
        .in_program(ANY, "ATTACH 'file.duckdb' (BLOCK_SIZE {value}), when the file is created"),
        insert(),
        statements(),
        read_transaction(),
        reopen(),
    ]
}

fn tiers() -> Vec<TierRule> {
    vec![
        TierRule::unsynced(&[("fsync_mode", &["none"])]),
        TierRule::new(&[], Tier::PowerSafe, "every commit waits until the disk has the log"),
    ]
}
