//! A disk that a test controls. Before each call of a program that changes a folder, or opens something in it, the kernel asks this process
//! (seccomp's user notification) whether the call is made or fails with an error. The calls can also be listed.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::CString,
    fs, io, mem,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::fs::FileExt,
    },
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::mpsc,
    thread,
};

/// The kind of a call that a program is about to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// Read from an open file. Decided only if a test asks for reads.
    Read,
    /// Open to read.
    Open,
    /// Open to write, write, sync, create, rename, remove.
    Change,
}

/// One call of a program, as far as it matters for the order of syncs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The content of a file is changed.
    Write(PathBuf),
    /// A file or a folder is synced.
    Sync(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove(PathBuf),
}

/// The decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// The call is made.
    Do,
    /// The call fails with this error.
    Fail(i32),
    /// The process is killed before the call is made.
    Kill,
}

/// How a call names its file: the positions of arguments that are descriptors or paths.
#[derive(Debug, Clone, Copy)]
enum Names {
    File(usize),
    Path { folder: Option<usize>, path: usize },
}

/// Returns the calls, the arguments that name the file of each, and the argument with the flags of calls that open.
fn calls(reads: bool) -> Vec<(i64, Names, Option<usize>)> {
    let at = |folder, path| Names::Path { folder: Some(folder), path };
    let file = |call| (call, Names::File(0), None);
    let mut calls = vec![(libc::SYS_openat, at(0, 1), Some(2))];
    calls.extend([libc::SYS_renameat, libc::SYS_renameat2].map(|call| (call, at(0, 1), None)));
    calls.extend([libc::SYS_unlinkat, libc::SYS_mkdirat].map(|call| (call, at(0, 1), None)));
    calls.push((libc::SYS_linkat, at(2, 3), None));
    calls.extend(
        [libc::SYS_write, libc::SYS_pwrite64, libc::SYS_writev, libc::SYS_pwritev, libc::SYS_pwritev2].map(file),
    );
    calls.extend([libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_ftruncate, libc::SYS_fallocate].map(file));
    calls.push((libc::SYS_copy_file_range, Names::File(2), None));
    #[cfg(target_arch = "x86_64")]
    {
        let path = Names::Path { folder: None, path: 0 };
        calls.push((libc::SYS_open, path, Some(1)));
        calls.extend(
            [libc::SYS_creat, libc::SYS_rename, libc::SYS_unlink, libc::SYS_rmdir].map(|call| (call, path, None)),
        );
        calls.extend([libc::SYS_mkdir, libc::SYS_truncate].map(|call| (call, path, None)));
        calls.push((libc::SYS_link, Names::Path { folder: None, path: 1 }, None));
    }
    if reads {
        calls.extend(READS.map(file));
    }
    calls
}

const READS: [i64; 3] = [libc::SYS_read, libc::SYS_pread64, libc::SYS_readv];

/// Calls that write the content of a file. Calls that change its length or make holes are left out, because nothing refers to the space
/// that they free.
const WRITES: [i64; 6] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_copy_file_range,
];
const SYNCS: [i64; 2] = [libc::SYS_fsync, libc::SYS_fdatasync];
const RENAMES: [i64; 2] = [libc::SYS_renameat, libc::SYS_renameat2];
#[cfg(target_arch = "x86_64")]
const OLDER: (i64, i64) = (libc::SYS_rename, libc::SYS_unlink);
/// Other architectures have only the calls above.
#[cfg(not(target_arch = "x86_64"))]
const OLDER: (i64, i64) = (-1, -1);

/// Runs a command to its end. `decide` is called for each call on a path that begins with `below`. Returns None if the system does not
/// support this.
pub(super) fn run(command: Command, below: PathBuf, decide: impl FnMut(Call) -> Answer) -> Option<Output> {
    run_asking(command, below, false, deciding(decide))
}

/// Like [`run`], but `decide` is called for reads too.
pub(super) fn run_with_reads(command: Command, below: PathBuf, decide: impl FnMut(Call) -> Answer) -> Option<Output> {
    run_asking(command, below, true, deciding(decide))
}

/// Runs a command to its end. Returns its output and, in order, its calls on files whose path begins with `below`.
pub(super) fn steps(command: Command, below: PathBuf) -> Option<(Output, Vec<Step>)> {
    let mut steps = Vec::new();
    let output = run_asking(command, below, false, |asked, named| {
        steps.extend(step(asked, named.path.clone()));
        Answer::Do
    })?;
    Some((output, steps))
}

fn deciding(mut decide: impl FnMut(Call) -> Answer) -> impl FnMut(&libc::seccomp_notif, &Named) -> Answer {
    move |_, named| decide(named.call)
}

fn run_asking(
    mut command: Command,
    below: PathBuf,
    reads: bool,
    mut decide: impl FnMut(&libc::seccomp_notif, &Named) -> Answer,
) -> Option<Output> {
    let (listening, listener) = mpsc::channel();
    // The children of the thread inherit the filter. The thread itself ends with this call.
    let running = thread::spawn(move || {
        listening.send(listen(reads)).unwrap();
        command.output().unwrap()
    });
    let listener = listener.recv().unwrap();
    if let Ok(listener) = &listener {
        while let Some(asked) = next(listener) {
            let answer = named(&asked, &below).map_or(Answer::Do, |named| decide(&asked, &named));
            match answer {
                Answer::Kill => _ = kill_process(Pid::from_raw(asked.pid as i32).unwrap(), Signal::KILL),
                answer => reply(listener, asked.id, answer),
            }
        }
    }
    let output = running.join().unwrap();
    assert!(listener.is_ok() || std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "{listener:?}");
    if listener.is_err() {
        eprintln!("not checked: the kernel asks nobody about system calls ({listener:?})");
    }
    listener.ok().map(|_| output)
}

/// Makes the kernel ask about the calls of this thread and its children from now on.
fn listen(reads: bool) -> io::Result<OwnedFd> {
    let instruction = |code: u32, jt: usize, k: u32| libc::sock_filter { code: code as u16, jt: jt as u8, jf: 0, k };
    let calls = calls(reads);
    let number =
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, mem::offset_of!(libc::seccomp_data, nr) as u32);
    let mut program = vec![number];
    for (at, (call, ..)) in calls.iter().enumerate() {
        program.push(instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, calls.len() - at, *call as u32));
    }
    program.push(instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW));
    program.push(instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_USER_NOTIF));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: `filter` and the memory that it points to live until both calls have returned.
    let listener = unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter)
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just created this descriptor for the caller.
    Ok(unsafe { OwnedFd::from_raw_fd(listener as i32) })
}

/// Returns the next call that the kernel asks about, or None once every process has ended.
fn next(listener: &OwnedFd) -> Option<libc::seccomp_notif> {
    loop {
        let mut waited = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the call waits for one descriptor, and zeros are a valid value of the structure that the kernel fills.
        let asked = unsafe {
            libc::poll(&raw mut waited, 1, -1);
            if waited.revents & libc::POLLIN == 0 {
                return None;
            }
            let mut asked: libc::seccomp_notif = mem::zeroed();
            (libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut asked) == 0).then_some(asked)
        };
        // The kernel no longer asks for a process that was killed in the meantime.
        if asked.is_some() {
            return asked;
        }
    }
}

fn reply(listener: &OwnedFd, id: u64, answer: Answer) {
    let mut response = match answer {
        Answer::Do => {
            libc::seccomp_notif_resp { id, val: 0, error: 0, flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 }
        }
        Answer::Fail(error) => libc::seccomp_notif_resp { id, val: 0, error: -error, flags: 0 },
        Answer::Kill => return,
    };
    // SAFETY: the call expects this structure. It is not an error if no process waits for the answer any more.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response) };
}

/// A call on a path that begins with the test's prefix.
struct Named {
    call: Call,
    path: PathBuf,
}

/// Returns a call's effect on a path that begins with `below`, and None for other calls.
fn named(asked: &libc::seccomp_notif, below: &Path) -> Option<Named> {
    let (_, names, flags) = calls(true).into_iter().find(|(call, ..)| *call == i64::from(asked.data.nr))?;
    let path = path(asked, names)?;
    if !path.as_os_str().as_encoded_bytes().starts_with(below.as_os_str().as_encoded_bytes()) {
        return None;
    }
    let reads =
        |at: usize| asked.data.args[at] as i32 & (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) == libc::O_RDONLY;
    let call = match READS.contains(&i64::from(asked.data.nr)) {
        true => Call::Read,
        false if flags.is_some_and(reads) => Call::Open,
        false => Call::Change,
    };
    Some(Named { call, path })
}

/// Returns the path that a call is about.
fn path(asked: &libc::seccomp_notif, names: Names) -> Option<PathBuf> {
    match names {
        Names::File(at) => descriptor(asked.pid, asked.data.args[at]),
        Names::Path { folder, path } => {
            let folder = folder.map_or(libc::AT_FDCWD, |at| asked.data.args[at] as i32);
            let folder = match folder {
                libc::AT_FDCWD => fs::read_link(format!("/proc/{}/cwd", asked.pid)).ok()?,
                folder => descriptor(asked.pid, folder as u64)?,
            };
            Some(folder.join(text(asked.pid, asked.data.args[path])?))
        }
    }
}

/// Returns the step of a call on this path in the order of syncs, if it is one.
fn step(asked: &libc::seccomp_notif, on: PathBuf) -> Option<Step> {
    let call = i64::from(asked.data.nr);
    let (rename, unlink) = OLDER;
    let renamed =
        |folder, at| Some(Step::Rename { from: on.clone(), to: path(asked, Names::Path { folder, path: at })? });
    match call {
        _ if RENAMES.contains(&call) => renamed(Some(2), 3),
        _ if call == rename => renamed(None, 1),
        _ if SYNCS.contains(&call) => Some(Step::Sync(on)),
        _ if WRITES.contains(&call) => Some(Step::Write(on)),
        _ if call == libc::SYS_unlinkat || call == unlink => Some(Step::Remove(on)),
        _ => None,
    }
}

fn descriptor(process: u32, number: u64) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/fd/{}", number as i32)).ok()
}

/// Reads the text that an argument points to.
fn text(process: u32, at: u64) -> Option<String> {
    let memory = fs::File::open(format!("/proc/{process}/mem")).ok()?;
    let mut bytes = vec![0; 4096];
    // A text may end just before unmapped memory.
    let read = memory.read_at(&mut bytes, at).ok()?;
    let end = bytes[..read].iter().position(|byte| *byte == 0)?;
    CString::new(&bytes[..end]).ok()?.into_string().ok()
}
