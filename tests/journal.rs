//! The journal next to the store: the next command imports it once and in order, and never accepts a damaged line.

use crate::support::{Done, Place, asked};
use dbdyno::store::{Batch, Store, WarningRecord};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::Stdio,
};

const RUN: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "2", "--quiet"];

/// A batch of one row, which a later one of the same number replaces.
fn warning(number: u32, message: &str) -> Batch {
    let warning = WarningRecord {
        warning_id: format!("01890000-0000-7000-8000-{number:012}"),
        session_id: "01890000-0000-7000-8000-000000000002".to_owned(),
        run_id: None,
        test: None,
        linter: "x".to_owned(),
        matter: None,
        message: message.to_owned(),
    };
    Batch { warnings: vec![warning], ..Batch::default() }
}

fn messages(store: &Store) -> Vec<String> {
    let rows = asked(store, "SELECT message FROM warning ORDER BY warning_id").unwrap();
    rows.into_iter().flatten().flatten().collect()
}

fn journals(place: &Place) -> Vec<PathBuf> {
    let files = fs::read_dir(place.path("results.duckdb.journal")).unwrap();
    files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect()
}

#[test]
fn what_was_taken_in_is_never_taken_in_again_over_what_is_newer() {
    let place = Place::new();
    let store = Store::new(place.store());
    store.prepare().unwrap();
    let session = store.own().unwrap();
    store.append(&warning(1, "first")).unwrap();
    store.append(&warning(1, "second")).unwrap();
    store.settle().unwrap();
    assert_eq!(messages(&store), ["second"], "in the order in which they were written");
    store.write(&warning(1, "newer")).unwrap();
    store.append(&warning(2, "other")).unwrap();
    store.settle().unwrap();
    assert_eq!(messages(&store), ["newer", "other"]);
    assert_eq!(journals(&place).len(), 1, "the journal of a session that is under way stays");
    drop(session);
    store.append(&warning(3, "last")).unwrap();
    store.settle().unwrap();
    assert_eq!((messages(&store).len(), journals(&place).len()), (3, 0), "and goes when it is over");
}

#[test]
fn a_damaged_line_is_kept_and_told_by_every_command_and_the_others_are_taken_in() {
    let place = Place::new();
    let store = Store::new(place.store());
    store.prepare().unwrap();
    for (number, message) in [(1, "before"), (2, "damaged"), (3, "after")] {
        store.append(&warning(number, message)).unwrap();
    }
    let journal = journals(&place).remove(0);
    let mut bytes = fs::read(&journal).unwrap();
    let place_of_it = String::from_utf8(bytes.clone()).unwrap().find("damaged").unwrap();
    bytes[place_of_it] ^= 1;
    // A write that the power loss cut off. It was never reported.
    bytes.extend(b"0123abcd {\"warn");
    // Written in place, because the process holds a lock on the file.
    fs::write(&journal, bytes).unwrap();
    store.settle().unwrap();
    assert_eq!(messages(&store), ["before", "after"]);
    for _ in 0..2 {
        let done = place.run(&["results", "--count"]);
        assert!(done.stderr.contains("damaged") && done.stderr.contains("refused.txt"), "{}", done.stderr);
    }
    let refused = fs::read_to_string(place.path("results.duckdb.journal/refused.txt")).unwrap();
    assert!(refused.contains("eamaged") && refused.lines().count() == 1, "{refused}");
}

#[test]
fn whichever_of_many_commands_comes_first_takes_a_killed_session_in() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--engine", "null", "--size", "200", "--repeat", "50", "--json"];
    let mut session = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut told = 0;
    let mut lines = BufReader::new(session.stdout.take().unwrap()).lines().map_while(Result::ok);
    while told < 40 {
        told += usize::from(lines.next().unwrap().contains("\"event\":\"test_done\""));
    }
    kill_process(Pid::from_child(&session), Signal::KILL).unwrap();
    told += lines.filter(|line| line.contains("\"event\":\"test_done\"")).count();
    session.wait().unwrap();
    let commands: Vec<_> = (0..6).map(|_| place.spawn(&["results", "--count"])).collect();
    let done: Vec<Done> = commands.into_iter().map(|child| Done::of(child.wait_with_output().unwrap())).collect();
    let counts: Vec<usize> = done.iter().map(|done| done.stdout.trim().parse().expect(&done.stderr)).collect();
    assert!(counts.iter().all(|count| *count == counts[0] && *count >= told), "{counts:?}, {told} were told");
    let recovered = done.iter().filter(|done| done.stderr.contains("of results that an earlier")).count();
    assert_eq!(recovered, 1, "one of them took it in, and said so");
}

#[test]
fn a_journal_elsewhere_is_used_and_emptied() {
    let place = Place::new();
    let elsewhere = place.path("elsewhere");
    place.ok(&[&RUN[..], &["--journal", elsewhere.to_str().unwrap()]].concat());
    let below: Vec<PathBuf> = fs::read_dir(&elsewhere).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(below.len(), 1, "a folder for this store");
    assert_eq!(fs::read_dir(&below[0]).unwrap().count(), 0);
    assert!(!place.path("results.duckdb.journal").exists());
    assert_eq!(place.ok(&["results", "--count"]), "16\n");
}

#[test]
fn a_damaged_block_of_rows_is_told_by_every_command_that_meets_it() {
    let place = Place::new();
    place.ok(&RUN);
    let mut bytes = fs::read(place.store()).unwrap();
    // The metadata is intact, but the blocks of rows are damaged.
    for block in (12_288 + (256 << 10)..bytes.len() - 2000).step_by(256 << 10) {
        bytes[block + 1000..block + 1064].fill(0xff);
    }
    fs::write(place.store(), &bytes).unwrap();
    for command in [&["results"][..], &["results", "--count"], &["sql", "SELECT * FROM results"]] {
        let done = place.run(command);
        assert_ne!(done.code, Some(0), "{command:?}");
        assert!(
            done.stderr.contains("is damaged") && done.stderr.contains("store repair"),
            "{command:?}: {}",
            done.stderr
        );
    }
}

#[test]
fn a_store_that_another_program_tore_is_told_and_saved() {
    let place = Place::new();
    place.ok(&RUN);
    let older = fs::read(place.store()).unwrap();
    let known = place.rows("SELECT run_id, test, wall_ns FROM result ORDER BY ALL");
    place.ok(&RUN);
    let newer = fs::read(place.store()).unwrap();
    let checked = place.ok(&["store", "check"]);
    assert!(checked.contains("table result: 32 rows read") && !checked.contains('✗'), "{checked}");
    // The power fails after a part of the metadata block is rewritten, and before the header is.
    const BLOCK: std::ops::Range<usize> = 12_288..12_288 + (256 << 10);
    for torn_at in [512, 4096, 20_480, 100_352] {
        let mut torn = newer.clone();
        torn[..BLOCK.start].copy_from_slice(&older[..BLOCK.start]);
        torn[BLOCK.start + torn_at..BLOCK.end].copy_from_slice(&older[BLOCK.start + torn_at..BLOCK.end]);
        if torn[BLOCK] == newer[BLOCK] || torn[BLOCK] == older[BLOCK] {
            continue;
        }
        fs::write(place.store(), &torn).unwrap();
        let done = place.run(&["results", "--count"]);
        assert_eq!(done.code, Some(1), "torn at {torn_at}: {}", done.stdout);
        assert!(done.stderr.contains("is damaged") && done.stderr.contains("store repair"), "{}", done.stderr);
        assert_eq!(place.run(&["store", "check"]).code, Some(1));
        let repaired = place.ok(&["store", "repair"]);
        assert!(repaired.contains("16 rows saved") && !repaired.contains("LOST"), "{repaired}");
        assert_eq!(place.rows("SELECT run_id, test, wall_ns FROM result ORDER BY ALL"), known, "torn at {torn_at}");
        assert_eq!(place.ok(&["store", "repair"]), "the store is sound: nothing was changed\n");
    }
    let kept = fs::read_dir(place.path(""))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("results.duckdb.damaged"));
    assert!(kept.count() >= 2, "at least two were torn, and none of the damaged files is lost");
}

#[test]
fn a_journal_that_another_program_cuts_off_is_said_and_what_comes_after_it_is_kept() {
    let place = Place::new();
    let store = Store::new(place.store());
    store.prepare().unwrap();
    let session = store.own().unwrap();
    store.append(&warning(1, "stored")).unwrap();
    assert_eq!(store.settle().unwrap().notices(), [""; 0]);
    store.append(&warning(2, "lost")).unwrap();
    fs::OpenOptions::new().write(true).open(&session.journal).unwrap().set_len(10).unwrap();
    store.append(&warning(3, "after")).unwrap();
    let notices = store.settle().unwrap().notices();
    assert_eq!(messages(&store), ["stored", "after"]);
    assert!(notices.len() == 1 && notices[0].contains("truncated the journal"), "{notices:?}");
}

#[test]
fn a_new_store_next_to_a_damaged_one_is_said() {
    let place = Place::new();
    fs::write(place.path("results.duckdb.damaged"), "damaged").unwrap();
    let done = place.run(&RUN);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stderr.contains("a new one was created") && done.stderr.contains("results.duckdb.damaged"),
        "{}",
        done.stderr
    );
}
