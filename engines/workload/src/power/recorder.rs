//! Writes what reaches the file system below one folder to a log, in an order in which it may have happened. One lock is held over each
//! call and its record, so recorded calls never overlap.

use super::{
    content::{Content, each_page},
    folder::everything_below,
    record::{FileId, Marker, PowerRecord},
    tape::Tape,
};
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, open, openat, readlink, statat},
    io::Errno,
};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    ffi::{CStr, OsStr},
    fs::{self, File},
    io,
    ops::Range,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
};

/// The position at which a write begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum WritePosition {
    /// The descriptor's position before the write; it is now after the write.
    Cursor,
    At(u64),
    /// At the file's end.
    End,
}

/// The kind of object that a descriptor refers to.
#[derive(Debug)]
pub(super) enum DescriptorTarget {
    File(FileId),
    /// A folder's name.
    Folder(PathBuf),
}

/// A shared, writable mapping.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) addresses: Range<usize>,
    pub(super) file: FileId,
    /// The offset in the file of its first byte.
    pub(super) offset: u64,
}

#[derive(Debug)]
pub(super) struct PowerRecorder {
    /// Without symbolic links, as the system reports the paths of descriptors.
    pub(super) root: PathBuf,
    tape: Tape,
    /// Files by device and inode number. The number may be reused after the file is removed, so creating a file gives it a new id.
    pub(super) ids: BTreeMap<(u64, u64), FileId>,
    /// The recorder's own descriptors. They stay open, because closing one would release the process's POSIX locks on the file.
    pub(super) readers: BTreeMap<FileId, File>,
    pub(super) mappings: Vec<Mapping>,
    /// The content of mapped files according to the log.
    pub(super) known: BTreeMap<FileId, Content>,
}

impl PowerRecorder {
    /// Starts a log with the current content of the root.
    pub(super) fn start(root: &Path, log: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        let parent = log.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if fs::canonicalize(parent)?.starts_with(&root) {
            return Err(io::Error::other("the log is inside the recorded folder: choose another folder for it"));
        }
        let mut recorder = Self {
            root,
            tape: Tape::create(log)?,
            ids: BTreeMap::new(),
            readers: BTreeMap::new(),
            mappings: Vec::new(),
            known: BTreeMap::new(),
        };
        for (name, kind) in everything_below(&recorder.root)? {
            let path = recorder.root.join(&name);
            if kind.is_dir() {
                recorder.append(&PowerRecord::Folder { name });
            } else if kind.is_file() {
                let reader = File::open(path)?;
                let stat = fstat(&reader)?;
                match recorder.ids.get(&key(&stat)).copied() {
                    Some(file) => recorder.append(&PowerRecord::Linked { file, name }),
                    None => {
                        let file = recorder.new_file(key(&stat), name);
                        recorder.take_in(file, &reader)?;
                    }
                }
            } else {
                return Err(io::Error::other(format!("{} is neither a file nor a folder", path.display())));
            }
        }
        recorder.append(&PowerRecord::Started);
        recorder.health()?;
        Ok(recorder)
    }

    pub(super) fn append(&mut self, record: &PowerRecord) {
        self.tape.append(record);
    }

    /// Checks that everything so far is in the log.
    pub(super) fn health(&self) -> io::Result<()> {
        self.tape.health()
    }

    /// Returns the result of a system call, or ends the log on an error.
    pub(super) fn keep<T>(&mut self, found: io::Result<T>) -> Option<T> {
        found.map_err(|error| self.tape.fail(error)).ok()
    }

    pub(super) fn mark(&mut self, marker: Marker) -> io::Result<()> {
        let mapped: Vec<FileId> = self.known.keys().copied().collect();
        mapped.into_iter().for_each(|file| self.capture(file));
        self.append(&PowerRecord::Marker(marker));
        self.health()
    }

    /// Returns the file of a descriptor, if it is recorded.
    pub(super) fn file(&mut self, fd: BorrowedFd<'_>) -> Option<FileId> {
        let stat = fstat(fd).ok().filter(is_file)?;
        if let Some(file) = self.ids.get(&key(&stat)) {
            return Some(*file);
        }
        // The file was created by a call that the recorder does not see.
        let name = self.name(fd).filter(|_| stat.st_nlink > 0)?;
        self.discover(fd, &stat, name)
    }

    /// Returns the target of a descriptor that is being synced. First logs what was stored in mappings of the file.
    pub(super) fn target(&mut self, fd: BorrowedFd<'_>) -> Option<DescriptorTarget> {
        if FileType::from_raw_mode(fstat(fd).ok()?.st_mode) == FileType::Directory {
            return self.name(fd).map(DescriptorTarget::Folder);
        }
        let file = self.file(fd)?;
        self.capture(file);
        Some(DescriptorTarget::File(file))
    }

    /// Returns whether a path is an existing file, before an open that creates or truncates it; `None` if the path is something else. Only
    /// files are opened under the lock, because opening a pipe may block.
    pub(super) fn there_is(&self, (folder, path): (BorrowedFd<'_>, &CStr), flags: OFlags) -> Option<bool> {
        let follow = if flags.contains(OFlags::NOFOLLOW) { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
        match statat(folder, path, follow) {
            Ok(stat) => is_file(&stat).then_some(true),
            Err(Errno::NOENT) => Some(false),
            Err(_) => None,
        }
    }

    /// Returns the name of a folder's entry, if it is below the root.
    pub(super) fn place(&self, (folder, path): (BorrowedFd<'_>, &CStr)) -> Option<PathBuf> {
        let path = path.to_bytes();
        let path = &path[..path.iter().rposition(|byte| *byte != b'/')? + 1];
        let (parent, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..=slash], &path[slash + 1..]),
            None => (&b"."[..], path),
        };
        if name == b"." || name == b".." {
            return None;
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = openat(folder, parent, flags, Mode::empty()).ok()?;
        Some(self.name(parent.as_fd())?.join(OsStr::from_bytes(name)))
    }

    /// Returns the recorded file at a path.
    pub(super) fn file_at(&self, path: &CStr) -> Option<FileId> {
        self.ids.get(&key(&statat(CWD, path, AtFlags::empty()).ok()?)).copied()
    }

    /// Returns the name of a descriptor's file or folder, if it is below the root.
    pub(super) fn name(&self, fd: BorrowedFd<'_>) -> Option<PathBuf> {
        let path = readlink(own_path(fd), Vec::new()).ok()?;
        Some(Path::new(OsStr::from_bytes(path.as_bytes())).strip_prefix(&self.root).ok()?.to_owned())
    }

    /// Logs a file that is new to the recorder, with its existing content.
    pub(super) fn discover(&mut self, fd: BorrowedFd<'_>, stat: &Stat, name: PathBuf) -> Option<FileId> {
        let file = self.new_file(key(stat), name);
        if stat.st_size > 0 {
            let taken = reopened(fd).and_then(|reader| {
                self.take_in(file, &reader)?;
                Ok(self.readers.insert(file, reader))
            });
            self.keep(taken)?;
        }
        Some(file)
    }

    pub(super) fn new_file(&mut self, key: (u64, u64), name: PathBuf) -> FileId {
        let file = self.tape.new_file(name);
        self.ids.insert(key, file);
        file
    }

    fn take_in(&mut self, file: FileId, reader: &File) -> io::Result<()> {
        let length = each_page(reader, |offset, bytes| {
            self.append(&PowerRecord::Write { file, offset, bytes: bytes.to_vec() });
        })?;
        self.append(&PowerRecord::Resize { file, length });
        Ok(())
    }

    /// Returns a readable descriptor of the recorder's own.
    pub(super) fn reader(&mut self, file: FileId, fd: BorrowedFd<'_>) -> io::Result<&File> {
        Ok(match self.readers.entry(file) {
            Entry::Occupied(reader) => reader.into_mut(),
            Entry::Vacant(none) => none.insert(reopened(fd)?),
        })
    }
}

fn reopened(fd: BorrowedFd<'_>) -> io::Result<File> {
    Ok(open(own_path(fd), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into())
}

/// Returns the path at which the system shows a descriptor of this process.
fn own_path(fd: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

pub(super) fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

pub(super) fn key(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}
