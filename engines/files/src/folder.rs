//! A folder that is kept open, so that calls do not have to look it up again.

use rustix::{
    fs::{Access, AtFlags, Mode, OFlags, accessat, openat, renameat, unlinkat},
    io::Errno,
};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// What a write waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    Off,
    /// The content of files.
    Data,
    /// The content of files, and their names.
    Full,
}

#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    open: File,
}

/// The content read from a file. Its memory is reused for the next file.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    room: Vec<u8>,
    filled: usize,
}

/// Buffer size for a file of unknown size: one call reads most values, and one more finds the end of the file.
const ROOM: usize = 16 << 10;

impl Buffer {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.room[..self.filled]
    }

    fn fill(&mut self, mut file: File) -> io::Result<()> {
        self.filled = 0;
        loop {
            if self.filled == self.room.len() {
                self.room.resize((2 * self.filled).max(ROOM), 0);
            }
            match file.read(&mut self.room[self.filled..]) {
                Ok(0) => return Ok(()),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Folder {
    /// Opens a folder, and creates it if it does not exist.
    pub(crate) fn make(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self { open: File::open(&path)?, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file; false if no file has this name.
    pub(crate) fn read(&self, name: &str, into: &mut Buffer) -> io::Result<bool> {
        match openat(&self.open, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => into.fill(File::from(file)).map(|()| true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn contains(&self, name: &str) -> io::Result<bool> {
        found(accessat(&self.open, name, Access::EXISTS, AtFlags::empty()))
    }

    /// Writes a file, and replaces an existing file of this name.
    pub(crate) fn write(&self, name: &str, bytes: &[u8], sync: Sync) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.open, name, flags, Mode::from_raw_mode(0o644))?);
        file.write_all(bytes)?;
        match sync {
            Sync::Off => Ok(()),
            Sync::Data => file.sync_data(),
            Sync::Full => file.sync_all(),
        }
    }

    /// Moves a file to a name in a folder, and replaces an existing file of that name. Returns false if there is no file to rename.
    pub(crate) fn rename(&self, name: &str, to: (&Self, &str)) -> io::Result<bool> {
        found(renameat(&self.open, name, &to.0.open, to.1))
    }

    /// Removes a file. Returns whether it existed.
    pub(crate) fn remove(&self, name: &str) -> io::Result<bool> {
        found(unlinkat(&self.open, name, AtFlags::empty()))
    }

    /// Waits until the names are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.open.sync_all()
    }

    /// Returns the names of all entries.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<fs::DirEntry>| {
            entry?
                .file_name()
                .into_string()
                .map_err(|name| io::Error::other(format!("{}: not the name of a key", name.display())))
        };
        fs::read_dir(&self.path)?.map(name).collect()
    }
}

fn found(done: rustix::io::Result<()>) -> io::Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
