//! Python's module of SQLite, with the recorder in both ways.

#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod support;

use dbdyno_recording::{DurationSource, FileEnding, RecordedLine, RecordedValue, RecorderKind};
use std::{
    path::{Path, PathBuf},
    process::Command,
};
use support::{CallsFileContent, assert_same, files, not_checked, record, recorder};
use tempfile::TempDir;

struct PythonStage(TempDir);

impl PythonStage {
    /// Prints the reason and returns nothing if Python or its module is missing, or has a SQLite of its own.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let program = "import sqlite3, sys; sqlite3.connect(':memory:'); maps = open('/proc/self/maps').read()
sys.exit('libsqlite3.so' not in maps or not hasattr(sqlite3.Connection, 'enable_load_extension'))";
        let status = python().args(["-c", program]).status();
        if !status.is_ok_and(|status| status.success()) {
            not_checked("/usr/bin/python3 with a shared SQLite is missing");
            return None;
        }
        std::fs::create_dir(folder.path().join("recording")).unwrap();
        Some(Self(folder))
    }

    fn recording(&self) -> PathBuf {
        self.0.path().join("recording")
    }

    fn command(&self, database: &str) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python.py");
        let mut command = python();
        command.arg(script).arg(self.0.path().join(database));
        command
    }
}

fn python() -> Command {
    // The distribution's: others often have a SQLite of their own.
    Command::new("/usr/bin/python3")
}

/// The files of the process and of its forked child.
fn parent_and_child(recording: &Path) -> (CallsFileContent, CallsFileContent) {
    let mut files = files(recording);
    files.sort_by_key(|file| file.calls().count());
    let [child, parent] = <[_; 2]>::try_from(files).unwrap_or_else(|files| panic!("{} files", files.len()));
    (parent, child)
}

fn parameters<'f>(file: &'f CallsFileContent, sql: &str) -> Vec<&'f [RecordedValue]> {
    file.calls().filter(|call| file.sql(call) == sql).map(|call| &call.parameters[..]).collect()
}

const INSERT: &str = "INSERT INTO t VALUES (?, ?, ?)";

fn check_common(parent: &CallsFileContent, child: &CallsFileContent) {
    let inserts = parameters(parent, INSERT);
    assert_eq!(inserts.len(), 19);
    let first =
        [RecordedValue::Integer(1), RecordedValue::Text("it's é".to_owned()), RecordedValue::Blob(vec![0, 255])];
    assert_eq!(inserts[0], first);
    assert_eq!(inserts[3], [RecordedValue::Integer(4), RecordedValue::Real(1.0), RecordedValue::Null]);
    let named = parameters(parent, "SELECT * FROM t WHERE a = :a AND b <> :b");
    assert_eq!(named, [[RecordedValue::Integer(1), RecordedValue::Text("x".to_owned())]]);
    assert_eq!(parameters(parent, "INSERT INTO u VALUES (?)"), [[RecordedValue::Real(f64::INFINITY)]]);
    assert_eq!(parameters(parent, "SELECT count(*) FROM t WHERE a > ?").len(), 400);
    // The trigger's insert is part of the program's, and no call of its own.
    let with_trigger = parent.calls().find(|call| parent.sql(call) == "INSERT INTO u VALUES (?)").unwrap();
    assert_eq!(with_trigger.changes, 2);
    assert!(parent.calls().all(|call| !parent.sql(call).starts_with("--")));
    let threads: std::collections::BTreeSet<u32> = parent.calls().map(|call| call.thread).collect();
    assert_eq!(threads.len(), 5);
    let all = parent.calls().find(|call| parent.sql(call) == "SELECT * FROM t").unwrap();
    assert_eq!(all.rows, 19);
    let sql: Vec<&str> = child.calls().map(|call| child.sql(call).trim()).collect();
    assert_eq!(sql, ["BEGIN", "INSERT INTO u VALUES ('from the child')", "COMMIT"]);
    let attached: Vec<&str> = parent
        .lines
        .iter()
        .filter_map(|line| match line {
            RecordedLine::Attach(attached) => Some(attached.schema.as_str()),
            _ => None,
        })
        .collect();
    // SQLite before 3.39 cannot name its databases.
    assert!(attached == ["other"] || attached.is_empty(), "{attached:?}");
    let closes = parent.lines.iter().filter(|line| matches!(line, RecordedLine::Close(_))).count();
    assert!(closes >= 6, "{closes}");
    assert_eq!((parent.lost(), child.lost()), (0, 0));
    assert!(matches!(parent.ending, FileEnding::Orderly(_)));
}

#[test]
fn python_with_a_preloaded_recorder() {
    let Some(stage) = PythonStage::new() else { return };
    let plain = stage.command("plain").output().unwrap();
    assert!(plain.status.success(), "{plain:?}");
    let mut command = stage.command("recorded");
    record(&mut command, &stage.recording());
    assert_same(&plain, &command.output().unwrap());
    let (parent, child) = parent_and_child(&stage.recording());
    check_common(&parent, &child);
    let Some(RecordedLine::Process(process)) = child.lines.first() else { panic!("{:?}", child.lines) };
    assert_eq!((process.recorder, process.durations), (RecorderKind::Preload, DurationSource::Steps));
    let others: Vec<_> = parent.calls().filter(|call| call.result_code != 0).collect();
    let others: Vec<_> = others.iter().map(|call| (parent.sql(call), call.result_code)).collect();
    assert_eq!(others, [("SELECT a FROM t", 100), ("INSERT INTO t VALUES (1, 2, 3)", 19)]);
    // The child's end is `_exit`.
    assert!(matches!(child.ending, FileEnding::Orderly(_)), "{:?}", child.ending);
    // What a function of the program runs within a statement is part of the statement.
    assert_eq!(parameters(&parent, "SELECT nested(5)").len(), 1);
    assert_eq!(parameters(&parent, "SELECT ? + 1").len(), 0);
}

#[test]
fn python_with_the_recorder_as_an_extension() {
    let Some(stage) = PythonStage::new() else { return };
    // The trace callback would take the recorder's slot, so it is left out with an extension, and does not matter.
    let plain = stage.command("plain").arg(recorder()).output().unwrap();
    assert!(plain.status.success(), "{plain:?}");
    let mut command = stage.command("recorded");
    command.arg(recorder()).env("DBDYNO_RECORDING", stage.recording());
    assert_same(&plain, &command.output().unwrap());
    let (parent, child) = parent_and_child(&stage.recording());
    check_common(&parent, &child);
    let Some(RecordedLine::Process(process)) = parent.lines.first() else { panic!("{:?}", parent.lines) };
    assert_eq!((process.recorder, process.durations), (RecorderKind::Extension, DurationSource::Trace));
    let known: Vec<_> = parent.calls().filter(|call| call.result_code != -1).collect();
    let known: Vec<_> = known.iter().map(|call| (parent.sql(call), call.result_code)).collect();
    assert_eq!(known, [("SELECT a FROM t", 100)]);
}

#[test]
fn pythons_own_tests_have_the_same_results() {
    let Some(stage) = PythonStage::new() else { return };
    // Distributions seldom have the tests. Any Python with a shared SQLite and its tests will do.
    let candidates = ["/usr/bin/python3", "python3"];
    let has_tests = |python: &&str| {
        let found = Command::new(python).args(["-c", "import test.test_sqlite3, test.libregrtest"]).output();
        found.is_ok_and(|output| output.status.success())
    };
    let Some(python) = candidates.into_iter().find(has_tests) else {
        #[allow(clippy::print_stdout, reason = "for people who run the tests")]
        {
            println!("not checked: a Python with its own tests is missing");
        }
        return;
    };
    let results = |recording: Option<&Path>| {
        let mut command = Command::new(python);
        command.args(["-m", "test", "-v", "test_sqlite3"]).current_dir(stage.0.path());
        if let Some(recording) = recording {
            record(&mut command, recording);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let mut lines: Vec<String> = text.lines().filter(|line| line.contains(" ... ")).map(str::to_owned).collect();
        lines.sort();
        (output.status, lines)
    };
    let plain = results(None);
    assert!(plain.1.len() > 100, "{plain:?}");
    assert_eq!(plain, results(Some(&stage.recording())));
}

#[test]
fn a_program_that_takes_the_slot_from_an_extension_is_noticed() {
    let Some(stage) = PythonStage::new() else { return };
    let program = "import sqlite3, sys
db = sqlite3.connect(':memory:')
db.enable_load_extension(True)
db.load_extension(sys.argv[1])
db.execute('SELECT 1')
if sys.argv[2] == 'takes': db.set_trace_callback(print)
db.execute('SELECT 2')
db.close()";
    for (what, lost) in [("takes", 1), ("leaves", 0)] {
        let recording = stage.0.path().join(what);
        std::fs::create_dir(&recording).unwrap();
        let mut command = python();
        command.args(["-c", program]).arg(recorder()).arg(what).env("DBDYNO_RECORDING", &recording);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let [file] = &files(&recording)[..] else { panic!("one process has one file") };
        let is_lost = |line: &&RecordedLine| matches!(line, RecordedLine::SlotLost(lost) if lost.connection == 1);
        assert_eq!(file.lines.iter().filter(is_lost).count(), lost, "{what}: {:?}", file.lines);
        assert_eq!(file.calls().count(), 2 - lost);
        assert_eq!(file.lines.iter().filter(|line| matches!(line, RecordedLine::Close(_))).count(), 1);
    }
}
