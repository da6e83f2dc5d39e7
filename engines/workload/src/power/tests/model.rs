//! Textbook cases: short logs, with the images that a disk may hold after them.

use crate::power::{FileId, Image, Images, Marker, Names, Policy, PowerLog, PowerRecord, SyncCall, SyncClass};
use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
};

const FILE: FileId = FileId(1);
const OTHER: FileId = FileId(2);
/// The largest number of records between a removed call and the power loss.
const RIGHT_AFTER: usize = 16;
const BOTH: [Names; 2] = [Names::ByFolder, Names::Journaled];

fn created(file: FileId, name: &str) -> PowerRecord {
    PowerRecord::Created { file, name: name.into() }
}

fn write(file: FileId, offset: u64, bytes: &[u8]) -> PowerRecord {
    PowerRecord::Write { file, offset, bytes: bytes.to_vec() }
}

fn synced(file: FileId, call: SyncCall) -> PowerRecord {
    PowerRecord::Sync { file, call, range: None }
}

fn synced_range(range: Range<u64>) -> PowerRecord {
    PowerRecord::Sync { file: FILE, call: SyncCall::Msync, range: Some(range) }
}

fn synced_folder(name: &str) -> PowerRecord {
    PowerRecord::SyncFolder { name: name.into() }
}

/// Creates a log of calls on existing files: `data` with the content "old", and no other.
fn log(happened: impl IntoIterator<Item = PowerRecord>) -> PowerLog {
    let base = [created(FILE, "data"), write(FILE, 0, b"old"), PowerRecord::Started];
    PowerLog::of(base.into_iter().chain(happened).collect(), 2)
}

/// Returns the images of a cut, for each policy and many seeds.
fn drawn(log: &PowerLog, names: Names, cut: usize) -> Vec<Image> {
    let mut images = Images::of(log, names, None);
    Policy::ALL
        .iter()
        .flat_map(|policy| (0..200).map(|seed| (*policy, seed)))
        .map(|(policy, seed)| images.image(cut, policy, seed))
        .collect()
}

fn at_the_end(log: &PowerLog, names: Names) -> Vec<Image> {
    drawn(log, names, log.records().len())
}

fn image(log: &PowerLog, names: Names, policy: Policy) -> Image {
    Images::of(log, names, None).image(log.records().len(), policy, 0)
}

/// Returns a file's content as text; `None` if the name does not exist.
fn text(image: &Image, name: &str) -> Option<String> {
    image.files.get(Path::new(name)).map(|content| String::from_utf8(content.bytes()).unwrap())
}

/// Returns the distinct contents of a file among images.
fn texts(images: &[Image], name: &str) -> BTreeSet<Option<String>> {
    images.iter().map(|image| text(image, name)).collect()
}

fn of(texts: &[&str]) -> BTreeSet<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

#[test]
fn what_is_not_synced_may_be_lost_and_what_is_synced_never_is() {
    for names in BOTH {
        let unsynced = log([write(FILE, 0, b"new")]);
        assert_eq!(text(&image(&unsynced, names, Policy::Nothing), "data").unwrap(), "old");
        assert_eq!(text(&image(&unsynced, names, Policy::All), "data").unwrap(), "new");
        for call in [SyncCall::Fsync, SyncCall::Fdatasync] {
            let grown = log([write(FILE, 2, b"new and longer"), synced(FILE, call)]);
            assert_eq!(texts(&at_the_end(&grown, names), "data"), of(&["olnew and longer"]), "{call}");
            let cut_off = log([PowerRecord::Resize { file: FILE, length: 1 }, synced(FILE, call)]);
            assert_eq!(texts(&at_the_end(&cut_off, names), "data"), of(&["o"]), "{call}");
            let under_way = drawn(&grown, names, grown.records().len() - 1);
            assert!(texts(&under_way, "data").contains(&Some("old".to_owned())), "the power may go during {call}");
        }
    }
}

#[test]
fn a_new_file_whose_folder_is_not_synced_is_there_on_some_disks_only() {
    let log = log([created(OTHER, "new"), write(OTHER, 0, b"new"), synced(OTHER, SyncCall::Fsync)]);
    for policy in [Policy::Nothing, Policy::EntriesLost] {
        assert_eq!(text(&image(&log, Names::ByFolder, policy), "new"), None, "{policy}");
    }
    assert_eq!(texts(&at_the_end(&log, Names::Journaled), "new"), of(&["new"]));
    let both: BTreeSet<_> = of(&["new"]).into_iter().chain([None]).collect();
    assert_eq!(texts(&at_the_end(&log, Names::ByFolder), "new"), both, "its content is there wherever its name is");
}

#[test]
fn a_file_in_a_new_folder_needs_both_folders_synced() {
    let happened = [
        PowerRecord::Folder { name: "below".into() },
        created(OTHER, "below/new"),
        synced(OTHER, SyncCall::Fsync),
        synced_folder("below"),
        synced_folder(""),
    ];
    let without_the_last = log(happened[..4].to_vec());
    assert_eq!(image(&without_the_last, Names::ByFolder, Policy::Nothing).folders, BTreeSet::new());
    assert_eq!(texts(&at_the_end(&without_the_last, Names::Journaled), "below/new"), of(&[""]));
    let whole = log(happened);
    for image in at_the_end(&whole, Names::ByFolder) {
        assert_eq!(text(&image, "below/new").unwrap(), "");
        assert_eq!(image.folders, BTreeSet::from([PathBuf::from("below")]));
    }
}

#[test]
fn journaled_names_last_in_their_order() {
    let log = log([
        PowerRecord::Removed { name: "data".into() },
        created(OTHER, "next"),
        synced(OTHER, SyncCall::Fsync),
        PowerRecord::Folder { name: "one".into() },
        PowerRecord::Folder { name: "two".into() },
    ]);
    assert_eq!(
        texts(&at_the_end(&log, Names::Journaled), "data"),
        [None].into(),
        "it went before the file that is synced came"
    );
    let has = |image: &Image, name: &str| image.folders.contains(Path::new(name));
    let only_two = |names| at_the_end(&log, names).iter().any(|image| has(image, "two") && !has(image, "one"));
    assert!(!only_two(Names::Journaled));
    assert!(only_two(Names::ByFolder));
    assert!(at_the_end(&log, Names::ByFolder).iter().any(|image| text(image, "data").is_some()));
}

/// Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014: a file replaced by a renamed one whose content was not synced
/// may be empty.
#[test]
fn a_file_that_is_replaced_unsynced_may_be_empty() {
    let replaced = |sync: &[PowerRecord]| {
        let made = [created(OTHER, "data.tmp"), write(OTHER, 0, b"new")];
        let renamed = PowerRecord::Renamed { from: "data.tmp".into(), to: "data".into() };
        log(made.into_iter().chain(sync.iter().cloned()).chain([renamed, synced_folder("")]))
    };
    let wrong = replaced(&[]);
    let right = replaced(&[synced(OTHER, SyncCall::Fsync)]);
    for names in BOTH {
        assert_eq!(texts(&at_the_end(&wrong, names), "data"), of(&["", "\0\0\0", "new"]), "{names:?}");
        assert_eq!(texts(&at_the_end(&right, names), "data"), of(&["new"]), "{names:?}");
        for cut in Images::of(&right, names, None).cuts(20, 1) {
            let found = texts(&drawn(&right, names, cut), "data");
            assert!(found.is_subset(&of(&["old", "new"])), "{names:?}, cut {cut}: {found:?}");
        }
    }
}

#[test]
fn a_write_is_torn_at_sectors_and_pages() {
    let (a, b) = ("a".repeat(512), "b".repeat(512));
    let log = log([
        PowerRecord::Resize { file: FILE, length: 512 },
        synced(FILE, SyncCall::Fsync),
        write(FILE, 512, format!("{a}{b}").as_bytes()),
    ]);
    let mut images = Images::of(&log, Names::ByFolder, None);
    let start = format!("old{}", "\0".repeat(509));
    let mut torn = |policy| -> BTreeSet<_> {
        (0..200).map(|seed| text(&images.image(log.records().len(), policy, seed), "data").unwrap()).collect()
    };
    let (none, all) = (start.clone(), format!("{start}{a}{b}"));
    let (first, second) = (format!("{start}{a}"), format!("{start}{}{b}", "\0".repeat(512)));
    assert_eq!(torn(Policy::Torn512), [none.clone(), first, second, all.clone()].into());
    assert_eq!(torn(Policy::Torn4096), [none, all].into());
}

#[test]
fn writes_that_no_sync_parts_come_in_any_order() {
    let happened = [write(FILE, 0, b"A"), synced(FILE, SyncCall::Fdatasync), write(FILE, 1, b"B")];
    let parted = log(happened.clone());
    let [first, _, second] = happened;
    let together = log([first, second]);
    for names in BOTH {
        assert!(texts(&at_the_end(&together, names), "data").is_superset(&of(&["old", "Ald", "oBd", "ABd"])));
        assert_eq!(texts(&at_the_end(&parted, names), "data"), of(&["Ald", "ABd"]));
    }
}

#[test]
fn a_file_may_be_as_long_as_was_written_and_hold_nothing() {
    let log = log([write(FILE, 3, b"er")]);
    let mut images = Images::of(&log, Names::ByFolder, None);
    let found: BTreeSet<_> =
        (0..50).map(|seed| text(&images.image(log.records().len(), Policy::LengthWithoutData, seed), "data")).collect();
    assert_eq!(found, of(&["older", "old\0\0"]));
}

#[test]
fn a_synced_range_lasts_over_what_is_not_synced_before_it() {
    let log = log([
        write(FILE, 0, b"111111"),
        PowerRecord::Resize { file: FILE, length: 5 },
        write(FILE, 2, b"22"),
        synced_range(2..4),
    ]);
    for image in at_the_end(&log, Names::ByFolder) {
        let found = text(&image, "data").unwrap();
        assert_eq!((&found[2..4], found.len()), ("22", 5));
    }
    let found = texts(&at_the_end(&log, Names::ByFolder), "data");
    assert!(found.is_superset(&of(&["ol22\0", "11221"])), "{found:?}");
    let mapped = PowerLog::of(
        vec![created(FILE, "data"), PowerRecord::Started, write(FILE, 0, b"abcdef"), synced_range(2..4)],
        1,
    );
    let found = texts(&at_the_end(&mapped, Names::ByFolder), "data");
    assert!(found.is_superset(&of(&["\0\0cd", "abcd", "\0\0cdef", "abcdef"])), "{found:?}");
}

#[test]
fn a_program_that_lacks_a_class_of_sync_calls_is_the_same_but_for_them() {
    let log = log([
        write(FILE, 0, b"new"),
        synced(FILE, SyncCall::Fdatasync),
        created(OTHER, "other"),
        write(OTHER, 0, b"other"),
        synced(OTHER, SyncCall::Fdatasync),
        synced_folder(""),
    ]);
    let removed = SyncClass { call: SyncCall::Fdatasync, file: "data".to_owned() };
    let image = Images::of(&log, Names::ByFolder, Some(&removed)).image(log.records().len(), Policy::Nothing, 0);
    assert_eq!((text(&image, "data").unwrap(), text(&image, "other").unwrap()), ("old".to_owned(), "other".to_owned()));
}

/// Calls that are unsynced in both programs have the same fate, so the images differ only by the removed calls.
#[test]
fn an_image_of_a_mutant_has_one_of_the_whole_program_that_differs_by_the_calls_alone() {
    let log = log([
        write(FILE, 0, b"new"),
        synced(FILE, SyncCall::Fdatasync),
        created(OTHER, "other"),
        write(OTHER, 0, b"other"),
    ]);
    let removed = SyncClass { call: SyncCall::Fdatasync, file: "data".to_owned() };
    for names in BOTH {
        let mut mutant = Images::of(&log, names, Some(&removed));
        let (mut whole, cut) = (Images::of(&log, names, None), log.records().len());
        let mut lacking = BTreeSet::new();
        for (policy, seed) in Policy::ALL.iter().flat_map(|policy| (0..50).map(|seed| (*policy, seed))) {
            let image = mutant.image(cut, policy, seed);
            let with_calls = mutant.image_of_whole(&mut whole, cut, policy, seed);
            assert_eq!(text(&with_calls, "data").as_deref(), Some("new"));
            assert_eq!(text(&with_calls, "other"), text(&image, "other"));
            lacking.insert(text(&image, "data"));
        }
        assert!(lacking.contains(&Some("old".to_owned())), "{lacking:?}");
    }
}

#[test]
fn an_image_depends_on_the_log_the_cut_the_policy_and_the_seed_alone() {
    let mut happened = Vec::new();
    for commit in 1..=20_u64 {
        happened.push(PowerRecord::Marker(Marker::Issued { ordinal: commit }));
        happened.push(write(FILE, commit % 5 * 700, &[commit as u8; 700]));
        if commit % 3 == 0 {
            happened.push(synced(FILE, SyncCall::Fdatasync));
        }
        happened.push(PowerRecord::Marker(Marker::Acknowledged { commits: commit }));
    }
    let log = log(happened);
    let mut images = Images::of(&log, Names::ByFolder, None);
    let cuts = images.cuts(50, 3);
    let mut drawn = |cut: usize| Policy::ALL.map(|policy| images.image(cut, policy, 5));
    let forward: Vec<_> = cuts.iter().map(|cut| drawn(*cut)).collect();
    let mut backward: Vec<_> = cuts.iter().rev().map(|cut| drawn(*cut)).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let contents: BTreeSet<_> = forward.iter().flatten().map(text_of_all).collect();
    let digests: BTreeSet<_> = forward.iter().flatten().map(Image::digest).collect();
    assert_eq!(contents.len(), digests.len());
    assert!(digests.len() > 30, "{}", digests.len());
    let last = &forward.last().unwrap()[0];
    assert_eq!((last.issued, last.acknowledged), (20, 20));
    assert_eq!((forward[0][0].issued, forward[0][0].acknowledged), (0, 0));
    assert!(
        forward.iter().flatten().any(|image| image.issued == image.acknowledged + 1),
        "the power goes during a commit"
    );
}

fn text_of_all(image: &Image) -> String {
    image.files.iter().map(|(name, content)| format!("{} {:?}\n", name.display(), content.bytes())).collect()
}

#[test]
fn an_image_is_written_as_it_is() {
    let log = log([
        PowerRecord::Folder { name: "a".into() },
        PowerRecord::Folder { name: "a/b".into() },
        created(OTHER, "a/b/file"),
        write(OTHER, 100_000, b"far"),
    ]);
    let image = image(&log, Names::ByFolder, Policy::All);
    let folder = tempfile::tempdir().unwrap();
    image.write_to(&folder.path().join("image")).unwrap();
    assert_eq!(crate::power::missed(&log, &folder.path().join("image")).unwrap(), BTreeSet::new());
    let error = image.write_to(&folder.path().join("image")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{error}");
}

/// The log begins with three records of the initial content, so the calls are records 3, 4, and so on.
#[test]
fn the_power_goes_around_syncs_and_names_and_after_commits() {
    let log = log([
        write(FILE, 0, b"1"),
        PowerRecord::Resize { file: FILE, length: 2 },
        PowerRecord::Mapped { file: FILE },
        synced(FILE, SyncCall::Fsync),
        PowerRecord::Marker(Marker::Issued { ordinal: 1 }),
        write(FILE, 0, b"2"),
        PowerRecord::Marker(Marker::Acknowledged { commits: 1 }),
        write(FILE, 0, b"3"),
        PowerRecord::Removed { name: "data".into() },
        write(FILE, 0, b"4"),
        write(FILE, 0, b"5"),
    ]);
    let images = Images::of(&log, Names::ByFolder, None);
    assert_eq!(images.cuts(0, 1), [3, 6, 7, 10, 11, 12, 14], "the start, the sync, the commit, the name, the end");
    // Every cut is between the start and the end, and both are reached.
    let drawn: BTreeSet<usize> = (0..20).flat_map(|seed| images.cuts(20, seed)).collect();
    assert_eq!(drawn, (3..=14).collect());
}

#[test]
fn the_lack_of_a_sync_is_looked_for_right_after_it() {
    let happened = (0..20).flat_map(|number| [write(FILE, number, b"x"), synced(FILE, SyncCall::Fsync)]);
    let log = log(happened.chain((0..40).map(|number| write(FILE, number, b"y"))));
    assert_eq!(Images::of(&log, Names::ByFolder, None).cuts_after_removed(), [] as [usize; 0]);
    let removed = SyncClass { call: SyncCall::Fsync, file: "data".to_owned() };
    let cuts = Images::of(&log, Names::ByFolder, Some(&removed)).cuts_after_removed();
    // The first of the calls is record 4, the last 42.
    assert_eq!((cuts.first(), cuts.last()), (Some(&5), Some(&(42 + RIGHT_AFTER))));
    let other = SyncClass { call: SyncCall::Fdatasync, file: "data".to_owned() };
    assert_eq!(Images::of(&log, Names::ByFolder, Some(&other)).cuts_after_removed(), [] as [usize; 0]);
}

/// Syncing one file does not affect what was written to another.
#[test]
fn a_sync_takes_the_changes_of_its_own_file_alone() {
    for names in BOTH {
        let log = log([
            created(OTHER, "other"),
            synced(OTHER, SyncCall::Fsync),
            synced_folder(""),
            write(OTHER, 0, b"mine"),
            write(FILE, 0, b"new"),
            synced(FILE, SyncCall::Fsync),
        ]);
        let last = image(&log, names, Policy::Nothing);
        assert_eq!((text(&last, "data").unwrap(), text(&last, "other").unwrap()), ("new".to_owned(), String::new()));
    }
}

/// Syncing a file does not make a folder durable that was created after the file's last name.
#[test]
fn journaled_names_after_those_of_a_synced_file_may_be_lost() {
    let log =
        log([created(OTHER, "next"), PowerRecord::Folder { name: "later".into() }, synced(OTHER, SyncCall::Fsync)]);
    let last = image(&log, Names::Journaled, Policy::Nothing);
    assert_eq!(text(&last, "next").unwrap(), "");
    assert_eq!(last.folders, BTreeSet::new());
}
