//! What a worker uses while it runs, read from the kernel by this process: the worker is not disturbed, and need not know.

use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Time between two looks.
const EVERY: Duration = Duration::from_millis(250);

/// Counters of a worker since it began. What cannot be read is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// Resident memory, bytes.
    pub rss_bytes: u64,
    /// Bytes fetched from the storage layer.
    pub read_bytes: u64,
    /// Bytes sent to the storage layer.
    pub written_bytes: u64,
    /// Context switches, asked for and forced.
    pub switches: u64,
    /// The database with its side files, bytes on disk.
    pub database_bytes: u64,
}

/// Looks at a worker, at most every [`EVERY`].
#[derive(Debug)]
pub(super) struct Watch {
    process: PathBuf,
    databases: PathBuf,
    last: Option<Instant>,
}

impl Watch {
    /// A watch over a process and the folder of its databases.
    pub(super) fn new(process: u32, databases: PathBuf) -> Self {
        Self { process: PathBuf::from(format!("/proc/{process}")), databases, last: None }
    }

    /// What it uses now; none when the last look was a moment ago.
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

/// Bytes below a folder. Files come and go while it is read, so this is what was found.
fn on_disk(folder: &Path) -> u64 {
    dbdyno_workload::resources::disk_bytes(folder, "").map_or(0, |(bytes, _)| bytes)
}
