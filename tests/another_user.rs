//! Files and folders of another user: each causes an error message and an exit code, and none of them is changed. The other user is the
//! administrator who runs these tests, and dbdyno runs as `nobody`.

use crate::support::{Done, wait_until};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

/// The user `nobody`, who owns nothing on the system.
const NOBODY: u32 = 65_534;

const SESSION: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "1", "--quiet"];

/// A place that both users can reach, with a folder for each user. Both can create files in `shared`, as in `/tmp`.
struct TwoUsers {
    root: tempfile::TempDir,
}

impl TwoUsers {
    /// Returns None if this user cannot act as another one.
    fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("not checked: only an administrator can be another user");
            return None;
        }
        let place = Self { root: tempfile::tempdir().unwrap() };
        for (folder, owner, mode) in [
            ("", 0, 0o755),
            ("program", 0, 0o755),
            ("theirs", 0, 0o755),
            ("shared", 0, 0o1777),
            ("own", NOBODY, 0o755),
            ("own/home", NOBODY, 0o755),
            ("own/temporary", NOBODY, 0o755),
        ] {
            fs::create_dir_all(place.path(folder)).unwrap();
            place.give(folder, owner, mode);
        }
        // Only the owner may be able to reach the build folder, and the libraries.
        let program = Path::new(env!("CARGO_BIN_EXE_dbdyno"));
        for file in [program.to_owned()].into_iter().chain(libraries()) {
            let to = place.path("program").join(file.file_name().unwrap());
            if fs::hard_link(&file, &to).is_err() || fs::metadata(&to).unwrap().mode() & 0o005 != 0o005 {
                drop(fs::remove_file(&to));
                fs::copy(&file, &to).unwrap();
                fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        let started = place.command(NOBODY, &["--version"]).output().is_ok_and(|output| output.status.success());
        if !started {
            eprintln!("not checked: {} is not reached by other users", place.path("").display());
        }
        started.then_some(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Gives a file or folder to a user.
    fn give(&self, name: &str, owner: u32, mode: u32) {
        chown(self.path(name), Some(owner), Some(owner)).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// dbdyno as this user, with the folders of `nobody`.
    fn command(&self, user: u32, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path("program/dbdyno"));
        command.args(arguments).current_dir(self.path("")).stdin(Stdio::null());
        for (name, place) in [
            ("DBDYNO_STORE", "own/results.duckdb"),
            ("DBDYNO_WORK_DIR", "own/work"),
            ("DBDYNO_CONFIG", "own/config"),
            ("XDG_CACHE_HOME", "own/home/cache"),
            ("HOME", "own/home"),
            ("TMPDIR", "own/temporary"),
            ("LD_LIBRARY_PATH", "program"),
        ] {
            command.env(name, self.path(place));
        }
        command.env_remove("XDG_RUNTIME_DIR").env("DBDYNO_STORE_WAIT", "100ms").uid(user).gid(user);
        command
    }

    fn run(&self, arguments: &[&str]) -> Done {
        Done::of(self.command(NOBODY, arguments).output().unwrap())
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.code, Some(0), "{arguments:?}: {}{}", done.stdout, done.stderr);
        done.stdout
    }

    /// Creates a store of the administrator, with a session in it.
    fn their_store(&self, mode: u32) -> String {
        let path = self.text("theirs/results.duckdb");
        let mut command = self.command(0, &SESSION);
        for (name, place) in [("DBDYNO_STORE", "theirs/results.duckdb"), ("DBDYNO_WORK_DIR", "theirs/work")] {
            command.env(name, self.path(place));
        }
        for (name, place) in [("XDG_CACHE_HOME", "theirs/cache"), ("HOME", "theirs"), ("TMPDIR", "theirs")] {
            command.env(name, self.path(place));
        }
        let done = Done::of(command.output().unwrap());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// Runs a command as `nobody`. It must fail with this exit code and a message that contains these parts. It must leave a folder
    /// unchanged, except for the files of `nobody`.
    #[track_caller]
    fn refused(&self, folder: &str, arguments: &[&str], code: i32, parts: &[&str]) {
        let before = theirs(&self.path(folder));
        let done = self.run(arguments);
        let said = format!("{arguments:?}: {}{}", done.stdout, done.stderr);
        assert_eq!(done.code, Some(code), "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "expected {parts:?} of {said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!(theirs(&self.path(folder)) == before, "it touched what is another user's: {said}");
    }
}

/// The libraries of this program that do not belong to the system.
fn libraries() -> Vec<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])));
    let system = ["/usr", "/lib", "/lib64"];
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.to_string_lossy().contains(".so") && !system.iter().any(|folder| path.starts_with(folder)))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The files and folders below a folder that `nobody` does not own: owner, mode, time of the last change, and content.
fn theirs(folder: &Path) -> BTreeMap<PathBuf, (u32, u32, SystemTime, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, facts) = (entry.path(), entry.metadata().unwrap());
        if facts.is_dir() {
            all.extend(theirs(&path));
        }
        if facts.uid() != NOBODY {
            let content = if facts.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            all.insert(path, (facts.uid(), facts.mode(), facts.modified().unwrap(), content));
        }
    }
    all
}

#[test]
fn a_store_that_only_its_owner_can_read_is_refused() {
    let Some(place) = TwoUsers::new() else { return };
    let store = place.their_store(0o600);
    let own = place.text("own/copy.duckdb");
    for arguments in [
        &["results", "--count"][..],
        &["sql", "SELECT 1"],
        &["tag", "--all", "--add", "x"],
        &["delete", "session=last", "--yes"],
        &["copy", "--to", &own],
        &["export", "--format", "csv", "--out", &place.text("own/results.csv")],
        &["store", "check"],
        &["store", "repair"],
        &SESSION,
    ] {
        place.refused("theirs", &[&["--store", &store][..], arguments].concat(), 1, &[&store, "Permission denied"]);
    }
    place.refused("theirs", &["import", &store], 2, &[&store, "Permission denied"]);
    assert!(!place.path("own/copy.duckdb").exists() && !place.path("own/results.csv").exists());
    let doctor = place.run(&["--store", &store, "doctor"]);
    assert!(doctor.stdout.contains("Permission denied"), "{}", doctor.stdout);
}

#[test]
fn a_store_that_others_can_read_is_read_and_not_written() {
    let Some(place) = TwoUsers::new() else { return };
    let store = place.their_store(0o644);
    let before = theirs(&place.path("theirs"));
    assert_eq!(place.ok(&["--store", &store, "results", "--count"]), "8\n");
    assert!(place.ok(&["--store", &store, "store", "check"]).contains("table result: 8 rows read"));
    place.ok(&["import", &store]);
    assert_eq!(place.ok(&["results", "--count"]), "8\n");
    assert!(theirs(&place.path("theirs")) == before, "reading has changed something");
    for arguments in [
        &["tag", "--all", "--add", "x"][..],
        &["note", "--all", "--text", "x"],
        &["delete", "session=last", "--yes"],
        &["store", "repair"],
        &SESSION,
    ] {
        let parts = [&store[..], "cannot be written", "Permission denied"];
        place.refused("theirs", &[&["--store", &store][..], arguments].concat(), 1, &parts);
    }
    place.refused("theirs", &["copy", "--to", &store], 1, &[&store, "cannot be written"]);
}

/// As in `/tmp`, all users may create files, and only the owner may remove a file.
#[test]
fn what_another_user_left_beside_a_store_is_said_and_stays() {
    let Some(place) = TwoUsers::new() else { return };
    let store = place.text("shared/results.duckdb");
    let tag = ["--store", &store, "tag", "--all", "--add", "x"];
    let session = [&["--store", &store][..], &SESSION].concat();
    // This applies even to a file that all users may write.
    fs::write(format!("{store}.new"), "").unwrap();
    place.give("shared/results.duckdb.new", 0, 0o666);
    place.refused("shared", &session, 1, &["results.duckdb.new: Operation not permitted"]);
    assert!(!Path::new(&store).exists());
    fs::remove_file(format!("{store}.new")).unwrap();
    place.ok(&session);
    for (ending, content, mode) in [
        ("undo", "of another", 0o644),
        ("undo", "of another", 0o600),
        ("undo.new", "of another", 0o644),
        ("undo.new", "of another", 0o666),
    ] {
        let name = format!("shared/results.duckdb.{ending}");
        drop(fs::remove_file(place.path(&name)));
        fs::write(place.path(&name), content).unwrap();
        place.give(&name, 0, mode);
        let named = format!("results.duckdb.{}: ", ending.trim_end_matches(".new"));
        place.refused("shared", &tag, 1, &[&store, &named, "not permitted"]);
        fs::remove_file(place.path(&name)).unwrap();
    }
    fs::remove_file(format!("{store}.lock")).unwrap();
    fs::write(format!("{store}.lock"), "").unwrap();
    place.give("shared/results.duckdb.lock", 0, 0o600);
    place.refused("shared", &tag, 1, &[&store, "results.duckdb.lock: ", "Permission denied"]);
    fs::remove_file(format!("{store}.lock")).unwrap();
    drop(fs::remove_dir_all(format!("{store}.journal")));
    fs::create_dir(format!("{store}.journal")).unwrap();
    place.refused("shared", &session, 1, &["results.duckdb.journal", "Permission denied", "--journal"]);
    fs::remove_dir(format!("{store}.journal")).unwrap();
    assert_eq!(place.ok(&["--store", &store, "results", "--count"]), "8\n");
    assert_eq!(place.ok(&["--store", &store, "results", "--count", "tag=x"]), "0\n");
}

#[test]
fn a_file_or_folder_of_another_user_is_no_place_for_what_is_made() {
    let Some(place) = TwoUsers::new() else { return };
    let theirs = place.text("theirs");
    place.refused("theirs", &[&SESSION[..], &["--work-dir", &theirs]].concat(), 1, &[&theirs, "Permission denied"]);
    place.ok(&SESSION);
    let out = place.text("theirs/results.csv");
    fs::write(&out, "theirs").unwrap();
    place.refused("theirs", &["export", "--format", "csv", "--out", &out], 1, &[&out, "Permission denied"]);
    place.refused("theirs", &["copy", "--to", &place.text("theirs/new.duckdb")], 1, &["Permission denied"]);
    let store = place.text("theirs/new.duckdb");
    place.refused("theirs", &[&["--store", &store][..], &SESSION].concat(), 1, &[&store, "Permission denied"]);
}

#[test]
fn runtime_and_cache_folders_of_another_user_are_passed_over_or_said() {
    let Some(place) = TwoUsers::new() else { return };
    for folder in ["theirs/runtime", "theirs/runtime/dbdyno", "theirs/cache", "theirs/cache/dbdyno", "theirs/temporary"]
    {
        fs::create_dir(place.path(folder)).unwrap();
    }
    let before = theirs(&place.path("theirs"));
    let run = |arguments: &[&str], temporary: &str| {
        let mut command = place.command(NOBODY, arguments);
        command.env("XDG_RUNTIME_DIR", place.path("theirs/runtime")).env("XDG_CACHE_HOME", place.path("theirs/cache"));
        Done::of(command.env("TMPDIR", place.path(temporary)).output().unwrap())
    };
    let done = run(&SESSION, "own/temporary");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let done = run(&SESSION[..9], "theirs/temporary");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("there is no place for the measurement lock"), "{}", done.stderr);
    for folder in ["theirs/runtime/dbdyno", "theirs/cache/dbdyno", "theirs/temporary/dbdyno-65534"] {
        assert!(done.stderr.contains(&place.text(folder)), "{folder}: {}", done.stderr);
    }
    assert!(done.stderr.contains("it belongs to another user"), "{}", done.stderr);
    let done = run(&["attach", "--list"], "own/temporary");
    // The job of the first session, whose folder is among the temporary files.
    assert_eq!((done.code, done.stdout.lines().count()), (Some(0), 1), "{}{}", done.stdout, done.stderr);
    assert!(theirs(&place.path("theirs")) == before, "it touched what is another user's");
}

/// The other user is an administrator here, who could remove any folder.
#[test]
fn a_folder_that_another_users_killed_session_left_stays() {
    let Some(place) = TwoUsers::new() else { return };
    let work = place.text("shared");
    let long = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "500", "--work-dir", &work];
    let mut session = place.command(NOBODY, &long);
    let mut session = session.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let left = || -> Vec<PathBuf> { fs::read_dir(&work).unwrap().map(|entry| entry.unwrap().path()).collect() };
    wait_until("a run has its folder", || left().iter().any(|folder| folder.join("databases").exists()));
    session.kill().unwrap();
    session.wait().unwrap();
    let before = left();
    assert_eq!(before.len(), 1, "{before:?}");
    let once = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "1", "--work-dir", &work];
    let mut other = place.command(0, &once);
    for (name, folder) in [("DBDYNO_STORE", "theirs/results.duckdb"), ("HOME", "theirs"), ("TMPDIR", "theirs")] {
        other.env(name, place.path(folder));
    }
    let done = Done::of(other.env("XDG_CACHE_HOME", place.path("theirs")).output().unwrap());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(left(), before, "the folder is another user's");
    place.ok(&once);
    assert!(left().is_empty(), "its own user's next session removes it");
}
