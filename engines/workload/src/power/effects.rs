//! Records the effects of calls that succeeded.

use super::{
    content::{Content, each_page},
    record::{FileId, PowerRecord, SyncCall},
    recorder::{DescriptorTarget, Mapping, PowerRecorder, WritePosition, is_file, key},
};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, SeekFrom, fcntl_getfl, fstat, open, seek, statat};
use std::{
    io,
    ops::Range,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::FileExt,
    },
    path::PathBuf,
};

impl PowerRecorder {
    pub(super) fn synced(&mut self, target: DescriptorTarget, call: SyncCall) {
        self.append(&match target {
            DescriptorTarget::File(file) => PowerRecord::Sync { file, call, range: None },
            DescriptorTarget::Folder(name) => PowerRecord::SyncFolder { name },
        });
    }

    pub(super) fn opened(&mut self, fd: BorrowedFd<'_>, was_there: bool, flags: OFlags) {
        if !was_there {
            if let (Ok(stat), Some(name)) = (fstat(fd), self.name(fd)) {
                self.new_file(key(&stat), name);
            }
        } else if flags.contains(OFlags::TRUNC)
            && let Some(file) = self.file(fd)
        {
            self.resized(file, 0);
        }
    }

    pub(super) fn written(
        &mut self,
        file: FileId,
        fd: BorrowedFd<'_>,
        place: WritePosition,
        through: bool,
        bytes: &[u8],
    ) {
        let flags = fcntl_getfl(fd).unwrap_or(OFlags::empty());
        let length = bytes.len() as u64;
        let end = match place {
            // "Appends data to the end of the file, regardless of the value of offset" (pwrite(2), BUGS).
            WritePosition::At(offset) if !flags.contains(OFlags::APPEND) => Ok(offset + length),
            WritePosition::Cursor => seek(fd, SeekFrom::Current(0)),
            WritePosition::At(_) | WritePosition::End => fstat(fd).map(|stat| stat.st_size as u64),
        };
        let Some(offset) = self.keep(end.map_err(io::Error::from)).map(|end| end.saturating_sub(length)) else {
            return;
        };
        if length > 0 {
            self.wrote(file, offset, bytes);
        }
        // `O_SYNC` includes this bit. rustix's own constant for it has the bits of `O_SYNC`.
        if through || flags.contains(OFlags::from_bits_retain(libc::O_DSYNC as u32)) {
            let range = Some(offset..offset + length);
            self.append(&PowerRecord::Sync { file, call: SyncCall::WriteThrough, range });
        }
    }

    fn wrote(&mut self, file: FileId, offset: u64, bytes: &[u8]) {
        if let Some(known) = self.known.get_mut(&file) {
            known.write(offset, bytes);
        }
        self.append(&PowerRecord::Write { file, offset, bytes: bytes.to_vec() });
    }

    pub(super) fn resized(&mut self, file: FileId, length: u64) {
        if let Some(known) = self.known.get_mut(&file) {
            known.resize(length);
        }
        self.append(&PowerRecord::Resize { file, length });
    }

    /// Records the bytes in a part of a file that the kernel wrote itself.
    pub(super) fn filled(&mut self, file: FileId, fd: BorrowedFd<'_>, place: WritePosition, length: u64) {
        let start = match place {
            WritePosition::At(offset) => Ok(offset),
            WritePosition::Cursor => seek(fd, SeekFrom::Current(0)).map(|end| end.saturating_sub(length)),
            WritePosition::End => fstat(fd).map(|stat| (stat.st_size as u64).saturating_sub(length)),
        };
        let mut read = || {
            let mut bytes = vec![0; length as usize];
            let start = start?;
            self.reader(file, fd)?.read_exact_at(&mut bytes, start)?;
            Ok((start, bytes))
        };
        let read = read();
        if let Some((start, bytes)) = self.keep(read) {
            self.written(file, fd, WritePosition::At(start), false, &bytes);
        }
    }

    /// Records the length that the kernel reports, and the part before the end that may have been moved or cleared.
    pub(super) fn reallocated(&mut self, file: FileId, fd: BorrowedFd<'_>, changed: Range<u64>) {
        let length = fstat(fd).map(|stat| stat.st_size as u64).map_err(io::Error::from);
        let Some(length) = self.keep(length) else { return };
        self.resized(file, length);
        let end = changed.end.min(length);
        if changed.start < end {
            self.filled(file, fd, WritePosition::At(changed.start), end - changed.start);
        }
    }

    /// Records a mapping. Its stores cannot be seen, so from now on its file is compared with the log.
    pub(super) fn mapped(&mut self, file: FileId, fd: BorrowedFd<'_>, addresses: Range<usize>, offset: u64) {
        self.mappings.retain(|old| old.addresses.end <= addresses.start || addresses.end <= old.addresses.start);
        self.mappings.push(Mapping { addresses, file, offset });
        if !self.known.contains_key(&file) {
            let content = self.reader(file, fd).and_then(Content::of);
            if let Some(content) = self.keep(content) {
                self.known.insert(file, content);
                self.append(&PowerRecord::Mapped { file });
            }
        }
    }

    /// Returns the parts of files that are mapped to these addresses, if any. First logs what was stored there.
    pub(super) fn mapped_to(&mut self, addresses: &Range<usize>) -> Option<Vec<(FileId, Range<u64>)>> {
        let within = |mapping: &Mapping| {
            let start = addresses.start.max(mapping.addresses.start);
            let end = addresses.end.min(mapping.addresses.end);
            let offset = |address: usize| mapping.offset + (address - mapping.addresses.start) as u64;
            (start < end).then(|| (mapping.file, offset(start)..offset(end)))
        };
        let found: Vec<_> = self.mappings.iter().filter_map(within).collect();
        found.iter().for_each(|(file, _)| self.capture(*file));
        (!found.is_empty()).then_some(found)
    }

    pub(super) fn mappings_synced(&mut self, synced: Vec<(FileId, Range<u64>)>) {
        for (file, range) in synced {
            self.append(&PowerRecord::Sync { file, call: SyncCall::Msync, range: Some(range) });
        }
    }

    /// Logs the pages of a mapped file that differ from the log.
    pub(super) fn capture(&mut self, file: FileId) {
        let (Some(known), Some(reader)) = (self.known.get(&file), self.readers.get(&file)) else { return };
        let mut stored = Vec::new();
        let read = each_page(reader, |offset, bytes| {
            if !known.has(offset, bytes) {
                stored.push((offset, bytes.to_vec()));
            }
        });
        self.keep(read);
        for (offset, bytes) in stored {
            self.wrote(file, offset, &bytes);
        }
    }

    /// Records a changed name. The old or the new name may be outside the root.
    pub(super) fn renamed(&mut self, from: Option<PathBuf>, to: Option<PathBuf>, exchanged: bool) {
        match (from, to) {
            (Some(one), Some(other)) if exchanged => self.append(&PowerRecord::Exchanged { one, other }),
            (Some(from), Some(to)) => self.append(&PowerRecord::Renamed { from, to }),
            (Some(name), None) => self.append(&PowerRecord::Removed { name }),
            (None, Some(name)) => self.came(name),
            (None, None) => {}
        }
    }

    pub(super) fn made_folder(&mut self, name: PathBuf) {
        self.append(&PowerRecord::Folder { name });
    }

    pub(super) fn linked(&mut self, name: PathBuf) {
        let known = statat(CWD, self.root.join(&name), AtFlags::SYMLINK_NOFOLLOW).ok();
        match known.and_then(|stat| self.ids.get(&key(&stat)).copied()) {
            Some(file) => self.append(&PowerRecord::Linked { file, name }),
            None => self.came(name),
        }
    }

    /// Records a file that got its first name below the root.
    fn came(&mut self, name: PathBuf) {
        let opened = open(self.root.join(&name), OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty());
        let found = opened.and_then(|file| Ok((fstat(&file)?, file)));
        if let Ok((stat, file)) = found.as_ref()
            && is_file(stat)
        {
            self.discover(file.as_fd(), stat, name);
        }
    }
}
