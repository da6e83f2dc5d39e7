//! The kernel's requests to the server, one at a time.

use super::{
    attributes::{NewAttributes, events, timestamps},
    backing::Backing,
    clerk::ClerkMessage,
};
use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen,
    ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rustix::fs::{AtFlags, OFlags};
use std::{
    ffi::OsStr,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::{Duration, SystemTime},
};

/// The file that is the worker's stdout. Its events are in the order of the worker's writes, and each waits until the clerk has recorded
/// it.
pub(super) const EVENTS: INodeNo = INodeNo(2);
/// Its name in the root. It is not listed, so no engine finds it.
pub(super) const EVENTS_NAME: &str = ".dbdyno-events";

/// How long the kernel may cache an answer. Nothing changes without the kernel's knowledge.
const LASTS: Duration = Duration::from_secs(60);
const FIRST_GENERATION: Generation = Generation(0);

/// Answers from the backing folder, and passes events on to the clerk.
#[derive(Debug)]
pub(super) struct FileSystem {
    pub(super) backing: Arc<Mutex<Backing>>,
    pub(super) said: Sender<ClerkMessage>,
}

impl FileSystem {
    /// Locks the backing folder. One lock is held over each change and its record.
    fn backing(&self) -> MutexGuard<'_, Backing> {
        self.backing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry(reply: ReplyEntry, found: io::Result<FileAttr>) {
    match found {
        Ok(attributes) => reply.entry(&LASTS, &attributes, FIRST_GENERATION),
        Err(error) => reply.error(error.into()),
    }
}

fn attributes(reply: ReplyAttr, found: io::Result<FileAttr>) {
    match found {
        Ok(attributes) => reply.attr(&LASTS, &attributes),
        Err(error) => reply.error(error.into()),
    }
}

fn empty(reply: ReplyEmpty, done: io::Result<()>) {
    match done {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error.into()),
    }
}

/// Replies with an open file. The kernel keeps its cached pages: they are newer than the backing folder while a mapping is being written.
fn opened(reply: ReplyOpen, handle: io::Result<u64>) {
    match handle {
        Ok(handle) => reply.opened(FileHandle(handle), FopenFlags::FOPEN_KEEP_CACHE),
        Err(error) => reply.error(error.into()),
    }
}

fn flags_of(flags: i32) -> OFlags {
    OFlags::from_bits_retain(flags as u32)
}

impl Filesystem for FileSystem {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if parent == INodeNo::ROOT && name == EVENTS_NAME {
            return entry(reply, Ok(events()));
        }
        entry(reply, self.backing().lookup(parent.0, name));
    }

    fn forget(&self, _: &Request, node: INodeNo, lookups: u64) {
        self.backing().forget(node.0, lookups);
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        if node == EVENTS {
            return attributes(reply, Ok(events()));
        }
        attributes(reply, self.backing().attributes(node.0));
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        length: Option<u64>,
        access: Option<TimeOrNow>,
        change: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        if node == EVENTS {
            return attributes(reply, Ok(events()));
        }
        let new = NewAttributes { mode, length, times: timestamps(access, change) };
        attributes(reply, self.backing().set_attributes(node.0, &new));
    }

    fn mknod(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        _device: u32,
        reply: ReplyEntry,
    ) {
        if rustix::fs::FileType::from_raw_mode(mode) != rustix::fs::FileType::RegularFile {
            return reply.error(Errno::EPERM);
        }
        entry(reply, self.backing().make_file(parent.0, name, mode));
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, _umask: u32, reply: ReplyEntry) {
        entry(reply, self.backing().make_folder(parent.0, name, mode));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(reply, self.backing().remove(parent.0, name, AtFlags::empty()));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(reply, self.backing().remove(parent.0, name, AtFlags::REMOVEDIR));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let flags = rustix::fs::RenameFlags::from_bits_retain(flags.bits());
        empty(reply, self.backing().rename((parent.0, name), (new_parent.0, new_name), flags));
    }

    fn link(&self, _: &Request, node: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        entry(reply, self.backing().link(node.0, parent.0, name));
    }

    fn open(&self, _: &Request, node: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        if node == EVENTS {
            // Each write has to reach this server, and to wait.
            return reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
        }
        opened(reply, self.backing().open(node.0, flags_of(flags.0)));
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        match self.backing().create(parent.0, name, (flags_of(flags), mode)) {
            Ok((attributes, handle)) => {
                let handle = FileHandle(handle);
                reply.created(&LASTS, &attributes, FIRST_GENERATION, handle, FopenFlags::FOPEN_KEEP_CACHE);
            }
            Err(error) => reply.error(error.into()),
        }
    }

    fn read(
        &self,
        _: &Request,
        node: INodeNo,
        handle: FileHandle,
        offset: u64,
        length: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if node == EVENTS {
            return reply.data(&[]);
        }
        match self.backing().read(handle.0, offset, length) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error.into()),
        }
    }

    fn write(
        &self,
        _: &Request,
        node: INodeNo,
        handle: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        if node == EVENTS {
            // The clerk replies. Without a clerk, the process is about to end, and the kernel replies instead.
            let _ = self.said.send(ClerkMessage::Bytes { bytes: bytes.to_vec(), reply });
            return;
        }
        match self.backing().write(handle.0, offset, bytes, flags.0) {
            Ok(()) => reply.written(bytes.len() as u32),
            Err(error) => reply.error(error.into()),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        node: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        if node == EVENTS {
            let _ = self.said.send(ClerkMessage::End);
        } else {
            self.backing().close(handle.0);
        }
        reply.ok();
    }

    fn fsync(&self, _: &Request, node: INodeNo, handle: FileHandle, is_data_only: bool, reply: ReplyEmpty) {
        if node == EVENTS {
            return reply.ok();
        }
        empty(reply, self.backing().sync(handle.0, is_data_only));
    }

    fn opendir(&self, _: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.backing().open_folder(node.0) {
            Ok(handle) => reply.opened(FileHandle(handle), FopenFlags::empty()),
            Err(error) => reply.error(error.into()),
        }
    }

    fn readdir(&self, _: &Request, _: INodeNo, handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let backing = self.backing();
        for (next, entry) in (1..).zip(backing.listed(handle.0)).skip(offset as usize) {
            if reply.add(INodeNo(entry.node), next, entry.kind, &entry.name) {
                break;
            }
        }
        reply.ok();
    }

    fn releasedir(&self, _: &Request, _: INodeNo, handle: FileHandle, _: OpenFlags, reply: ReplyEmpty) {
        self.backing().close_folder(handle.0);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, node: INodeNo, _: FileHandle, _is_data_only: bool, reply: ReplyEmpty) {
        empty(reply, self.backing().sync_folder(node.0));
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        match self.backing().space() {
            Ok(space) => reply.statfs(
                space.f_blocks,
                space.f_bfree,
                space.f_bavail,
                space.f_files,
                space.f_ffree,
                space.f_bsize as u32,
                space.f_namemax as u32,
                space.f_frsize as u32,
            ),
            Err(error) => reply.error(error.into()),
        }
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        empty(reply, self.backing().allocate(handle.0, offset, length, mode as u32));
    }

    fn lseek(&self, _: &Request, _: INodeNo, handle: FileHandle, offset: i64, whence: i32, reply: ReplyLseek) {
        match self.backing().seek(handle.0, offset, whence) {
            Ok(to) => reply.offset(to),
            Err(error) => reply.error(error.into()),
        }
    }
}
