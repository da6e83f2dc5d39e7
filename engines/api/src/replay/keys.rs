//! Operations on keys.

use super::{
    keys_file,
    wire::{WireReader, WireWriter},
};
use crate::EngineError;
use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A recorded operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyOperation {
    /// Its place in the work of the actor.
    pub work: usize,
    /// When it began, ns since the beginning of the recording.
    pub at_ns: u64,
    /// The bytes of the value that it writes, or the rows that it reads.
    pub number: u64,
}

/// Writes what a thread does.
#[derive(Debug)]
pub struct KeysWriter {
    file: BufWriter<File>,
    encoded: Vec<u8>,
}

impl KeysWriter {
    /// Creates the file of a test's thread.
    ///
    /// # Errors
    /// It exists, or cannot be created.
    pub fn create(folder: &Path, test: u32, thread: u32) -> io::Result<Self> {
        let file = BufWriter::new(File::create_new(keys_file(folder, test, thread))?);
        Ok(Self { file, encoded: Vec::new() })
    }

    /// Appends an operation.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn operation(&mut self, operation: KeyOperation, key: &[u8]) -> io::Result<()> {
        let KeyOperation { work, at_ns, number } = operation;
        self.encoded.clear();
        let mut wire = WireWriter(&mut self.encoded);
        [work as u64, at_ns, number].into_iter().for_each(|number| wire.number(number));
        wire.bytes(key);
        self.file.write_all(&self.encoded)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Reads what a thread does.
#[derive(Debug)]
pub struct KeysReader {
    path: PathBuf,
    file: BufReader<File>,
    /// How many kinds of work the actor has.
    works: usize,
}

impl KeysReader {
    /// Opens the file of a test's thread, whose actor has this many kinds of work.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(folder: &Path, test: u32, thread: u32, works: usize) -> Result<Self, EngineError> {
        let path = keys_file(folder, test, thread);
        let file = File::open(&path).map_err(EngineError::doing(&format!("opening {}", path.display())))?;
        Ok(Self { path, file: BufReader::with_capacity(1 << 16, file), works })
    }

    /// Reads the next operation, and appends its key to `keys`. Returns `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read, or is not one of this format.
    pub fn next(&mut self, keys: &mut Vec<u8>) -> Result<Option<KeyOperation>, EngineError> {
        self.operation(keys).map_err(|error| EngineError::new(format!("{}: {error}", self.path.display())))
    }

    fn operation(&mut self, keys: &mut Vec<u8>) -> Result<Option<KeyOperation>, EngineError> {
        let mut file = WireReader(&mut self.file);
        if file.is_over()? {
            return Ok(None);
        }
        let work = file.length()?;
        if work >= self.works {
            return Err(EngineError::new(format!("there is no work {work}: expected less than {}", self.works)));
        }
        let operation = KeyOperation { work, at_ns: file.number()?, number: file.length()? as u64 };
        file.append(keys)?;
        Ok(Some(operation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let given = [
            (KeyOperation { work: 1, at_ns: u64::MAX, number: 300 }, &b"key"[..]),
            (KeyOperation { work: 0, at_ns: 0, number: 0 }, &[0, 255]),
        ];
        let mut writer = KeysWriter::create(folder.path(), 2, 7).unwrap();
        given.iter().for_each(|(operation, key)| writer.operation(*operation, key).unwrap());
        writer.finish().unwrap();

        let mut reader = KeysReader::open(folder.path(), 2, 7, 2).unwrap();
        let mut keys = Vec::new();
        assert_eq!(reader.next(&mut keys).unwrap(), Some(given[0].0));
        assert_eq!(reader.next(&mut keys).unwrap(), Some(given[1].0));
        assert_eq!(reader.next(&mut keys).unwrap(), None);
        assert_eq!(keys, b"key\0\xff");
    }

    #[test]
    fn what_are_no_operations_is_an_error_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        for (thread, bytes) in [&[2, 0, 0, 0][..], &[0, 0, 0], &[0, 0, 0, 2, 1], &[0x80; 12]].into_iter().enumerate() {
            std::fs::write(keys_file(folder.path(), 1, thread as u32), bytes).unwrap();
            let mut reader = KeysReader::open(folder.path(), 1, thread as u32, 2).unwrap();
            let error = reader.next(&mut Vec::new()).unwrap_err();
            assert!(error.message.contains(&format!("keys-1-{thread}: ")), "{error}");
        }
    }
}
