//! The options: those that every LMDB has, and those of this line only.

use crate::{
    checksum,
    cipher::{self, Algorithm},
    lmdb::library_version,
};
use dbdyno_engine::{
    describe::{Conflict, Description, OptionSpec, Threads},
    suite::SuiteKind,
    tuning::ANY,
};
use std::collections::BTreeMap;

pub fn describe() -> Description {
    let (major, minor, patch) = library_version();
    Description {
        build: vec!["branch mdb.master3".to_owned()],
        options: [options(), dbdyno_tables::options()].concat(),
        tiers: dbdyno_lmdb_common::tiers(),
        longest_key: Some(dbdyno_lmdb_common::LONGEST_KEY),
        conflicts: conflicts(),
        implementations: [dbdyno_tables::implementations(), vec![dbdyno_lmdb_common::implementation()]].concat(),
        tables_as_data: true,
        threads: BTreeMap::from([(SuiteKind::Kv, Threads::MANY)]),
        counters: counters(),
        ..Description::new(
            "lmdb1",
            "LMDB 1.0, which is not released yet, with page encryption and page checksums",
            format!("{major}.{minor}.{patch}"),
            &[SuiteKind::Kv, SuiteKind::Sql],
        )
        // Of LMDB, and of lmdb-master3-sys.
        .licensed("OLDAP-2.8 AND Apache-2.0", &["c", "rust"])
    }
}

fn counters() -> BTreeMap<String, String> {
    [dbdyno_lmdb_common::counters(), cipher::described(), checksum::described(), dbdyno_tables::counters()]
        .into_iter()
        .flatten()
        .collect()
}

fn options() -> Vec<OptionSpec> {
    let mut options = dbdyno_lmdb_common::options();
    options.push(
        OptionSpec::choice(
            "encrypt",
            &ENCRYPT,
            ENCRYPT[0],
            "every page encrypted and authenticated, with a key of this run (meta pages, which have no rows: authenticated only); \
             a page or file restored to an earlier state, or a page moved to another's place, is not detected",
        )
        .fresh(),
    );
    options.push(
        OptionSpec::choice("page_size", &["4096", "8192", "16384", "32768"], "4096", "bytes of a database page")
            .fresh()
            .in_program(ANY, "mdb_env_set_pagesize(env, {value}); // in C, before mdb_env_open"),
    );
    options.push(
        OptionSpec::bool(
            "checksum",
            "off",
            "xxh3 of every page, verified when it is read; of meta pages when the database is opened",
        )
        .fresh()
        .in_program("on", "mdb_env_set_checksum(env, checksum, 8); // in C, with a function of your own"),
    );
    options
}

/// Values of the option `encrypt`.
const ENCRYPT: [&str; 3] = ["off", Algorithm::ChaCha20Poly1305.word(), Algorithm::Aes256Gcm.word()];
const ENCRYPTED: &[&str] = &[ENCRYPT[1], ENCRYPT[2]];

fn conflicts() -> Vec<Conflict> {
    let no_map = "pages are then mapped in chunks and written with write calls, and LMDB would silently ignore it";
    let no_advice = "pages are then mapped in chunks, and LMDB gives the operating system no advice for those";
    let mut conflicts = dbdyno_lmdb_common::conflicts();
    conflicts.push(Conflict::new(
        &[("checksum", &["on"]), ("encrypt", ENCRYPTED)],
        "LMDB puts both at the same place of a page and then refuses every page; encryption alone already authenticates \
         every byte",
    ));
    conflicts.push(Conflict::new(&[("encrypt", ENCRYPTED), ("writemap", &["on"])], no_map));
    conflicts.push(Conflict::new(&[("checksum", &["on"]), ("writemap", &["on"])], no_map));
    conflicts.push(Conflict::new(&[("encrypt", ENCRYPTED), ("readahead", &["off"])], no_advice));
    conflicts.push(Conflict::new(&[("checksum", &["on"]), ("readahead", &["off"])], no_advice));
    conflicts
}
