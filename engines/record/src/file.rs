//! The file of calls of a process.

use crate::system;
use dbdyno_recording::calls_file;
use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::{
        fd::{AsRawFd, FromRawFd},
        unix::fs::{MetadataExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

/// An append-only file. The program may close its descriptor, as daemons close all they know, and get the same number
/// for a file of its own: so the file's identity is checked before each write.
pub(crate) struct CallsFile {
    file: Option<File>,
    path: PathBuf,
    identity: (u64, u64),
    bytes: u64,
}

/// Descriptors from here on: programs count on getting the lowest.
const HIGH_DESCRIPTOR: i32 = 400;

impl CallsFile {
    /// Makes a new file for a process image.
    pub(crate) fn create(folder: &Path, pid: u32) -> io::Result<Self> {
        let mut number = 1;
        loop {
            let path = folder.join(calls_file(pid, number));
            match OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return Self::new(high(file), path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn new(file: File, path: PathBuf) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self { file: Some(file), path, identity: (metadata.dev(), metadata.ino()), bytes: 0 })
    }

    /// Appends a block. After an error the file ends with the block before.
    pub(crate) fn append(&mut self, block: &[u8]) -> io::Result<()> {
        self.reopen_if_lost()?;
        let Some(file) = &mut self.file else { return Err(ErrorKind::NotFound.into()) };
        let result = file.write_all(block);
        match result {
            Ok(()) => self.bytes += block.len() as u64,
            // A part of a block in the middle would make the rest unreadable.
            Err(_) => file.set_len(self.bytes)?,
        }
        result
    }

    fn reopen_if_lost(&mut self) -> io::Result<()> {
        let identity = |file: &File| file.metadata().map(|metadata| (metadata.dev(), metadata.ino()));
        if self.file.as_ref().is_some_and(|file| identity(file).is_ok_and(|found| found == self.identity)) {
            return Ok(());
        }
        if let Some(lost) = self.file.take() {
            // The descriptor is the program's now: it must stay open.
            std::mem::forget(lost);
        }
        let file = high(OpenOptions::new().append(true).open(&self.path)?);
        if identity(&file)? != self.identity {
            return Err(ErrorKind::NotFound.into());
        }
        self.file = Some(file);
        Ok(())
    }
}

/// Moves a descriptor out of the program's way, if its limit allows that.
fn high(file: File) -> File {
    // SAFETY: duplicates an open descriptor.
    let moved = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR) };
    if moved < 0 {
        return file;
    }
    // SAFETY: the descriptor is new, and nothing else owns it.
    unsafe { File::from_raw_fd(moved) }
}

/// Limits the bytes of a recording. All processes count, so the folder is read again now and then.
pub(crate) struct SizeLimit {
    limit: u64,
    known: u64,
    counted_at: u64,
}

/// Nanoseconds between two counts of the folder.
const COUNT_NS: u64 = 1_000_000_000;

impl SizeLimit {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, known: 0, counted_at: 0 }
    }

    /// Returns whether `bytes` more may be written, and counts them.
    pub(crate) fn admits(&mut self, folder: &Path, bytes: u64) -> bool {
        if self.limit == u64::MAX {
            return true;
        }
        let now = system::monotonic();
        if self.counted_at == 0 || now - self.counted_at > COUNT_NS {
            self.known = crate::snapshot::folder_bytes(folder);
            self.counted_at = now;
        }
        self.known = self.known.saturating_add(bytes);
        self.known <= self.limit
    }
}
