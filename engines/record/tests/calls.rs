//! What the recorder sees of a program in C, and that the program does not notice it.

#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod support;

use dbdyno_recording::{FileEnding, RecordedCall, RecordedLine, RecordedValue, RecorderKind};
use std::{os::unix::process::ExitStatusExt, path::PathBuf, process::Command};
use support::{CallsFileContent, Stage, files, not_checked, recorder};

fn text(text: &str) -> RecordedValue {
    RecordedValue::Text(text.to_owned())
}

#[test]
fn every_way_to_bind_a_value_is_recorded() {
    let Some(stage) = Stage::new() else { return };
    let [file] = &stage.same("binds", &[])[..] else { panic!("one process has one file") };
    let inserts = file.calls().filter(|call| file.sql(call).starts_with("INSERT"));
    let found: Vec<Vec<RecordedValue>> = inserts.map(|call| call.parameters.clone()).collect();
    let expected = vec![
        vec![RecordedValue::Integer(-7), RecordedValue::Real(2.0)],
        vec![text("freed early"), text("wide")],
        vec![text("16"), text("be")],
        vec![RecordedValue::Blob(vec![1, 2, 3]), RecordedValue::Blob(Vec::new())],
        vec![RecordedValue::Blob(vec![1, 2, 3]), RecordedValue::Blob(Vec::new())],
        vec![RecordedValue::ZeroBlob(5), RecordedValue::ZeroBlob(6)],
        vec![RecordedValue::Integer(1), RecordedValue::Real(1.5)],
        vec![text("text"), RecordedValue::Blob(vec![0xff])],
        vec![RecordedValue::Null, RecordedValue::Blob(vec![0xff])],
        vec![RecordedValue::Null, RecordedValue::Bytes(b"\xff\xfe not UTF-8".to_vec())],
    ];
    assert_eq!(found, expected);
    let Some(RecordedLine::Process(process)) = file.lines.first() else { panic!("the first line is the process") };
    assert_eq!(process.recorder, RecorderKind::Preload);
    assert!(process.sqlite_version.starts_with("3.") && process.program.ends_with("/program"), "{process:?}");
    assert!(process.compile_options.iter().any(|option| option.starts_with("THREADSAFE=")), "{process:?}");
    let FileEnding::Orderly(end) = file.ending else { panic!("{:?}", file.ending) };
    assert_eq!((end.calls, end.dropped), (file.calls().count() as u64, 0));
}

fn check_execs(stage: &Stage) {
    let [file] = &stage.same("execs", &[])[..] else { panic!("one process has one file") };
    let expected = [
        "CREATE TABLE t(a); | 0 0 0",
        "BEGIN; | 0 0 0",
        "INSERT INTO t VALUES (1), (2); | 0 2 0",
        "COMMIT; | 0 0 0",
        // The callback's own statements end before the outer one.
        "SELECT a FROM t WHERE a = ? | 1 0 100",
        "SELECT 'inner' | 1 0 0",
        "SELECT a FROM t WHERE a = ? | 1 0 100",
        "SELECT 'inner' | 1 0 0",
        "SELECT a FROM t; | 2 0 0",
        "DELETE FROM t WHERE a = 2 | 0 1 0",
        "SELECT 'aborted' FROM t | 1 0 100",
        "SELECT 1; | 1 0 0",
        "CREATE UNIQUE INDEX i ON t(a); | 0 0 0",
        "INSERT INTO t VALUES (1) | 0 0 19",
        "SELECT a, a FROM t | 1 0 0",
    ];
    // If the library hides its calls of itself, it is unknown whether a statement or the preparation of the next one
    // failed.
    let found: Vec<String> = file.outline().iter().map(|line| line.replace("| 1 0 -1", "| 1 0 0")).collect();
    assert_eq!(found, expected);
}

#[test]
fn statements_of_exec_are_recorded_one_by_one() {
    let Some(stage) = Stage::new() else { return };
    check_execs(&stage);
}

/// What the program in C reads, and the result codes of a recorder in front of SQLite.
const READS: [(&str, i32); 12] = [
    ("SELECT a, 'reset' FROM t | 1 0", 100),
    ("SELECT a, 'finalized' FROM t | 1 0", 100),
    ("SELECT a, 'to the end' FROM t | 3 0", 0),
    // The step after the end begins it again.
    ("SELECT a, 'again' FROM t | 3 0", 0),
    ("SELECT a, 'again' FROM t | 1 0", 100),
    // Whether there are more is unknown, as nobody asked.
    ("SELECT 'one' | 1 0", 100),
    ("SELECT 'none' FROM t WHERE a > 3 | 0 0", 0),
    ("SELECT abs(a - 9223372036854775807 - 3) FROM t | 1 0", 1),
    ("COMMIT | 0 0", 5),
    ("SELECT a, 'lock' FROM t | 1 0", 100),
    ("COMMIT | 0 0", 0),
    ("SELECT a, 'closed' FROM t | 4 0", 0),
];

/// Calls of the prepared statements, in the form of `READS`.
fn reads(file: &CallsFileContent) -> Vec<(String, i32)> {
    let is_prepared = |call: &&RecordedCall| file.sql(call).starts_with("SELECT") || file.sql(call) == "COMMIT";
    let outline =
        |call: &RecordedCall| (format!("{} | {} {}", file.sql(call), call.rows, call.changes), call.result_code);
    file.calls().filter(is_prepared).map(outline).collect()
}

#[test]
fn answers_that_are_not_read_to_their_end_are_told_from_others() {
    let Some(stage) = Stage::new() else { return };
    let [file] = &stage.same("reads", &[])[..] else { panic!("one process has one file") };
    assert_eq!(reads(file), READS.map(|(call, code)| (call.to_owned(), code)));
    let [failed, unread] = ["RETURNING a", "RETURNING a, a"].map(|end| {
        let call = file.calls().find(|call| file.sql(call).ends_with(end)).unwrap();
        (call.rows, call.result_code)
    });
    assert_eq!((failed, unread), ((1, 5), (1, 100)), "the reset met a lock, or did not");
}

#[test]
fn an_extension_tells_them_from_others_too() {
    let Some(stage) = Stage::new() else { return };
    let recorder = recorder();
    let mut command = stage.plain("reads", &[recorder.to_str().unwrap()]);
    let output = command.env("DBDYNO_RECORDING", stage.recording()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let [file] = &files(&stage.recording())[..] else { panic!("one process has one file: {output:?}") };
    let expected = READS.map(|(call, code)| (call.to_owned(), if code == 100 { 100 } else { -1 }));
    assert_eq!(reads(file), expected);
}

/// Archives of SQLite that can be linked as a shared library: those that Cargo has built for other crates.
fn archives() -> Vec<PathBuf> {
    let build = std::env::current_exe().unwrap().parent().unwrap().join("../build");
    let folders = std::fs::read_dir(build).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join("out/libsqlite3.a")).filter(|archive| archive.exists()).collect()
}

/// SQLite as some distributions link it: its calls of itself do not come to the recorder.
fn symbolic_library() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let archive = archives().pop()?;
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-Wl,-Bsymbolic-functions", "-Wl,-soname,libsqlite3.so.0", "-o"]);
    cc.arg(folder.path().join("libsqlite3.so.0"));
    cc.arg("-Wl,--whole-archive").arg(archive).args(["-Wl,--no-whole-archive", "-lm", "-lpthread", "-ldl"]);
    cc.output().is_ok_and(|output| output.status.success()).then_some(folder)
}

#[test]
fn statements_of_exec_are_recorded_if_the_library_hides_them() {
    let Some(stage) = Stage::new() else { return };
    let Some(folder) = symbolic_library() else {
        return not_checked("no libsqlite3.a of Cargo can be linked as a shared library");
    };
    check_execs(&stage.with_libraries(folder.path()));
}

#[test]
fn a_module_with_a_sqlite_of_its_own_is_recorded_with_that_one() {
    let Some(stage) = Stage::new() else { return };
    let Some(archive) = archives().pop() else { return not_checked("Cargo has built no libsqlite3.a") };
    let (host, plugin) = (stage.path("host"), stage.path("plugin.so"));
    let source = |name: &str| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let cc = |arguments: &[&std::ffi::OsStr]| {
        let status = Command::new("cc").args(["-O1", "-w", "-o"]).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    cc(&[host.as_ref(), source("host.c").as_ref(), "-ldl".as_ref()]);
    let libraries = ["-lm", "-lpthread", "-ldl"].map(std::ffi::OsStr::new);
    let flags = ["-shared", "-fPIC"].map(std::ffi::OsStr::new);
    let program = source("program.c");
    let inputs = [plugin.as_os_str(), program.as_os_str(), archive.as_os_str()];
    cc(&[&inputs[..], &flags[..], &libraries[..]].concat());
    let command = || {
        let mut command = Command::new(&host);
        command.arg(&plugin).arg(stage.path("db"));
        command
    };
    let plain = command().output().unwrap();
    assert!(plain.status.success() && String::from_utf8_lossy(&plain.stdout).contains("close: 0"), "{plain:?}");
    stage.remove_database();
    let mut recorded = command();
    support::record(&mut recorded, &stage.recording());
    support::assert_same(&plain, &recorded.output().unwrap());
    let [file] = &files(&stage.recording())[..] else { panic!("one process has one file") };
    assert_eq!(file.outline().len(), 15);
    let Some(RecordedLine::Process(process)) = file.lines.first() else { panic!("the first line is the process") };
    assert_eq!(process.sqlite_version, rusqlite::version(), "the module's version, and not that of a shared library");
}

fn calls_at_the_end(how: &str) -> Option<(Stage, std::process::ExitStatus, Vec<CallsFileContent>)> {
    let stage = Stage::new()?;
    let plain = stage.plain("ends", &[how]).output().unwrap();
    let recorded = stage.recorded("ends", &[how]).output().unwrap();
    assert_eq!(plain.status, recorded.status);
    let files = files(&stage.recording());
    Some((stage, recorded.status, files))
}

#[test]
fn calls_before_exit_and_underscore_exit_are_written() {
    for how in ["exit", "_exit"] {
        let Some((_stage, status, files)) = calls_at_the_end(how) else { return };
        assert_eq!(status.code(), Some(3));
        assert_eq!(files[0].outline(), ["SELECT 'before the end' | 1 0 0"], "{how}");
        assert!(matches!(files[0].ending, FileEnding::Orderly(_)), "{how}: {:?}", files[0].ending);
    }
}

#[test]
fn calls_before_an_abort_are_written_if_they_are_older_than_a_block() {
    let Some((_stage, status, files)) = calls_at_the_end("abort") else { return };
    assert_eq!(status.signal(), Some(libc::SIGABRT));
    assert_eq!(files[0].outline(), ["SELECT 'before the end' | 1 0 0"]);
    assert_eq!(files[0].ending, FileEnding::NoEnd { calls: 1 });
}

#[test]
fn each_program_of_an_exec_has_its_own_file() {
    let Some((_stage, status, mut files)) = calls_at_the_end("execv") else { return };
    assert_eq!(status.code(), Some(3));
    files.sort_by_key(|file| matches!(file.ending, FileEnding::Orderly(_)));
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|file| file.outline() == ["SELECT 'before the end' | 1 0 0"]));
    assert_eq!(files[0].ending, FileEnding::NoEnd { calls: 1 });
}

#[test]
fn a_program_that_closes_all_descriptors_keeps_its_files() {
    let Some((stage, _, files)) = calls_at_the_end("closed") else { return };
    assert_eq!(std::fs::read(stage.path("own")).unwrap(), b"", "the program's own file");
    let expected = ["SELECT 'before the end' | 1 0 0", "SELECT 'after the closing' | 1 0 0"];
    assert_eq!(files[0].outline(), expected);
}

#[test]
fn threads_lose_nothing_unnoticed_and_memory_stays_flat() {
    const THREADS: u64 = 8;
    let Some(stage) = Stage::new() else { return };
    let memory = |statements: u64| {
        let stage = Stage::new().unwrap();
        let output = stage.recorded("threads", &["8", &statements.to_string()]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let [file] = &files(&stage.recording())[..] else { panic!("one process has one file") };
        let calls = file.calls().count() as u64;
        assert_eq!(calls + file.lost(), THREADS * statements, "{calls} calls, {} lost", file.lost());
        let FileEnding::Orderly(end) = file.ending else { panic!("{:?}", file.ending) };
        assert_eq!((end.calls, end.dropped), (calls, file.lost()));
        // Of each connection the calls come in their order, and without gaps if nothing was lost.
        for connection in 1..=THREADS as u32 {
            let own = file.calls().filter(|call| call.connection == connection);
            let seconds: Vec<i64> = own
                .map(|call| match call.parameters[..] {
                    [RecordedValue::Integer(_), RecordedValue::Integer(n)] => n,
                    _ => panic!("{call:?}"),
                })
                .collect();
            assert!(seconds.is_sorted() && !seconds.is_empty());
            assert!(file.lost() > 0 || seconds.iter().copied().eq(0..statements as i64));
        }
        String::from_utf8(output.stdout).unwrap().trim().parse::<u64>().unwrap()
    };
    drop(stage);
    let (few, many) = (memory(2_000), memory(125_000));
    assert!(many < few + 16_000, "{few} kB with few statements, {many} kB with a million");
}
