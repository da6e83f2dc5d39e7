//! Other terminals can watch a running job from its beginning, several at once, and the job never waits for them.

use crate::support::{Done, Place, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::Write,
    os::unix::net::UnixStream,
    path::PathBuf,
    process::{Child, Stdio},
};

/// A session that runs long enough to be watched, because its commits wait for the disk.
const LONG: [&str; 9] = ["run", "--suite", "kv", "--engine", "sqlite", "--size", "100000", "--repeat", "500"];

/// A short session of several runs.
const SHORT: [&str; 9] = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "6"];

/// The lines of a listing that describe jobs: name, state, command.
fn listed(place: &Place) -> Vec<[String; 3]> {
    let text = place.ok(&["attach", "--list"]);
    let line = |line: &str| {
        let (name, rest) = line.split_once(' ').unwrap();
        let (state, command) = rest.split_once(" UTC  ").unwrap();
        let state = state.trim_start().split("  ").next().unwrap();
        [name, state, command].map(str::to_owned)
    };
    text.lines().map(line).collect()
}

/// Waits until the only job measures. Returns its name.
fn job(place: &Place) -> String {
    wait_until("the job measures", || listed(place).iter().any(|[_, state, _]| state == "measures"));
    listed(place).remove(0)[0].clone()
}

fn folder(place: &Place, id: &str) -> PathBuf {
    let jobs = fs::read_dir(place.path("cache/dbdyno")).unwrap().map(|entry| entry.unwrap().path());
    let mut of_id = jobs.filter(|path| path.to_string_lossy().ends_with(&format!("-job-{id}")));
    of_id.next().unwrap()
}

fn log(place: &Place, id: &str) -> String {
    fs::read_to_string(folder(place, id).join("events.jsonl")).unwrap()
}

fn events<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let wanted = format!("\"event\":\"{kind}\"");
    text.lines().filter(|line| line.contains(&wanted)).collect()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_session_of_another_terminal_is_watched_from_its_beginning_and_outlives_who_watches() {
    let place = Place::new();
    let running = place.spawn(&LONG);
    let id = job(&place);
    wait_until("its first run is over", || !events(&log(&place, &id), "run_ended").is_empty());
    // Two watchers that read, one that is stopped, and one that connects and never reads.
    let watch = || place.spawn(&["attach", &id[..4], "--json"]);
    let [first, second, mut stopped] = [watch(), watch(), watch()];
    signal(&stopped, Signal::STOP);
    let mut deaf = UnixStream::connect(folder(&place, &id).join("control.socket")).unwrap();
    deaf.write_all(b"\"watch\"\n").unwrap();
    let so_far = events(&log(&place, &id), "run_ended").len();
    wait_until("it goes on", || events(&log(&place, &id), "run_ended").len() > so_far + 1);
    place.ok(&["attach", &id, "--tell", "stop"]);
    let done = Done::of(running.wait_with_output().unwrap());
    assert_eq!(done.code, Some(130), "it ends as after Ctrl-C: {}", done.stderr);
    let whole = log(&place, &id);
    for watcher in [first, second] {
        let seen = Done::of(watcher.wait_with_output().unwrap());
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(seen.stderr.contains(&format!("job {id} has ended")), "{}", seen.stderr);
        for kind in ["session_started", "run_started", "run_ended"] {
            assert_eq!(events(&seen.stdout, kind).len(), events(&whole, kind).len(), "{kind}");
        }
        assert!(!events(&seen.stdout, "session_started").is_empty());
    }
    assert!(events(&whole, "progress").is_empty(), "progress is not kept");
    assert!(whole.lines().last().unwrap().contains("\"event\":\"job_ended\""), "{whole}");
    assert_eq!(place.value("SELECT status FROM session"), "cancelled");
    stopped.kill().unwrap();
    stopped.wait().unwrap();
}

#[test]
fn progress_reaches_who_watches_while_it_happens() {
    let place = Place::new();
    let running = place.spawn(&LONG);
    let id = job(&place);
    let log = place.path("seen");
    let into = fs::File::create(&log).unwrap();
    let mut watcher = place.command(&["attach", "--json"]).stdout(into).stderr(Stdio::null()).spawn().unwrap();
    wait_until("progress is seen", || fs::read_to_string(&log).unwrap().contains("\"event\":\"uses\""));
    // Not INT, as Ctrl-C sends: where a script started the tests in the background, they and all that they start ignore it.
    signal(&watcher, Signal::TERM);
    watcher.wait().unwrap();
    let still = listed(&place)[0][1].clone();
    if still != "measures" {
        let ended = Done::of(running.wait_with_output().unwrap());
        panic!("who leaves ends nothing, but it {still}: {:?}\n{}", ended.code, ended.stderr);
    }
    place.ok(&["attach", &id, "--tell", "stop"]);
    running.wait_with_output().unwrap();
}

#[test]
fn a_job_pauses_and_goes_on_and_gives_up_a_run_when_it_is_told() {
    let place = Place::new();
    let running = place.spawn(&LONG);
    let id = job(&place);
    let count = |kind: &str| events(&log(&place, &id), kind).len();
    wait_until("its first run is over", || count("run_ended") > 0);
    place.ok(&["attach", &id, "--tell", "pause"]);
    wait_until("it pauses", || count("paused") == 1);
    let between = place.run(&["attach", &id, "--tell", "skip"]);
    assert_eq!(between.code, Some(1), "{}", between.stderr);
    assert!(between.stderr.contains("between two runs"), "{}", between.stderr);
    place.ok(&["attach", &id, "--tell", "go-on"]);
    wait_until("it goes on", || count("resumed") == 1 && count("run_started") > count("run_ended"));
    wait_until("a run is given up", || {
        // The run may end before the command arrives.
        place.run(&["attach", &id, "--tell", "skip"]);
        log(&place, &id).contains("\"cancelled\"")
    });
    place.ok(&["attach", &id, "--tell", "stop"]);
    let done = Done::of(running.wait_with_output().unwrap());
    assert_eq!(done.code, Some(130));
    let told = place.run(&["attach", &id, "--tell", "pause"]);
    assert!(told.code == Some(1) && told.stderr.contains("has already ended"), "{}", told.stderr);
}

#[test]
fn what_no_job_does_is_refused_and_logged() {
    let place = Place::new();
    let running = place.spawn(&LONG);
    let id = job(&place);
    let ask = |what: &[u8]| {
        UnixStream::connect(folder(&place, &id).join("control.socket")).unwrap().write_all(what).unwrap();
    };
    ask(b"\"export\"\n");
    ask(&[b'x'; 10_000]);
    ask(b"{\"tell\":\"explode\"}\n");
    ask(b"\xff\xfe\n");
    wait_until("all are logged", || events(&log(&place, &id), "refused").len() == 4);
    place.ok(&["attach", &id, "--tell", "stop"]);
    assert_eq!(Done::of(running.wait_with_output().unwrap()).code, Some(130));
}

#[test]
fn a_job_that_is_killed_is_said_to_be_and_its_folder_stays_for_a_day() {
    let place = Place::new();
    let mut running = place.spawn(&LONG);
    let id = job(&place);
    let watcher = place.spawn(&["attach", &id, "--json"]);
    wait_until("a run is over", || !events(&log(&place, &id), "run_ended").is_empty());
    running.kill().unwrap();
    running.wait().unwrap();
    let seen = Done::of(watcher.wait_with_output().unwrap());
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("was killed or crashed"), "{}", seen.stderr);
    assert_eq!(listed(&place)[0][1], "was killed");
    place.ok(&SHORT);
    let states: Vec<String> = listed(&place).into_iter().map(|[_, state, _]| state).collect();
    assert_eq!(states, ["was killed", "has ended"]);
    // Makes the file look two days old.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
    let path = folder(&place, &id);
    for file in [path.join("events.jsonl"), path.clone()] {
        fs::File::open(file).unwrap().set_modified(old).unwrap();
    }
    let names: Vec<String> = listed(&place).into_iter().map(|[name, ..]| name).collect();
    assert!(names.len() == 1 && names[0] != id, "{names:?}");
    assert!(!path.exists());
}

#[test]
fn the_whole_of_a_session_that_is_over_is_shown_again() {
    let place = Place::new();
    let shown = place.ok(&[&SHORT[..], &["--json"]].concat());
    let [id, state, command] = listed(&place).remove(0);
    assert_eq!(state, "has ended");
    assert!(command.starts_with("dbdyno run --suite kv"), "{command}");
    let again = place.ok(&["attach", &id, "--json"]);
    for kind in ["session_started", "run_started", "run_ended"] {
        assert_eq!(events(&again, kind), events(&shown, kind), "{kind}");
    }
    let unknown = place.run(&["attach", "nobody"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains(&format!("expected one of {id}")), "{}", unknown.stderr);
}
