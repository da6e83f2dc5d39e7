//! The folder behind the mount: file operations are passed through to it, and changes are recorded.

use super::{
    attributes::{NewAttributes, attributes, kind},
    tape::TrialTape,
};
use dbdyno_workload::power::{FileId, PowerRecord, SyncCall};
use fuser::{FileAttr, INodeNo};
use rustix::fs::{
    AtFlags, CWD, FallocateFlags, Mode, OFlags, RenameFlags, SeekFrom, StatVfs, chmodat, fallocate, fstat, fstatvfs,
    linkat, mkdirat, open, openat, readlink, renameat_with, seek, statat, unlinkat, utimensat,
};
use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{ffi::OsStrExt, fs::FileExt},
    },
    path::{Path, PathBuf},
};

/// The first number of other files. The kernel's number of the root is 1, and [`EVENTS`](super::file_system::EVENTS) has a number too.
const FIRST: u64 = 16;
/// Zeros are recorded in pieces of this many bytes.
const ZEROS: usize = 1 << 20;

/// A file or folder that the kernel knows by its number.
#[derive(Debug)]
struct Inode {
    /// Opened only as a path. It keeps the system from giving the inode's number to another file.
    place: OwnedFd,
    /// How many lookups the kernel has made and not yet forgotten.
    lookups: u64,
}

/// An open file.
#[derive(Debug)]
struct Handle {
    file: File,
    node: u64,
    id: Option<FileId>,
    /// Whether the file may be mapped, and so written without a call.
    may_be_mapped: bool,
    /// Whether its last write was recorded as synced. The kernel then requests a separate sync, which belongs to that write.
    wrote_through: bool,
}

/// One entry of a folder: the kernel's number, its kind, and its name.
#[derive(Debug, Clone)]
pub(super) struct FolderEntry {
    pub(super) node: u64,
    pub(super) kind: fuser::FileType,
    pub(super) name: OsString,
}

/// The known files, the open files, and the record.
#[derive(Debug)]
pub(super) struct Backing {
    root: PathBuf,
    nodes: HashMap<u64, Inode>,
    handles: HashMap<u64, Handle>,
    /// Folders that are being listed.
    lists: HashMap<u64, Vec<FolderEntry>>,
    last_handle: u64,
    ids: HashMap<u64, FileId>,
    tape: TrialTape,
}

impl Backing {
    /// Starts with an empty folder.
    pub(super) fn new(root: &Path, tape: TrialTape) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        let place = open(&root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self {
            root,
            nodes: HashMap::from([(INodeNo::ROOT.0, Inode { place, lookups: 1 })]),
            handles: HashMap::new(),
            lists: HashMap::new(),
            last_handle: 0,
            ids: HashMap::new(),
            tape,
        })
    }

    pub(super) fn tape(&mut self) -> &mut TrialTape {
        &mut self.tape
    }

    /// Returns the names of open files that may have been written without a call, relative to the root.
    pub(super) fn perhaps_mapped(&self) -> Vec<PathBuf> {
        let mut names: Vec<PathBuf> = self
            .handles
            .values()
            .filter(|handle| handle.may_be_mapped)
            .filter_map(|handle| {
                let place = &self.nodes.get(&handle.node)?.place;
                let has_name = fstat(place).is_ok_and(|stat| stat.st_nlink > 0);
                has_name.then(|| self.name(place).ok()).flatten()
            })
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Refuses changes once the trial is over.
    fn changing(&self) -> io::Result<()> {
        if self.tape.is_over() { Err(rustix::io::Errno::ROFS.into()) } else { Ok(()) }
    }

    fn node(&self, node: u64) -> io::Result<&Inode> {
        self.nodes.get(&node).ok_or_else(|| rustix::io::Errno::STALE.into())
    }

    fn place(&self, node: u64) -> io::Result<&OwnedFd> {
        Ok(&self.node(node)?.place)
    }

    fn handle(&mut self, handle: u64) -> io::Result<&mut Handle> {
        self.handles.get_mut(&handle).ok_or_else(|| rustix::io::Errno::BADF.into())
    }

    fn name(&self, place: &OwnedFd) -> io::Result<PathBuf> {
        let path = readlink(own_path(place), Vec::new())?;
        let path = Path::new(OsStr::from_bytes(path.as_bytes()));
        path.strip_prefix(&self.root).map(Path::to_owned).map_err(io::Error::other)
    }

    fn child(&self, parent: u64, name: &OsStr) -> io::Result<PathBuf> {
        Ok(self.name(self.place(parent)?)?.join(name))
    }

    /// Finds a name in a folder, and returns its attributes to the kernel, including its number.
    pub(super) fn lookup(&mut self, parent: u64, name: &OsStr) -> io::Result<FileAttr> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let place = openat(self.place(parent)?, name, flags, Mode::empty())?;
        let stat = fstat(&place)?;
        let node = stat.st_ino + FIRST;
        self.nodes.entry(node).or_insert(Inode { place, lookups: 0 }).lookups += 1;
        Ok(attributes(node, &stat))
    }

    pub(super) fn forget(&mut self, node: u64, lookups: u64) {
        if let Some(known) = self.nodes.get_mut(&node) {
            known.lookups = known.lookups.saturating_sub(lookups);
            if known.lookups == 0 && node != INodeNo::ROOT.0 {
                self.nodes.remove(&node);
            }
        }
    }

    pub(super) fn attributes(&self, node: u64) -> io::Result<FileAttr> {
        Ok(attributes(node, &fstat(self.place(node)?)?))
    }

    pub(super) fn set_attributes(&mut self, node: u64, new: &NewAttributes) -> io::Result<FileAttr> {
        self.changing()?;
        let path = own_path(self.place(node)?);
        if let Some(length) = new.length {
            let file = File::from(open(&path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?);
            file.set_len(length)?;
            if let Some(&file) = self.ids.get(&(node - FIRST)) {
                self.tape.note(&PowerRecord::Resize { file, length });
            }
        }
        if let Some(mode) = new.mode {
            chmodat(CWD, &path, Mode::from_raw_mode(mode), AtFlags::empty())?;
        }
        if let Some(times) = &new.times {
            utimensat(CWD, &path, times, AtFlags::empty())?;
        }
        self.attributes(node)
    }

    pub(super) fn create(
        &mut self,
        parent: u64,
        name: &OsStr,
        (flags, mode): (OFlags, u32),
    ) -> io::Result<(FileAttr, u64)> {
        self.changing()?;
        let path = self.child(parent, name)?;
        let access = (flags & OFlags::RWMODE) | OFlags::CLOEXEC;
        let new = access | OFlags::CREATE | OFlags::EXCL;
        let (file, is_new) = match openat(self.place(parent)?, name, new, Mode::from_raw_mode(mode)) {
            Ok(file) => (file, true),
            // Another process was faster.
            Err(rustix::io::Errno::EXIST) if !flags.contains(OFlags::EXCL) => {
                (openat(self.place(parent)?, name, access | OFlags::NOFOLLOW, Mode::empty())?, false)
            }
            Err(error) => return Err(error.into()),
        };
        if is_new {
            self.record_file(fstat(&file)?.st_ino, path);
        }
        let attributes = self.lookup(parent, name)?;
        Ok((attributes, self.opened(attributes.ino.0, file.into(), flags)))
    }

    /// Creates a file without opening it.
    pub(super) fn make_file(&mut self, parent: u64, name: &OsStr, mode: u32) -> io::Result<FileAttr> {
        let (attributes, handle) = self.create(parent, name, (OFlags::WRONLY | OFlags::EXCL, mode))?;
        self.close(handle);
        Ok(attributes)
    }

    fn record_file(&mut self, inode: u64, name: PathBuf) {
        let id = self.tape.new_file(name);
        self.ids.insert(inode, id);
    }

    pub(super) fn make_folder(&mut self, parent: u64, name: &OsStr, mode: u32) -> io::Result<FileAttr> {
        self.changing()?;
        let path = self.child(parent, name)?;
        mkdirat(self.place(parent)?, name, Mode::from_raw_mode(mode))?;
        self.tape.note(&PowerRecord::Folder { name: path });
        self.lookup(parent, name)
    }

    pub(super) fn remove(&mut self, parent: u64, name: &OsStr, flags: AtFlags) -> io::Result<()> {
        self.changing()?;
        let path = self.child(parent, name)?;
        unlinkat(self.place(parent)?, name, flags)?;
        self.tape.note(&PowerRecord::Removed { name: path });
        Ok(())
    }

    pub(super) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr), flags: RenameFlags) -> io::Result<()> {
        self.changing()?;
        let (old, new) = (self.child(from.0, from.1)?, self.child(to.0, to.1)?);
        if flags.contains(RenameFlags::WHITEOUT) {
            return Err(rustix::io::Errno::INVAL.into());
        }
        renameat_with(self.place(from.0)?, from.1, self.place(to.0)?, to.1, flags)?;
        self.tape.note(&if flags.contains(RenameFlags::EXCHANGE) {
            PowerRecord::Exchanged { one: old, other: new }
        } else {
            PowerRecord::Renamed { from: old, to: new }
        });
        Ok(())
    }

    pub(super) fn link(&mut self, node: u64, parent: u64, name: &OsStr) -> io::Result<FileAttr> {
        self.changing()?;
        let path = self.child(parent, name)?;
        linkat(CWD, own_path(self.place(node)?), self.place(parent)?, name, AtFlags::SYMLINK_FOLLOW)?;
        if let Some(&file) = self.ids.get(&(node - FIRST)) {
            self.tape.note(&PowerRecord::Linked { file, name: path });
        }
        self.lookup(parent, name)
    }

    pub(super) fn open(&mut self, node: u64, flags: OFlags) -> io::Result<u64> {
        let access = (flags & OFlags::RWMODE) | OFlags::CLOEXEC;
        let file = open(own_path(self.place(node)?), access, Mode::empty())?;
        Ok(self.opened(node, file.into(), flags))
    }

    fn opened(&mut self, node: u64, file: File, flags: OFlags) -> u64 {
        self.last_handle += 1;
        let handle = Handle {
            file,
            node,
            id: self.ids.get(&(node - FIRST)).copied(),
            may_be_mapped: flags & OFlags::RWMODE == OFlags::RDWR,
            wrote_through: false,
        };
        self.handles.insert(self.last_handle, handle);
        self.last_handle
    }

    pub(super) fn close(&mut self, handle: u64) {
        self.handles.remove(&handle);
    }

    pub(super) fn read(&mut self, handle: u64, offset: u64, length: u32) -> io::Result<Vec<u8>> {
        let file = &self.handle(handle)?.file;
        let mut bytes = vec![0; length as usize];
        let mut read = 0;
        while read < bytes.len() {
            match file.read_at(&mut bytes[read..], offset + read as u64)? {
                0 => break,
                more => read += more,
            }
        }
        bytes.truncate(read);
        Ok(bytes)
    }

    pub(super) fn write(&mut self, handle: u64, offset: u64, bytes: &[u8], flags: i32) -> io::Result<()> {
        self.changing()?;
        let handle = self.handle(handle)?;
        handle.file.write_all_at(bytes, offset)?;
        // `O_SYNC` includes this bit.
        let is_through = flags & libc::O_DSYNC != 0;
        handle.wrote_through = is_through;
        if let Some(file) = handle.id {
            self.tape.wrote(file, offset, bytes, is_through);
        }
        Ok(())
    }

    pub(super) fn allocate(&mut self, handle: u64, offset: u64, length: u64, mode: u32) -> io::Result<()> {
        self.changing()?;
        let mode = FallocateFlags::from_bits_retain(mode);
        let handle = self.handle(handle)?;
        let before = handle.file.metadata()?.len();
        fallocate(&handle.file, mode, offset, length)?;
        let after = handle.file.metadata()?.len();
        let Some(file) = handle.id else { return Ok(()) };
        if after != before {
            self.tape.note(&PowerRecord::Resize { file, length: after });
        }
        if mode.intersects(FallocateFlags::PUNCH_HOLE | FallocateFlags::ZERO_RANGE) {
            let end = offset.saturating_add(length).min(after);
            for start in (offset..end).step_by(ZEROS) {
                let piece = (end - start).min(ZEROS as u64) as usize;
                self.tape.wrote(file, start, &vec![0; piece], false);
            }
        }
        Ok(())
    }

    /// Records a sync. Nothing is synced: images come from the record, and the folder is read while the system is up.
    pub(super) fn sync(&mut self, handle: u64, is_data_only: bool) -> io::Result<()> {
        let handle = self.handle(handle)?;
        let is_of_a_write = std::mem::take(&mut handle.wrote_through);
        if let Some(file) = handle.id.filter(|_| !is_of_a_write) {
            let call = if is_data_only { SyncCall::Fdatasync } else { SyncCall::Fsync };
            self.tape.note(&PowerRecord::Sync { file, call, range: None });
        }
        Ok(())
    }

    pub(super) fn sync_folder(&mut self, node: u64) -> io::Result<()> {
        let name = self.name(self.place(node)?)?;
        self.tape.note(&PowerRecord::SyncFolder { name });
        Ok(())
    }

    pub(super) fn seek(&mut self, handle: u64, offset: i64, whence: i32) -> io::Result<i64> {
        let at = u64::try_from(offset).map_err(|_| rustix::io::Errno::INVAL)?;
        let to = match whence {
            libc::SEEK_DATA => SeekFrom::Data(at),
            libc::SEEK_HOLE => SeekFrom::Hole(at),
            _ => return Err(rustix::io::Errno::INVAL.into()),
        };
        Ok(seek(&self.handle(handle)?.file, to)? as i64)
    }

    /// Begins to list a folder.
    pub(super) fn open_folder(&mut self, node: u64) -> io::Result<u64> {
        let place = self.place(node)?;
        let itself = |name: &str| FolderEntry { node, kind: fuser::FileType::Directory, name: name.into() };
        let mut list = vec![itself("."), itself("..")];
        for entry in fs::read_dir(own_path(place))? {
            let name = entry?.file_name();
            let stat = statat(place, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            list.push(FolderEntry { node: stat.st_ino + FIRST, kind: kind(&stat), name });
        }
        self.last_handle += 1;
        self.lists.insert(self.last_handle, list);
        Ok(self.last_handle)
    }

    pub(super) fn listed(&self, handle: u64) -> &[FolderEntry] {
        self.lists.get(&handle).map_or(&[], Vec::as_slice)
    }

    pub(super) fn close_folder(&mut self, handle: u64) {
        self.lists.remove(&handle);
    }

    pub(super) fn space(&self) -> io::Result<StatVfs> {
        Ok(fstatvfs(self.place(INodeNo::ROOT.0)?)?)
    }
}

/// Returns the path at which the system shows a descriptor of this process.
fn own_path(place: &impl AsFd) -> String {
    format!("/proc/self/fd/{}", place.as_fd().as_raw_fd())
}
