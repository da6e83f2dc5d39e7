//! Requests of the world, and the responses to them.

use super::{Noise, WorkFolder};
use crate::tui::setup::TuiSetup;
use dbdyno_catalog::engines::Registry;
use dbdyno_foundation::host::{NoiseSample, WorkFolderFacts, measure_fsync};
use dbdyno_store::{Store, StoreError, StoreHistory, WarningRecord};
use std::{path::Path, thread, time::Duration};

/// How long other programs are watched to measure how busy the machine is.
const WATCH: Duration = Duration::from_secs(1);
/// CPU time that others may use on a quiet machine.
const BUSY: f64 = 0.10;
/// CPU time that other guests may take.
const STEAL: f64 = 0.01;

/// Facts that take too long to read at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// The engines, including those that are separate programs.
    Engines,
    /// The work folder's facts and the time of a sync there.
    WorkFolder,
    /// What earlier runs took.
    History,
    /// How busy the machine is.
    Noise,
}

#[derive(Debug)]
pub enum Response {
    /// The engines, and those that cannot be used.
    Engines(Registry),
    /// Where databases are put.
    WorkFolder(WorkFolder),
    /// What earlier runs took, and the warnings about the newest session; or why the store cannot be read.
    History(Result<(StoreHistory, Vec<WarningRecord>), String>),
    /// How busy the machine was for a second.
    Noise(Noise),
}

/// Responds to a request. This can take long, so call it on a separate thread.
pub(crate) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::Engines => Response::Engines(Registry::discover()),
        Request::WorkFolder => Response::WorkFolder(work_folder(&setup.work_dir)),
        Request::History => Response::History(history(&setup.store)),
        Request::Noise => Response::Noise(noise()),
    }
}

/// Returns what earlier runs took, and the warnings about the newest session. A store in use by others is no error, because the screens
/// wait for it.
fn history(store: &Store) -> Result<(StoreHistory, Vec<WarningRecord>), String> {
    let read = || Ok((StoreHistory::try_read(store)?, store.newest_warnings()?));
    match read() {
        Err(error) if StoreError::is_locked(&error) => Ok((StoreHistory::default(), Vec::new())),
        found => found.map_err(|error| error.to_string()),
    }
}

fn work_folder(work_dir: &Path) -> WorkFolder {
    // If the folder cannot be created, this is reported when a session begins.
    let _ = std::fs::create_dir_all(work_dir);
    let fsync = measure_fsync(work_dir).ok().map(Duration::from_nanos);
    WorkFolder { facts: Some(WorkFolderFacts::read(work_dir)), fsync }
}

fn noise() -> Noise {
    let before = NoiseSample::now();
    thread::sleep(WATCH);
    let noise = NoiseSample::now().since(&before);
    let percent = |share: f64| (share * 100.0).round().clamp(0.0, 100.0) as u8;
    match (noise.steal_share, noise.busy_share) {
        (Some(steal), _) if steal > STEAL => Noise::Stolen(percent(steal)),
        (_, Some(busy)) if busy > BUSY => Noise::Busy(percent(busy)),
        (None, None) => Noise::Unknown,
        _ => Noise::Quiet,
    }
}
