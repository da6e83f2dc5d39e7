//! Cold starts: drops as much of a database as possible from the page cache, and measures what is left before and after the database is
//! opened.

use dbdyno_engine::{EngineError, counters::Counters};
use std::{
    fs::{self, File},
    io,
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    thread,
};

/// The files of a database at the beginning of a test that starts cold.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ColdStart {
    folder: PathBuf,
    /// The files while the database was closed, after the page cache was dropped.
    closed: FileResidency,
    /// Bytes of the files in memory after the database was opened; `None` before.
    opened_resident: Option<u64>,
}

/// Files below a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FileResidency {
    /// Bytes that they occupy on the disk.
    bytes: u64,
    /// Bytes of the files that are in memory.
    resident: u64,
}

impl ColdStart {
    /// Drops the files below a folder from the page cache and measures what is left; empty if the folder does not exist yet. No process may
    /// use the files: pages that a process has mapped or not yet written stay.
    ///
    /// # Errors
    /// A file cannot be read or synced.
    pub(crate) fn of(folder: &Path) -> Result<Self, EngineError> {
        let mut closed = FileResidency::default();
        if folder.exists() {
            closed
                .add(folder, drop_from_memory)
                .map_err(EngineError::doing("dropping the database from the page cache"))?;
        }
        Ok(Self { folder: folder.to_owned(), closed, opened_resident: None })
    }

    /// Measures what is in memory after the database was opened, because an engine may read all of it.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn look_after_opening(&mut self) -> Result<(), EngineError> {
        let mut opened = FileResidency::default();
        let looked = with_own_descriptors(|| opened.add(&self.folder, |_| Ok(())));
        looked.map_err(EngineError::doing("measuring how much of the database is in memory"))?;
        self.opened_resident = Some(opened.resident);
        Ok(())
    }

    /// Whether the database exists on the disk.
    pub(crate) fn has_data(&self) -> bool {
        self.closed.bytes > 0
    }

    /// Adds its figures to the counters of the test that starts cold.
    pub(crate) fn add_to(&self, test: &mut Counters) {
        test.set("resident_bytes", Some(self.closed.resident));
        test.set("start_bytes", Some(self.closed.bytes));
        test.set("opened_resident_bytes", self.opened_resident);
    }
}

impl FileResidency {
    /// Adds all files below a folder, each after calling `first` on it.
    fn add(&mut self, folder: &Path, first: fn(&File) -> io::Result<()>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.add(&entry.path(), first)?;
            } else if kind.is_file() {
                // Threads of an open engine may remove files meanwhile.
                let file = match File::open(entry.path()) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    opened => opened?,
                };
                first(&file)?;
                let metadata = file.metadata()?;
                // Holes of a sparse file occupy neither disk nor memory.
                let bytes = metadata.len().min(metadata.blocks() * 512);
                self.bytes += bytes;
                self.resident += resident_bytes(&file, metadata.len())?.min(bytes);
            }
        }
        Ok(())
    }
}

fn drop_from_memory(file: &File) -> io::Result<()> {
    // A page that is not on the disk yet cannot be dropped.
    file.sync_all()?;
    Ok(rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?)
}

/// Runs `work` in a thread with its own file descriptors. Closing a file in any other thread of this process would release the locks that
/// an engine has on it (fcntl(2)).
fn with_own_descriptors(work: impl FnOnce() -> io::Result<()> + Send) -> io::Result<()> {
    let apart = || {
        unshare_descriptors()?;
        work()
    };
    let done = thread::scope(|scope| scope.spawn(apart).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[expect(unsafe_code, reason = "unshare has no safe wrapper among the crates used here")]
fn unshare_descriptors() -> io::Result<()> {
    // SAFETY: this thread gets a copy of the descriptor table, in which every descriptor that it knows keeps its number.
    match unsafe { libc::unshare(libc::CLONE_FILES) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Bytes of a file that are checked at a time: a multiple of every page size.
const PIECE: usize = 256 << 20;

/// Returns how many bytes of a file are in the page cache: mincore(2) over a mapping that reads nothing.
#[expect(unsafe_code, reason = "mmap and mincore have no safe wrapper among the crates used here")]
fn resident_bytes(file: &File, length: u64) -> io::Result<u64> {
    // SAFETY: sysconf reads a constant of the system.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let mut resident = 0;
    let mut pages = Vec::new();
    for offset in (0..length).step_by(PIECE) {
        let piece = usize::try_from(length - offset).map_or(PIECE, |left| left.min(PIECE));
        pages.clear();
        pages.resize(piece.div_ceil(page), 0_u8);
        // SAFETY: the mapping is new, no code reads from it, and it is unmapped before this iteration ends; `pages` has a byte for each of
        // its pages.
        let looked = unsafe {
            let (anywhere, offset) = (std::ptr::null_mut(), offset as libc::off_t);
            let mapping = libc::mmap(anywhere, piece, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), offset);
            if mapping == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let looked = match libc::mincore(mapping, piece, pages.as_mut_ptr().cast()) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            };
            libc::munmap(mapping, piece);
            looked
        };
        looked?;
        let in_memory = pages.iter().filter(|page| **page & 1 == 1).count();
        resident += (in_memory * page).min(piece) as u64;
    }
    Ok(resident)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_dropped_and_what_is_in_memory_is_told() {
        // The build folder is on a disk; the system's temporary folder may be in memory.
        let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        let path = folder.path().join("below/data");
        let bytes = 3 << 20;
        fs::write(&path, vec![7; bytes]).unwrap();
        assert_eq!(resident_bytes(&File::open(&path).unwrap(), bytes as u64).unwrap(), bytes as u64);
        let mut start = ColdStart::of(folder.path()).unwrap();
        assert!(start.closed.bytes >= bytes as u64 && start.closed.resident < bytes as u64 / 20, "{start:?}");
        let mut test = Counters::default();
        start.add_to(&mut test);
        assert_eq!(test.get("resident_bytes"), Some(start.closed.resident));
        assert_eq!(test.get("opened_resident_bytes"), None);
        fs::read(&path).unwrap();
        start.look_after_opening().unwrap();
        start.add_to(&mut test);
        assert_eq!(
            test.get("opened_resident_bytes"),
            Some(bytes as u64),
            "as an engine that reads all of it while it opens"
        );
        assert_eq!(test.get("resident_bytes"), Some(start.closed.resident));
        assert_eq!(ColdStart::of(&folder.path().join("none")).unwrap().closed, FileResidency::default());
        if Path::new("/dev/shm").exists() {
            let memory = tempfile::tempdir_in("/dev/shm").unwrap();
            fs::write(memory.path().join("data"), vec![7; bytes]).unwrap();
            let start = ColdStart::of(memory.path()).unwrap();
            let all = FileResidency { bytes: bytes as u64, resident: bytes as u64 };
            assert_eq!(start.closed, all, "nothing can be dropped there");
        } else {
            dbdyno_engine::say!("not checked: there is no /dev/shm");
        }
    }

    #[test]
    fn a_look_leaves_the_locks_of_an_open_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let file = File::create(&path).unwrap();
        rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
        let of_file = format!(":{} ", file.metadata().unwrap().ino());
        let is_locked = || fs::read_to_string("/proc/locks").unwrap().lines().any(|lock| lock.contains(&of_file));
        assert!(is_locked());
        let mut start = ColdStart { folder: folder.path().to_owned(), ..ColdStart::default() };
        start.look_after_opening().unwrap();
        assert!(is_locked());
        drop(File::open(&path).unwrap());
        assert!(!is_locked(), "as any other thread's look would leave it");
    }
}
