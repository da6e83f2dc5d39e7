//! Power losses below the file system: a worker writes to a mount that dbdyno serves, and the record has what the kernel passed on. So it
//! includes what no function of the C library shows: pages of mappings, direct system calls, and other programs.
//!
//! This process never touches the mount, and cannot find it, because the mount is in a namespace of the [server](server). A thread that
//! waits for a file system whose server has been killed cannot be killed either.

mod attributes;
mod backing;
mod clerk;
mod file_system;
mod flusher;
mod server;
mod tape;

pub use server::Serve;

use super::TortureError;
use rustix::{
    fs::{Mode, OFlags, open},
    process::{Pid, PidfdFlags, chdir, pidfd_open},
    stdio::dup2_stdout,
    thread::{ThreadNameSpaceType, move_into_thread_name_spaces},
};
use std::{
    env,
    ffi::CString,
    fmt, fs,
    io::{self, BufRead, BufReader},
    os::{
        fd::AsFd,
        unix::{ffi::OsStringExt, process::CommandExt},
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The hidden command of the processes of a mount.
pub const COMMAND: &str = "torture-mount";

/// How long a server may take to end when asked to. It is killed after that.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two checks whether it has ended.
const PAUSE: Duration = Duration::from_millis(1);

/// The task of a process of a mount.
#[derive(Debug)]
pub enum MountRole {
    Serve(Serve),
    /// Opens and closes files below a mount.
    Flush(PathBuf),
}

/// Performs a role until the process that started this one ends.
///
/// # Errors
/// The reason why it ended earlier: why there is no mount.
pub fn play(role: &MountRole) -> Result<(), String> {
    match role {
        MountRole::Serve(serve) => server::serve(serve),
        MountRole::Flush(mount) => {
            flusher::serve(mount, io::stdin(), io::stdout()).map_err(|error| format!("{COMMAND}: {error}"))
        }
    }
}

/// A server's process. It is asked to end when this is dropped. It also ends when this process is killed, because its stdin ends.
#[derive(Debug)]
pub(super) struct MountServer {
    child: Child,
    lifeline: Option<ChildStdin>,
}

impl Drop for MountServer {
    fn drop(&mut self) {
        self.lifeline.take();
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            // An error means that the child no longer exists.
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(PAUSE);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A mount for one worker. It ends when this value is dropped.
#[derive(Debug)]
pub(super) struct Mounted {
    server: MountServer,
    said: BufReader<ChildStdout>,
    /// The namespaces of the server that the worker enters.
    spaces: ThreadNameSpaceType,
    events: CString,
}

/// The folder of a mount's files and record. The worker does not see it.
#[derive(Debug)]
pub(super) struct BackingFolder(PathBuf);

impl BackingFolder {
    /// Creates the folder, and removes a previous one.
    pub(super) fn cleared(path: PathBuf) -> Result<Self, TortureError> {
        let backing = Self(path);
        let clear = || {
            match fs::remove_dir_all(&backing.0) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::create_dir_all(backing.files())
        };
        let cleared = clear();
        cleared.map_err(|error| TortureError::folder(&backing.0, "cannot put databases here", &error))?;
        Ok(backing)
    }

    pub(super) fn files(&self) -> PathBuf {
        self.0.join("files")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.0.join("log")
    }
}

impl Mounted {
    /// Mounts over an empty folder, and records this many commits.
    ///
    /// # Errors
    /// The reason why nothing can be mounted here.
    pub(super) fn start(mount: &Path, backing: &BackingFolder, commits: u32) -> Result<Self, String> {
        let failed = |error: &dyn fmt::Display| format!("the mount's server cannot be started: {error}");
        let program = env::current_exe().map_err(|error| failed(&error))?;
        let mut command = Command::new(program);
        command.arg(COMMAND).arg("serve").args([mount, &backing.files(), &backing.log()]).arg(commits.to_string());
        // A terminal's Ctrl-C is for this process, which then ends the server.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let (lifeline, stdout) = (child.stdin.take(), child.stdout.take());
        let server = MountServer { child, lifeline };
        let mut said = BufReader::new(stdout.ok_or_else(|| failed(&"its pipes are missing"))?);
        let mut line = String::new();
        said.read_line(&mut line).map_err(|error| failed(&error))?;
        let spaces = match line.trim_end() {
            server::READY => ThreadNameSpaceType::MOUNT,
            server::READY_AS_USER => ThreadNameSpaceType::MOUNT | ThreadNameSpaceType::USER,
            "" => return Err(failed(&"it ended without a message")),
            reason => return Err(reason.to_owned()),
        };
        let events = mount.join(file_system::EVENTS_NAME).into_os_string().into_vec();
        let events = CString::new(events).map_err(|error| failed(&error))?;
        Ok(Self { server, said, spaces, events })
    }

    /// Prepares a command so that its process sees the mount, and writes its stdout there.
    ///
    /// # Errors
    /// The server has ended.
    #[expect(unsafe_code, reason = "what a process does between fork and exec is unsafe to give")]
    pub(super) fn stage(&self, command: &mut Command) -> io::Result<()> {
        let server = pidfd_open(Pid::from_child(&self.server.child), PidfdFlags::empty())?;
        let (spaces, events) = (self.spaces, self.events.clone());
        // Entering a namespace changes the working folder to its root.
        let folder = CString::new(env::current_dir()?.into_os_string().into_vec())?;
        let enter = move || {
            move_into_thread_name_spaces(server.as_fd(), spaces)?;
            chdir(folder.as_c_str())?;
            let events = open(events.as_c_str(), OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
            Ok(dup2_stdout(events)?)
        };
        command.stdout(Stdio::null());
        // SAFETY: system calls alone, and nothing else of this process is touched.
        unsafe { command.pre_exec(enter) };
        Ok(())
    }

    /// Returns the worker's events, as far as the server has recorded them, and the server. Drop the server before you wait for the worker.
    pub(super) fn into_parts(self) -> (BufReader<ChildStdout>, MountServer) {
        (self.said, self.server)
    }
}
