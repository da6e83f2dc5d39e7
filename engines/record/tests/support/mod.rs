//! Programs under the recorder, and what it wrote.

#![allow(dead_code, reason = "each test program uses a part")]
#![allow(clippy::unwrap_used, reason = "only tests call it")]

use dbdyno_recording::{CallsReader, FileEnding, RecordedCall, RecordedLine, RecordingFolder};
use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};
use tempfile::TempDir;

/// The recorder, which Cargo builds next to the tests.
pub(crate) fn recorder() -> PathBuf {
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let found = [deps.clone(), deps.join("..")].map(|folder| folder.join("libdbdyno_record.so"));
    found
        .into_iter()
        .find(|path| path.exists())
        .expect("Cargo builds the library for its tests")
        .canonicalize()
        .unwrap()
}

/// Prints why a test checks nothing, or fails where everything must be checked.
#[allow(clippy::print_stdout, reason = "for people who run the tests")]
pub(crate) fn not_checked(why: &str) {
    assert!(env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "{why}");
    println!("not checked: {why}");
}

/// A folder with a database, a recording, and the program in C.
pub(crate) struct Stage {
    folder: TempDir,
    program: PathBuf,
    libraries: Option<PathBuf>,
}

/// The compiled program, once for all tests of a process.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<(TempDir, PathBuf)>> = OnceLock::new();
    let compiled = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program.c");
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-w", "-o"]).arg(&program).arg(source).args(["-l:libsqlite3.so.0", "-lpthread"]);
        cc.status().is_ok_and(|status| status.success()).then_some((folder, program))
    });
    compiled.as_ref().map(|(_, program)| program.as_path())
}

impl Stage {
    /// Prints the reason and returns nothing where there is no compiler or no shared SQLite.
    pub(crate) fn new() -> Option<Self> {
        let Some(program) = program() else {
            not_checked("cc with libsqlite3.so.0 is missing");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("recording")).unwrap();
        Some(Self { folder, program: program.to_owned(), libraries: None })
    }

    /// Has the program find SQLite in another folder.
    pub(crate) fn with_libraries(self, folder: &Path) -> Self {
        Self { libraries: Some(folder.to_owned()), ..self }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn recording(&self) -> PathBuf {
        self.path("recording")
    }

    /// The program without the recorder, with the database `db`.
    pub(crate) fn plain(&self, what: &str, more: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(what).arg(self.path("db")).args(more).current_dir(self.folder.path());
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }

    pub(crate) fn recorded(&self, what: &str, more: &[&str]) -> Command {
        let mut command = self.plain(what, more);
        record(&mut command, &self.recording());
        command
    }

    /// Runs the program without and with the recorder, each with a new database, and checks that it does the same.
    /// Returns its files of calls.
    pub(crate) fn same(&self, what: &str, more: &[&str]) -> Vec<CallsFileContent> {
        let plain = self.plain(what, more).output().unwrap();
        self.remove_database();
        let recorded = self.recorded(what, more).output().unwrap();
        assert_same(&plain, &recorded);
        files(&self.recording())
    }

    pub(crate) fn remove_database(&self) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(self.path(&format!("db{ending}")));
        }
    }
}

pub(crate) fn record(command: &mut Command, recording: &Path) {
    command.env("LD_PRELOAD", recorder()).env("DBDYNO_RECORDING", recording);
}

pub(crate) fn assert_same(plain: &Output, recorded: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&plain.stdout), text(&recorded.stdout));
    assert_eq!(text(&plain.stderr), text(&recorded.stderr));
    assert_eq!(plain.status, recorded.status);
}

/// A file of calls, read to its end.
pub(crate) struct CallsFileContent {
    pub(crate) lines: Vec<RecordedLine>,
    pub(crate) ending: FileEnding,
    texts: HashMap<u32, String>,
}

impl CallsFileContent {
    pub(crate) fn read(path: &Path) -> Self {
        let mut reader = CallsReader::open(path).unwrap();
        let lines: Vec<RecordedLine> = reader.by_ref().map(|line| line.unwrap()).collect();
        let text = |line: &RecordedLine| match line {
            RecordedLine::Statement(statement) => Some((statement.id, statement.sql.clone())),
            _ => None,
        };
        let texts = lines.iter().filter_map(text).collect();
        Self { lines, ending: reader.ending().unwrap(), texts }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &RecordedCall> {
        self.lines.iter().filter_map(|line| match line {
            RecordedLine::Call(call) => Some(call),
            _ => None,
        })
    }

    pub(crate) fn sql(&self, call: &RecordedCall) -> &str {
        &self.texts[&call.statement]
    }

    /// Calls as text: SQL, rows, changes and result code.
    pub(crate) fn outline(&self) -> Vec<String> {
        let outline = |call: &RecordedCall| {
            format!("{} | {} {} {}", self.sql(call).trim(), call.rows, call.changes, call.result_code)
        };
        self.calls().map(outline).collect()
    }

    /// Calls that the file lacks, by its own account.
    pub(crate) fn lost(&self) -> u64 {
        let lost = |line: &RecordedLine| match line {
            RecordedLine::Lost(lost) => lost.calls,
            _ => 0,
        };
        self.lines.iter().map(lost).sum()
    }
}

pub(crate) fn files(recording: &Path) -> Vec<CallsFileContent> {
    RecordingFolder::open(recording).unwrap().calls().iter().map(|path| CallsFileContent::read(path)).collect()
}
