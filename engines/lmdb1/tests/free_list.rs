//! Tests that the list of free pages stays whole, or that the transaction that would cut it is rejected.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use dbdyno_engine_lmdb1::lmdb::{Dbi, Env, Lmdb1Read, Lmdb1Write, LmdbError};
use std::sync::Arc;
use support::{GUARDED, in_child, open_env, say};

const ROWS: u32 = 1100;

/// Each value needs a page of its own.
fn value(row: u32, version: u8) -> Vec<u8> {
    let mut value = vec![version; 2500];
    value[..4].copy_from_slice(&row.to_be_bytes());
    value
}

fn put(env: &Arc<Env>, rows: std::ops::Range<u32>, version: u8) -> Result<(), LmdbError> {
    let mut write = Lmdb1Write::begin(env)?;
    for row in rows {
        write.put(Dbi::MAIN, &row.to_be_bytes(), &value(row, version))?;
    }
    write.commit()
}

fn delete(env: &Arc<Env>, rows: u32) -> Result<(), LmdbError> {
    let mut write = Lmdb1Write::begin(env)?;
    for row in 0..rows {
        write.delete(Dbi::MAIN, &row.to_be_bytes())?;
    }
    write.commit()
}

fn expect(env: &Arc<Env>, row: u32, version: u8) {
    let found = Lmdb1Read::begin(env).unwrap().get(Dbi::MAIN, &row.to_be_bytes(), |found| found == value(row, version));
    assert_eq!(found, Ok(Some(true)), "row {row}");
}

/// LMDB computes the pages of its list without the tag or checksum at their end. About 507 freed pages fill one page up to there, about
/// 1,019 two.
#[test]
fn pages_that_were_freed_are_never_lost_or_taken_twice() {
    in_child("pages_that_were_freed_are_never_lost_or_taken_twice", || {
        for option in GUARDED {
            let mut refused = 0;
            for freed in (488..503).chain(1000..1012) {
                let folder = tempfile::tempdir().unwrap();
                let env = open_env(folder.path(), option).unwrap();
                put(&env, 0..ROWS, 1).unwrap();
                say(&format!("{option}: {freed} rows are deleted"));
                match delete(&env, freed) {
                    Ok(()) => {
                        put(&env, 0..1, 2).unwrap();
                        put(&env, 1..ROWS, 2).unwrap();
                        put(&env, 0..ROWS, 3).unwrap();
                        (0..ROWS).for_each(|row| expect(&env, row, 3));
                    }
                    Err(error) => {
                        assert!(error.to_string().contains("commit after fewer changes"), "{option}: {error}");
                        drop(env);
                        let env = open_env(folder.path(), option).unwrap();
                        (0..ROWS).for_each(|row| expect(&env, row, 1));
                        refused += 1;
                    }
                }
            }
            // Twice four page numbers if 28 bytes are covered, twice one if 8 are.
            let expected = if option.starts_with("encrypt") { 4..=10 } else { 0..=3 };
            assert!(expected.contains(&refused), "{option}: {refused} transactions were refused");
        }
    });
}
