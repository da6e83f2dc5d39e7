//! One record of a log, and its encoding in a file.
//!
//! A file is [`MAGIC`], then records: 4 bytes length, then that many bytes. The first of these bytes identifies the kind of record. Numbers
//! are 8 bytes, lowest byte first. Names and bytes are a number, their length, followed by the bytes.

use std::{
    ffi::OsString,
    fmt,
    ops::Range,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// The first bytes of a log's file: the format and its version.
pub(super) const MAGIC: &[u8] = b"dbdyno power log 1\n";

/// A file during its lifetime, independent of its names. Inode numbers cannot identify it, because the system gives the number of a removed
/// file to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(pub(super) u64);

/// A statement that the committing program makes about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// The commit with this number, from 1, begins.
    Issued { ordinal: u64 },
    /// This many commits have returned.
    Acknowledged { commits: u64 },
}

/// A call that requests durability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncCall {
    Fsync,
    Fdatasync,
    /// `msync(MS_SYNC)`.
    Msync,
    /// A write to a descriptor with `O_DSYNC` or `O_SYNC`, or with `RWF_DSYNC` or `RWF_SYNC`.
    WriteThrough,
    /// `fsync` or `fdatasync` of a folder.
    Folder,
}

impl SyncCall {
    const ALL: [Self; 5] = [Self::Fsync, Self::Fdatasync, Self::Msync, Self::WriteThrough, Self::Folder];
}

impl fmt::Display for SyncCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Fsync => "fsync",
            Self::Fdatasync => "fdatasync",
            Self::Msync => "msync",
            Self::WriteThrough => "O_DSYNC write",
            Self::Folder => "folder sync",
        })
    }
}

/// An effect that reached the file system; a log lists them in a possible order. Names are relative to the root; the root's own name is
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PowerRecord {
    /// Everything before this record existed when the recording began, and is on the disk.
    Started,
    /// A folder was created.
    Folder {
        name: PathBuf,
    },
    /// A new file got its first name.
    Created {
        file: FileId,
        name: PathBuf,
    },
    /// A file got another name.
    Linked {
        file: FileId,
        name: PathBuf,
    },
    /// A file's name or an empty folder was removed.
    Removed {
        name: PathBuf,
    },
    /// A file or folder was renamed; it replaces what had the name `to`.
    Renamed {
        from: PathBuf,
        to: PathBuf,
    },
    Exchanged {
        one: PathBuf,
        other: PathBuf,
    },
    /// Bytes were written. For a partial write, only the bytes that were written.
    Write {
        file: FileId,
        offset: u64,
        bytes: Vec<u8>,
    },
    /// The file's length was set, in bytes.
    Resize {
        file: FileId,
        length: u64,
    },
    /// From now on the file can be written without a call.
    Mapped {
        file: FileId,
    },
    /// A sync call returned: the bytes of the file in this range are on the disk; `None`: all bytes.
    Sync {
        file: FileId,
        call: SyncCall,
        range: Option<Range<u64>>,
    },
    /// A sync call returned: the names in this folder are on the disk.
    SyncFolder {
        name: PathBuf,
    },
    Marker(Marker),
}

impl PowerRecord {
    /// Appends the encoded record to `out`.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 4]);
        match self {
            Self::Started => tag(out, 0, &[]),
            Self::Folder { name } => named(out, 1, None, &[name]),
            Self::Created { file, name } => named(out, 2, Some(*file), &[name]),
            Self::Linked { file, name } => named(out, 3, Some(*file), &[name]),
            Self::Removed { name } => named(out, 4, None, &[name]),
            Self::Renamed { from, to } => named(out, 5, None, &[from, to]),
            Self::Exchanged { one, other } => named(out, 6, None, &[one, other]),
            Self::Write { file, offset, bytes } => {
                tag(out, 7, &[file.0, *offset]);
                counted(out, bytes);
            }
            Self::Resize { file, length } => tag(out, 8, &[file.0, *length]),
            Self::Mapped { file } => tag(out, 9, &[file.0]),
            Self::Sync { file, call, range: None } => tag(out, 10, &[file.0, *call as u64]),
            Self::Sync { file, call, range: Some(range) } => {
                tag(out, 11, &[file.0, *call as u64, range.start, range.end]);
            }
            Self::SyncFolder { name } => named(out, 12, None, &[name]),
            Self::Marker(Marker::Issued { ordinal }) => tag(out, 13, &[*ordinal]),
            Self::Marker(Marker::Acknowledged { commits }) => tag(out, 14, &[*commits]),
        }
        let length = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Decodes a record from its bytes without the length; `None` if they are not a record.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (first, rest) = bytes.split_first()?;
        let mut fields = Fields(rest);
        let record = match first {
            0 => Self::Started,
            1 => Self::Folder { name: fields.name()? },
            2 => Self::Created { file: fields.file()?, name: fields.name()? },
            3 => Self::Linked { file: fields.file()?, name: fields.name()? },
            4 => Self::Removed { name: fields.name()? },
            5 => Self::Renamed { from: fields.name()?, to: fields.name()? },
            6 => Self::Exchanged { one: fields.name()?, other: fields.name()? },
            7 => Self::Write { file: fields.file()?, offset: fields.number()?, bytes: fields.counted()?.to_vec() },
            8 => Self::Resize { file: fields.file()?, length: fields.number()? },
            9 => Self::Mapped { file: fields.file()? },
            10 => Self::Sync { file: fields.file()?, call: fields.call()?, range: None },
            11 => {
                let (file, call) = (fields.file()?, fields.call()?);
                Self::Sync { file, call, range: Some(fields.number()?..fields.number()?) }
            }
            12 => Self::SyncFolder { name: fields.name()? },
            13 => Self::Marker(Marker::Issued { ordinal: fields.number()? }),
            14 => Self::Marker(Marker::Acknowledged { commits: fields.number()? }),
            _ => return None,
        };
        fields.0.is_empty().then_some(record)
    }
}

fn tag(out: &mut Vec<u8>, tag: u8, numbers: &[u64]) {
    out.push(tag);
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn named(out: &mut Vec<u8>, first: u8, file: Option<FileId>, names: &[&Path]) {
    tag(out, first, file.map(|file| file.0).as_slice());
    for name in names {
        counted(out, name.as_os_str().as_bytes());
    }
}

fn counted(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

/// The remaining bytes of a record.
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn file(&mut self) -> Option<FileId> {
        self.number().map(FileId)
    }

    fn call(&mut self) -> Option<SyncCall> {
        let number = self.number()?;
        SyncCall::ALL.into_iter().find(|call| *call as u64 == number)
    }

    fn counted(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn name(&mut self) -> Option<PathBuf> {
        self.counted().map(|bytes| OsString::from_vec(bytes.to_vec()).into())
    }
}
