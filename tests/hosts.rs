//! The identification of sessions that ran on the same machine.

use crate::{
    compare::fixture::{Bench, spec},
    support::Place,
};
use dbdyno::{
    host::{HostFacts, named_id},
    store::{Batch, Store},
};

const RUN: [&str; 8] = ["run", "--suite", "kv", "--size", "100", "--engine", "null", "--quiet"];
const HOSTS: &str = "SELECT string_agg(DISTINCT host || ' ' || host_id, '; ') FROM results";

#[test]
fn a_named_machine_is_one_host_and_another_than_without_its_name() {
    let place = Place::new();
    place.ok(&[&RUN[..], &["--repeat", "1", "--host-name", "bench-1"]].concat());
    let mut by_environment = place.command(&[&RUN[..], &["--repeat", "1"]].concat());
    assert!(by_environment.env("DBDYNO_HOST", "bench-1").output().unwrap().status.success());
    assert_eq!(place.value(HOSTS), format!("bench-1 {}", named_id("bench-1")));
    place.ok(&[&RUN[..], &["--repeat", "1"]].concat());
    assert_eq!(place.value("SELECT count(DISTINCT host_id) FROM results"), "2");
    let nameless = place.run(&[&RUN[..], &["--host-name", " "]].concat());
    assert!(nameless.code == Some(2) && nameless.stderr.contains("not empty"), "{}", nameless.stderr);
}

/// Sessions of an older version have an identifier derived from the host's name.
#[test]
fn what_an_older_version_stored_stays_the_results_of_this_machine() {
    let here = HostFacts::read();
    let older = || {
        let mut bench = Bench::default();
        let session = bench.session("older");
        bench.run(&session, 0, &spec("null"), &[1_000_000]);
        let Batch { hosts, sessions, .. } = &mut bench.batch;
        let host = &mut hosts[0];
        (host.host_id, sessions[0].host_id) = (here.former_id(), here.former_id());
        (host.name, host.cpu_model, host.cores) = (here.name.clone(), here.cpu_model.clone(), here.cores);
        (host.memory_bytes, host.architecture) = (here.memory_bytes, here.architecture.clone());
        host.virtualisation = here.virtualisation.clone();
        bench
    };
    let place = Place::new();
    Store::new(place.store()).write(&older().batch).unwrap();
    place.ok(&[&RUN[..], &["--repeat", "1"]].concat());
    assert_eq!(place.value(HOSTS), format!("{} {}", here.name, here.id()));
    assert_eq!(place.value("SELECT count(DISTINCT session_id) FROM results"), "2");
    // The same applies to the sessions in a copy of an older store.
    let copy = Place::new();
    Store::new(copy.store()).write(&older().batch).unwrap();
    place.ok(&["import", copy.store().to_str().unwrap()]);
    assert_eq!(place.value("SELECT count(DISTINCT session_id) FROM results"), "3");
    assert_eq!(place.value(HOSTS), format!("{} {}", here.name, here.id()));
    assert_eq!(place.value("SELECT count(*) FROM host"), "1");
}

/// Sessions of containers that an older version treated as two machines.
#[test]
fn sessions_are_given_a_machine_by_its_name() {
    let mut bench = Bench::default();
    let sessions = ["3f2a9c1d0b7e", "90aa13c2f5d4"].map(|host| bench.session(host));
    for (session, engine) in sessions.iter().zip(["x", "y"]) {
        for round in 0..6 {
            bench.run(session, round, &spec(engine), &[1_000_000 + 1000 * u64::from(round)]);
        }
    }
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let compare = ["compare", "--a", "engine=x", "--b", "engine=y"];
    let said = |place: &Place| {
        let done = place.run(&compare);
        done.stdout + &done.stderr
    };
    assert!(said(&place).contains("hosts or disks differ"), "{}", said(&place));
    // One run of a session is enough, because a session runs on one machine.
    let first = format!("run={}", bench.batch.runs[0].run_id);
    place.ok(&["key", &first, "--set", "host=bench-1"]);
    place.ok(&["key", "engine=y", "--set", "host=bench-1"]);
    assert!(!said(&place).contains("hosts or disks differ"), "{}", said(&place));
    assert_eq!(place.value(HOSTS), format!("bench-1 {}", named_id("bench-1")));
    assert_eq!(place.value("SELECT cpu_model FROM host"), "A CPU");
    assert_eq!(place.value("SELECT count(*) FROM run_key WHERE key = 'host'"), "0");
}
