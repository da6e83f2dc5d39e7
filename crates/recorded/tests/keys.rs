//! The files of a replay of keys.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::replay::{KeyOperation, KeysReader};
use dbdyno_recorded::{KeysPlan, import, records_keys, write_keys_replay};
use std::{collections::BTreeSet, fs, path::Path};

/// An operation with its key.
type Read = (KeyOperation, String);

/// Imports a trace, and writes its replay. Returns what each thread does, the keys at the beginning first if there are any.
fn replayed(trace: &str) -> (KeysPlan, Vec<Vec<Read>>) {
    let folder = tempfile::tempdir().unwrap();
    let (file, recording, files) =
        (folder.path().join("trace"), folder.path().join("keys.rec"), folder.path().join("replay"));
    fs::write(&file, trace).unwrap();
    import(&file, &recording, "test", String::new()).unwrap();
    assert!(records_keys(&recording).unwrap());
    fs::create_dir(&files).unwrap();
    let plan = write_keys_replay(&recording, &files, true).unwrap();
    let start = (plan.test == 2).then(|| read(&files, 1, 0));
    let threads: Vec<_> = (0..plan.threads).map(|thread| read(&files, plan.test, thread)).collect();
    (plan, start.into_iter().chain(threads).collect())
}

fn read(files: &Path, test: u32, thread: u32) -> Vec<Read> {
    let mut reader = KeysReader::open(files, test, thread, 5).unwrap();
    let mut all = Vec::new();
    loop {
        let mut key = Vec::new();
        match reader.next(&mut key).unwrap() {
            Some(operation) => all.push((operation, String::from_utf8(key).unwrap())),
            None => return all,
        }
    }
}

/// Work, number and key of each operation.
fn brief(operations: &[Read]) -> Vec<(usize, u64, &str)> {
    operations.iter().map(|(one, key)| (one.work, one.number, key.as_str())).collect()
}

#[test]
fn what_was_found_is_there_at_the_beginning_and_what_was_not_is_not() {
    let (plan, files) = replayed(
        "5,b,1,30,1,get,0\n5,missing,7,0,1,get,0\n6,b,1,10,1,set,0\n6.5,b,1,10,1,get,0\n7,b,1,0,1,delete,0\n\
         8,b,1,10,1,get,0\n9,new,3,20,1,add,0\n",
    );
    assert_eq!(brief(&files[0]), [(0, 30, "b")]);
    let expected =
        [(0, 0, "b"), (0, 0, "missing"), (1, 10, "b"), (0, 0, "b"), (2, 0, "b"), (0, 0, "b"), (1, 20, "new")];
    assert_eq!(brief(&files[1]), expected);
    assert_eq!(files[1].iter().map(|(one, _)| one.at_ns / 500_000_000).collect::<Vec<_>>(), [0, 0, 2, 3, 4, 6, 8]);
    assert_eq!(plan.operations, [("get", 4), ("put", 2), ("delete", 1)]);
    assert_eq!((plan.start_keys, plan.guessed_keys, plan.longest_key), (1, 0, 7));
    assert_eq!((plan.known_gets, plan.unequal_gets), (4, 1), "it was found after it was deleted");
    assert_eq!((plan.span_ns, plan.bytes, plan.count()), (4_000_000_000, 31, 7));
}

#[test]
fn operations_on_a_key_are_in_the_same_thread() {
    let lines: Vec<String> =
        (0..400).map(|at| format!("{at},key{},5,8,{},{},0", at % 37, at % 90, ["set", "get"][at % 2])).collect();
    let (plan, files) = replayed(&lines.join("\n"));
    assert_eq!((plan.clients, plan.threads, plan.test), (90, 16, 2));
    let files = &files[1..];
    let keys: Vec<BTreeSet<&String>> = files.iter().map(|of| of.iter().map(|(_, key)| key).collect()).collect();
    assert_eq!(keys.iter().map(BTreeSet::len).sum::<usize>(), 37);
    assert_eq!(files.iter().map(Vec::len).sum::<usize>(), 400);
    assert!(files.iter().all(|of| of.is_sorted_by_key(|(one, _)| one.at_ns)));
    assert!(keys.iter().filter(|keys| !keys.is_empty()).count() > 8);
}

/// YCSB's reads do not say what they found, and its updates write a part of a value.
#[test]
fn what_is_unknown_is_guessed_and_counted() {
    let (plan, files) = replayed(
        "READ usertable a [ <all fields>]\nINSERT usertable b [ field0=123456 field1=78 ]\nUPDATE usertable b [ field1=9 ]\n\
         SCAN usertable c 10 [ <all fields>]\nUPDATE usertable d [ field0=1234 ]\nREAD usertable d [ <all fields>]\n",
    );
    // The writes have 8, 1 and 4 bytes.
    assert_eq!(brief(&files[0]), [(0, 4, "a"), (0, 4, "c"), (0, 4, "d")]);
    let expected = [(0, 0, "a"), (1, 8, "b"), (3, 8, "b"), (2, 10, "c"), (3, 4, "d"), (0, 0, "d")];
    assert_eq!(brief(&files[1]), expected);
    assert_eq!(plan.operations, [("get", 2), ("put", 1), ("scan", 1), ("merge", 2)]);
    assert_eq!((plan.guessed_keys, plan.guessed_bytes, plan.known_gets, plan.threads), (3, 4, 0, 1));
}

#[test]
fn the_same_operations_have_the_same_digest() {
    let of = |trace: &str| replayed(trace).0.digest;
    let trace = "1,a,1,3,1,set,0\n2,b,1,3,1,set,0\n";
    assert_eq!(of(trace), of(trace));
    assert_ne!(of(trace), of("1,a,1,3,1,set,0\n2,b,1,4,1,set,0\n"));
    assert_ne!(of(trace), of("1,a,1,3,1,set,0\n3,b,1,3,1,set,0\n"));
}
