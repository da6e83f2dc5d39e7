//! The file of a database, which counts what redb asks of it. redb's own counters of its cache (feature `cache_metrics`) are incremented
//! for each page that is read, by all threads in one place. These are incremented only where a system call is made anyway.

use dbdyno_engine::counters::EngineCounters;
use redb::{BackendError, DatabaseError, StorageBackend, backends::FileBackend};
use std::{
    collections::BTreeMap,
    fs::File,
    io::Result,
    ops::Bound,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// What redb has asked of a file.
#[derive(Debug, Default)]
pub(crate) struct FileCounts {
    reads: AtomicU64,
    writes: AtomicU64,
    resizes: AtomicU64,
}

const CACHE_MISSES: &str = "cache_misses";
const CACHE_WRITES: &str = "cache_writes";
const FILE_RESIZES: &str = "file_resizes";

/// Returns the meaning of each counter, by name.
pub(crate) fn described() -> BTreeMap<String, String> {
    let counters = [
        (CACHE_MISSES, "pages that were not in the page cache, and were read from the file"),
        (CACHE_WRITES, "pages written from the page cache, and headers written by commits"),
        (FILE_RESIZES, "times that the file was made longer or shorter"),
    ];
    counters.map(|(name, about)| (name.to_owned(), about.to_owned())).into()
}

impl FileCounts {
    pub(crate) fn counters(&self) -> EngineCounters {
        EngineCounters::of_database([
            (CACHE_MISSES, self.reads.load(Relaxed)),
            (CACHE_WRITES, self.writes.load(Relaxed)),
            (FILE_RESIZES, self.resizes.load(Relaxed)),
        ])
    }
}

/// redb's own backend, with counters.
#[derive(Debug)]
pub(crate) struct CountedFile {
    backend: FileBackend,
    counts: Arc<FileCounts>,
}

impl CountedFile {
    pub(crate) fn new(file: File, counts: &Arc<FileCounts>) -> std::result::Result<Self, DatabaseError> {
        Ok(Self { backend: FileBackend::new(file)?, counts: Arc::clone(counts) })
    }
}

type Locked<T> = std::result::Result<T, BackendError>;

impl StorageBackend for CountedFile {
    fn len(&self) -> Result<u64> {
        self.backend.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.counts.reads.fetch_add(1, Relaxed);
        self.backend.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.counts.resizes.fetch_add(1, Relaxed);
        self.backend.set_len(len)
    }

    fn sync_data(&self) -> Result<()> {
        self.backend.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.counts.writes.fetch_add(1, Relaxed);
        self.backend.write(offset, data)
    }

    fn close(&self) -> Result<()> {
        self.backend.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<bool> {
        self.backend.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<bool> {
        self.backend.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<()> {
        self.backend.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<()> {
        self.backend.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<()> {
        self.backend.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<bool> {
        self.backend.query_lock_range(start, end)
    }
}
