//! Several threads commit, and the commits of each thread are counted separately.

use super::{
    super::{COMMITS, LOG, commits::new_rows, threads::THREADS},
    events, job, started,
    toy::{Rows, rows_of},
    worker,
};
use dbdyno_engine::protocol::{Event, Job};
use std::{fs, process::Child};

const TWO: (&str, &str) = (THREADS, "2");

/// Returns the error message of a worker that reports nothing but a failure.
fn failure(command: &str, job: &Job, environment: &[(&str, &str)]) -> String {
    let (said, well) = worker(command, job, environment);
    let [Event::Failed { message, .. }] = &said[..] else { panic!("{said:?}") };
    assert!(!well);
    message.clone()
}

/// Runs two threads that commit, and interrupts their worker once each has committed `least` times. Returns the number of commits that each
/// acknowledged, and the other events.
fn interrupted(job: &Job, least: u64, interrupt: impl FnOnce(&mut Child)) -> ([u64; 2], Vec<Event>) {
    let mut committing = started("commits", job, &[TWO]);
    let (mut interrupt, mut acknowledged, mut others) = (Some(interrupt), [0; 2], Vec::new());
    for event in events(&mut committing) {
        let Event::Committed { commits, thread } = event else {
            others.push(event);
            continue;
        };
        acknowledged[thread as usize] += 1;
        assert_eq!(acknowledged[thread as usize], commits, "each thread counts its own");
        if acknowledged.iter().all(|commits| *commits >= least)
            && let Some(interrupt) = interrupt.take()
        {
            interrupt(&mut committing);
        }
    }
    committing.wait().unwrap();
    (acknowledged, others)
}

fn change(job: &Job, change: impl FnOnce(&mut Rows)) {
    let file = job.folder.join("database/rows");
    let mut rows = rows_of(&fs::read(&file).unwrap()).unwrap();
    change(&mut rows);
    fs::write(file, serde_json::to_vec(&rows.iter().collect::<Vec<_>>()).unwrap()).unwrap();
}

#[test]
fn what_each_thread_committed_is_counted_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&folder.path().join("root"), "off");
    let (acknowledged, others) = interrupted(&job, 15, |committing| committing.kill().unwrap());
    assert_eq!(others, []);
    let (said, well) = worker("recover", &job, &[TWO]);
    let [Event::Recovered { commits: first, thread: 0 }, Event::Recovered { commits: second, thread: 1 }] = said[..]
    else {
        panic!("{said:?}")
    };
    assert!(well);
    for (acknowledged, commits) in acknowledged.into_iter().zip([first, second]) {
        assert!((acknowledged..=acknowledged + 1).contains(&commits), "{commits} of {acknowledged} are there");
    }

    let foreign = b"t02_key_0".to_vec();
    change(&job, |rows| drop(rows.insert(foreign.clone(), Vec::new())));
    assert_eq!(failure("recover", &job, &[TWO]), "the key `t02_key_0` belongs to no thread");
    change(&job, |rows| drop(rows.remove(&foreign)));
    // The first three commits put the rows 0 to 2.
    change(&job, |rows| drop(rows.remove(&b"t01_key_2"[..]).unwrap()));
    // A commit that puts no row leaves no row to see it by.
    let last = (1..=second).rev().find(|commit| !new_rows(*commit).is_empty()).unwrap();
    let expected = format!("thread 1: commit 3 is missing, but commit {last} is present");
    assert_eq!(failure("recover", &job, &[TWO]), expected);
    let alone = failure("recover", &job, &[]);
    assert!(alone.ends_with("rows that no commit wrote"), "{alone}");
}

#[test]
fn a_thread_that_fails_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&folder.path().join("root"), "off");
    let database = job.folder.join("database");
    let (_, others) = interrupted(&job, 1, |_| fs::rename(&database, folder.path().join("gone")).unwrap());
    assert!(
        matches!(&others[..], [Event::Failed { test: None, message, .. }] if message.contains("No such file")),
        "{others:?}"
    );
}

#[test]
fn a_number_of_threads_that_is_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&folder.path().join("root"), "off");
    for command in ["commits", "recover"] {
        for number in ["", "0", "17", "-1", "two"] {
            let expected = format!("DBDYNO_COMMIT_THREADS={number}: expected a number of threads from 1 to 16");
            assert_eq!(failure(command, &job, &[(THREADS, number)]), expected);
        }
    }
    let log = folder.path().join("log");
    let refused = failure("commits", &job, &[TWO, (LOG, log.to_str().unwrap()), (COMMITS, "3")]);
    assert_eq!(
        refused,
        "DBDYNO_COMMIT_THREADS=2: DBDYNO_POWER_LOG records one thread only: its markers are one sequence"
    );
    assert!(!log.exists() && !job.folder.exists());
}

#[test]
fn a_thread_is_named_where_it_is_not_the_first() {
    let told = |event| serde_json::to_string(&event).unwrap();
    let committed = |thread| told(Event::Committed { commits: 3, thread });
    assert_eq!(committed(0), r#"{"event":"committed","commits":3}"#);
    assert_eq!(committed(2), r#"{"event":"committed","commits":3,"thread":2}"#);
    assert_eq!(told(Event::Recovered { commits: 3, thread: 0 }), r#"{"event":"recovered","commits":3}"#);
    assert_eq!(
        serde_json::from_str::<Event>(&committed(0)).unwrap(),
        Event::Committed { commits: 3, thread: 0 },
        "what names none is of the first"
    );
}
