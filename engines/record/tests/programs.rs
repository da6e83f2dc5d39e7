//! Widely used programs: Subversion, the shell of SQLite, Node.js with better-sqlite3. Each is checked if it is
//! installed. `DBDYNO_BETTER_SQLITE3` names a folder with `node_modules/better-sqlite3`.

#![allow(clippy::unwrap_used, reason = "functions of tests")]
#![allow(clippy::print_stdout, reason = "for people who run the tests")]

mod support;

use dbdyno_recording::{FileEnding, RecordedLine, RecorderKind};
use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
};
use support::{assert_same, files, record, recorder};

/// Runs a script of the shell in a new folder, without and with the recorder, and returns the recorded output.
fn same(script: &str, folder: &Path) -> Output {
    let run = |recording: Option<&Path>| {
        let place = folder.join("place");
        fs::create_dir(&place).unwrap();
        let mut command = Command::new("sh");
        command.args(["-ec", script]).current_dir(&place);
        if let Some(recording) = recording {
            record(&mut command, recording);
        }
        let output = command.output().unwrap();
        fs::remove_dir_all(place).unwrap();
        output
    };
    let plain = run(None);
    let recorded = run(Some(&folder.join("recording")));
    assert_same(&plain, &recorded);
    recorded
}

fn is_missing(program: &str) -> bool {
    let is_missing = !Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if is_missing {
        println!("not checked: {program} is missing");
    }
    is_missing
}

#[test]
fn subversion() {
    if is_missing("svn") || is_missing("svnadmin") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("recording")).unwrap();
    let script = "svnadmin create repository
        svn checkout -q file://$PWD/repository copy
        echo text > copy/a; echo text > copy/b
        svn add -q copy/a copy/b
        svn commit -q -m message copy
        svn status copy; svn info --show-item revision copy";
    assert!(same(script, folder.path()).status.success());
    let files = files(&folder.path().join("recording"));
    assert!(files.len() >= 5, "each command has its own file: {}", files.len());
    let calls: usize = files.iter().map(|file| file.calls().count()).sum();
    assert!(calls > 300, "{calls}");
    for file in &files {
        assert!(matches!(file.ending, FileEnding::Orderly(_)), "{:?}", file.ending);
        assert_eq!(file.lost(), 0);
    }
    let all = || files.iter().flat_map(|file| file.calls().map(move |call| (file.sql(call), call)));
    assert!(all().any(|(sql, call)| sql.contains("WHERE wc_id = ?1") && call.parameters.len() >= 2 && call.rows > 0));
}

#[test]
fn the_shell_of_sqlite() {
    if is_missing("sqlite3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("recording")).unwrap();
    let script = "sqlite3 db 'CREATE TABLE t(a); INSERT INTO t VALUES (1), (2); SELECT * FROM t'; sqlite3 db .dump";
    assert!(same(script, folder.path()).status.success());
    let files = files(&folder.path().join("recording"));
    if files.is_empty() {
        return println!("not checked: this sqlite3 has a SQLite of its own");
    }
    assert!(files.iter().any(|file| file.outline().contains(&"SELECT * FROM t | 2 0 0".to_owned())));
}

#[test]
fn better_sqlite3() {
    let Some(modules) = env::var_os("DBDYNO_BETTER_SQLITE3") else {
        return println!("not checked: DBDYNO_BETTER_SQLITE3 names no folder with better-sqlite3");
    };
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("recording")).unwrap();
    let script = "const db = new (require('better-sqlite3'))(process.argv[1], { verbose: sql => console.log(sql) })
        db.loadExtension(process.argv[2])
        db.exec('CREATE TABLE t(a, b); CREATE TABLE u(x)')
        const insert = db.prepare('INSERT INTO t VALUES (?, ?)')
        db.transaction(() => { for (let n = 0; n < 100; n++) insert.run(n, `it's ${n}`) })()
        console.log(db.prepare('SELECT count(*) AS n FROM t WHERE b <> @b').get({ b: 'x' }))
        for (const row of db.prepare('SELECT * FROM t').iterate()) if (row.a == 2) break
        try { db.exec('INSERT INTO nothing VALUES (1)') } catch (error) { console.log(error.message) }
        db.close()";
    let run = |name: &str, is_recorded: bool| {
        let mut node = Command::new("node");
        node.args(["-e", script]).arg(folder.path().join(name)).arg(recorder()).current_dir(&modules);
        if is_recorded {
            node.env("DBDYNO_RECORDING", folder.path().join("recording"));
        }
        node.output().unwrap()
    };
    let plain = run("plain", false);
    assert!(plain.status.success(), "{plain:?}");
    assert_same(&plain, &run("recorded", true));
    let [file] = &files(&folder.path().join("recording"))[..] else { panic!("one process has one file") };
    let Some(RecordedLine::Process(process)) = file.lines.first() else { panic!("{:?}", file.lines) };
    assert_eq!(process.recorder, RecorderKind::Extension);
    let outline = file.outline();
    assert_eq!(outline.iter().filter(|line| *line == "INSERT INTO t VALUES (?, ?) | 0 1 -1").count(), 100);
    assert!(outline.contains(&"SELECT * FROM t | 3 0 -1".to_owned()), "{outline:?}");
    assert_eq!(file.lost(), 0);
    assert!(matches!(file.ending, FileEnding::Orderly(_)), "{:?}", file.ending);
}
