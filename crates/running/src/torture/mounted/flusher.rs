//! Has the kernel write the pages of mappings to the mount, through a separate process that opens and closes the files there.
//!
//! The kernel writes back a file's pages whenever one of its descriptors on FUSE is closed. Only another process may close one: a thread of
//! the server would wait for the server, and could not even be killed.

use std::{
    env,
    ffi::OsStr,
    fs::File,
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The answer when everything is written.
const DONE: &[u8] = b"done\n";

/// The flusher process, as seen by the server. It ends when its stdin does.
#[derive(Debug)]
pub(super) struct Flusher {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Flusher {
    /// Starts the process for a mount.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(super) fn start(mount: &Path) -> io::Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.args([OsStr::new(super::COMMAND), OsStr::new("flush"), mount.as_os_str()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(requests), Some(answers)) => Ok(Self { child, requests, answers: BufReader::new(answers) }),
            _ => Err(io::Error::other("its pipes are missing")),
        }
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Has the kernel write the mapped pages of files, given by their names below the mount. Blocks until they are written.
    ///
    /// # Errors
    /// A file cannot be opened, or the process has ended.
    pub(super) fn flush(&mut self, names: &[PathBuf]) -> io::Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let mut request = Vec::new();
        for name in names {
            request.extend_from_slice(name.as_os_str().as_bytes());
            request.push(0);
        }
        // An empty name marks the end of the list.
        request.push(0);
        self.requests.write_all(&request)?;
        let mut answer = Vec::new();
        self.answers.read_until(b'\n', &mut answer)?;
        match answer.as_slice() {
            DONE => Ok(()),
            [] => Err(io::Error::other("the process that writes mappings back ended")),
            error => Err(io::Error::other(String::from_utf8_lossy(error).trim().to_owned())),
        }
    }
}

/// Serves flush requests until stdin ends.
///
/// # Errors
/// The pipes are broken.
pub(super) fn serve(mount: &Path, requests: impl Read, mut answers: impl Write) -> io::Result<()> {
    let mut requests = BufReader::new(requests);
    let mut answer = DONE.to_vec();
    loop {
        let mut name = Vec::new();
        if requests.read_until(0, &mut name)? == 0 {
            return Ok(());
        }
        name.pop();
        if name.is_empty() {
            answers.write_all(&std::mem::replace(&mut answer, DONE.to_vec()))?;
            answers.flush()?;
            continue;
        }
        let path = mount.join(OsStr::from_bytes(&name));
        // Closed at once. A file that was removed meanwhile needs nothing.
        match File::open(&path).map(drop) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                answer = format!("{}: {error}\n", path.display()).into_bytes();
            }
            _ => {}
        }
    }
}
