//! Actions that are forbidden to an engine's process, against dbdyno, other processes and other users' files. An engine that tries all of
//! them is stopped, and the results of the other engines are kept.

use crate::support::{Place, has_tool};
use dbdyno_engine::confine::{filters_calls, landlock_version};
use std::{
    fs,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixDatagram, UnixListener},
    },
    path::PathBuf,
    process::{Command, Stdio},
};

/// The first version of Linux that restricts signals, 6.12.
const SCOPES_SIGNALS: u32 = 6;

/// Compiles the malicious engine. Returns None without a compiler.
fn compiled(place: &Place) -> Option<PathBuf> {
    if !has_tool("cc", &["--version"]) {
        return None;
    }
    let program = place.path("evil");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cage/evil.c");
    let built = Command::new("cc").arg("-o").arg(&program).arg(source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

/// A file and sockets that do not belong to the engine, in a folder whose path is short enough for a socket's address.
struct Others {
    folder: tempfile::TempDir,
    listener: UnixListener,
    _datagrams: UnixDatagram,
}

impl Others {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine"), "mine").unwrap();
        fs::set_permissions(folder.path().join("mine"), fs::Permissions::from_mode(0o600)).unwrap();
        let listener = UnixListener::bind(folder.path().join("listener")).unwrap();
        listener.set_nonblocking(true).unwrap();
        let datagrams = UnixDatagram::bind(folder.path().join("listener-datagrams")).unwrap();
        Self { folder, listener, _datagrams: datagrams }
    }
}

/// The attempts in a log, each with its outcome.
fn tries(log: &str) -> Vec<(&str, &str)> {
    log.lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(_, came)| ["done", "refused"].contains(came))
        .collect()
}

#[test]
fn an_engine_that_tries_to_reach_others_is_refused_and_its_rivals_results_are_kept() {
    let place = Place::new();
    let (Some(landlock), true) = (landlock_version(), filters_calls()) else {
        dbdyno_engine::say!("not checked: the kernel has no Landlock or no seccomp");
        return;
    };
    let Some(program) = compiled(&place) else { return };
    let others = Others::new();
    let root = others.folder.path();
    place.engine("evil", &format!("exec '{}' \"$1\" '{}'\n", program.display(), root.display()));
    let session = ["run", "--suite", "kv", "--engine", "evil", "--engine", "null", "--size", "1000", "--test", "1"];
    let done = place.run(&[&session[..], &["--repeat", "2"]].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);

    let log = place.value("SELECT log FROM run WHERE label = 'evil' LIMIT 1");
    let tries = tries(&log);
    assert_eq!(tries.len(), 20, "{log}");
    for (name, came) in tries {
        let unknown = landlock < SCOPES_SIGNALS && name.starts_with("signal");
        assert!(came == "refused" || unknown, "{name}: {came}");
    }
    assert!(others.listener.accept().is_err(), "nobody came to the socket");
    let mine = root.join("mine");
    assert_eq!(fs::metadata(&mine).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    fs::File::open(&mine).unwrap().try_lock().expect("a lock ends with the run");
    for child in log.lines().filter_map(|line| line.strip_prefix("child ")) {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        assert!(!stat.contains("(sleep)") || stat.contains(") Z "), "{stat}");
    }
    assert!(log.contains("child "), "{log}");
    let kept = place.value("SELECT count(*) FROM results WHERE label = 'null' AND status = 'ok'");
    assert_eq!(kept, "2", "{}", done.stderr);
}

#[test]
fn what_is_refused_to_engines_is_granted_to_others() {
    let place = Place::new();
    let Some(program) = compiled(&place) else { return };
    let others = Others::new();
    // The program's parent is a shell, so that it is not the test.
    let script =
        format!("'{}' run '{}'; kill $(sed -n 's/^child //p' log)", program.display(), others.folder.path().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("")).stdout(Stdio::null());
    shell.stderr(fs::File::create(place.path("log")).unwrap()).status().unwrap();
    let log = fs::read_to_string(place.path("log")).unwrap();
    let granted: Vec<&str> =
        tries(&log).into_iter().filter(|(_, came)| *came == "done").map(|(name, _)| name).collect();
    for name in ["type into screens", "type by a pair", "limit its parent", "pin its parent", "mode", "owner", "write"]
    {
        assert!(granted.contains(&name), "{name}: {log}");
    }
    assert!(others.listener.accept().is_ok());
}
