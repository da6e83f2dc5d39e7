//! The options of SNKV and what they mean for durability.

use super::api::KvStoreConfig;
use dbdyno_engine::{
    EngineError,
    describe::{Description, MemoryTarget, OptionSpec},
    durability::{Tier, TierRule},
    kv::read_transaction,
    settings::Settings,
    suite::SuiteKind,
};
use std::ffi::c_int;

/// Name of the option that names the library.
pub(super) const LIBRARY: &str = "library";
/// The words of `journal_mode`, in the order of SNKV's numbers.
pub(super) const JOURNAL_MODES: [&str; 2] = ["delete", "wal"];
/// The words of `synchronous`, in the order of SNKV's numbers.
pub(super) const SYNC_LEVELS: [&str; 3] = ["off", "normal", "full"];

pub fn describe() -> Description {
    Description {
        options: options(),
        tiers: vec![TierRule::new(&[], Tier::Unknown, "the library is examined before it is run")],
        ..Description::new(
            "snkv",
            "SNKV, a key-value store on SQLite's B-tree, from the option library",
            "any",
            &[SuiteKind::Kv],
        )
        // Of SQLite's files, which are a part of the library, and of SNKV's own.
        .licensed("blessing AND Apache-2.0", &["c", "rust"])
    }
}

fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::path(
            LIBRARY,
            "libsnkv.so",
            "the shared library to load, built from SNKV's single-file amalgamation: a path, or a name that the system's loader finds",
        )
        .fresh(),
        OptionSpec::choice(
            "journal_mode",
            &JOURNAL_MODES,
            "wal",
            "how a transaction is made atomic: a rollback journal, or a write-ahead log",
        )
        .risk("wal", "a -wal and a -shm file next to the database; no network file systems"),
        OptionSpec::choice("synchronous", &SYNC_LEVELS, "normal", "how often SNKV waits for the disk (syncLevel)"),
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
            "2000",
            "page cache: pages when positive, KiB when negative, given to the library as pages; 0: its own default, 2000 pages",
        )
        .tune(&["2000", "-32000", "-128000"]),
        OptionSpec::memory(MemoryTarget::NegativeKib { option: "cache_size".to_owned() }),
        OptionSpec::integer(
            "wal_autocheckpoint",
            0,
            1 << 30,
            "0",
            "commits (SQLite: pages) from one passive checkpoint to the next, each made inside a commit (walSizeLimit); 0: never",
        )
        .tune(&["0", "1", "10", "100"])
        .risk("0", "the log grows until the database is closed")
        .same(&[], &[("journal_mode", &["delete"])], "there is no log to checkpoint: journal_mode is not wal"),
        OptionSpec::integer(
            "busy_timeout",
            0,
            600_000,
            "0",
            "how long an operation waits for another process's lock before it fails as busy, ms",
        )
        .tune(&[]),
        read_transaction().risk("held", "SNKV's native mode: reads see no newer commits of other processes, and the log cannot be reset"),
    ]
}

/// Returns the tier rules. Pager, log and journal are SQLite's, and so are the reasons.
pub(super) fn tiers() -> Vec<TierRule> {
    vec![
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
        TierRule::new(
            &[("journal_mode", &["delete"])],
            Tier::Consistent,
            "the journal is unlinked and its folder never synced: after a power loss it may reappear and undo the latest commit",
        ),
        TierRule::synced(),
    ]
}

/// Returns SNKV's configuration for these settings.
pub(super) fn config(settings: &Settings) -> Result<KvStoreConfig, EngineError> {
    let place = |words: &[&str], option: &str| -> Result<c_int, EngineError> {
        let word = settings.text(option)?;
        Ok(words.iter().position(|one| *one == word).unwrap_or_default() as c_int)
    };
    let number = |option: &str| -> Result<c_int, EngineError> { Ok(settings.integer(option)? as c_int) };
    let page_size: c_int = settings.text("page_size")?.parse().map_err(EngineError::doing("option `page_size`"))?;
    Ok(KvStoreConfig {
        journal_mode: place(&JOURNAL_MODES, "journal_mode")?,
        sync_level: place(&SYNC_LEVELS, "synchronous")?,
        cache_size: cache_pages(settings.integer("cache_size")?, page_size),
        page_size,
        busy_timeout: number("busy_timeout")?,
        wal_size_limit: number("wal_autocheckpoint")?,
        ..KvStoreConfig::default()
    })
}

/// Returns the size of a cache in pages; the option gives pages, or a negative number of KiB.
fn cache_pages(cache_size: i64, page_size: c_int) -> c_int {
    let pages = if cache_size < 0 { (-cache_size * 1024 / i64::from(page_size)).max(1) } else { cache_size };
    c_int::try_from(pages).unwrap_or(c_int::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn of(asked: &[(&str, &str)]) -> KvStoreConfig {
        let asked: BTreeMap<String, String> =
            asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        config(&Settings::resolve(&describe(), &asked).unwrap()).unwrap()
    }

    #[test]
    fn options_become_the_numbers_of_snkvs_header() {
        let own = of(&[]);
        assert_eq!((own.journal_mode, own.sync_level, own.cache_size, own.page_size), (1, 1, 2000, 4096));
        assert_eq!((own.wal_size_limit, own.busy_timeout, own.later), (0, 0, [0; 7]));
        let other = of(&[("journal_mode", "delete"), ("synchronous", "full"), ("wal_autocheckpoint", "7")]);
        assert_eq!((other.journal_mode, other.sync_level, other.wal_size_limit), (0, 2, 7));
    }

    #[test]
    fn a_cache_of_so_many_bytes_is_as_many_pages_as_fit() {
        assert_eq!(of(&[("memory", "64MiB")]).cache_size, 16_384);
        assert_eq!(of(&[("memory", "64MiB"), ("page_size", "65536")]).cache_size, 1_024);
        assert_eq!(of(&[("cache_size", "-1"), ("page_size", "65536")]).cache_size, 1);
        assert_eq!(of(&[("cache_size", "-1073741824"), ("page_size", "512")]).cache_size, c_int::MAX);
    }
}
