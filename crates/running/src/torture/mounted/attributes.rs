//! File attributes, as reported to the kernel and as set by it.

use fuser::{FileAttr, INodeNo, TimeOrNow};
use rustix::fs::{FileType, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use std::time::{Duration, SystemTime};

/// The attributes that are set on a file.
#[derive(Debug, Default)]
pub(super) struct NewAttributes {
    pub(super) mode: Option<u32>,
    pub(super) length: Option<u64>,
    pub(super) times: Option<Timestamps>,
}

pub(super) fn kind(stat: &Stat) -> fuser::FileType {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => fuser::FileType::Directory,
        FileType::Symlink => fuser::FileType::Symlink,
        _ => fuser::FileType::RegularFile,
    }
}

pub(super) fn attributes(node: u64, stat: &Stat) -> FileAttr {
    let time = |seconds: i64, nanoseconds: u32| {
        SystemTime::UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds)
    };
    FileAttr {
        ino: INodeNo(node),
        size: stat.st_size as u64,
        blocks: stat.st_blocks as u64,
        atime: time(stat.st_atime, stat.st_atime_nsec as u32),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec as u32),
        ctime: time(stat.st_ctime, stat.st_ctime_nsec as u32),
        crtime: SystemTime::UNIX_EPOCH,
        kind: kind(stat),
        perm: (stat.st_mode & 0o7777) as u16,
        nlink: stat.st_nlink as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        rdev: 0,
        blksize: stat.st_blksize as u32,
        flags: 0,
    }
}

/// Returns the attributes of the events' file, which belongs to the user who runs the server.
pub(super) fn events() -> FileAttr {
    FileAttr {
        ino: super::file_system::EVENTS,
        size: 0,
        blocks: 0,
        atime: SystemTime::UNIX_EPOCH,
        mtime: SystemTime::UNIX_EPOCH,
        ctime: SystemTime::UNIX_EPOCH,
        crtime: SystemTime::UNIX_EPOCH,
        kind: fuser::FileType::RegularFile,
        perm: 0o600,
        nlink: 1,
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

/// Returns the times that are set; none if neither is.
pub(super) fn timestamps(access: Option<TimeOrNow>, change: Option<TimeOrNow>) -> Option<Timestamps> {
    let stamp = |time: Option<TimeOrNow>| {
        let (tv_sec, tv_nsec) = match time {
            None => (0, UTIME_OMIT),
            Some(TimeOrNow::Now) => (0, UTIME_NOW),
            Some(TimeOrNow::SpecificTime(time)) => {
                let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                (since.as_secs() as i64, i64::from(since.subsec_nanos()))
            }
        };
        Timespec { tv_sec, tv_nsec }
    };
    (access.is_some() || change.is_some())
        .then(|| Timestamps { last_access: stamp(access), last_modification: stamp(change) })
}
