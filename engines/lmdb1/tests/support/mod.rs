//! A database with known rows, its file, and child processes that may die.

#![allow(dead_code, reason = "each test program uses a part")]

use dbdyno_engine::{
    EngineError,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    settings::Settings,
    suite::KvStatements,
};
use dbdyno_engine_lmdb1::{
    Algorithm, Cipher, EncryptionKey, Lmdb1, describe,
    lmdb::{Env, EnvOptions, LmdbError, Protection},
};
use dbdyno_lmdb_common::{LmdbSetup, SyncMode};
use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

pub(crate) const PAGE: u64 = 4096;
pub(crate) const MARKER: &str = "the quick brown fox";
pub(crate) const GUARDED: [&str; 3] = ["encrypt=chacha20poly1305", "encrypt=aes256gcm", "checksum=on"];
pub(crate) const ROWS: u32 = 2000;

pub(crate) type KeyValues = Vec<(Vec<u8>, Vec<u8>)>;

pub(crate) fn settings(option: &str) -> Settings {
    let asked = option.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
    Settings::resolve(&describe(), &asked).unwrap()
}

pub(crate) fn open(folder: &Path, option: &str) -> Result<Lmdb1, EngineError> {
    Lmdb1::open(Open { folder, settings: &settings(option), schema: &[], data_bytes: 1 << 20 })
}

/// Opens the environment below the engine, without syncs.
pub(crate) fn open_env(folder: &Path, option: &str) -> Result<Arc<Env>, LmdbError> {
    let protection = match option.split_once('=') {
        Some(("encrypt", word)) => {
            let key = EncryptionKey::in_folder(folder, !file_of(folder).exists()).unwrap();
            Protection::Encrypted(Cipher::new(Algorithm::from_word(word).unwrap(), &key).unwrap())
        }
        Some(("checksum", "on")) => Protection::Checksum,
        _ => Protection::Plain,
    };
    // The tests make thousands of commits, and a power loss does not matter to any of them.
    let setup = LmdbSetup { sync: SyncMode::No, ..LmdbSetup::new(&settings(option), 0).unwrap() };
    Env::open(folder, EnvOptions { setup, protection, page_size: PAGE as usize, tables: 0 })
}

pub(crate) fn file_of(folder: &Path) -> PathBuf {
    folder.join("data.mdb")
}

/// Returns a row; row 0 has a value of many pages, so that the database has overflow pages too.
pub(crate) fn row(at: u32) -> (Vec<u8>, Vec<u8>) {
    let value = format!("{MARKER} number {at}").repeat(if at == 0 { 1000 } else { 1 });
    (format!("{MARKER} {at:08}").into_bytes(), value.into_bytes())
}

pub(crate) fn rows() -> KeyValues {
    (0..ROWS).map(row).collect()
}

/// Writes rows in one transaction, to a new or existing database.
pub(crate) fn write(folder: &Path, option: &str, rows: &[(Vec<u8>, Vec<u8>)]) -> Result<(), EngineError> {
    let mut engine = open(folder, option)?;
    let statements = KvStatements::default();
    let mut session = engine.session(&statements)?;
    let mut transaction = session.write()?;
    let mut table = transaction.table()?;
    for (key, value) in rows {
        table.put(key, value)?;
    }
    transaction.commit()?;
    engine.close()
}

/// Creates a database with the rows, written by one transaction.
pub(crate) fn fill(folder: &Path, option: &str) {
    write(folder, option, &rows()).unwrap();
}

pub(crate) fn read(folder: &Path, option: &str) -> Result<KeyValues, EngineError> {
    let mut engine = open(folder, option)?;
    let statements = KvStatements::default();
    let mut found = Vec::new();
    engine.session(&statements)?.read()?.scan(|key, value| found.push((key.to_vec(), value.to_vec())))?;
    Ok(found)
}

/// Prints the next step, so that a child that dies has reported where.
pub(crate) fn say(next: &str) {
    io::stderr().write_all(format!("{next}\n").as_bytes()).unwrap();
}

/// Runs a part of the test of this name in a child process. If the child aborts, this test fails with the child's last output.
pub(crate) fn in_child(test: &str, part: impl FnOnce()) {
    const CHILD: &str = "DBDYNO_TEST_CHILD";
    if env::var_os(CHILD).is_some() {
        part();
        return;
    }
    let child = Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines[lines.len().saturating_sub(20)..].join("\n");
    assert!(child.status.success(), "{}, after:\n{last}", child.status);
    assert!(text.contains("1 passed"), "the child has run the test:\n{last}");
}
