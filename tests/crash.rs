//! The kill test: what a tier from 1 to 3 promises about the program's crash is kept by each engine.
//!
//! A worker commits single writes and acknowledges each; it is killed at a random moment; another opens the database,
//! has the engine check it, and counts. Power losses cannot be made here: tiers 2 and 3 also count sync calls
//! (tests/syncs.rs).

use crate::support::Place;
use dbdyno::{
    catalog::{Catalog, TestPick, UserFolders},
    engines::built_in,
};
use dbdyno_engine::{
    durability::Tier,
    protocol::{Event, Job, PROTOCOL},
    rng::SplitMix64,
    settings::Settings,
    size::Size,
};
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, SystemTime},
};

fn job(place: &Place, engine: &str, options: &[(&str, &str)]) -> Job {
    let asked: BTreeMap<String, String> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let description = (built_in(engine).unwrap().describe)();
    let settings = Settings::resolve(&description, &asked).unwrap();
    let (tier, reason) = description.tier(&settings);
    assert!(tier >= Tier::ProcessSafe, "{engine} {options:?} promises nothing: {reason}");
    let suite = Catalog::new(UserFolders { root: place.path("config") }).suite("kv").unwrap();
    let suite_settings = suite.settings(&BTreeMap::new()).unwrap();
    Job {
        protocol: PROTOCOL,
        run_id: "kill-test".to_owned(),
        engine: engine.to_owned(),
        options: settings,
        suite: suite.resolve(Size::one(100_000), &suite_settings, &TestPick::default()),
        size: Size::one(100_000),
        seed: 1,
        folder: place.path("databases"),
        cpu: None,
        progress_ms: 100,
        deadline_ms: Some(60_000),
        wait: false,
        keep_folder: true,
    }
}

fn worker(job: &Job, command: &str) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dbdyno"))
        .args(["worker", &job.engine, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = serde_json::to_string(job).unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    child
}

fn events(child: &mut Child) -> impl Iterator<Item = Event> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // A line cut off by the kill acknowledges nothing.
    lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok())
}

/// Kills a committing worker some times at random moments, going on with the same database each time.
#[track_caller]
fn survives_kills(engine: &str, options: &[(&str, &str)]) {
    let place = Place::new();
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut rng = SplitMix64::new(seed);
    for kill in 0..3 {
        // A fresh database each time: commits are counted from the first key.
        let _ = std::fs::remove_dir_all(place.path("databases"));
        let job = job(&place, engine, options);
        let mut committing = worker(&job, "commits");
        let said = events(&mut committing);
        let acknowledged = thread::scope(|scope| {
            let reader = scope.spawn(move || {
                said.map(|event| match event {
                    Event::Committed { commits } => commits,
                    other => panic!("{other:?}"),
                })
                .last()
                .unwrap_or(0)
            });
            thread::sleep(Duration::from_millis(150 + rng.below(250)));
            committing.kill().unwrap();
            committing.wait().unwrap();
            reader.join().unwrap()
        });
        assert!(acknowledged > 0, "{engine}: nothing was committed before the kill");
        let mut recovering = worker(&job, "recover");
        let said: Vec<Event> = events(&mut recovering).collect();
        recovering.wait().unwrap();
        let [Event::Recovered { commits }] = said[..] else { panic!("{engine} {options:?} kill {kill}: {said:?}") };
        assert!(
            commits >= acknowledged,
            "{engine} {options:?}, seed {seed}: {commits} of {acknowledged} commits are there"
        );
    }
}

#[test]
fn sqlite_keeps_every_acknowledged_commit() {
    survives_kills("sqlite", &[("journal_mode", "wal"), ("synchronous", "full")]);
    survives_kills("sqlite", &[("journal_mode", "wal"), ("synchronous", "normal")]);
    survives_kills("sqlite", &[("journal_mode", "wal"), ("synchronous", "off")]);
    survives_kills("sqlite", &[("journal_mode", "delete"), ("synchronous", "full")]);
    survives_kills("sqlite", &[("journal_mode", "truncate"), ("synchronous", "off")]);
}

#[test]
fn lmdb_keeps_every_acknowledged_commit() {
    survives_kills("lmdb", &[]);
    survives_kills("lmdb", &[("sync", "nometasync")]);
    survives_kills("lmdb", &[("sync", "nosync")]);
    survives_kills("lmdb", &[("sync", "mapasync"), ("writemap", "on")]);
}

#[test]
fn redb_keeps_every_acknowledged_commit() {
    survives_kills("redb", &[]);
    survives_kills("redb", &[("two_phase_commit", "on"), ("quick_repair", "on")]);
}

#[test]
fn redb_without_durability_loses_commits_and_so_is_tier_0() {
    let place = Place::new();
    let description = (built_in("redb").unwrap().describe)();
    let asked = BTreeMap::from([("durability".to_owned(), "none".to_owned())]);
    let settings = Settings::resolve(&description, &asked).unwrap();
    assert_eq!(description.tier(&settings).0, Tier::Unsafe);
    let job = Job { options: settings, ..job(&place, "redb", &[]) };
    let mut committing = worker(&job, "commits");
    let mut said = events(&mut committing);
    let first = said.by_ref().take(50).count();
    assert_eq!(first, 50);
    committing.kill().unwrap();
    committing.wait().unwrap();
    let mut recovering = worker(&job, "recover");
    let recovered: Vec<Event> = events(&mut recovering).collect();
    recovering.wait().unwrap();
    assert_eq!(recovered, [Event::Recovered { commits: 0 }], "all 50 acknowledged commits are gone");
}
