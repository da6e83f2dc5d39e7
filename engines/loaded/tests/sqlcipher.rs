//! Checks that SQLCipher's databases are encrypted and can be reopened. Run with `DBDYNO_SQLCIPHER=LIBRARY`, `cargo test -- --ignored`.

use dbdyno_engine::{
    describe::Description,
    durability::Tier,
    engine::{EngineInstance, Open},
    kv::KvEngine,
    settings::Settings,
};
use dbdyno_loaded::sqlite::{Loaded, PROGRAM};
use dbdyno_sqlite::Sqlite;
use std::{collections::BTreeMap, fs, path::Path};

fn settings(description: &Description, library: &str, more: &[(&str, &str)]) -> Settings {
    let mut asked: BTreeMap<_, _> =
        more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    asked.insert("library".to_owned(), library.to_owned());
    Settings::resolve(description, &asked).expect("options that the engine has")
}

fn opened(folder: &Path, settings: &Settings) -> Result<Sqlite<Loaded>, String> {
    let schema = ["CREATE TABLE IF NOT EXISTS t (a)", "INSERT INTO t VALUES (1)"].map(str::to_owned);
    KvEngine::open(Open { folder, settings, schema: &schema, data_bytes: 0 }).map_err(|error| error.message)
}

#[test]
#[ignore = "DBDYNO_SQLCIPHER has to name a libsqlcipher"]
fn a_database_with_a_key_is_encrypted_and_opened_again_by_that_key_alone() {
    let library = std::env::var("DBDYNO_SQLCIPHER").expect("DBDYNO_SQLCIPHER names a libsqlcipher");
    let description = (PROGRAM.describe)();
    let files = tempfile::tempdir().unwrap();
    let key = |name: &str, text: &str| {
        let path = files.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (right, wrong) = (key("right", "it's a key\n"), key("wrong", "another"));
    let probed = PROGRAM.probe.unwrap()(&settings(&description, &library, &[("key", &right)])).unwrap();
    let examined = description.with(probed);
    let (tier, reason) = examined.tier(&settings(&description, &library, &[]));
    assert!(tier == Tier::Unknown && reason.contains("CODEC"), "{tier}: {reason}");
    for (page_size, journal_mode) in [("4096", "wal"), ("1024", "delete"), ("8192", "truncate")] {
        let folder = tempfile::tempdir().unwrap();
        let with = |key: &str| {
            let more = [("key", key), ("page_size", page_size), ("journal_mode", journal_mode)];
            opened(folder.path(), &settings(&description, &library, &more))
        };
        for _ in 0..2 {
            let mut engine = with(&right).unwrap();
            let in_force = engine.in_force().unwrap();
            let hash = blake3::hash(b"it's a key").to_hex();
            assert_eq!(in_force["key_digest"], format!("blake3:{}", &hash[..16]));
            assert_eq!((&*in_force["page_size"], &*in_force["journal_mode"]), (page_size, journal_mode));
            engine.check().unwrap();
            engine.close().unwrap();
        }
        assert!(!fs::read(folder.path().join("sqlite.db")).unwrap().starts_with(b"SQLite format 3"));
        for other in [&wrong, ""] {
            let error = with(other).map(drop).unwrap_err();
            assert!(error.contains(&format!("library {library}: ")) && !error.contains("another"), "{error}");
        }
    }
}
