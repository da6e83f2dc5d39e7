//! One record of a log, and how it is written in a file.
//!
//! A file is [`MAGIC`], then records: 4 bytes length, then that many bytes. The first of them says which record it is. Numbers are 8
//! bytes, lowest first; names and bytes are a number, how many there are, and then they.

use std::{
    ffi::OsString,
    fmt,
    ops::Range,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// What a log's file begins with: the format and its version.
pub(super) const MAGIC: &[u8] = b"dbdyno power log 1\n";

/// A file for as long as it exists, whatever its names are: the system gives a removed file's inode number to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(pub(super) u64);

/// What the program that commits says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// The commit of this number, from 1, begins.
    Issued { ordinal: u64 },
    /// This many commits have returned.
    Acknowledged { commits: u64 },
}

/// A way to ask for durability.
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

/// What reached the file system, in an order in which it may have. Names are relative to the root; that of the root itself is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// What came before was there when the recording began, and is on the disk.
    Started,
    /// A folder was made.
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
    /// In place of what had the name `to`.
    Renamed {
        from: PathBuf,
        to: PathBuf,
    },
    Exchanged {
        one: PathBuf,
        other: PathBuf,
    },
    /// The bytes that were written, where a call was asked for more.
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
    /// The file can be written without a call from now on.
    Mapped {
        file: FileId,
    },
    /// The call returned: what was written in these bytes of the file is on the disk; none: all of it.
    Sync {
        file: FileId,
        call: SyncCall,
        range: Option<Range<u64>>,
    },
    /// The call returned: the names in this folder are on the disk.
    SyncFolder {
        name: PathBuf,
    },
    Marker(Marker),
}

impl Record {
    /// Adds the record to `out` as it is written in a file.
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

    /// The record of these bytes, those after its length; none where they are no record.
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

/// What is left of a record.
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
