//! Tests changed databases: reads must return right answers, or an error that names the page.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use dbdyno_engine::ordered::{Direction, Keys};
use dbdyno_engine_lmdb1::lmdb::{Dbi, Lmdb1Read, Lmdb1Write, LmdbError};
use std::{
    env,
    fs::{self, File},
    ops::ControlFlow,
    os::unix::fs::FileExt,
    path::Path,
};
use support::{GUARDED, KeyValues, PAGE, file_of, in_child, open_env, read, row, say, write};

/// Returns the pages that an error names.
fn pages_of(error: &str) -> Option<(u64, u64)> {
    let text = &error[error.find("page")?..];
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    let first = numbers.next()?;
    Some((first, if text.starts_with("pages") { numbers.next()? } else { first }))
}

fn names(error: &str, page: u64, proof: &str) -> bool {
    error.contains(&format!("not match {proof}"))
        && pages_of(error).is_some_and(|(first, last)| (first..=last).contains(&page))
}

/// Returns the error's words for the proof that a page does not match.
fn proof(option: &str, pages: (u64, u64)) -> String {
    let whose = if pages.0 == pages.1 { "its" } else { "their" };
    format!("{whose} {}", if option.starts_with("checksum") { "checksum" } else { "tag" })
}

/// Fails unless the error names the page.
fn expect_named(error: &str, page: u64, option: &str, doing: &str) {
    let pages = pages_of(error).unwrap_or((page, page));
    assert!(names(error, page, &proof(option, pages)), "{option}, {doing}, damage on page {page}: {error}");
}

/// Overflow pages of one and of several pages, and a tree of three levels.
fn few_rows() -> KeyValues {
    let long = |at: u32| (format!("long {at:04}").into_bytes(), vec![at as u8; 3000 * (at as usize % 4 + 1)]);
    let mut rows: KeyValues = (0..12).map(long).chain((1..1500).map(row)).collect();
    rows.sort();
    rows
}

/// Reads all rows in every way, in a write transaction too. Each answer must be right or an error that names the page.
fn try_everything(folder: &Path, option: &str, page: u64, rows: &KeyValues) -> Result<(), LmdbError> {
    let env = open_env(folder, option)?;
    let mut errors = Vec::new();
    for direction in [Direction::Up, Direction::Down] {
        let mut expected: Vec<_> = rows.iter().collect();
        if direction == Direction::Down {
            expected.reverse();
        }
        let mut expected = expected.into_iter();
        let walked = Lmdb1Read::begin(&env)?.range(Dbi::MAIN, Keys::ALL, direction, |key, value| {
            assert!(expected.next().is_some_and(|row| row.0 == key && row.1 == value), "{option}: a wrong row");
            ControlFlow::Continue(())
        });
        match walked {
            Ok(()) => assert!(expected.next().is_none(), "{option}: rows are missing"),
            Err(error) => errors.push(error),
        }
    }
    let mut held = Lmdb1Read::begin(&env)?;
    for (key, value) in rows.iter().step_by(7) {
        match held.get(Dbi::MAIN, key, |found| found == value) {
            Ok(found) => assert_eq!(found, Some(true), "{option}: a wrong value"),
            Err(error) => errors.push(error),
        }
    }
    drop(held);
    let mut change = Lmdb1Write::begin(&env)?;
    let changed = rows.iter().step_by(90).try_for_each(|(key, _)| {
        change.put(Dbi::MAIN, key, b"another")?;
        change.delete(Dbi::MAIN, &[key, &b"!"[..]].concat()).map(drop)
    });
    match changed.and_then(|()| change.commit()) {
        Ok(()) => {
            for (at, (key, value)) in rows.iter().enumerate().step_by(45) {
                let expected = if at % 90 == 0 { b"another" } else { value.as_slice() };
                match Lmdb1Read::begin(&env)?.get(Dbi::MAIN, key, |found| found == expected) {
                    Ok(found) => assert_eq!(found, Some(true), "{option}: a wrong value after a change"),
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    for error in &errors {
        expect_named(&error.to_string(), page, option, "using the database");
    }
    errors.first().map_or(Ok(()), |error| Err(*error))
}

/// Pseudo-random numbers, the same in each run (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Flips a bit, tries everything, and restores the file; returns whether the damage was detected.
fn survives(folder: &Path, option: &str, whole: &[u8], rows: &KeyValues, bit: u64) -> bool {
    let page = bit / 8 / PAGE;
    say(&format!("{option}: bit {} of byte {} of page {page}", bit % 8, bit / 8 % PAGE));
    // Written in place: file systems wait for the disk if a file is truncated and rewritten.
    let file = File::options().write(true).open(file_of(folder)).unwrap();
    file.write_all_at(&[whole[(bit / 8) as usize] ^ 1 << (bit % 8)], bit / 8).unwrap();
    let tried = try_everything(folder, option, page, rows);
    if let Err(error) = tried {
        expect_named(&error.to_string(), page, option, "opening the database");
    }
    file.write_all_at(whole, 0).unwrap();
    file.set_len(whole.len() as u64).unwrap();
    tried.is_err()
}

fn flips() -> u64 {
    env::var("DBDYNO_BIT_FLIPS").map_or(1000, |count| count.parse().unwrap())
}

#[test]
fn no_flipped_bit_gives_a_wrong_answer_or_a_crash() {
    in_child("no_flipped_bit_gives_a_wrong_answer_or_a_crash", || {
        for option in GUARDED {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let rows = few_rows();
            write(folder, option, &rows).unwrap();
            // This leaves free pages, and a changed tree.
            write(folder, option, &rows[100..400]).unwrap();
            let whole = fs::read(file_of(folder)).unwrap();
            let (pages, mut random, mut found) = (whole.len() as u64 / PAGE, Random(1), 0);
            for at in 0..flips() {
                let start = random.below(pages) * PAGE * 8;
                // Some bits are at the beginning or end of a page, where the numbers, the tags and the checksums are.
                let bit = match at % 10 {
                    0 => start + random.below(48 * 8),
                    1 => start + PAGE * 8 - 1 - random.below(48 * 8),
                    // LMDB's content in its two meta pages is short.
                    2 => random.below(2) * PAGE * 8 + random.below(188 * 8),
                    _ => start + random.below(PAGE * 8),
                };
                found += u64::from(survives(folder, option, &whole, &rows, bit));
            }
            assert!(found > flips() / 2, "{option}: {found} of {} flips were found", flips());
            assert_eq!(read(folder, option).unwrap(), rows, "{option}: the file is as it was");
        }
    });
}

#[test]
fn a_page_number_is_not_used_before_it_is_authenticated() {
    in_child("a_page_number_is_not_used_before_it_is_authenticated", || {
        for option in GUARDED {
            let folder = tempfile::tempdir().unwrap();
            let rows = few_rows();
            write(folder.path(), option, &rows).unwrap();
            let whole = fs::read(file_of(folder.path())).unwrap();
            let mut found = 0;
            for page in 2..whole.len() as u64 / PAGE {
                for bit in [6 * 8 + 1, 7 * 8 + 7] {
                    found += u32::from(survives(folder.path(), option, &whole, &rows, page * PAGE * 8 + bit));
                }
            }
            assert!(found > 40, "{option}: {found}");
        }
    });
}

#[test]
fn a_damaged_page_is_named_by_every_read_of_its_transaction_and_by_no_other() {
    for option in GUARDED {
        let folder = tempfile::tempdir().unwrap();
        let rows = few_rows();
        write(folder.path(), option, &rows).unwrap();
        let mut bytes = fs::read(file_of(folder.path())).unwrap();
        // Damages pages until the row in the middle cannot be read, which finds that row's page.
        let (key, value) = &rows[700];
        let broken = |bytes: &[u8]| {
            fs::write(file_of(folder.path()), bytes).unwrap();
            Lmdb1Read::begin(&open_env(folder.path(), option).unwrap()).unwrap().get(Dbi::MAIN, key, |_| ()).is_err()
        };
        let page = (2..bytes.len() / PAGE as usize).rev().find(|page| {
            let byte = page * PAGE as usize + 2000;
            bytes[byte] ^= 1;
            let broken = broken(&bytes);
            bytes[byte] ^= u8::from(!broken);
            broken
        });
        let page = page.unwrap() as u64;
        let env = open_env(folder.path(), option).unwrap();
        let mut held = Lmdb1Read::begin(&env).unwrap();
        assert_eq!(held.get(Dbi::MAIN, &rows[0].0, |found| found == rows[0].1), Ok(Some(true)), "{option}");
        for _ in 0..3 {
            let error = held.get(Dbi::MAIN, key, |found| found == value).unwrap_err();
            expect_named(&error.to_string(), page, option, "reading the row");
        }
        let error = held.get(Dbi::MAIN, &rows[0].0, |_| ()).unwrap_err();
        expect_named(&error.to_string(), page, option, "reading on");
        drop(held);
        let mut next = Lmdb1Read::begin(&env).unwrap();
        assert_eq!(next.get(Dbi::MAIN, &rows[0].0, |found| found == rows[0].1), Ok(Some(true)), "{option}");
        drop(next);
        let mut change = Lmdb1Write::begin(&env).unwrap();
        let error = change.put(Dbi::MAIN, key, b"another").unwrap_err();
        expect_named(&error.to_string(), page, option, "writing");
        expect_named(&change.commit().unwrap_err().to_string(), page, option, "committing");
    }
}
