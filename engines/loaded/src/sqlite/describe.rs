//! The options of `sqlite`, and which library.

use dbdyno_engine::{
    describe::{Description, OptionSpec, Threads},
    durability::{Tier, TierRule},
    suite::SuiteKind,
};
use dbdyno_sqlite::TRANSACTIONS;
use dbdyno_tables::counted;
use std::collections::BTreeMap;

/// Name of the option that names the library.
pub(super) const LIBRARY: &str = "library";
/// Name of the option that names the file of the passphrase.
pub(super) const KEY: &str = "key";

pub fn describe() -> Description {
    let library = OptionSpec::path(
        LIBRARY,
        "libsqlite3.so.0",
        "the shared library to load, any build of SQLite: a path, or a name that the system's loader finds (libsqlite3.so.0)",
    )
    .fresh();
    let key = OptionSpec::path(
        KEY,
        "",
        "a file with the passphrase of a library with a cipher (SQLCipher); empty: the database is not encrypted",
    )
    .fresh()
    .tune(&[]);
    let begins = [&TRANSACTIONS[..], &["concurrent"]].concat();
    Description {
        sqlite_files: true,
        options: [library, key].into_iter().chain(dbdyno_sqlite::options(&[], &begins)).collect(),
        // Which rules hold, the library says when it is examined.
        tiers: vec![TierRule::new(&[], Tier::Unknown, "the library is examined before it is run")],
        compacts: true,
        counters: counted::described(),
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY), (SuiteKind::Sql, Threads::MANY)]),
        ..Description::new(
            "sqlite-lib",
            "any other build of SQLite, from the option library",
            "any",
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        // Of SQLite itself. A build with a cipher or another storage backend has licences of its own as well.
        .licensed("blessing", &["c", "rust"])
    }
}
