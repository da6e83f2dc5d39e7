//! A log while it is written.

use super::record::{FileId, MAGIC, PowerRecord};
use rustix::io::Errno;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// Writes a log's file, record by record. Keeps the first error, because a log with a gap proves nothing.
#[derive(Debug)]
pub struct Tape {
    file: File,
    /// A record that is being written to the file.
    buffer: Vec<u8>,
    failed: Option<io::Error>,
    /// The number of files so far.
    files: u64,
}

impl Tape {
    /// Creates the file.
    ///
    /// # Errors
    /// The file already exists, or cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::create_new(path)?, buffer: MAGIC.to_vec(), failed: None, files: 0 })
    }

    /// Appends a record. It has left the process when this returns; [`health`](Self::health) reports errors.
    pub fn append(&mut self, record: &PowerRecord) {
        record.encode(&mut self.buffer);
        let mut left = self.buffer.as_slice();
        while !left.is_empty() && self.failed.is_none() {
            match rustix::io::write(&self.file, left) {
                Ok(written) => left = &left[written..],
                Err(Errno::INTR) => {}
                Err(error) => self.failed = Some(error.into()),
            }
        }
        self.buffer.clear();
    }

    /// Appends the record of a new file with its first name, and returns its identifier.
    pub fn new_file(&mut self, name: PathBuf) -> FileId {
        let file = FileId(self.files);
        self.files += 1;
        self.append(&PowerRecord::Created { file, name });
        file
    }

    /// Ends the log here, because a call could not be recorded.
    pub fn fail(&mut self, error: io::Error) {
        self.failed.get_or_insert(error);
    }

    /// Checks that everything so far is in the file.
    ///
    /// # Errors
    /// The first error that occurred while recording.
    pub fn health(&self) -> io::Result<()> {
        let again = |error: &io::Error| io::Error::new(error.kind(), format!("writing the log of calls: {error}"));
        self.failed.as_ref().map_or(Ok(()), |error| Err(again(error)))
    }
}
