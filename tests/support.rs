//! Shared test helpers: a separate dbdyno with its own store, folders and output.

use dbdyno::store::{Store, StoreError};
use portable_pty::{CommandBuilder, MasterPty, PtyPair, PtySize, native_pty_system};
use std::{
    fs,
    io::{Read, Write},
    num::NonZero,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The folders of a test: store, work folder, configuration, runtime folder.
pub(crate) struct Place {
    root: TempDir,
}

/// The exit code and the output of a command.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        // The build folder is on a disk. The system's temporary folder may be in memory.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for folder in ["config/suites", "config/presets", "runtime", "cache", "engines"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path("results.duckdb")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
        command
            .args(arguments)
            .env("DBDYNO_STORE", self.store())
            .env("DBDYNO_WORK_DIR", self.path("work"))
            .env("DBDYNO_CONFIG", self.path("config"))
            .env("DBDYNO_ENGINE_PATH", self.path("engines"))
            .env("XDG_RUNTIME_DIR", self.path("runtime"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        Done::of(self.command(arguments).output().unwrap())
    }

    /// Runs a command that must succeed. Returns its stdout.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.code, Some(0), "{arguments:?}: {}\n{}", done.stderr, done.stdout);
        done.stdout
    }

    /// Runs a command that must be refused, with each of these parts in its error.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str], parts: &[&str]) {
        let done = self.run(arguments);
        assert_eq!(done.code, Some(2), "{arguments:?}: {}", done.stderr);
        for part in parts {
            assert!(done.stderr.contains(part), "{arguments:?}: expected `{part}` in: {}", done.stderr);
        }
    }

    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The first column of a query's only row.
    #[track_caller]
    pub(crate) fn value(&self, sql: &str) -> String {
        self.rows(sql).remove(0).remove(0)
    }

    /// The rows of a query.
    #[track_caller]
    pub(crate) fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let csv = self.ok(&["sql", sql, "--format", "csv"]);
        csv_records(&csv).split_off(1)
    }

    /// Files and folders in the work folder.
    pub(crate) fn left_behind(&self) -> Vec<PathBuf> {
        fs::read_dir(self.path("work")).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }

    /// Copies dbdyno into a folder without engine programs and runs it there.
    pub(crate) fn alone(&self, arguments: &[&str]) -> Done {
        let program = self.path("alone");
        fs::copy(env!("CARGO_BIN_EXE_dbdyno"), &program).unwrap();
        let like = self.command(arguments);
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).env("PATH", "/nowhere");
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // A process that another test starts at this moment still has the file that was written, until it begins its own program.
        let output = loop {
            match command.output() {
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                output => break output.unwrap(),
            }
        };
        Done::of(output)
    }

    /// Installs an outside engine, a shell script.
    pub(crate) fn engine(&self, name: &str, script: &str) {
        let path = self.path("engines").join(format!("dbdyno-engine-{name}"));
        fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Runs a query of the program itself on a store and returns its rows.
pub(crate) fn asked(store: &Store, sql: &str) -> Result<Vec<Vec<Option<String>>>, StoreError> {
    let answer = store.query(sql, &[])?;
    Ok(answer.rows.iter().map(|row| row.iter().map(|value| value.map(str::to_owned)).collect()).collect())
}

/// Parses records of CSV as defined in RFC 4180.
pub(crate) fn csv_records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => cell.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    records
}

impl Done {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A program in a pseudo-terminal whose output a terminal emulator reads.
pub(crate) struct PseudoTerminal {
    pub(crate) child: Box<dyn portable_pty::Child + Send + Sync>,
    pub(crate) screen: Arc<Mutex<vt100::Parser>>,
    /// None once the terminal is closed.
    pub(crate) open: Option<OpenTerminal>,
}

/// The handles that keep a pseudo-terminal open.
pub(crate) struct OpenTerminal {
    pub(crate) keys: Box<dyn Write + Send>,
    pub(crate) master: Box<dyn MasterPty + Send>,
    closing: Arc<AtomicBool>,
}

/// Opens a pseudo-terminal of this many columns and rows.
pub(crate) fn pair((columns, rows): (u16, u16)) -> PtyPair {
    native_pty_system().openpty(PtySize { cols: columns, rows, pixel_width: 0, pixel_height: 0 }).unwrap()
}

/// Starts dbdyno in a pseudo-terminal.
pub(crate) fn pseudo_terminal(place: &Place, arguments: &[&str], size: (u16, u16)) -> PseudoTerminal {
    PseudoTerminal::start(place, arguments, size, pair(size))
}

impl PseudoTerminal {
    /// Starts dbdyno in an existing pseudo-terminal.
    pub(crate) fn start(place: &Place, arguments: &[&str], (columns, rows): (u16, u16), pair: PtyPair) -> Self {
        let like = place.command(arguments);
        let mut command = CommandBuilder::new(like.get_program());
        command.args(like.get_args());
        for (name, value) in like.get_envs() {
            command.env(name, value.unwrap());
        }
        command.env("TERM", "xterm-256color");
        command.cwd(place.path(""));
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let number = |number| NonZero::new(number).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(number(rows), number(columns), 0)));
        let closing = Arc::new(AtomicBool::new(false));
        let mut output = pair.master.try_clone_reader().unwrap();
        let (seen, closed) = (Arc::clone(&screen), Arc::clone(&closing));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A reader keeps a terminal open too.
            while !closed.load(SeqCst)
                && let Ok(read @ 1..) = output.read(&mut buffer)
            {
                seen.lock().unwrap().process(&buffer[..read]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { child, screen, open: Some(OpenTerminal { keys, master: pair.master, closing }) }
    }

    /// Closes the terminal, as closing its window does. Returns the program that was in it.
    pub(crate) fn close(&mut self) -> &mut (dyn portable_pty::Child + Send + Sync) {
        if let Some(open) = self.open.take() {
            open.closing.store(true, SeqCst);
        }
        &mut *self.child
    }
}

/// Waits until a condition is true. Panics after a time limit.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} did not come true within a minute");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Processes whose command line contains a text.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let of = |entry: fs::DirEntry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(entry.path().join("stat")).ok()?;
        // A zombie has ended, and only its parent has not noticed yet.
        if status.rsplit(')').next()?.trim_start().starts_with('Z') {
            return None;
        }
        let environment = fs::read(entry.path().join("environ")).ok()?;
        String::from_utf8_lossy(&environment).contains(text).then_some(id)
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(of).collect()
}

/// Whether a program that a test needs is available. With `DBDYNO_REQUIRE_TOOLS`, a missing program is a failure.
pub(crate) fn has_tool(program: &str, arguments: &[&str]) -> bool {
    let found = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    assert!(found || std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "{program} {arguments:?} is missing");
    if !found {
        eprintln!("not checked: {program} {arguments:?} is missing");
    }
    found
}

/// The program of an engine that is built as a separate program, in dbdyno's folder.
pub(crate) fn engine_program(name: &str) -> Option<PathBuf> {
    built_program(&format!("dbdyno-engine-{name}"))
}

/// An engine program in dbdyno's folder. `cargo test --workspace` builds it, `cargo test` of this package alone does not.
pub(crate) fn built_program(file: &str) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_dbdyno")).with_file_name(file);
    has_tool(program.to_str().unwrap(), &["describe"]).then_some(program)
}

/// The version of a SQLite library, as Python's foreign function interface reads it.
pub(crate) fn python_sqlite_version(library: &Path) -> Option<String> {
    if !has_tool("python3", &["-c", "import ctypes"]) {
        return None;
    }
    let script = "
import ctypes, sys
version = ctypes.CDLL(sys.argv[1]).sqlite3_libversion
version.restype = ctypes.c_char_p
print(version().decode())";
    let output = Command::new("python3").arg("-c").arg(script).arg(library).output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// The library of the system's SQLite.
pub(crate) fn system_sqlite() -> Option<PathBuf> {
    system_library("libsqlite3.so.0")
}

/// The newest version of a system library whose file name begins with `name`. A missing library is a failure if tools are required.
pub(crate) fn system_library(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/lib", "/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from);
    // Debian and others have one folder per architecture below these.
    let below = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let all = folders.iter().cloned().chain(below.map(|entry| entry.path()));
    let files = all.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let is_it = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(name);
    let found = files.map(|entry| entry.path()).filter(|path| is_it(path) && path.exists()).max();
    assert!(found.is_some() || std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "{name} is missing");
    if found.is_none() {
        eprintln!("not checked: {name} is missing");
    }
    found
}

/// Runs a Python script with the duckdb package, if it is installed. Returns its stdout.
pub(crate) fn python(script: &str, argument: &Path) -> Option<String> {
    if !has_tool("python3", &["-c", "import duckdb"]) {
        return None;
    }
    let output = Command::new("python3").arg("-c").arg(script).arg(argument).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Checks that a file has a comparison as its published schema says, if Python's validator is there.
pub(crate) fn check_comparison(path: &Path) {
    if !has_tool("python3", &["-c", "import jsonschema"]) {
        return;
    }
    let check = "import json, sys, jsonschema; schema = json.load(open(sys.argv[1])); \
        jsonschema.Draft202012Validator.check_schema(schema); \
        jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))";
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schemas/comparison.schema.json");
    let out = Command::new("python3").args(["-c", check, schema]).arg(path).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}
