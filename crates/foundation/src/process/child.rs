//! Starts a process inside a control group. To move a process there after it began takes 5 to 20 ms, because the kernel waits until no
//! thread of the system is between two states (`cgroup_threadgroup_rwsem`). A process that is born there takes none of that, and nothing
//! that it starts can ever be outside.

use super::{cgroup::Cgroup, pid};
use dbdyno_engine::confine::Confined;
use rustix::{
    io::fcntl_dupfd_cloexec,
    process::{WaitOptions, waitpid},
};
use std::{
    env,
    ffi::{CString, OsStr, OsString},
    fs::File,
    io::{self, Read},
    iter,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{
            ffi::OsStrExt,
            process::{CommandExt, ExitStatusExt},
        },
    },
    process::{Command, ExitStatus, Stdio},
    ptr,
};

/// A child process whose input and outputs are pipes.
#[derive(Debug)]
pub struct FamilyChild {
    pub(super) process: u32,
    /// Its status, once it has been reaped.
    status: Option<ExitStatus>,
    pub stdin: Option<OwnedFd>,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
}

impl FamilyChild {
    /// Returns its process ID; none once it has been reaped, because its number may belong to another process then.
    pub fn id(&self) -> Option<u32> {
        self.status.is_none().then_some(self.process)
    }

    /// Reaps it, and returns how it ended; none if it has not ended.
    pub fn try_wait(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            let (_, ended) = waitpid(pid(self.process), WaitOptions::NOHANG).ok()??;
            self.status = Some(ExitStatus::from_raw(ended.as_raw()));
        }
        self.status
    }

    /// Starts a command as the leader of a process group.
    pub(super) fn spawn(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        Ok(Self {
            process: child.id(),
            status: None,
            stdin: child.stdin.take().map(OwnedFd::from),
            stdout: child.stdout.take().map(OwnedFd::from),
            stderr: child.stderr.take().map(OwnedFd::from),
        })
    }

    /// Starts a command as the leader of a process group, inside a control group. `confined` runs in the child before the program does.
    ///
    /// # Errors
    /// The kernel cannot do it, the program cannot be run, or the child cannot be confined.
    pub(super) fn born_in(group: &Cgroup, command: &Command, confined: &mut Confined) -> io::Result<Self> {
        let folder = File::open(group.path())?;
        let program = ExecutedProgram::of(command)?;
        let ([stdin, to], [from, stdout], [log, stderr], [told, tell]) = (pipe()?, pipe()?, pipe()?, pipe()?);
        let process = clone_into(&folder, &tell, || become_program(&program, [&stdin, &stdout, &stderr], confined))?;
        drop((stdin, stdout, stderr, tell));
        let mut code = [0; 4];
        // This pipe closes when the program begins.
        if File::from(told).read_exact(&mut code).is_ok() {
            // It has ended, and its status says no more than its message.
            let _ = waitpid(pid(process), WaitOptions::empty());
            return Err(io::Error::from_raw_os_error(i32::from_ne_bytes(code)));
        }
        Ok(Self { process, status: None, stdin: Some(to), stdout: Some(from), stderr: Some(log) })
    }
}

/// Returns the ends of a pipe: for reading, and for writing. Neither has the number of a standard stream.
fn pipe() -> io::Result<[OwnedFd; 2]> {
    const FIRST: i32 = 3;
    let (read, write) = io::pipe()?;
    Ok([fcntl_dupfd_cloexec(read, FIRST)?, fcntl_dupfd_cloexec(write, FIRST)?])
}

/// A program with its arguments and environment, as the kernel takes them. It is made before the process is: in the child nothing can be
/// allocated, because another thread of the parent may have held the allocator's lock.
struct ExecutedProgram {
    path: CString,
    /// What the pointers point to.
    _texts: [Vec<CString>; 2],
    arguments: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
}

impl ExecutedProgram {
    fn of(command: &Command) -> io::Result<Self> {
        // A name without a folder would have to be looked for.
        if !command.get_program().as_bytes().contains(&b'/') || command.get_current_dir().is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let text = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::from);
        let words = iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<CString> = words.map(|word| text(word.as_bytes())).collect::<Result<_, _>>()?;
        let is_changed = |name: &OsStr| command.get_envs().any(|(changed, _)| changed == name);
        let own = env::vars_os().filter(|(name, _)| !is_changed(name));
        let given = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let variable = |(name, value): (OsString, OsString)| text(&[name.as_bytes(), b"=", value.as_bytes()].concat());
        let variables: Vec<CString> = own.chain(given).map(variable).collect::<Result<_, _>>()?;
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Ok(Self {
            path: text(command.get_program().as_bytes())?,
            arguments: pointers(&words),
            environment: pointers(&variables),
            _texts: [words, variables],
        })
    }

    /// Makes this process the program. Returns only if that fails.
    #[expect(unsafe_code, reason = "execve has no safe wrapper")]
    fn execute(&self) -> io::Error {
        // SAFETY: all three end with a null, and what they point to is owned by this value.
        unsafe { libc::execve(self.path.as_ptr(), self.arguments.as_ptr(), self.environment.as_ptr()) };
        io::Error::last_os_error()
    }
}

/// Makes a child the leader of a process group, gives it its streams, confines it, and makes it the program. Returns only if that fails.
fn become_program(program: &ExecutedProgram, streams: [&OwnedFd; 3], confined: &mut Confined) -> io::Error {
    let [stdin, stdout, stderr] = streams;
    let mut prepared = || -> io::Result<()> {
        rustix::process::setpgid(None, None)?;
        rustix::stdio::dup2_stdin(stdin)?;
        rustix::stdio::dup2_stdout(stdout)?;
        rustix::stdio::dup2_stderr(stderr)?;
        reset_signals();
        confined()
    };
    match prepared() {
        Ok(()) => program.execute(),
        Err(error) => error,
    }
}

/// Undoes what a Rust program does to signals, which other programs would inherit: it ignores SIGPIPE. No signal stays blocked.
#[expect(unsafe_code, reason = "signals have no safe wrapper that a child may call")]
fn reset_signals() {
    // SAFETY: system calls about this process alone.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Starts a child inside the control group with this folder, and returns its process ID. In the child `work` returns only if it fails: then
/// the child writes the error's number to `tell` and ends.
#[expect(unsafe_code, reason = "clone3 has no wrapper")]
fn clone_into(folder: &File, tell: &OwnedFd, work: impl FnOnce() -> io::Error) -> io::Result<u32> {
    /// Of the kernel's `include/uapi/linux/sched.h`; since 5.7.
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    // SAFETY: the structure is plain numbers, of which 0 means: nothing.
    let mut terms: libc::clone_args = unsafe { std::mem::zeroed() };
    terms.flags = CLONE_INTO_CGROUP;
    terms.exit_signal = libc::SIGCHLD as u64;
    terms.cgroup = folder.as_raw_fd() as u64;
    // SAFETY: as after a fork, the child has a copy of all memory and this thread alone. It allocates nothing, returns from nothing, and
    // becomes another program or ends.
    match unsafe { libc::syscall(libc::SYS_clone3, &raw const terms, size_of::<libc::clone_args>()) } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let code = work().raw_os_error().unwrap_or(libc::EIO);
            // Without its message the parent takes the child for one that ended at once.
            let _ = rustix::io::write(tell, &code.to_ne_bytes());
            // SAFETY: it ends without running what the parent would run at its end.
            unsafe { libc::_exit(127) }
        }
        process => u32::try_from(process).map_err(|_| io::ErrorKind::Other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessFamily;
    use dbdyno_engine::confine::Confinement;
    use std::{io::Write, thread, time::Duration};

    const TIME: Duration = Duration::from_secs(600);

    /// What a program says that is started in a family.
    fn said(family: &mut ProcessFamily, command: Command, input: &str) -> (String, String, ExitStatus) {
        let mut child = family.spawn(command, Confinement::answering(TIME)).unwrap();
        File::from(child.stdin.take().unwrap()).write_all(input.as_bytes()).unwrap();
        let read = |stream: &mut Option<OwnedFd>| io::read_to_string(File::from(stream.take().unwrap())).unwrap();
        let (out, error) = (read(&mut child.stdout), read(&mut child.stderr));
        let status = iter::repeat_with(|| (thread::sleep(Duration::from_millis(1)), child.try_wait()).1)
            .flatten()
            .next()
            .unwrap();
        assert_eq!(child.id(), None, "its number may be another's");
        (out, error, status)
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).env("GIVEN", "a b").env_remove("HOME");
        command
    }

    #[test]
    fn a_child_has_its_streams_variables_group_and_signals_wherever_it_is_born() {
        let script = "read line; echo \"$line $GIVEN ${HOME-none} $PATH\"; echo oops >&2; \
                      test $(ps -o pgid= $$) -eq $$ && echo leads; grep -E 'SigIgn|SigBlk' /proc/self/status; exit 7";
        let mut seen = Vec::new();
        for mut family in [ProcessFamily::fresh(), ProcessFamily::controlled()] {
            let (out, error, status) = said(&mut family, shell(script), "hello\n");
            assert_eq!((error.as_str(), status.code()), ("oops\n", Some(7)));
            assert!(out.starts_with("hello a b none /") && out.contains("leads\n"), "{out}");
            assert!(out.contains("SigBlk:\t0000000000000000"), "{out}");
            seen.push(out);
        }
        assert_eq!(seen[0], seen[1]);
    }

    #[test]
    fn a_child_of_a_control_group_was_never_outside() {
        let mut family = ProcessFamily::controlled();
        if !family.has_group() {
            dbdyno_engine::say!("not checked: no control group can be made here");
            return;
        }
        let (out, ..) = said(&mut family, shell("cat /proc/self/cgroup"), "");
        assert!(out.lines().any(|line| line.starts_with("0::") && line.contains("dbdyno-")), "{out}");
    }

    #[test]
    fn what_cannot_be_run_is_an_error_with_its_reason() {
        for mut family in [ProcessFamily::fresh(), ProcessFamily::controlled()] {
            let error = family.spawn(Command::new("/no/such/program"), Confinement::answering(TIME)).unwrap_err();
            assert!(error.contains("No such file or directory"), "{error}");
            let error = family.spawn(Command::new("/etc/passwd"), Confinement::answering(TIME)).unwrap_err();
            assert!(error.contains("Permission denied"), "{error}");
        }
    }
}
