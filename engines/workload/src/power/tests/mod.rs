//! Tests of recordings and images, with calls whose effects are known, and with programs that are right or wrong by design.

mod calls;
mod kernel;
mod model;
mod programs;

use super::{PowerLog, PowerRecording, missed, record};
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A process can have only one recording, and tests share a process.
static TURN: Mutex<()> = Mutex::new(());

/// A recorded folder, and its log.
pub(super) struct RecordedFolder {
    folder: tempfile::TempDir,
    recording: Option<PowerRecording>,
    _turn: MutexGuard<'static, ()>,
}

impl RecordedFolder {
    /// Starts a recording after unrecorded work in the folder.
    pub(super) fn after(before: impl FnOnce(&Path)) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // The build folder is on a disk. The system's temporary folder may be in memory, where files have no holes that can be found.
        let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir(&root).unwrap();
        before(&root);
        let recording = record(&root, &folder.path().join("log")).unwrap();
        Self { folder, recording: Some(recording), _turn: turn }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Ends the recording, and returns its log and the names that the log does not explain.
    pub(super) fn end(mut self) -> (PowerLog, Vec<PathBuf>) {
        self.recording.take();
        let log = PowerLog::read(&self.folder.path().join("log")).unwrap();
        let missed = missed(&log, &self.root()).unwrap();
        (log, missed.into_iter().collect())
    }
}

#[test]
fn one_folder_at_a_time_is_recorded_and_the_log_is_elsewhere() {
    let mut recorded = RecordedFolder::after(|_| ());
    let (root, folder) = (recorded.root(), recorded.folder.path().to_owned());
    let refused = |root: &Path, log: &str| record(root, &folder.join(log)).unwrap_err();
    assert!(refused(&root, "another").to_string().ends_with("another recording is under way"));
    recorded.recording.take();
    assert!(refused(&root, "root/log").to_string().contains("inside the recorded folder"));
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0, "what is refused is not made");
    assert_eq!(refused(&root, "log").kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(refused(&folder.join("none"), "another").kind(), io::ErrorKind::NotFound);
    std::os::unix::fs::symlink("nowhere", root.join("link")).unwrap();
    assert!(refused(&root, "another").to_string().ends_with("link is neither a file nor a folder"));
}
