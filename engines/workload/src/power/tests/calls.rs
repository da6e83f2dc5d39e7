//! Each call that changes files is recorded, with its effect.

use super::RecordedFolder;
use crate::power::{Marker, PowerRecord, SyncCall, SyncClass, mark, sync_classes};
use rustix::fs::{Mode, OFlags};
use std::{
    ffi::CString,
    fs::{self, File, OpenOptions},
    io::{IoSlice, Seek, SeekFrom, Write},
    ops::Range,
    os::{
        fd::AsRawFd,
        unix::fs::{FileExt, OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
    thread,
};

/// Returns the records of what was done after the recording began; the log explains the whole content of the folder.
#[track_caller]
fn recorded(before: impl FnOnce(&Path), done: impl FnOnce(&Path)) -> Vec<PowerRecord> {
    let recorded = RecordedFolder::after(before);
    done(&recorded.root());
    let (log, missed) = recorded.end();
    assert_eq!(missed, Vec::<PathBuf>::new());
    log.records()[log.base()..].to_vec()
}

/// Returns the writes among records: the offset and bytes of each.
fn writes(records: &[PowerRecord]) -> Vec<(u64, &[u8])> {
    let write = |record| match record {
        &PowerRecord::Write { offset, ref bytes, .. } => Some((offset, bytes.as_slice())),
        _ => None,
    };
    records.iter().filter_map(write).collect()
}

fn made(root: &Path) -> File {
    OpenOptions::new().read(true).write(true).create_new(true).open(root.join("file")).unwrap()
}

#[test]
fn writes_of_every_kind_are_seen_with_their_places() {
    let records = recorded(
        |_| (),
        |root| {
            let mut file = made(root);
            file.write_all(b"one").unwrap();
            file.seek(SeekFrom::Start(10)).unwrap();
            file.write_all(b"two").unwrap();
            file.write_all_at(b"three", 100).unwrap();
            assert_eq!(file.write_vectored(&[IoSlice::new(b"fo"), IoSlice::new(b"ur")]).unwrap(), 4);
            let mut at_end = OpenOptions::new().append(true).open(root.join("file")).unwrap();
            at_end.write_all(b"five").unwrap();
            at_end.write_all_at(b"six", 0).unwrap();
        },
    );
    let expected: [(u64, &[u8]); 6] =
        [(0, b"one"), (10, b"two"), (100, b"three"), (13, b"four"), (105, b"five"), (109, b"six")];
    assert_eq!(writes(&records), expected);
    assert!(matches!(&records[0], PowerRecord::Created { name, .. } if name == Path::new("file")));
    assert_eq!(records.len(), 7);
}

#[test]
#[expect(unsafe_code, reason = "functions of the C library are called as C calls them")]
fn writes_of_the_c_library_are_seen_with_their_places() {
    let records = recorded(
        |_| (),
        |root| {
            let path = CString::new(root.join("file").to_str().unwrap()).unwrap();
            let parts = [&b"part"[..], b"", b" and part"]
                .map(|part| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() });
            // SAFETY: calls with valid pointers and lengths.
            unsafe {
                let fd = libc::creat(path.as_ptr(), 0o600);
                assert_eq!(libc::pwritev(fd, parts.as_ptr(), 3, 20), 13);
                assert_eq!(libc::pwritev64(fd, parts.as_ptr(), 1, 40), 4);
                assert_eq!(libc::pwritev2(fd, parts.as_ptr(), 1, -1, libc::RWF_DSYNC), 4);
                assert_eq!(libc::pwritev2(fd, parts.as_ptr(), 1, 7, libc::RWF_APPEND), 4);
                assert_eq!(libc::close(fd), 0);
                let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_TRUNC);
                assert_eq!(libc::pwrite64(fd, b"end".as_ptr().cast(), 3, 1), 3);
                assert_eq!(libc::posix_fallocate(fd, 0, 9000), 0);
                assert_eq!(libc::fallocate(fd, libc::FALLOC_FL_KEEP_SIZE, 0, 90_000), 0);
                assert_eq!(libc::fallocate(fd, libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE, 0, 3), 0);
                assert_eq!(libc::close(fd), 0);
            }
        },
    );
    let expected: [(u64, &[u8]); 6] =
        [(20, b"part and part"), (40, b"part"), (0, b"part"), (44, b"part"), (1, b"end"), (0, b"\0\0\0")];
    assert_eq!(writes(&records), expected);
    let through = Some(0..4);
    assert!(matches!(&records[4], PowerRecord::Sync { call: SyncCall::WriteThrough, range, .. } if *range == through));
    let lengths: Vec<u64> = records
        .iter()
        .filter_map(|record| match record {
            PowerRecord::Resize { length, .. } => Some(*length),
            _ => None,
        })
        .collect();
    assert_eq!(lengths, [0, 9000, 9000, 9000]);
}

/// The mode is a variadic argument in C.
#[test]
fn a_file_gets_the_mode_that_the_caller_gives() {
    recorded(
        |_| (),
        |root| {
            let by_std = OpenOptions::new().write(true).create_new(true).mode(0o600).open(root.join("std")).unwrap();
            let flags = OFlags::CREATE | OFlags::WRONLY;
            let openat = rustix::fs::open(root.join("openat"), flags, Mode::RUSR).unwrap();
            let mode = |file: File| file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(by_std), mode(openat.into())), (0o600, 0o400));
        },
    );
}

/// When a file is created, the recorder looks for an existing one and finds none. The caller must not see that error.
#[test]
#[expect(unsafe_code, reason = "errno is read and set")]
fn a_call_that_succeeds_leaves_errno_alone() {
    let records = recorded(
        |_| (),
        |root| {
            let path = CString::new(root.join("file").to_str().unwrap()).unwrap();
            // SAFETY: a valid path, and the address of this thread's errno.
            unsafe {
                *libc::__errno_location() = 0;
                let fd = libc::open(path.as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o600);
                assert_eq!(*libc::__errno_location(), 0);
                assert_eq!(libc::close(fd), 0);
            }
        },
    );
    assert_eq!(records.len(), 1);
}

/// A partial write is logged as far as it went. A failed write is not logged. The caller gets its own errno.
#[test]
#[expect(unsafe_code, reason = "the process's limit of file sizes is set")]
fn only_what_was_written_is_logged() {
    let records = recorded(
        |_| (),
        |root| {
            let file = made(root);
            let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: valid structures, and a signal that is ignored from now on.
            let limit = |bytes| unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut before);
                let limit = libc::rlimit { rlim_cur: bytes, ..before };
                assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
            };
            let mut limit = limit;
            // Large enough for what other tests write at the same time.
            let most = 1 << 40;
            limit(most);
            let written = file.write_at(b"twelve bytes", most - 5);
            let failed = file.write_at(b"no byte", most);
            limit(libc::RLIM_INFINITY);
            assert_eq!(written.unwrap(), 5);
            assert_eq!(failed.unwrap_err().raw_os_error(), Some(libc::EFBIG));
            let read_only = File::open(root.join("file")).unwrap();
            let failed = (&read_only).write_all(b"no byte").unwrap_err();
            assert_eq!(failed.raw_os_error(), Some(libc::EBADF));
        },
    );
    assert_eq!(writes(&records), [((1 << 40) - 5, &b"twelv"[..])]);
}

#[test]
fn names_are_seen_through_working_folders_links_and_descriptors() {
    let records = recorded(
        |root| {
            fs::create_dir(root.join("old")).unwrap();
            fs::write(root.join("old/kept"), b"kept").unwrap();
            std::os::unix::fs::symlink(root, root.with_file_name("link")).unwrap();
        },
        |root| {
            let link = root.with_file_name("link");
            fs::create_dir_all(link.join("a/b")).unwrap();
            fs::write(link.join("a/../a/b/file"), b"new").unwrap();
            fs::rename(root.join("old/./kept"), root.join("a/kept")).unwrap();
            fs::hard_link(root.join("a/kept"), root.join("twice")).unwrap();
            fs::rename(root.join("a"), root.join("c/")).unwrap();
            fs::remove_file(link.join("c/kept")).unwrap();
            fs::copy(root.join("twice"), root.join("copied")).unwrap();
            fs::write(root.with_file_name("outside"), b"not recorded").unwrap();
            fs::rename(root.with_file_name("outside"), root.join("inside")).unwrap();
            fs::rename(root.join("inside"), root.with_file_name("outside")).unwrap();
            fs::remove_dir_all(root.join("old")).unwrap();
            assert!(fs::remove_dir(root.join("c")).is_err(), "what fails is not logged");
        },
    );
    let text = |record: &PowerRecord| match record {
        PowerRecord::Folder { name } => Some(format!("folder {}", name.display())),
        PowerRecord::Created { name, .. } => Some(format!("created {}", name.display())),
        PowerRecord::Linked { name, .. } => Some(format!("linked {}", name.display())),
        PowerRecord::Removed { name } => Some(format!("removed {}", name.display())),
        PowerRecord::Renamed { from, to } => Some(format!("renamed {} {}", from.display(), to.display())),
        _ => None,
    };
    let expected = [
        "folder a",
        "folder a/b",
        "created a/b/file",
        "renamed old/kept a/kept",
        "linked twice",
        "renamed a c",
        "removed c/kept",
        "created copied",
        "created inside",
        "removed inside",
        "removed old",
    ];
    assert_eq!(records.iter().filter_map(text).collect::<Vec<_>>(), expected);
    let expected: [(u64, &[u8]); 3] = [(0, b"new"), (0, b"kept"), (0, b"not recorded")];
    assert_eq!(writes(&records), expected);
}

#[test]
#[expect(unsafe_code, reason = "renameat2 has no safe wrapper in the standard library")]
fn an_exchange_is_seen() {
    let records = recorded(
        |root| ["one", "other"].iter().for_each(|name| fs::write(root.join(name), name).unwrap()),
        |root| {
            let [one, other] = ["one", "other"].map(|name| CString::new(root.join(name).to_str().unwrap()).unwrap());
            // SAFETY: valid paths.
            let done = unsafe {
                libc::renameat2(libc::AT_FDCWD, one.as_ptr(), libc::AT_FDCWD, other.as_ptr(), libc::RENAME_EXCHANGE)
            };
            assert_eq!(done, 0);
        },
    );
    assert_eq!(records, [PowerRecord::Exchanged { one: "one".into(), other: "other".into() }]);
}

/// The system reuses a removed file's inode number for the next file; they are still two files.
#[test]
fn a_file_that_gets_the_number_of_a_removed_one_is_another() {
    let records = recorded(
        |_| (),
        |root| {
            for round in 0..3_u8 {
                fs::write(root.join("journal"), [round]).unwrap();
                fs::remove_file(root.join("journal")).unwrap();
            }
        },
    );
    let file = |record: &PowerRecord| match record {
        PowerRecord::Created { file, .. } => Some(*file),
        _ => None,
    };
    let mut files: Vec<_> = records.iter().filter_map(file).collect();
    files.dedup();
    assert_eq!(files.len(), 3);
}

#[test]
fn syncs_are_seen_with_what_they_are_of() {
    let recorded = RecordedFolder::after(|root| fs::create_dir(root.join("below")).unwrap());
    let root = recorded.root();
    let file = made(&root.join("below"));
    file.sync_all().unwrap();
    file.sync_data().unwrap();
    file.sync_data().unwrap();
    let through = OpenOptions::new().write(true).custom_flags(libc::O_DSYNC).open(root.join("below/file")).unwrap();
    through.write_all_at(b"meta", 8192).unwrap();
    File::open(&root).unwrap().sync_all().unwrap();
    File::open(root.join("below")).unwrap().sync_data().unwrap();
    mark(Marker::Issued { ordinal: 1 }).unwrap();
    mark(Marker::Acknowledged { commits: 1 }).unwrap();
    let (log, missed) = recorded.end();
    assert_eq!(missed, Vec::<PathBuf>::new());
    let class = |call, file: &str| SyncClass { call, file: file.to_owned() };
    let expected = [
        (class(SyncCall::Fsync, "below/file"), 1),
        (class(SyncCall::Fdatasync, "below/file"), 2),
        (class(SyncCall::WriteThrough, "below/file"), 1),
        (class(SyncCall::Folder, "."), 1),
        (class(SyncCall::Folder, "below"), 1),
    ];
    assert_eq!(sync_classes(&log).into_iter().collect::<Vec<_>>(), expected);
    let [.., issued, acknowledged] = log.records() else { panic!("{log:?}") };
    assert_eq!(*issued, PowerRecord::Marker(Marker::Issued { ordinal: 1 }));
    assert_eq!(*acknowledged, PowerRecord::Marker(Marker::Acknowledged { commits: 1 }));
}

#[test]
#[expect(unsafe_code, reason = "a mapping is written to")]
fn what_is_stored_in_a_mapping_is_seen_when_it_is_synced() {
    let recorded = RecordedFolder::after(|_| ());
    let file = made(&recorded.root());
    file.set_len(1 << 30).unwrap();
    file.write_all_at(b"before", 4096).unwrap();
    // SAFETY: the mapping is as long as the file, and stores are within it.
    unsafe {
        let (protection, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        let mapping = libc::mmap(std::ptr::null_mut(), 1 << 30, protection, shared, file.as_raw_fd(), 0);
        assert_ne!(mapping, libc::MAP_FAILED);
        let store = |offset: usize, byte: u8| mapping.cast::<u8>().add(offset).write_volatile(byte);
        store(4099, b'!');
        store((1 << 30) - 1, 1);
        assert_eq!(libc::msync(mapping.byte_add(4096), 4096, libc::MS_SYNC), 0);
        store(0, 2);
        file.sync_data().unwrap();
        store(0, 3);
        mark(Marker::Acknowledged { commits: 1 }).unwrap();
        assert_eq!(libc::munmap(mapping, 1 << 30), 0);
    }
    let (log, missed) = recorded.end();
    assert_eq!(missed, Vec::<PathBuf>::new());
    assert_eq!(log.mapped().into_iter().collect::<Vec<_>>(), [Path::new("file")]);
    let told = |record: &PowerRecord| match record {
        PowerRecord::Write { offset, bytes, .. } => format!("write {offset} {} {}", bytes.len(), bytes[0]),
        PowerRecord::Sync { call, range, .. } => format!("{call} {range:?}"),
        other => format!("{other:?}").split(' ').next().unwrap().to_owned(),
    };
    let records: Vec<_> = log.records()[log.base()..].iter().map(told).collect();
    let expected = [
        "Created",
        "Resize",
        "write 4096 6 98",
        "Mapped",
        "write 4096 4096 98",
        "write 1073737728 4096 0",
        "msync Some(4096..8192)",
        "write 0 4096 2",
        "fdatasync None",
        "write 0 4096 3",
        "Marker(Acknowledged",
    ];
    assert_eq!(records, expected);
}

/// A mapping replaces those that it overlaps, and no others. The kernel may place the second one below or above the first, so the test
/// covers both orders.
#[test]
#[expect(unsafe_code, reason = "mappings are written to")]
fn a_mapping_beside_another_leaves_it_alone() {
    const LENGTH: usize = 1 << 16;
    for second_is_above in [false, true] {
        let records = recorded(
            |_| (),
            |root| {
                let file = made(root);
                file.set_len(2 * LENGTH as u64).unwrap();
                let (protection, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
                // SAFETY: the space is reserved first, the mappings are its halves, and stores are within them.
                unsafe {
                    let nothing = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                    let space = libc::mmap(std::ptr::null_mut(), 2 * LENGTH, libc::PROT_NONE, nothing, -1, 0);
                    assert_ne!(space, libc::MAP_FAILED);
                    let map = |half: usize| {
                        let (at, offset) = (space.byte_add(half * LENGTH), (half * LENGTH) as libc::off_t);
                        let fixed = shared | libc::MAP_FIXED;
                        assert_eq!(libc::mmap(at, LENGTH, protection, fixed, file.as_raw_fd(), offset), at);
                    };
                    let (first, second) = (usize::from(!second_is_above), usize::from(second_is_above));
                    map(first);
                    map(second);
                    let stored = space.byte_add(first * LENGTH);
                    stored.cast::<u8>().write_volatile(b'!');
                    assert_eq!(libc::msync(stored, 4096, libc::MS_SYNC), 0);
                    assert_eq!(libc::munmap(space, 2 * LENGTH), 0);
                }
            },
        );
        let start = if second_is_above { 0 } else { LENGTH as u64 };
        let synced = |record: &PowerRecord| match record {
            PowerRecord::Sync { call: SyncCall::Msync, range, .. } => range.clone(),
            _ => None,
        };
        let synced: Vec<(u64, u64)> =
            records.iter().filter_map(synced).map(|range: Range<u64>| (range.start, range.end)).collect();
        assert_eq!(synced, [(start, start + 4096)], "the second is above: {second_is_above}");
    }
}

#[test]
#[expect(unsafe_code, reason = "system calls are made")]
fn bytes_that_are_emptied_are_logged_where_they_are() {
    let records = recorded(
        |_| (),
        |root| {
            let file = made(root);
            file.write_all_at(&[7; 4096], 0).unwrap();
            // SAFETY: a call with only numbers as arguments.
            let punched = unsafe {
                libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, 1000, 24)
            };
            assert_eq!(punched, 0);
        },
    );
    assert_eq!(writes(&records), [(0, [7; 4096].as_slice()), (1000, [0; 24].as_slice())]);
}

#[test]
#[expect(unsafe_code, reason = "system calls are made")]
fn what_is_written_without_the_c_library_is_missed_and_found_to_be() {
    let recorded = RecordedFolder::after(|_| ());
    let file = made(&recorded.root());
    let folder = CString::new(recorded.root().join("folder").to_str().unwrap()).unwrap();
    // SAFETY: valid pointers, and as many bytes as stated.
    unsafe {
        assert_eq!(libc::syscall(libc::SYS_write, file.as_raw_fd(), b"unseen".as_ptr(), 6), 6);
        assert_eq!(libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, folder.as_ptr(), 0o700), 0);
    }
    let (_, missed) = recorded.end();
    assert_eq!(missed, [Path::new("file"), Path::new("folder")]);
}

/// Engines and their libraries use it.
#[test]
fn what_rustix_does_is_seen() {
    let records = recorded(
        |_| (),
        |root| {
            let flags = OFlags::WRONLY | OFlags::CREATE;
            let file = rustix::fs::open(root.join("file"), flags, Mode::RUSR | Mode::WUSR).unwrap();
            assert_eq!(rustix::io::write(&file, b"seen").unwrap(), 4);
            rustix::fs::fdatasync(&file).unwrap();
            rustix::fs::rename(root.join("file"), root.join("renamed")).unwrap();
        },
    );
    let [PowerRecord::Created { file, .. }, write, sync, renamed] = &records[..] else { panic!("{records:?}") };
    assert_eq!(*write, PowerRecord::Write { file: *file, offset: 0, bytes: b"seen".to_vec() });
    assert_eq!(*sync, PowerRecord::Sync { file: *file, call: SyncCall::Fdatasync, range: None });
    assert_eq!(*renamed, PowerRecord::Renamed { from: "file".into(), to: "renamed".into() });
}

#[test]
fn threads_that_write_at_once_are_logged_in_an_order_that_gives_what_is_there() {
    let records = recorded(
        |_| (),
        |root| {
            let file = made(root);
            let file = &file;
            thread::scope(|scope| {
                for writer in 0..4_u8 {
                    scope.spawn(move || {
                        for round in 0..200_u64 {
                            file.write_all_at(&[writer; 700], round % 7 * 300).unwrap();
                            if round % 50 == 0 {
                                file.sync_data().unwrap();
                            }
                        }
                    });
                }
            });
        },
    );
    assert_eq!(writes(&records).len(), 800);
}
