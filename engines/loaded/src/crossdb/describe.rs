//! The options of CrossDB and what they mean for durability.

use super::store::MOST_KEY;
use dbdyno_engine::{
    describe::{Description, MemoryTarget, OptionSpec},
    durability::{Tier, TierRule},
    suite::SuiteKind,
};

/// Name of the option that names the library.
pub(super) const LIBRARY: &str = "library";
/// Name of the option that sets what a commit waits for.
pub(super) const SYNC: &str = "sync";
/// Name of the option that sets the size of the logs.
pub(super) const LOG_SIZE: &str = "log_size";

pub fn describe() -> Description {
    Description {
        options: vec![
            OptionSpec::path(
                LIBRARY,
                "libcrossdb.so",
                "the shared library to load, built from CrossDB's sources: a path, or a name that the system's loader finds",
            )
            .fresh(),
            OptionSpec::choice(
                SYNC,
                &["sync", "async", "nosync"],
                "async",
                "SYNCMODE of the database: whether a commit waits for its part of the log, only requests the sync (which Linux ignores), or does neither",
            )
            .same(&["async", "nosync"], &[], "Linux does nothing for msync(MS_ASYNC)"),
            OptionSpec::size(
                LOG_SIZE,
                0,
                1 << 30,
                &["auto"],
                "auto",
                "bytes that each of the two logs is grown to when the database is opened; auto: enough for the suite's data; 0: as CrossDB creates them",
            )
            .tune(&[])
            .risk("0", "CrossDB 0.14 writes a transaction that does not fit into its log over other memory: it crashes, or continues with the damage"),
            OptionSpec::memory(MemoryTarget::Nothing),
        ],
        tiers: tiers(),
        longest_key: Some(MOST_KEY),
        ordered: false,
        ..Description::new(
            "crossdb",
            "CrossDB, tables in memory-mapped files with hashed keys, from the option library",
            "any",
            &[SuiteKind::Kv],
        )
        .licensed("MPL-2.0", &["c", "rust"])
    }
}

/// Returns the tier rules. A commit changes the mapped tables row by row, and CrossDB applies its log only after the machine was
/// restarted.
fn tiers() -> Vec<TierRule> {
    let reason = "a program killed in the middle of a commit leaves half of it: the log is applied only after a restart of the \
                  machine; and sync does not write how far the log goes";
    vec![TierRule::new(&[], Tier::Unsafe, reason)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::settings::Settings;
    use std::collections::BTreeMap;

    #[test]
    fn no_way_to_sync_promises_anything() {
        for sync in ["sync", "async", "nosync"] {
            let asked = BTreeMap::from([(SYNC.to_owned(), sync.to_owned())]);
            let settings = Settings::resolve(&describe(), &asked).unwrap();
            assert_eq!(describe().tier(&settings).0, Tier::Unsafe);
        }
    }
}
