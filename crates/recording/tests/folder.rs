//! A recording's folder.

use dbdyno_recording::{
    RecordedDatabase, RecordingError, RecordingFolder, RecordingManifest, calls_file, database_file, description_file,
};
use std::{env, fs, io, path::PathBuf, process};

/// A new folder that disappears with its test.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> io::Result<Self> {
        let path = env::temp_dir().join(format!("dbdyno-recording-{}-{name}", process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn manifest() -> RecordingManifest {
    RecordingManifest {
        version: 1,
        command: vec!["svn".to_owned(), "commit".to_owned()],
        directory: "/home/example".to_owned(),
        started_at: "2026-01-02T03:04:05Z".to_owned(),
        dbdyno_version: "0.2.0".to_owned(),
        host: [("cpu".to_owned(), "a cpu".into())].into_iter().collect(),
    }
}

#[test]
fn a_manifest_is_written_once_and_read() {
    let folder = TestFolder::new("manifest").unwrap();
    manifest().write(&folder.0).unwrap();
    assert_eq!(RecordingManifest::read(&folder.0).unwrap(), manifest());
    assert!(matches!(manifest().write(&folder.0), Err(RecordingError::Io { .. })));
}

#[test]
fn a_manifest_of_another_version_is_refused() {
    let folder = TestFolder::new("version").unwrap();
    fs::write(folder.0.join("manifest.json"), "{\"version\":3}").unwrap();
    let error = RecordingManifest::read(&folder.0).unwrap_err();
    assert!(matches!(error, RecordingError::Version { found: 3, expected: 1, .. }), "{error}");
}

#[test]
fn a_folder_lists_calls_and_complete_databases() {
    let folder = TestFolder::new("list").unwrap();
    let database = RecordedDatabase {
        path: "/x.db".to_owned(),
        taken_at_ns: 1,
        pages: 2,
        page_size: 4096,
        journal_mode: "wal".to_owned(),
        user_version: -1,
        application_id: 7,
    };
    database.write(&folder.0.join(description_file(2))).unwrap();
    for name in [calls_file(10, 2), calls_file(10, 1), database_file(1), database_file(2), "other".to_owned()] {
        fs::write(folder.0.join(name), "").unwrap();
    }
    let found = RecordingFolder::open(&folder.0).unwrap();
    assert_eq!(found.calls(), [folder.0.join("calls-10-1.jsonl.zst"), folder.0.join("calls-10-2.jsonl.zst")]);
    assert_eq!(found.databases(), [(2, database)]);
    assert_eq!(found.database("database-2.sqlite"), Some(folder.0.join("database-2.sqlite")));
    // A copy without a description is incomplete, and a name from a line must not lead out of the folder.
    assert_eq!(found.database("database-1.sqlite"), None);
    assert_eq!(found.database("../database-2.sqlite"), None);
}
