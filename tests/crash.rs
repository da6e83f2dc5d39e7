//! The kill test: each engine keeps the promise of a tier from 1 to 3 about a crash of the program.
//!
//! A worker commits single writes and acknowledges each. It is killed at a random moment. Another worker opens the database, has the engine
//! check it, and counts. A kill cannot test everything: see tests/torture.rs (power losses) and tests/syncs.rs (counted sync calls).

use crate::support::{Place, engine_program, processes_with, system_sqlite, wait_until};
use dbdyno::{
    catalog::{Catalog, TestPick, UserFolders},
    engines::built_in,
};
use dbdyno_engine::{
    describe::{Description, Probed},
    durability::Tier,
    protocol::{CacheStart, Event, Job, PROTOCOL},
    settings::Settings,
    size::Size,
};
use dbdyno_workload::rng::SplitMix64;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, SystemTime},
};

/// The description of an engine, built in or not.
fn description(engine: &str) -> Description {
    if let Some(program) = built_in(engine) {
        return (program.describe)();
    }
    let output = Command::new(engine_program(engine).unwrap()).arg("describe").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Probes the files that settings name for a built-in engine. This runs in a separate process, because a process can load only one library.
fn probed(engine: &str, settings: &Settings) -> Probed {
    let mut probing = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
    let mut probing =
        probing.args(["worker", engine, "probe"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    serde_json::to_writer(probing.stdin.take().unwrap(), settings).unwrap();
    serde_json::from_slice(&probing.wait_with_output().unwrap().stdout).unwrap()
}

fn job(place: &Place, engine: &str, options: &[(&str, &str)]) -> Job {
    let asked: BTreeMap<String, String> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let description = description(engine);
    let settings = Settings::resolve(&description, &asked).unwrap();
    // The tier of a loaded library is known only after the probe.
    let probes = built_in(engine).is_some_and(|program| program.probe.is_some());
    let description = if probes { description.with(probed(engine, &settings)) } else { description };
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
        cache: CacheStart::Warm,
        progress_ms: 100,
        deadline_ms: Some(60_000),
        wait: false,
        keep_folder: true,
        explain: false,
        slices: None,
    }
}

fn worker(job: &Job, command: &str) -> Child {
    worker_of_threads(job, command, 1)
}

/// Starts a worker of the kill test with this many threads.
fn worker_of_threads(job: &Job, command: &str, threads: usize) -> Child {
    let mut program = match built_in(&job.engine) {
        Some(_) => Command::new(env!("CARGO_BIN_EXE_dbdyno")),
        None => Command::new(engine_program(&job.engine).unwrap()),
    };
    if built_in(&job.engine).is_some() {
        program.args(["worker", &job.engine]);
    }
    program.arg(command).env("DBDYNO_COMMIT_THREADS", threads.to_string());
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let line = serde_json::to_string(job).unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    child
}

fn events(child: &mut Child) -> impl Iterator<Item = Event> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // A line that the kill cut off acknowledges nothing.
    lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok())
}

/// Kills a committing worker at a random moment after its first commits. Returns the number of commits it had acknowledged.
fn kill_while_committing(job: &Job, rng: &mut SplitMix64) -> u64 {
    let [acknowledged] = kill_while_threads_commit(job, rng);
    acknowledged
}

/// Does the same with a worker of this many threads, once each has acknowledged a commit. Returns the number for each thread.
fn kill_while_threads_commit<const THREADS: usize>(job: &Job, rng: &mut SplitMix64) -> [u64; THREADS] {
    let mut committing = worker_of_threads(job, "commits", THREADS);
    let said = events(&mut committing);
    let acknowledged = [const { AtomicU64::new(0) }; THREADS];
    thread::scope(|scope| {
        scope.spawn(|| {
            for event in said {
                let Event::Committed { commits, thread } = event else { panic!("{event:?}") };
                acknowledged[thread as usize].store(commits, Relaxed);
            }
        });
        wait_until("the first commits", || acknowledged.iter().all(|commits| commits.load(Relaxed) > 0));
        thread::sleep(Duration::from_millis(rng.below(250)));
        committing.kill().unwrap();
        committing.wait().unwrap();
    });
    acknowledged.map(AtomicU64::into_inner)
}

/// Opens the database again and has the engine check it. Returns the worker's events.
fn recover(job: &Job) -> Vec<Event> {
    recover_threads(job, 1)
}

fn recover_threads(job: &Job, threads: usize) -> Vec<Event> {
    let mut recovering = worker_of_threads(job, "recover", threads);
    let said = events(&mut recovering).collect();
    recovering.wait().unwrap();
    said
}

fn random() -> (u64, SplitMix64) {
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    (seed, SplitMix64::new(seed))
}

/// Kills a committing worker several times, with a fresh database each time, because commits are counted from the first key.
#[track_caller]
pub(crate) fn survives_kills(engine: &str, options: &[(&str, &str)]) {
    let place = Place::new();
    let (seed, mut rng) = random();
    for kill in 0..3 {
        let _ = std::fs::remove_dir_all(place.path("databases"));
        let job = job(&place, engine, options);
        let acknowledged = kill_while_committing(&job, &mut rng);
        let said = recover(&job);
        let [Event::Recovered { commits, .. }] = said[..] else { panic!("{engine} {options:?} kill {kill}: {said:?}") };
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
fn a_loaded_sqlite_keeps_every_acknowledged_commit() {
    let Some(library) = system_sqlite() else { return };
    let library = library.to_str().unwrap();
    survives_kills("sqlite-lib", &[("library", library), ("journal_mode", "wal"), ("synchronous", "normal")]);
    survives_kills("sqlite-lib", &[("library", library), ("synchronous", "off")]);
}

#[test]
fn lmdb_keeps_every_acknowledged_commit() {
    survives_kills("lmdb", &[]);
    survives_kills("lmdb", &[("sync", "nometasync")]);
    survives_kills("lmdb", &[("sync", "nosync")]);
    survives_kills("lmdb", &[("sync", "mapasync"), ("writemap", "on")]);
}

#[test]
fn lmdb1_keeps_every_acknowledged_commit() {
    if engine_program("lmdb1").is_none() {
        return;
    }
    survives_kills("lmdb1", &[]);
    survives_kills("lmdb1", &[("sync", "nosync"), ("encrypt", "chacha20poly1305")]);
    survives_kills("lmdb1", &[("sync", "nometasync"), ("encrypt", "aes256gcm")]);
    survives_kills("lmdb1", &[("sync", "nosync"), ("checksum", "on")]);
    survives_kills("lmdb1", &[("sync", "mapasync"), ("writemap", "on")]);
}

#[test]
fn redb_keeps_every_acknowledged_commit() {
    survives_kills("redb", &[]);
    survives_kills("redb", &[("two_phase_commit", "on"), ("quick_repair", "on")]);
}

#[test]
fn fjall_keeps_every_acknowledged_commit() {
    survives_kills("fjall", &[]);
    survives_kills("fjall", &[("persist", "sync_data"), ("memtable_size", "1MiB")]);
    survives_kills("fjall", &[("persist", "sync_all")]);
}

#[test]
fn log_keeps_every_acknowledged_commit() {
    survives_kills("log", &[]);
    survives_kills("log", &[("sync", "off")]);
}

/// Kills a worker whose engine keeps commits in the program. Returns the acknowledged and recovered commits of each kill.
#[track_caller]
fn kept_of_acknowledged(engine: &str, option: &str) -> Vec<(u64, u64)> {
    let place = Place::new();
    let description = description(engine);
    let asked = BTreeMap::from([(option.to_owned(), "none".to_owned())]);
    let settings = Settings::resolve(&description, &asked).unwrap();
    assert_eq!(description.tier(&settings).0, Tier::Unsafe);
    let job = Job { options: settings, ..job(&place, engine, &[]) };
    let (_, mut rng) = random();
    let mut one_kill = || {
        let _ = std::fs::remove_dir_all(place.path("databases"));
        let acknowledged = kill_while_committing(&job, &mut rng);
        let said = recover(&job);
        let [Event::Recovered { commits, .. }] = said[..] else { panic!("{engine}: {said:?}") };
        (acknowledged, commits)
    };
    (0..4).map(|_| one_kill()).collect()
}

#[test]
fn commits_of_several_threads_survive_kills() {
    for (engine, options) in [
        ("sqlite", &[("journal_mode", "wal"), ("synchronous", "normal")][..]),
        ("sqlite", &[("journal_mode", "delete"), ("synchronous", "off")]),
        ("lmdb", &[]),
        ("redb", &[]),
    ] {
        let place = Place::new();
        let (seed, mut rng) = random();
        let job = job(&place, engine, options);
        let acknowledged: [u64; 3] = kill_while_threads_commit(&job, &mut rng);
        let said = recover_threads(&job, acknowledged.len());
        let [
            Event::Recovered { commits: first, thread: 0 },
            Event::Recovered { commits: second, thread: 1 },
            Event::Recovered { commits: third, thread: 2 },
        ] = said[..]
        else {
            panic!("{engine} {options:?}: {said:?}")
        };
        let kept = [first, second, third];
        assert!(
            kept.iter().zip(&acknowledged).all(|(kept, acknowledged)| kept >= acknowledged),
            "{engine} {options:?}, seed {seed}: {kept:?} of {acknowledged:?} commits are there"
        );
    }
}

#[test]
fn duckdb_keeps_every_acknowledged_commit() {
    survives_kills("duckdb", &[]);
    survives_kills("duckdb", &[("fsync_mode", "none"), ("checkpoint_threshold", "64KiB")]);
}

#[test]
fn redb_without_durability_loses_every_commit_and_so_is_tier_0() {
    let kills = kept_of_acknowledged("redb", "durability");
    assert!(kills.iter().all(|(acknowledged, kept)| *acknowledged > 0 && *kept == 0), "{kills:?}");
}

#[test]
fn fjall_without_persistence_loses_the_commits_in_its_buffer_and_so_is_tier_0() {
    let kills = kept_of_acknowledged("fjall", "persist");
    assert!(kills.iter().any(|(acknowledged, kept)| kept < acknowledged), "{kills:?}");
}

#[test]
fn a_worker_whose_parent_is_gone_ends_with_what_it_started() {
    let place = Place::new();
    let mut job = serde_json::to_string(&job(&place, "lmdb", &[("sync", "nosync")])).unwrap();
    job.push('\n');
    let mut shell = Command::new("sh");
    shell.args(["-c", "sleep 600 >/dev/null & exec \"$0\" worker lmdb commits", env!("CARGO_BIN_EXE_dbdyno")]);
    // A separate process group, as in a session.
    shell.env("PLACE", place.path("")).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut worker = shell.spawn().unwrap();
    worker.stdin.as_mut().unwrap().write_all(job.as_bytes()).unwrap();
    assert!(matches!(events(&mut worker).next(), Some(Event::Committed { .. })));
    drop(worker.stdin.take());
    worker.wait().unwrap();
    let root = place.path("");
    wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
}

#[test]
fn a_worker_that_is_told_to_stop_removes_its_folder_though_the_engine_fails_of_it() {
    for seed in 0..30 {
        let place = Place::new();
        // Each commit creates the rollback journal file again, so commits fail once the folder is gone.
        let mut job = job(&place, "sqlite", &[("journal_mode", "delete"), ("synchronous", "off")]);
        job.keep_folder = false;
        let mut worker = worker(&job, "commits");
        let mut said = events(&mut worker);
        assert!(matches!(said.next(), Some(Event::Committed { .. })));
        thread::sleep(Duration::from_micros(SplitMix64::new(seed).next_u64() % 3_000));
        drop(worker.stdin.take());
        for event in said {
            assert!(matches!(event, Event::Committed { .. }), "{event:?}");
        }
        assert_eq!(worker.wait().unwrap().code(), Some(1));
        assert!(!job.folder.exists(), "{} is still there", job.folder.display());
    }
}
