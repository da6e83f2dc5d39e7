//! Power losses through a mount: writes that bypass the C library are recorded, and no kill or signal leaves a mount behind.

use crate::support::{Done, Place, engine_program, processes_with, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    env, fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// Whether a file system can be mounted here. If not, prints that the test is not checked.
fn can_mount() -> bool {
    let place = Place::new();
    let at = |name: &str| place.path(name).to_str().unwrap().to_owned();
    for folder in ["mount", "files"] {
        fs::create_dir(at(folder)).unwrap();
    }
    let mut command = place.command(&["torture-mount", "serve", &at("mount"), &at("files"), &at("log"), "1"]);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(server.stdin.take());
    server.wait().unwrap();
    let can = line.starts_with("mounted");
    if !can {
        eprintln!("not checked: {}", line.trim());
    }
    can
}

/// The results of a torture of a configuration, with a fixed seed.
fn tortured(place: &Place, engine: &str, more: &[&str]) -> Value {
    let arguments = ["torture", engine, "--kills", "1", "--power", "60", "--seed", "7", "--format", "json"];
    let done = place.run(&[&arguments, more].concat());
    assert!(done.code == Some(0) || done.code == Some(1), "{engine}: {}{}", done.stdout, done.stderr);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(found["configurations"][0].is_object(), "{engine}: {}", done.stderr);
    found["configurations"][0].clone()
}

fn through_a_mount(place: &Place, engine: &str, mutants: &str) -> Value {
    tortured(place, engine, &["--power-through", "mount", "--mutants", mutants])
}

fn count(found: &Value, what: &str) -> u64 {
    found["power"]["journaled"][what].as_u64().unwrap()
}

#[track_caller]
fn keeps_everything(found: &Value) {
    assert_eq!(found["verdict"]["evidenced"]["route"], "mount", "{found:#}");
    // Before the first acknowledgement, a database need not exist.
    assert_eq!((count(found, "whole") + count(found, "unmade"), count(found, "images")), (30, 30), "{found:#}");
    assert!(count(found, "whole") > 20, "{found:#}");
}

#[track_caller]
fn all_are_caught(found: &Value) {
    let mutants = found["power"]["mutants"].as_array().unwrap();
    assert!(!mutants.is_empty() && mutants.iter().all(|mutant| mutant["caught"].is_string()), "{found:#}");
}

#[test]
fn what_waits_for_the_disk_keeps_every_commit_and_what_does_not_loses_some() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    for (waits, does_not) in [
        ("sqlite:journal_mode=wal,synchronous=full", "sqlite:journal_mode=wal,synchronous=off"),
        ("lmdb", "lmdb:sync=nosync"),
        // LMDB writes through mapped memory here.
        ("lmdb:writemap=on", "lmdb:writemap=on,sync=nosync"),
        ("log", "log:sync=off"),
    ] {
        keeps_everything(&through_a_mount(&place, waits, "0"));
        let found = through_a_mount(&place, does_not, "0");
        assert_eq!(found["power"]["route"], "mount", "{found:#}");
        assert!(count(&found, "earlier") + count(&found, "broken") > 3, "{does_not}: {found:#}");
    }
    for engine in ["files:commit=journal,sync=full", "redb"] {
        keeps_everything(&through_a_mount(&place, engine, "0"));
    }
}

/// Verifies the check itself: a test that cannot fail proves nothing.
#[test]
fn a_sync_that_is_left_out_is_missed() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    for engine in
        ["lmdb:writemap=on", "lmdb", "sqlite:journal_mode=wal,synchronous=full", "files:commit=journal,sync=full"]
    {
        all_are_caught(&through_a_mount(&place, engine, "600"));
    }
    let found = through_a_mount(&place, "log", "300");
    let of_log = |mutant: &&Value| mutant["lacks"] == "fdatasync of main/log";
    let mutants = found["power"]["mutants"].as_array().unwrap();
    assert!(mutants.iter().find(of_log).is_some_and(|mutant| mutant["caught"].is_string()), "{found:#}");
}

/// SQLite as an outside engine whose program does not record. The name and a change of the job are parameters.
fn stranger(name: &str, change: &str) -> String {
    let script = r#"
if [ "$1" = describe ]; then
    dbdyno worker sqlite describe | sed 's/"name":"sqlite"/"name":"NAME"/'
else
    exec bash -c 'exec env -u DBDYNO_POWER_LOG -u DBDYNO_POWER_COMMITS dbdyno worker sqlite "$1" < <(
        read -r job; printf "%s\n" "$job" | sed "s/\"engine\":\"NAME\"/\"engine\":\"sqlite\"/; CHANGE"; exec cat)' NAME "$1"
fi
"#;
    script
        .replace("dbdyno worker", &format!("{} worker", env!("CARGO_BIN_EXE_dbdyno")))
        .replace("NAME", name)
        .replace("CHANGE", change)
}

#[test]
fn a_mount_is_taken_where_the_calls_do_not_show_everything() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    place.engine("mum", &stranger("mum", ""));
    for (engine, route) in
        [("lmdb:writemap=on", "mount"), ("mum:synchronous=extra", "mount"), ("sqlite:synchronous=extra", "writes")]
    {
        let found = tortured(&place, engine, &["--mutants", "0"]);
        assert_eq!(found["verdict"]["evidenced"]["route"], route, "{found:#}");
        assert_eq!(found["power"]["route"], route, "{found:#}");
        let engine = engine.split(':').next().unwrap();
        let stored = place.rows(&format!("SELECT route FROM tier_evidence WHERE engine = '{engine}'"));
        assert_eq!(stored, [[route]], "{engine}");
    }
    let table = place.ok(&["torture", "lmdb:writemap=on", "--kills", "1", "--power", "10", "--mutants", "0"]);
    assert!(table.contains("recorded      through a mounted file system"), "{table}");
    assert!(table.contains("10 images through a mount)"), "{table}");
    let found = tortured(&place, "lmdb:writemap=on", &["--mutants", "0", "--power-through", "writes"]);
    let reason = found["verdict"]["not_evidenced"]["reason"].as_str().unwrap();
    assert!(reason.contains("written through a memory map"), "{reason}");
}

#[test]
fn a_stranger_that_does_not_sync_is_contradicted_with_an_image_that_shows_it() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    place.engine("liar", &stranger("liar", r#"s/\"synchronous\":\"full\"/\"synchronous\":\"off\"/"#));
    let asked = "liar:journal_mode=wal,synchronous=full";
    let found = tortured(&place, asked, &["--mutants", "0"]);
    let image = found["verdict"]["contradicted"]["image"].as_str().unwrap_or_else(|| panic!("{found:#}"));
    let shown = place.run(&["torture", asked, "--image", image]);
    assert!(shown.code == Some(1) || shown.stdout.contains("commits are there"), "{}", shown.stderr);
}

/// Files that options add are recorded too.
#[test]
fn an_encrypted_database_keeps_every_commit() {
    if engine_program("lmdb1").is_none() || !can_mount() {
        return;
    }
    let found = through_a_mount(&Place::new(), "lmdb1:encrypt=chacha20poly1305", "300");
    keeps_everything(&found);
    let caught = |lacks: &str| {
        let mutants = found["power"]["mutants"].as_array().unwrap();
        mutants.iter().any(|mutant| mutant["lacks"] == lacks && mutant["caught"].is_string())
    };
    for lacks in ["fsync of main/key", "fdatasync of main/data.mdb", "O_DSYNC write of main/data.mdb"] {
        assert!(caught(lacks), "{lacks}: {found:#}");
    }
}

/// The Go runtime makes system calls directly.
#[test]
fn a_driver_in_go_is_judged_as_what_is_built_in() {
    let Some(programs) = env::var_os("DBDYNO_GO_ENGINES") else {
        eprintln!("not checked: DBDYNO_GO_ENGINES names no folder with the Go drivers");
        return;
    };
    if !can_mount() {
        return;
    }
    let place = Place::new();
    for program in fs::read_dir(programs).unwrap().map(|entry| entry.unwrap().path()) {
        let name = program.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("dbdyno-engine-") {
            std::os::unix::fs::symlink(&program, place.path("engines").join(name)).unwrap();
        }
    }
    let engine = "go-modernc:journal_mode=wal,synchronous=full";
    if !place.path("engines/dbdyno-engine-go-modernc").exists() {
        eprintln!("not checked: the driver go-modernc is not built");
        return;
    }
    let found = tortured(&place, engine, &["--mutants", "400"]);
    keeps_everything(&found);
    let of_log = |mutant: &&Value| mutant["lacks"].as_str().unwrap().ends_with("sync of main/sqlite.db-wal");
    let mutants = found["power"]["mutants"].as_array().unwrap();
    assert!(mutants.iter().find(of_log).is_some_and(|mutant| mutant["caught"].is_string()), "{found:#}");
}

/// If nothing can be mounted, the verdict gives that reason.
#[test]
fn without_a_mount_nothing_is_evidenced() {
    let place = Place::new();
    let arguments = ["torture", "lmdb:writemap=on", "--kills", "1", "--power", "10", "--format", "json"];
    let dbdyno = place.command(&arguments);
    // Runs in a namespace in which another device replaces /dev/fuse.
    let hidden = "mount --bind /dev/null /dev/fuse && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", hidden, "sh"]).arg(dbdyno.get_program()).args(dbdyno.get_args());
    command.envs(dbdyno.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    let done = Done::of(command.output().unwrap());
    let Ok(found) = serde_json::from_str::<Value>(&done.stdout) else {
        eprintln!("not checked: no namespace can be made here: {}", done.stderr);
        return;
    };
    let reason = found["configurations"][0]["verdict"]["not_evidenced"]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("through a memory map") && reason.contains("a mount does not work"), "{reason}");
    let done = place.run(&["torture", "log", "--power-through", "dm-log-writes"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("auto, writes, mount"), "{}", done.stderr);
}

/// The lines of dbdyno's mounts, in the mount namespaces of all processes.
fn mounts_of(place: &Place) -> Vec<String> {
    let root = place.path("");
    let root = root.to_str().unwrap();
    let tables = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("mountinfo"));
    let lines = tables.filter_map(|table| fs::read_to_string(table).ok());
    let mine = |line: &&str| line.contains("fuse.dbdyno") && line.contains(root.trim_end_matches('/'));
    lines.flat_map(|table| table.lines().filter(mine).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Waits until a torture has ended, with all its processes and mounts.
#[track_caller]
fn nothing_is_left(place: &Place, child: &mut Child) {
    wait_until("the torture has ended", || child.try_wait().unwrap().is_some());
    let root = place.path("");
    wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
    wait_until("no mount is left", || mounts_of(place).is_empty());
}

/// The server of a torture's mount, once its worker has made a file there.
fn server_in_use(place: &Place) -> u32 {
    let root = place.path("");
    let in_use = |process: u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        // Its arguments end in the mount, the folder below it, the record and a number of commits.
        let mut words = line.split('\0').skip_while(|word| *word != "serve").skip(2);
        let files = words.next().and_then(|files| fs::read_dir(files).ok());
        files.is_some_and(|mut files| files.next().is_some()).then_some(process)
    };
    let mut server = None;
    wait_until("a worker is on the mount", || {
        server = processes_with(root.to_str().unwrap()).into_iter().find_map(in_use);
        server.is_some()
    });
    server.unwrap()
}

const LONG: [&str; 12] = [
    "torture",
    "lmdb:writemap=on",
    "--kills",
    "0",
    "--power",
    "400",
    "--commits",
    "400",
    "--mutants",
    "0",
    "--power-through",
    "mount",
];

#[test]
fn a_torture_can_be_killed_at_any_moment() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    for moment in 0..24 {
        let mut child = place.command(&LONG).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The moment of the kill varies, so this does not wait for an event.
        thread::sleep(Duration::from_millis(moment * 14));
        child.kill().unwrap();
        nothing_is_left(&place, &mut child);
        place.ok(&["torture", "log", "--kills", "1", "--power", "2", "--mutants", "0"]);
        let left: Vec<_> = place.left_behind();
        assert_eq!(left.len(), 0, "the next torture sweeps the work folder: {left:?}");
    }
}

/// Like the previous test, but the worker is certainly on its mount.
#[test]
fn a_torture_that_is_killed_or_signalled_leaves_no_mount() {
    if !can_mount() {
        return;
    }
    for signal in [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP] {
        let place = Place::new();
        let mut child = place.command(&LONG).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        server_in_use(&place);
        let own = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!own.contains("fuse.dbdyno"), "{own}");
        kill_process(Pid::from_child(&child), signal).unwrap();
        nothing_is_left(&place, &mut child);
        if signal != Signal::KILL {
            assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
            assert_eq!(place.left_behind().len(), 0, "{signal:?}");
        }
    }
}

/// A server that is killed fails the trial, and its worker does not hang.
#[test]
fn a_server_that_is_killed_fails_the_trial() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let mut child = place.command(&LONG).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let server = server_in_use(&place);
    kill_process(Pid::from_raw(server as i32).unwrap(), Signal::KILL).unwrap();
    nothing_is_left(&place, &mut child);
    let done = Done::of(child.wait_with_output().unwrap());
    assert!(
        done.stdout.contains("power losses  none: its worker failed on the mount"),
        "{}{}",
        done.stdout,
        done.stderr
    );
}
