//! redb's options and what they mean for durability.

use crate::file;
use dbdyno_engine::{
    describe::{Description, MemoryTarget, OptionSpec, Threads},
    durability::{Tier, TierRule},
    kv::read_transaction,
    suite::SuiteKind,
    tuning::ANY,
};
use std::collections::BTreeMap;

/// The version of the library, which cannot report it: the only one that Cargo.toml allows.
const LIBRARY_VERSION: &str = "4.4.0";

pub fn describe() -> Description {
    Description {
        options: [options(), dbdyno_tables::options()].concat(),
        tiers: vec![
            TierRule::new(
                &[("durability", &["none"])],
                Tier::Unsafe,
                "commits stay in the program until a durable one: its crash loses them, but never consistency",
            ),
            TierRule::synced(),
        ],
        implementations: dbdyno_tables::implementations(),
        tables_as_data: true,
        compacts: true,
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY)]),
        counters: [file::described(), dbdyno_tables::counters()].into_iter().flatten().collect(),
        ..Description::new(
            "redb",
            "redb, a copy-on-write B-tree in Rust",
            LIBRARY_VERSION,
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        .licensed("MIT OR Apache-2.0", &["rust"])
    }
}

fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "durability",
            &["immediate", "none"],
            "immediate",
            "whether a commit waits for the disk, or is kept in memory until a later one does",
        )
        .in_program("none", "transaction.set_durability(Durability::None)?;"),
        OptionSpec::size("cache_size", 0, 1 << 46, &[], "1073741824", "bytes of redb's own page cache")
            .tune(&["16777216", "134217728", "1073741824"])
            .in_program(ANY, "Database::builder().set_cache_size({value})"),
        OptionSpec::memory(MemoryTarget::Bytes { option: "cache_size".to_owned() }),
        OptionSpec::bool("two_phase_commit", "off", "sync twice a commit, against crafted crashes")
            .in_program("on", "transaction.set_two_phase_commit(true);"),
        OptionSpec::bool("quick_repair", "off", "save the allocator's state in each commit, for a fast reopening")
            .in_program("on", "transaction.set_quick_repair(true);"),
        read_transaction(),
    ]
}
