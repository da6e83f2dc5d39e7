//! The process that serves the mount. It owns nothing else, and ends with the program that started it.
//!
//! The mount is in a namespace of this process, its flusher and the worker. Other processes cannot see it, so none can hang on it. The
//! kernel removes it with the last of the three.

use super::{backing::Backing, clerk::Clerk, file_system::FileSystem, flusher::Flusher, tape::TrialTape};
use fuser::{Config, Session, SessionACL};
use rustix::{
    fs::{Mode, OFlags},
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    process::{Resource, Rlimit, Signal, getegid, geteuid, getrlimit, kill_process, setrlimit, umask},
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{
    ffi::CString,
    fs,
    io::{self, Read, Write},
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc::channel},
    thread,
};

/// The device through which the kernel passes requests.
const DEVICE: &str = "/dev/fuse";
/// Its type in lists of mounts.
const KIND: &str = "fuse.dbdyno";
/// The first line of output once the worker may start.
pub(super) const READY: &str = "mounted";
/// The same if only a user namespace made the mount possible. The worker has to enter that too.
pub(super) const READY_AS_USER: &str = "mounted as user";

/// The parameters of a server.
#[derive(Debug)]
pub struct Serve {
    /// The folder in which the worker finds its files.
    pub mount: PathBuf,
    /// The folder that holds them.
    pub backing: PathBuf,
    pub log: PathBuf,
    pub commits: u64,
}

/// Serves until stdin ends. Writes a line to stdout that reports whether it is mounted, and then the events of the worker.
///
/// # Errors
/// The reason why there is no mount.
pub(super) fn serve(serve: &Serve) -> Result<(), String> {
    let reason = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| format!("{what}: {error}")
    };
    let ready = separate().map_err(reason("cannot create a namespace for the mount"))?;
    let tape = TrialTape::create(&serve.log, serve.commits).map_err(reason("cannot create the record"))?;
    let backing = Backing::new(&serve.backing, tape).map_err(reason("cannot open the folder behind the mount"))?;
    let backing = Arc::new(Mutex::new(backing));
    // Started before the device is opened, because the flusher must not have it open: the kernel ends the connection when the last process
    // that has it ends.
    let flusher = Flusher::start(&serve.mount).map_err(reason("cannot start the process that writes mappings back"))?;
    let flushing = flusher.process();
    let (said, heard) = channel();
    let session = mounted(&serve.mount, FileSystem { backing: Arc::clone(&backing), said })?;
    thread::spawn(move || {
        // Serving fails if no process reads the events. Then no process waits for the end either.
        let _ = Clerk::new(backing, flusher).serve(&heard, io::stdout());
        end(flushing);
    });
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        end(flushing);
    });
    writeln!(io::stdout(), "{ready}").and_then(|()| io::stdout().flush()).map_err(reason("cannot report the mount"))?;
    session.run().map_err(reason("cannot serve the mount"))?;
    end(flushing)
}

/// Ends the flusher and then this process, so that the flusher does not become an orphan.
fn end(flusher: u32) -> ! {
    if let Some(flusher) = i32::try_from(flusher).ok().and_then(rustix::process::Pid::from_raw) {
        // The flusher may have ended.
        let _ = kill_process(flusher, Signal::KILL);
        let _ = rustix::process::waitpid(Some(flusher), rustix::process::WaitOptions::empty());
    }
    std::process::exit(0)
}

/// Gives this process a mount namespace of its own.
#[expect(unsafe_code, reason = "a namespace is left in a way that is unsafe for descriptors, which stay as they are")]
fn separate() -> io::Result<&'static str> {
    // SAFETY: the table of descriptors is not unshared.
    let ready = match unsafe { unshare_unsafe(UnshareFlags::NEWNS) } {
        Ok(()) => READY,
        // An ordinary user may mount in a namespace in which the user counts as the administrator.
        Err(_) => {
            let (user, group) = (geteuid().as_raw(), getegid().as_raw());
            // SAFETY: as above.
            unsafe { unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)? };
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
            READY_AS_USER
        }
    };
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    umask(Mode::empty());
    // One descriptor is needed for each file that the kernel knows.
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    Ok(ready)
}

fn mounted(at: &Path, file_system: FileSystem) -> Result<Session<FileSystem>, String> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    let device =
        rustix::fs::open(DEVICE, flags, Mode::empty()).map_err(|error| format!("cannot open {DEVICE}: {error}"))?;
    let options = format!(
        "fd={},rootmode=40000,user_id={},group_id={},default_permissions",
        device.as_raw_fd(),
        geteuid().as_raw(),
        getegid().as_raw()
    );
    let failed = |error: io::Error| format!("cannot mount a file system: {error}");
    let options = CString::new(options).map_err(|error| failed(error.into()))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("dbdyno", at, KIND, flags, options.as_c_str()).map_err(|error| failed(error.into()))?;
    // The kernel has already checked who makes the request.
    Session::from_fd(file_system, device, SessionACL::All, Config::default()).map_err(failed)
}
