//! The resources of a running worker. This process reads them from the kernel, so the worker is not disturbed, and need not know.

use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Time between two readings.
const EVERY: Duration = Duration::from_millis(250);

/// Counters of a worker since it began. Unreadable ones are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// Resident memory, bytes.
    pub rss_bytes: u64,
    /// Bytes fetched from the storage layer.
    pub read_bytes: u64,
    /// Bytes sent to the storage layer.
    pub written_bytes: u64,
    /// Context switches, voluntary and forced.
    pub switches: u64,
    /// The database with its side files, bytes on disk.
    pub database_bytes: u64,
}

/// Reads the resources of a worker, at most once every [`EVERY`].
#[derive(Debug)]
pub(super) struct Watch {
    process: PathBuf,
    databases: PathBuf,
    last: Option<Instant>,
}

impl Watch {
    /// Watches a process and the folder of its databases.
    pub(super) fn new(process: u32, databases: PathBuf) -> Self {
        Self { process: PathBuf::from(format!("/proc/{process}")), databases, last: None }
    }

    /// Returns the current figures; none if the last reading was less than [`EVERY`] ago.
    pub(super) fn look(&mut self) -> Option<Uses> {
        if self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return None;
        }
        self.last = Some(Instant::now());
        let io = self.file("io");
        let status = self.file("status");
        Some(Uses {
            rss_bytes: field(&status, "VmRSS:") * 1024,
            read_bytes: field(&io, "read_bytes:"),
            written_bytes: field(&io, "write_bytes:"),
            switches: field(&status, "voluntary_ctxt_switches:") + field(&status, "nonvoluntary_ctxt_switches:"),
            database_bytes: on_disk(&self.databases),
        })
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.process.join(name)).unwrap_or_default()
    }
}

fn field(text: &str, name: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok());
    value.unwrap_or(0)
}

/// Returns the bytes below a folder. Files may come and go during the reading, so this is the sum of the files found.
fn on_disk(folder: &Path) -> u64 {
    dbdyno_workload::resources::disk_bytes(folder, "").map_or(0, |(bytes, _)| bytes)
}
