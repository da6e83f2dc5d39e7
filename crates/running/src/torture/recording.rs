//! A committing worker whose writes are recorded.

use super::{
    TortureError, TortureSetup, TortureTerms,
    folder::TortureFolder,
    mounted::{BackingFolder, Mounted},
    route::{PowerThrough, Route},
    subject::TortureSubject,
    worker,
};
use dbdyno_foundation::base::scratch::Scratch;
use dbdyno_workload::power::{PowerLog, missed};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The record of a worker's writes.
#[derive(Debug)]
pub(super) struct WriteRecording {
    pub(super) log: PowerLog,
    pub(super) route: Route,
    /// The reason why images made from it are no evidence.
    pub(super) unseen: Option<String>,
}

/// Records a worker by the requested route. The inner error is the reason why there is no record.
pub(super) fn recorded(
    subject: &TortureSubject,
    terms: &TortureTerms,
    setup: &TortureSetup,
    scratch: &Scratch,
) -> Result<Result<WriteRecording, String>, TortureError> {
    let writes = || by_writes(subject, terms, setup, scratch);
    let mount = || by_mount(subject, terms, setup, scratch);
    match terms.through {
        PowerThrough::Only(Route::Writes) => writes(),
        PowerThrough::Only(Route::Mount) => mount(),
        PowerThrough::Auto => {
            let by_writes = writes()?;
            if matches!(by_writes, Ok(WriteRecording { unseen: None, .. })) {
                return Ok(by_writes);
            }
            Ok(match (by_writes, mount()?) {
                (_, Ok(by_mount)) => Ok(by_mount),
                (Ok(recorded), Err(reason)) => {
                    let unseen = recorded.unseen.map(|unseen| neither(&unseen, &reason));
                    Ok(WriteRecording { unseen, ..recorded })
                }
                (Err(unrecorded), Err(reason)) => Err(neither(&unrecorded, &reason)),
            })
        }
    }
}

fn neither(writes: &str, mount: &str) -> String {
    format!("{writes}; a mount does not work either: {mount}")
}

/// The reason why there are no images for an engine whose program does not record.
const UNRECORDED: &str = "no power loss could be simulated, because its program does not record its file operations";

/// Has the worker itself record its calls.
fn by_writes(
    subject: &TortureSubject,
    terms: &TortureTerms,
    setup: &TortureSetup,
    scratch: &Scratch,
) -> Result<Result<WriteRecording, String>, TortureError> {
    let torture_folder = TortureFolder::cleared(scratch.path().join("recorded"), setup.patience)?;
    let Some(log) = worker::record(subject, &torture_folder, terms.commits).map_err(TortureError::Worker)? else {
        return Ok(Err(UNRECORDED.to_owned()));
    };
    judged(log, Route::Writes, &torture_folder.databases()).map(Ok)
}

/// Records the worker's writes as the kernel passes them on.
fn by_mount(
    subject: &TortureSubject,
    terms: &TortureTerms,
    setup: &TortureSetup,
    scratch: &Scratch,
) -> Result<Result<WriteRecording, String>, TortureError> {
    let torture_folder = TortureFolder::cleared(scratch.path().join("mounted"), setup.patience)?;
    let mount = torture_folder.with_databases()?;
    let backing = BackingFolder::cleared(scratch.path().join("aside"))?;
    let mounted = match Mounted::start(&mount, &backing, terms.commits) {
        Ok(mounted) => mounted,
        Err(reason) => return Ok(Err(reason)),
    };
    if let Err(reason) = worker::record_mounted(subject, &torture_folder, mounted, terms.commits) {
        return Ok(Err(format!("its worker failed on the mount: {}", torture_folder.unnamed(&reason))));
    }
    let log = PowerLog::read(&backing.log())
        .map_err(|error| TortureError::folder(&backing.log(), "cannot read the record", &error))?;
    judged(log, Route::Mount, &backing.files()).map(Ok)
}

/// Compares a record with the files that remain.
fn judged(log: PowerLog, route: Route, root: &Path) -> Result<WriteRecording, TortureError> {
    let unseen = unseen(&log, root).map_err(|error| TortureError::folder(root, "cannot read it", &error))?;
    Ok(WriteRecording { log, route, unseen })
}

/// Endings of the names of files that hold nothing of a commit, and that are created again when a database is opened after all its users
/// have ended: SQLite's index of its log and LMDB's table of readers, which are written through memory, and the messages of RocksDB.
const PASSING: [&str; 3] = ["-shm", "lock.mdb", "/LOG"];

/// Returns why images are no evidence: the final content of the database is not the result of the recorded calls.
fn unseen(log: &PowerLog, root: &Path) -> io::Result<Option<String>> {
    let lasting = |path: &&Path| !PASSING.iter().any(|end| path.to_string_lossy().ends_with(end));
    let joined = |paths: Vec<&Path>| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let missed = missed(log, root)?;
    let missed: Vec<&Path> = missed.iter().map(PathBuf::as_path).filter(lasting).collect();
    if !missed.is_empty() {
        return Ok(Some(format!("unrecorded writes changed {}", joined(missed))));
    }
    let mapped: Vec<&Path> = log.mapped().into_iter().filter(lasting).collect();
    Ok((!mapped.is_empty())
        .then(|| format!("{} is written through a memory map, where only synced data is recorded", joined(mapped))))
}
