//! The options of `sqlite`, and which library.

use dbdyno_engine::{
    describe::{Description, OptionSpec},
    protocol::PROTOCOL,
    suite::SuiteKind,
};

/// Name of the option that names the library.
pub(super) const LIBRARY: &str = "library";

pub fn describe() -> Description {
    let library = OptionSpec::path(
        LIBRARY,
        "libsqlite3.so.0",
        "the shared library to load, any build of SQLite: a path, or a name that the system's loader finds (libsqlite3.so.0)",
    )
    .fresh();
    Description {
        protocol: PROTOCOL,
        name: "sqlite-lib".to_owned(),
        about: "any other build of SQLite, from the option library".to_owned(),
        version: "any".to_owned(),
        build: Vec::new(),
        suites: vec![SuiteKind::Kv, SuiteKind::Sql],
        options: std::iter::once(library).chain(dbdyno_sqlite::options(&[])).collect(),
        tiers: dbdyno_sqlite::tiers(),
        conflicts: Vec::new(),
    }
}
