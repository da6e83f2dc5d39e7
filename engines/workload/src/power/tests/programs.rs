//! Correct programs, and the same programs with a mistake: the images tell them apart.

use super::RecordedFolder;
use crate::power::{Image, Images, Marker, Names, Policy, PowerLog, SyncCall, SyncClass, mark, sync_classes};
use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

const BOTH: [Names; 2] = [Names::ByFolder, Names::Journaled];
const COMMITS: u64 = 12;
/// Bytes of a record: more than a sector, but not a multiple of it.
const BYTES: usize = 700;

/// Returns a record of an append-only store: its number, then bytes that depend on it.
fn record(number: u64) -> Vec<u8> {
    let mut rng = crate::rng::SplitMix64::new(number);
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize_with(BYTES, || rng.next_u64() as u8);
    bytes
}

/// Appends records to a store of one file. Each record is a commit.
fn append(root: &Path, sync: impl Fn(&File)) {
    let mut file = OpenOptions::new().append(true).create_new(true).open(root.join("store")).unwrap();
    File::open(root).unwrap().sync_all().unwrap();
    for number in 1..=COMMITS {
        mark(Marker::Issued { ordinal: number }).unwrap();
        file.write_all(&record(number)).unwrap();
        sync(&file);
        mark(Marker::Acknowledged { commits: number }).unwrap();
    }
}

/// Returns the number of records that the store holds; anything after the last whole record is ignored.
fn recovered(image: &Image) -> u64 {
    let bytes = image.files.get(Path::new("store")).map(|content| content.bytes()).unwrap_or_default();
    let whole = bytes.chunks(BYTES).zip(1..).take_while(|(found, number)| **found == record(*number));
    whole.count() as u64
}

/// Describes the first image for which `is_wrong` is true.
fn first(log: &PowerLog, removed: Option<&SyncClass>, is_wrong: impl Fn(&Image) -> bool) -> Option<String> {
    for names in BOTH {
        let mut images = Images::of(log, names, removed);
        for cut in images.cuts(30, 1) {
            for (policy, seed) in Policy::ALL.iter().flat_map(|policy| (0..6).map(|seed| (*policy, seed))) {
                if is_wrong(&images.image(cut, policy, seed)) {
                    return Some(format!("{names:?}, cut {cut}, seed {seed}: {policy}"));
                }
            }
        }
    }
    None
}

fn recorded(program: impl FnOnce(&Path)) -> PowerLog {
    let recorded = RecordedFolder::after(|root| fs::write(root.join("settings"), b"old").unwrap());
    program(&recorded.root());
    let (log, missed) = recorded.end();
    assert_eq!(missed, Vec::<PathBuf>::new());
    log
}

#[test]
fn a_store_that_syncs_loses_nothing_and_one_that_does_not_loses_commits() {
    let is_lost = |image: &Image| recovered(image) < image.acknowledged;
    let invents = |image: &Image| recovered(image) > image.issued;
    let right = recorded(|root| append(root, |file| file.sync_data().unwrap()));
    assert_eq!(first(&right, None, is_lost), None);
    assert_eq!(first(&right, None, invents), None);
    let wrong = recorded(|root| append(root, |_| ()));
    assert!(first(&wrong, None, is_lost).is_some());
    let classes = sync_classes(&right);
    let class = |call, file: &str| SyncClass { call, file: file.to_owned() };
    let (commit, name) = (class(SyncCall::Fdatasync, "store"), class(SyncCall::Folder, "."));
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), [(commit.clone(), COMMITS), (name.clone(), 1)]);
    for mutant in [commit, name] {
        assert!(first(&right, Some(&mutant), is_lost).is_some(), "nothing is lost without {mutant}");
    }
}

/// Some programs write the length before the data, so that fdatasync has no length to write.
#[test]
fn a_store_that_trusts_lengths_is_found_to_be_wrong() {
    let log = recorded(|root| append(root, |_| ()));
    let is_zero_record = |image: &Image| {
        let bytes = image.files.get(Path::new("store")).map(|content| content.bytes()).unwrap_or_default();
        bytes.as_chunks::<BYTES>().0.contains(&[0; BYTES])
    };
    assert!(first(&log, None, is_zero_record).is_some());
}

/// The step of replacing a file that is left out.
#[derive(Clone, Copy, PartialEq)]
enum Forgets {
    Nothing,
    FileSync,
    FolderSync,
}

fn replace(root: &Path, forgets: Forgets) {
    mark(Marker::Issued { ordinal: 1 }).unwrap();
    let mut file = File::create(root.join("settings.tmp")).unwrap();
    file.write_all(b"new").unwrap();
    if forgets != Forgets::FileSync {
        file.sync_all().unwrap();
    }
    fs::rename(root.join("settings.tmp"), root.join("settings")).unwrap();
    if forgets != Forgets::FolderSync {
        File::open(root).unwrap().sync_all().unwrap();
    }
    mark(Marker::Acknowledged { commits: 1 }).unwrap();
}

#[test]
fn a_file_replaced_by_renaming_is_old_or_new_unless_a_sync_is_forgotten() {
    let settings = |image: &Image| image.files.get(Path::new("settings")).map(|content| content.bytes());
    let is_neither = |image: &Image| !matches!(settings(image).as_deref(), Some(b"old" | b"new"));
    let is_old_again = |image: &Image| image.acknowledged == 1 && settings(image).as_deref() == Some(b"old");
    let found = |forgets| {
        let log = recorded(|root| replace(root, forgets));
        [first(&log, None, is_neither).is_some(), first(&log, None, is_old_again).is_some()]
    };
    assert_eq!(found(Forgets::Nothing), [false, false]);
    assert_eq!(found(Forgets::FileSync), [true, false]);
    assert_eq!(found(Forgets::FolderSync), [false, true]);
}
