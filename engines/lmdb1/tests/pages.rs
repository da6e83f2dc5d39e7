//! Tests encrypted and checksummed databases: the content of the file, and reads from a changed file.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use dbdyno_engine::{
    engine::EngineInstance,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    ordered::{Direction, Keys},
    suite::KvStatements,
};
use dbdyno_engine_lmdb1::{
    Lmdb1,
    lmdb::{Dbi, Env, Lmdb1Read, Lmdb1Write, LmdbError},
};
use std::{
    fs::{self, File},
    ops::{Bound, ControlFlow},
    os::unix::fs::FileExt,
    path::Path,
};
use support::{GUARDED, MARKER, PAGE, fill, open, open_env, read, rows};

fn flip(file: &File, at: u64) {
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
}

fn has_marker(folder: &Path) -> bool {
    let holds = |bytes: Vec<u8>| bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes());
    fs::read_dir(folder).unwrap().any(|file| holds(fs::read(file.unwrap().path()).unwrap()))
}

#[test]
fn rows_come_back_as_they_were_written() {
    for option in ["", GUARDED[0], GUARDED[1], GUARDED[2]] {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), option);
        assert!(read(folder.path(), option).unwrap() == rows(), "{option}");
    }
}

#[test]
fn the_plain_text_of_a_row_is_nowhere_in_an_encrypted_database() {
    for (option, plain) in [("", true), (GUARDED[2], true), (GUARDED[0], false), (GUARDED[1], false)] {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), option);
        assert_eq!(has_marker(folder.path()), plain, "{option}");
    }
}

#[test]
fn a_flipped_byte_is_reported_and_never_returned() {
    for option in GUARDED {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), option);
        let file = File::options().read(true).write(true).open(folder.path().join("data.mdb")).unwrap();
        let pages = file.metadata().unwrap().len() / PAGE;
        assert!(pages > 40, "{pages}");
        let mut reported = 0;
        // Skips pages 0 and 1, which record where the tree begins; LMDB protects them by having two.
        for page in 2..pages {
            // Covers every part of a page in turn: its numbers, its rows, its checksum or tag at the end.
            let at = page * PAGE + page * 97 % PAGE;
            flip(&file, at);
            match read(folder.path(), option) {
                Ok(found) => assert!(found == rows(), "{option}: byte {at} was flipped, and wrong rows were returned"),
                Err(_) => reported += 1,
            }
            flip(&file, at);
        }
        // A page of the list of free pages is not read, and the unused end of the last overflow page may not be.
        assert!(reported + 3 >= pages - 2, "{option}: {reported} of {pages} pages");
        assert!(read(folder.path(), option).unwrap() == rows(), "{option}: the flipped bytes are back");
    }
}

#[test]
fn without_a_checksum_a_flipped_byte_is_returned() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), "");
    let path = folder.path().join("data.mdb");
    let bytes = fs::read(&path).unwrap();
    let file = File::options().read(true).write(true).open(path).unwrap();
    // Some are leftovers from before a page was split, which no read reaches.
    for at in (0..bytes.len()).filter(|&at| bytes[at..].starts_with(MARKER.as_bytes())) {
        flip(&file, at as u64);
    }
    assert!(read(folder.path(), "").unwrap() != rows(), "the other tests flip bytes that matter");
}

#[test]
fn another_key_is_refused() {
    for option in [GUARDED[0], GUARDED[1]] {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), option);
        let path = folder.path().join("key");
        let key = fs::read(&path).unwrap();
        fs::write(&path, [7; 32]).unwrap();
        let error = open(folder.path(), option).unwrap_err();
        assert!(error.message.contains("the key next to the database is not the one"), "{error}");
        fs::write(&path, [7; 31]).unwrap();
        assert!(open(folder.path(), option).unwrap_err().message.contains("has 31 bytes, expected 32"));
        fs::remove_file(&path).unwrap();
        assert!(open(folder.path(), option).unwrap_err().message.contains("reading the key"));
        let error = open(folder.path(), "").unwrap_err();
        assert!(error.message.contains("encryption mismatch"), "{error}");
        fs::write(&path, key).unwrap();
        assert!(read(folder.path(), option).unwrap() == rows());
    }
}

#[test]
fn every_database_has_a_key_of_its_own() {
    let keys = [(); 2].map(|()| {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), GUARDED[0]);
        fs::read(folder.path().join("key")).unwrap()
    });
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn options_in_force_are_read_back() {
    for option in [
        "encrypt=off",
        "checksum=off",
        GUARDED[0],
        GUARDED[1],
        GUARDED[2],
        "page_size=16384",
        "sync=nosync",
        "writemap=on",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = open(folder.path(), option).unwrap();
        let (name, value) = option.split_once('=').unwrap();
        assert_eq!(engine.in_force().unwrap()[name], value, "{option}");
    }
}

#[test]
fn an_encrypted_map_grows_before_it_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = open(folder.path(), GUARDED[1]).unwrap();
    let map_size = |engine: &Lmdb1| engine.in_force().unwrap()["map_size"].parse::<u64>().unwrap();
    let before = map_size(&engine);
    let statements = KvStatements::default();
    let mut session = engine.session(&statements).unwrap();
    let (value, batches, rows) = ([7; 2000], 150_u32, 1_000_u32);
    for batch in 0..batches {
        let mut transaction = session.write().unwrap();
        let mut table = transaction.table().unwrap();
        for row in 0..rows {
            table.put(&(batch * rows + row).to_be_bytes(), &value).unwrap();
        }
        transaction.commit().unwrap();
    }
    assert!(u64::from(batches * rows) * value.len() as u64 > before, "the first map would have been too small");
    assert!(map_size(&engine) > before, "the map has grown");
    engine.check().unwrap();
}

/// The reason is in src/chunks.rs.
#[test]
fn nothing_is_written_after_a_transaction_that_read_more_than_lmdb_keeps_track_of() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = open(folder.path(), "encrypt=aes256gcm").unwrap();
    let statements = KvStatements::default();
    let mut session = engine.session(&statements).unwrap();
    // One page per row, and 2,500 chunks of 16 pages.
    let (value, rows) = ([7; 2500], 40_000_u32);
    let mut transaction = session.write().unwrap();
    let mut table = transaction.table().unwrap();
    for row in 0..rows {
        table.put(&row.to_be_bytes(), &value).unwrap();
    }
    transaction.commit().unwrap();
    assert!(session.write().is_ok(), "writing reads few pages");
    let mut seen = 0;
    session.read().unwrap().scan(|_, found| seen += u32::from(found == value)).unwrap();
    assert_eq!(seen, rows, "reading is right as long as nothing is written");
    let mut transaction = session.write().unwrap();
    let mut table = transaction.table().unwrap();
    assert!(table.delete(&0_u32.to_be_bytes()).unwrap(), "the engine opens the environment again first");
    transaction.commit().unwrap();
    engine.close().unwrap();

    let mut env = open_env(folder.path(), "encrypt=aes256gcm").unwrap();
    let mut read = Lmdb1Read::begin(&env).unwrap();
    read.range(Dbi::MAIN, Keys::ALL, Direction::Up, |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(Lmdb1Write::begin(&env).unwrap_err(), LmdbError::Stale);
    assert_eq!(Env::renew_if_stale(&mut env).unwrap_err(), LmdbError::Stale, "a transaction is under way");
    drop(read);
    assert!(Env::renew_if_stale(&mut env).unwrap());
    assert!(Lmdb1Write::begin(&env).is_ok());
}

#[test]
fn ranges_have_their_bounds_in_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), "");
    let env = open_env(folder.path(), "").unwrap();
    let mut write = Lmdb1Write::begin(&env).unwrap();
    write.clear(Dbi::MAIN).unwrap();
    for key in [b"b", b"d", b"f"] {
        write.put(Dbi::MAIN, key, b"").unwrap();
    }
    let mut keys = |from: Bound<&[u8]>, to: Bound<&[u8]>, direction| {
        let mut found = String::new();
        let collect = |key: &[u8], _: &[u8]| {
            found.push_str(std::str::from_utf8(key).unwrap());
            ControlFlow::Continue(())
        };
        write.range(Dbi::MAIN, Keys { from, to }, direction, collect).unwrap();
        found
    };
    use Bound::{Excluded, Included, Unbounded};
    for (from, to, expected) in [
        (Unbounded, Unbounded, "bdf"),
        (Included("b"), Included("f"), "bdf"),
        (Excluded("b"), Excluded("f"), "d"),
        (Included("c"), Excluded("e"), "d"),
        (Included("a"), Included("g"), "bdf"),
        (Excluded("f"), Unbounded, ""),
        (Unbounded, Excluded("b"), ""),
        (Included("d"), Included("d"), "d"),
        (Included("f"), Included("b"), ""),
    ] {
        let (from, to) = (from.map(str::as_bytes), to.map(str::as_bytes));
        assert_eq!(keys(from, to, Direction::Up), expected, "{from:?} {to:?}");
        assert_eq!(keys(from, to, Direction::Down), expected.chars().rev().collect::<String>(), "{from:?} {to:?}");
    }
}

/// LMDB computes the pages of a long value without the tag or checksum at their end.
#[test]
fn a_long_value_is_kept_whole_or_refused() {
    for (option, refused_of_each) in [("", 0), (GUARDED[0], 28), (GUARDED[1], 28), (GUARDED[2], 8)] {
        let folder = tempfile::tempdir().unwrap();
        let env = open_env(folder.path(), option).unwrap();
        let (mut kept, mut refused) = (Vec::new(), 0);
        let mut write = Lmdb1Write::begin(&env).unwrap();
        for length in (4000..4120_usize).chain(8100..8220) {
            let value: Vec<u8> = (0..length).map(|at| (at % 251) as u8 | 1).collect();
            match write.put(Dbi::MAIN, &(length as u32).to_be_bytes(), &value) {
                Ok(()) => kept.push((length as u32, value)),
                Err(error) => {
                    assert!(error.to_string().contains("a value of") && length % 4096 > 4000, "{option}: {error}");
                    refused += 1;
                }
            }
        }
        write.commit().unwrap();
        drop(env);
        let env = open_env(folder.path(), option).unwrap();
        let mut read = Lmdb1Read::begin(&env).unwrap();
        for (length, value) in kept {
            let same = read.get(Dbi::MAIN, &length.to_be_bytes(), |found| found == value).unwrap();
            assert_eq!(same, Some(true), "{option}: {length} bytes");
        }
        assert_eq!(refused, 2 * refused_of_each, "{option}: no more are refused than have to be");
    }
}
