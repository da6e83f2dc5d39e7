//! Cold starts: what a database has in the page cache is dropped, as far as it can be, and what is left is measured.

use dbdyno_engine::{EngineError, counters::Counters};
use std::{
    fs::{self, File},
    io,
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    path::Path,
};

/// The files of a database that is closed, after what could be dropped of them was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ColdStart {
    /// Bytes that the files occupy.
    bytes: u64,
    /// Bytes of them that are in memory all the same.
    resident: u64,
}

impl ColdStart {
    /// Drops the files below a folder from the page cache and looks at what is left; nothing where there is no such folder yet.
    /// They must be nobody's: what a process has mapped or not yet written stays.
    ///
    /// # Errors
    /// A file that cannot be read or synced.
    pub(crate) fn of(folder: &Path) -> Result<Self, EngineError> {
        let mut start = Self::default();
        if folder.exists() {
            start.add(folder).map_err(EngineError::doing("dropping the database from the page cache"))?;
        }
        Ok(start)
    }

    /// Whether there is a database.
    pub(crate) fn has_data(&self) -> bool {
        self.bytes > 0
    }

    /// Adds itself to the counters of the test that begins with it.
    pub(crate) fn add_to(&self, test: &mut Counters) {
        test.set("resident_bytes", Some(self.resident));
        test.set("start_bytes", Some(self.bytes));
    }

    fn add(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.add(&entry.path())?;
            } else if kind.is_file() {
                let file = File::open(entry.path())?;
                let metadata = file.metadata()?;
                // A page that is not on the disk yet cannot be dropped.
                file.sync_all()?;
                rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
                // Holes of a sparse file are neither on the disk nor in memory.
                let bytes = metadata.len().min(file.metadata()?.blocks() * 512);
                self.bytes += bytes;
                self.resident += resident_bytes(&file, metadata.len())?.min(bytes);
            }
        }
        Ok(())
    }
}

/// How much of a file is looked at at once, bytes: a whole number of pages of any size.
const PIECE: usize = 256 << 20;

/// Bytes of a file that are in the page cache: mincore(2) over a mapping that reads nothing.
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
        // SAFETY: the mapping is new, nobody reads from it, and it is gone before this round ends; there is a byte for each of its pages.
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
        let start = ColdStart::of(folder.path()).unwrap();
        assert!(start.bytes >= bytes as u64 && start.resident <= start.bytes, "{start:?}");
        let mut test = Counters::default();
        start.add_to(&mut test);
        assert_eq!(test.get("resident_bytes"), Some(start.resident));
        assert_eq!(ColdStart::of(&folder.path().join("none")).unwrap(), ColdStart::default());
        if Path::new("/dev/shm").exists() {
            let memory = tempfile::tempdir_in("/dev/shm").unwrap();
            fs::write(memory.path().join("data"), vec![7; bytes]).unwrap();
            let start = ColdStart::of(memory.path()).unwrap();
            assert_eq!((start.bytes, start.resident), (bytes as u64, bytes as u64), "nothing can be dropped there");
        } else {
            dbdyno_engine::say!("not checked: there is no /dev/shm");
        }
    }
}
