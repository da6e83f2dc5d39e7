//! Files and environments: no file of the user is overwritten or deleted, and unusual environments do not stop the program.

use crate::support::{Done, Place, has_tool, wait_until};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::{
    fs::{self, File},
    io::Write,
    os::unix::{
        ffi::OsStrExt,
        fs::{chown, symlink},
    },
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// One short round on the engine that does nothing.
const SHORT: [&str; 8] = ["run", "--suite", "kv", "--engine", "null", "--repeat", "1", "--quiet"];

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A place with a few results.
fn measured() -> Place {
    let place = Place::new();
    place.ok(&SHORT);
    place
}

/// Waits for a command that must end by itself. If it does not, kills it and fails the test.
#[track_caller]
fn ends(mut child: Child) -> Done {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it waits for ever");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Done::of(child.wait_with_output().unwrap())
}

#[track_caller]
fn refused(place: &Place, arguments: &[&str], code: i32, why: &str) {
    let done = ends(place.spawn(arguments));
    assert_eq!(done.code, Some(code), "{arguments:?}: {}{}", done.stdout, done.stderr);
    assert!(done.stderr.contains(why), "{arguments:?}: {}", done.stderr);
}

#[test]
fn databases_that_are_kept_stay_and_so_do_folders_of_others() {
    let place = Place::new();
    place.ok(&[&SHORT[..], &["--keep-databases"]].concat());
    let kept = place.left_behind();
    assert_eq!(kept.len(), 1);
    let work = place.path("work");
    fs::create_dir(work.join("run-mine")).unwrap();
    fs::write(work.join("run-mine/.lock"), "").unwrap();
    fs::create_dir(place.path("elsewhere")).unwrap();
    fs::write(place.path("elsewhere/.lock"), "").unwrap();
    symlink(place.path("elsewhere"), work.join("run-link")).unwrap();
    fs::create_dir(work.join("run-pipe")).unwrap();
    pipe(&work.join("run-pipe/.lock"));
    pipe(&work.join("run-pipe/.dbdyno-scratch"));
    let done = ends(place.spawn(&SHORT));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(kept[0].join("databases").is_dir(), "what is to be kept is kept");
    assert!(work.join("run-mine").exists() && work.join("run-pipe").exists(), "what is not ours is left alone");
    assert!(place.path("elsewhere/.lock").exists(), "no link is followed");
    assert_eq!(place.left_behind().len(), 4);
}

#[test]
fn a_store_is_never_written_over() {
    let place = measured();
    let store = place.store();
    let before = fs::read(&store).unwrap();
    symlink(&store, place.path("link.csv")).unwrap();
    fs::hard_link(&store, place.path("hard.csv")).unwrap();
    fs::create_dir(place.path("sub")).unwrap();
    let wal = place.path("results.duckdb.wal");
    let outputs =
        [store.clone(), place.path("link.csv"), place.path("hard.csv"), place.path("sub/../results.duckdb"), wal];
    for out in &outputs {
        let out = text(out);
        refused(&place, &["export", "--format", "csv", "--out", out], 2, "is the store");
        refused(
            &place,
            &["compare", "--a", "test=1", "--b", "test=1", "--format", "csv", "--out", out],
            2,
            "is the store",
        );
        refused(&place, &["tune", "ledger", "--out", out], 2, "");
        refused(&place, &["tune", "effects", "test=1", "--out", out], 2, "is the store");
        refused(&place, &["copy", "--to", out], 2, "is the store itself, or belongs to it");
        refused(&place, &["copy", "--to-parquet", out], 2, "is the store itself, or belongs to it");
    }
    assert_eq!(fs::read(&store).unwrap(), before);
    assert!(!outputs[4].exists());
}

#[test]
fn an_output_is_a_file_and_a_link_stays_a_link() {
    let place = measured();
    let export = |out: &Path| place.spawn(&["export", "--format", "csv", "--out", text(out)]);
    pipe(&place.path("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    for (name, kind) in [("pipe", "a named pipe"), ("socket", "a socket"), ("work", "a folder")] {
        let done = ends(export(&place.path(name)));
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(&format!("is {kind}: choose another file")), "{}", done.stderr);
    }
    let device = place.path("device");
    // Only an administrator can create a device. A device that was replaced by a file could no longer be used.
    if mknodat(CWD, &device, FileType::CharacterDevice, Mode::from_raw_mode(0o600), rustix::fs::makedev(1, 3)).is_ok() {
        assert_eq!(ends(export(&device)).code, Some(2));
        assert!(!fs::metadata(&device).unwrap().is_file());
    }
    fs::create_dir(place.path("sub")).unwrap();
    fs::write(place.path("sub/target.csv"), "old").unwrap();
    symlink("sub/target.csv", place.path("link.csv")).unwrap();
    let done = ends(export(&place.path("link.csv")));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("note: ") && done.stderr.contains("link.csv is a link"), "{}", done.stderr);
    assert!(fs::symlink_metadata(place.path("link.csv")).unwrap().is_symlink());
    assert!(fs::read_to_string(place.path("sub/target.csv")).unwrap().contains("run_id"));
    for format in ["json", "parquet"] {
        let out = place.path(format);
        place.ok(&["export", "--format", format, "--out", text(&out)]);
        assert!(fs::metadata(&out).unwrap().len() > 100);
    }
}

#[test]
fn a_named_pipe_is_never_waited_for() {
    let place = measured();
    let at = place.path("pipe.toml");
    pipe(&at);
    for folder in ["suites", "presets", "claims", "themes"] {
        fs::create_dir_all(place.path("config").join(folder)).unwrap();
        pipe(&place.path("config").join(folder).join("pipe.toml"));
    }
    let pipe_at = text(&at);
    let what = "it is a named pipe, expected a file";
    for listed in ["suites", "presets", "themes"] {
        let done = ends(place.spawn(&["list", listed]));
        assert!(done.stdout.contains(what), "{}", done.stdout);
    }
    refused(&place, &["run", "--suite", "pipe", "--engine", "null"], 2, what);
    refused(&place, &["--preset", "pipe"], 2, what);
    refused(&place, &["claims", "pipe"], 2, what);
    refused(&place, &["import", pipe_at], 2, what);
    refused(&place, &["--store", pipe_at, "results"], 1, what);
    refused(&place, &["copy", "--to", pipe_at], 1, what);
    let tune = ["tune", "try", "--engine", "sqlite", "page_size=8192", "--sql"];
    refused(&place, &[&tune[..], &[pipe_at]].concat(), 2, what);
    let statements = place.path("statements.sql");
    fs::write(&statements, "SELECT 1").unwrap();
    refused(&place, &[&tune[..], &[text(&statements), "--database", pipe_at]].concat(), 2, what);
    let library = format!("sqlite-lib:library={pipe_at}");
    refused(&place, &["run", "--suite", "kv", "--engine", &library], 2, what);
    let folder = place.path("copied");
    place.ok(&["copy", "--to-parquet", text(&folder)]);
    pipe(&folder.join("run/pipe.parquet"));
    refused(&place, &["import", text(&folder)], 2, what);
}

/// Runs a job directly, as a program with the protocol would. With `leaves` it closes the worker's stdin, which tells the worker to stop
/// and to remove its folder.
fn worker(place: &Place, folder: &Path, leaves: bool) -> Done {
    let job = format!(
        r#"{{"protocol":1,"run_id":"x","engine":"null","options":{},"suite":{{"kind":"kv","name":"kv","schema":[],"data_bytes":1,"tests":[]}},
        "size":"1","seed":1,"folder":"{}","cpu":null,"progress_ms":100,"deadline_ms":null}}"#,
        null_options(),
        folder.display()
    );
    let mut child = place
        .command(&["worker", "null", "run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", job.replace('\n', "")).unwrap();
    if leaves {
        drop(stdin);
        return ends(child);
    }
    let done = ends(child);
    drop(stdin);
    done
}

fn null_options() -> String {
    let description = (dbdyno::engines::built_in("null").unwrap().describe)();
    let settings = dbdyno_engine::settings::Settings::resolve(&description, &Default::default()).unwrap();
    serde_json::to_string(&settings).unwrap()
}

#[test]
fn a_worker_takes_no_folder_that_has_something_in_it() {
    let place = Place::new();
    let folder = place.path("photos");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("holiday.jpg"), "x").unwrap();
    symlink(&folder, place.path("link")).unwrap();
    for folder in [folder.clone(), place.path("link"), folder.join("holiday.jpg")] {
        let done = worker(&place, &folder, false);
        assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
        assert!(done.stdout.contains(&format!("{} already exists", folder.display())), "{}", done.stdout);
        assert_eq!(worker(&place, &folder, true).code, Some(1));
    }
    assert_eq!(fs::read_to_string(folder.join("holiday.jpg")).unwrap(), "x");
}

#[test]
fn an_output_that_cannot_be_written_to_ends_nothing_by_a_panic() {
    let place = Place::new();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let run = |arguments: &[&str], stderr: bool| {
        let mut command = place.command(arguments);
        if stderr {
            command.stderr(full())
        } else {
            command.stdout(full())
        };
        command.output().unwrap().status.code()
    };
    assert_eq!(run(&SHORT[..7], true), Some(0), "progress that cannot be shown");
    assert_eq!(run(&["results", "nonsense=1"], true), Some(0), "a note");
    assert_eq!(run(&["run", "--suite", "none", "--engine", "null"], true), Some(2), "an error");
    assert_eq!(run(&["worker", "null", "run"], true), Some(2), "an error of a worker");
    assert_eq!(run(&["export", "--format", "csv", "--out", text(&place.path("out.csv"))], true), Some(0), "a count");
    assert_eq!(run(&["results"], false), Some(1), "results that are lost are an error");
    assert_eq!(run(&["--help"], false), Some(1));
    assert_eq!(run(&["worker", "null", "describe"], false), Some(2));
}

#[test]
fn a_place_for_the_lock_that_is_anothers_stops_no_session() {
    let place = Place::new();
    let done = Done::of(
        place
            .command(&SHORT[..7])
            .env("XDG_RUNTIME_DIR", place.path("none"))
            .env("XDG_CACHE_HOME", "/dev/null")
            .env("TMPDIR", "/dev/null")
            .output()
            .unwrap(),
    );
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(done.stderr.matches("there is no place for the measurement lock").count(), 1, "{}", done.stderr);
    assert!(done.stdout.contains("other sessions may have been measuring too"), "{}", done.stdout);

    // A folder of another user, which only an administrator can create.
    let foreign = place.path("runtime/dbdyno");
    fs::create_dir(&foreign).unwrap();
    if chown(&foreign, Some(12345), None).is_ok() {
        let done = place.run(&SHORT);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(place.path("cache/dbdyno").is_dir(), "the next place is used");
        assert_eq!(fs::read_dir(&foreign).unwrap().count(), 0);
    }
}

#[test]
fn a_clock_before_1970_is_no_reason_to_end() {
    if !has_tool("cc", &["--version"]) {
        return;
    }
    let place = Place::new();
    let (source, library) = (place.path("clock.c"), place.path("clock.so"));
    let shim = r"
        #define _GNU_SOURCE
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            if (clock == CLOCK_REALTIME) time->tv_sec = -1000 - time->tv_sec % 1000;
            return result;
        }";
    fs::write(&source, shim).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(built.success());
    let run = |arguments: &[&str]| {
        Done::of(place.command(arguments).env("LD_PRELOAD", &library).env_remove("RUST_BACKTRACE").output().unwrap())
    };
    for arguments in [
        &["run", "--suite", "kv", "--engine", "null", "--repeat", "2", "--quiet"][..],
        &["tune", "try", "--engine", "null:clock=simulated", "--suite", "kv", "latency_ns=900", "--quiet"],
        &["results"],
        &["compare", "--a", "test=1", "--b", "test=1"],
        &["copy", "--to-parquet", text(&place.path("copied"))],
    ] {
        let done = run(arguments);
        assert_eq!(done.code, Some(0), "{arguments:?}: {}{}", done.stdout, done.stderr);
    }
    assert_eq!(place.value("SELECT bool_and(started_at < TIMESTAMP '1970-01-01') FROM run"), "true");
    assert_eq!(place.value("SELECT count(DISTINCT run_id) = count(*) FROM run"), "true");
}

#[test]
fn what_a_spreadsheet_would_run_is_escaped_and_comes_back() {
    let place = measured();
    place.ok(&["key", "--all", "--set", "owner==cmd|' /C calc'!A0"]);
    place.ok(&["tag", "--all", "--add", "'=1"]);
    let list = ["results", "--columns", "owner", "test=1", "--format", "csv"];
    assert_eq!(place.ok(&list), "owner\n'=cmd|' /C calc'!A0\n");
    assert_eq!(place.ok(&[&list[..], &["--csv-cells", "raw"]].concat()), "owner\n=cmd|' /C calc'!A0\n");
    let sql = ["sql", "SELECT '@x' AS a, -1.5 AS b, '''-y' AS c", "--format", "csv"];
    assert_eq!(place.ok(&sql), "a,b,c\n'@x,-1.5,''-y\n");
    assert_eq!(place.ok(&[&sql[..], &["--csv-cells", "raw"]].concat()), "a,b,c\n@x,-1.5,'-y\n");

    let (listing, odd) = (place.path("listing.csv"), "=SUM(A1)");
    let mut rows = place.ok(&["results", "--columns", "all", "--format", "csv"]);
    rows = rows.replace(",null,", &format!(",'{odd},"));
    fs::write(&listing, rows).unwrap();
    let other = Place::new();
    other.ok(&["import", text(&listing)]);
    assert_eq!(other.value("SELECT DISTINCT engine = '=SUM(A1)' FROM run"), "true");
}

#[test]
fn arguments_are_echoed_without_what_a_terminal_would_obey() {
    let place = Place::new();
    let odd = "\u{1b}[31mred\u{7}";
    for arguments in [
        &[odd][..],
        &["run", odd],
        &["run", &format!("--{odd}")],
        &["run", "--suite", odd],
        &["run", "--suite", odd, "--engine", odd],
        &["run", "--suite", "kv", "--engine", "null", "--size", odd],
        &["run", "--suite", "kv", "--engine", odd],
        &["results", "--format", odd],
        &["worker", odd, "run"],
        &["worker", "null", odd],
        &["key", "--all", "--set", odd],
    ] {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(2), "{arguments:?}: {}", done.stderr);
        assert!(!done.stderr.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {:?}", done.stderr);
        let echoed = done.stderr.contains("\\u{1b}[31mred\\u{7}");
        assert!(echoed || arguments[..] == ["run", "--suite", odd], "{arguments:?}: {:?}", done.stderr);
    }
    let of_variable = place.command(&["results"]).env("DBDYNO_STORE_WAIT", odd).output().unwrap();
    assert!(!String::from_utf8(of_variable.stderr).unwrap().contains('\u{1b}'));
    assert!(place.ok(&["--help"]).contains("Usage: dbdyno"));
    let plain = place.run(&["nonsense"]);
    assert_eq!(plain.code, Some(2));
    assert!(plain.stderr.contains("error: unrecognized subcommand 'nonsense'"), "{}", plain.stderr);
    let coloured = place.command(&["nonsense"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(String::from_utf8(coloured.stderr).unwrap().contains("\u{1b}["), "an error keeps its colours");
}

#[test]
fn a_start_that_is_killed_leaves_nothing_in_the_work_folder() {
    let place = Place::new();
    let work = place.path("work");
    fs::create_dir(&work).unwrap();
    // During the measurement of the disk, the written file is open and has no name.
    let mut child = place.spawn(&["run", "--suite", "kv", "--engine", "null", "--dry-run"]);
    let open = |child: &Child| {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
        descriptors
            .filter_map(|entry| fs::read_link(entry.path()).ok())
            .any(|file| file.as_os_str().as_bytes().starts_with(work.as_os_str().as_bytes()))
    };
    let mut seen = false;
    wait_until("the command ends", || {
        if open(&child) {
            seen = true;
            assert_eq!(fs::read_dir(&work).unwrap().count(), 0);
        }
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(Done::of(child.wait_with_output().unwrap()).code, Some(0));
    if !seen {
        eprintln!("not seen: the disk was measured too fast");
    }
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0);
}
