//! Restrictions on an engine's process. Its code is not part of this program: it is a library that an option named, or someone else's
//! program. All restrictions are set between fork and exec, so that they also hold for every process that it starts. They are the same
//! for every engine, so that no comparison is between a confined and an unconfined one.

mod landlock;
mod seccomp;

pub use self::{landlock::version as landlock_version, seccomp::filters_calls};

use self::{landlock::WriteRules, seccomp::CallFilter};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    fs, io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

/// The share of the free disk space that one file may not take: one part in this many.
const RESERVED_PART: u64 = 20;
/// Length that a file may have regardless of free space, bytes: memory maps and logs are sized before they hold anything.
const LEAST_FILE: u64 = 1 << 30;
/// CPU time in addition to what all cores have until the deadline, s: a process that meets its deadline never reaches the limit.
const MORE_CPU: u64 = 60;
/// CPU time between the signal that reports the limit and the signal that ends the process, s.
const LAST_WORDS: u64 = 10;
/// Descriptors below this number are marked one by one if the kernel cannot mark all at once.
const FEW: i32 = 4096;

/// The limits of what a process may reach.
#[derive(Debug, Clone, Copy)]
pub struct Confinement<'f> {
    place: Option<WritableFolder<'f>>,
    /// Time after which other processes end it.
    time: Duration,
}

/// The folder that a process may write to.
#[derive(Debug, Clone, Copy)]
struct WritableFolder<'f> {
    folder: &'f Path,
    /// Length that a file may have regardless of free space, bytes.
    ahead: u64,
}

/// What confines a process: it runs in the process, after it was started and before it is a program.
pub type Confined = Box<dyn FnMut() -> io::Result<()> + Send + Sync>;

impl<'f> Confinement<'f> {
    /// Confines a process that answers a question within some time, and has nothing to write.
    pub fn answering(time: Duration) -> Self {
        Self { place: None, time }
    }

    /// Confines a process that works for some time in a folder, which exists. `ahead`: the length to which it may size a file before the
    /// file holds anything, bytes.
    pub fn within(folder: &'f Path, ahead: u64, time: Duration) -> Self {
        Self { place: Some(WritableFolder { folder, ahead: ahead.max(LEAST_FILE) }), time }
    }

    /// Arranges that the process of a command is confined before it runs the program.
    ///
    /// # Errors
    /// The folder cannot be prepared, or the kernel rejects the rules.
    #[expect(unsafe_code, reason = "what a process does between fork and exec is unsafe to give")]
    pub fn begin(&self, command: &mut Command) -> Result<(), String> {
        let confined = self.prepare(command)?;
        // SAFETY: system calls alone, and nothing else of this process is touched.
        unsafe { command.pre_exec(confined) };
        Ok(())
    }

    /// Prepares the variables of a command, and returns what confines its process. That makes system calls alone, and allocates nothing.
    ///
    /// # Errors
    /// The folder cannot be prepared, or the kernel rejects the rules.
    pub fn prepare(&self, command: &mut Command) -> Result<Confined, String> {
        if let Some(place) = &self.place {
            let temporary = temporary(place.folder)?;
            // `SQLITE_TMPDIR` takes precedence over `TMPDIR` if both are set.
            command.env_remove("SQLITE_TMPDIR").env("TMPDIR", &temporary);
        }
        let limits = self.limits();
        let rules = WriteRules::new(self.place.map(|place| place.folder))?;
        let filter = CallFilter::new()?;
        Ok(Box::new(move || {
            close_on_exec();
            for (resource, limit) in &limits {
                setrlimit(*resource, *limit)?;
            }
            rustix::thread::set_no_new_privs(true)?;
            rules.as_ref().map_or(Ok(()), WriteRules::enforce)?;
            filter.as_ref().map_or(Ok(()), CallFilter::enforce)
        }))
    }

    /// Returns the resource limits, which never exceed this process's own.
    fn limits(&self) -> Vec<(Resource, Rlimit)> {
        let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
        let cpu = self.time.as_secs().saturating_mul(cores).saturating_add(MORE_CPU);
        let file = self.place.and_then(|place| Some(longest_file(free(place.folder)?, place.ahead)));
        let limits = [
            // A core dump has the content of the memory, and is as large.
            Some((Resource::Core, 0, 0)),
            Some((Resource::Cpu, cpu, cpu.saturating_add(LAST_WORDS))),
            file.map(|bytes| (Resource::Fsize, bytes, bytes)),
        ];
        limits.into_iter().flatten().map(|(resource, soft, hard)| (resource, lowered(resource, soft, hard))).collect()
    }
}

/// Creates a folder for files that belong to no database, next to the databases: on the measured disk, and removed with the run.
fn temporary(folder: &Path) -> Result<PathBuf, String> {
    let temporary = folder.join("temporary");
    match fs::create_dir(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(format!("its folder for temporary files, {}: {error}", temporary.display()))
        }
        _ => Ok(temporary),
    }
}

/// Returns the number of free bytes on the disk of a folder.
fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Returns the length that a file may have. All bytes count as if they were on the disk, although the bytes of a file that is sized ahead
/// are not.
fn longest_file(free: u64, ahead: u64) -> u64 {
    (free - free / RESERVED_PART).max(ahead)
}

fn lowered(resource: Resource, soft: u64, hard: u64) -> Rlimit {
    let own = getrlimit(resource);
    let least = |own: Option<u64>, limit: u64| Some(own.map_or(limit, |own| own.min(limit)));
    Rlimit { current: least(own.current, soft), maximum: least(own.maximum, hard) }
}

/// Marks all descriptors but the first three to be closed when the program begins: the process that started dbdyno may have left some
/// open.
#[expect(unsafe_code, reason = "close_range has no safe wrapper among the crates used here")]
fn close_on_exec() {
    const FIRST: libc::c_int = 3;
    // SAFETY: flags of descriptors are set; none is closed before the program begins.
    let set = unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if set != 0 {
        // Kernels before 5.11 do not know the flag. A number without a descriptor is refused, which does no harm.
        for descriptor in FIRST..FEW {
            // SAFETY: as above.
            unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::fd::IntoRawFd, process::Output};

    const TIME: Duration = Duration::from_secs(20);

    /// Runs a script in a confined shell.
    fn shell(confinement: Confinement<'_>, script: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        confinement.begin(&mut command).unwrap();
        command.output().unwrap()
    }

    fn said(output: &Output) -> String {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    #[test]
    fn files_are_written_below_the_folder_and_nowhere_else() {
        if landlock_version().is_none() {
            crate::say!("not checked: the kernel has no Landlock");
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("own")).unwrap();
        fs::create_dir(at("other")).unwrap();
        fs::write(at("other/file"), "kept").unwrap();
        std::os::unix::fs::symlink(at("other/file"), at("own/link")).unwrap();
        let script = format!(
            "cd {} && mkdir own/sub && echo x >own/sub/file && mv own/sub/file own/moved && cat other/file own/moved && \
             echo 5 >/proc/self/clear_refs && echo y >/dev/null && echo z >\"$TMPDIR/z\" && mkfifo own/pipe && echo done; \
             for attempt in 'echo x >other/file' 'echo x >other/new' 'echo x >own/link' 'rm other/file' 'mv other/file own' \
             'mv own/moved other' 'ln other/file own/hard' 'mkdir other/sub' 'mknod own/null c 1 3' \
             'truncate -s 0 other/file' 'echo x >/tmp/dbdyno-confined' 'mv own moved'; do \
             eval \"($attempt)\" 2>/dev/null && echo \"did $attempt\"; done; true",
            root.path().display()
        );
        let output = shell(Confinement::within(&at("own"), 0, TIME), &script);
        assert_eq!(said(&output), "keptx\ndone", "{output:?}");
        assert_eq!(fs::read_to_string(at("other/file")).unwrap(), "kept");
        assert_eq!(fs::read_dir(at("other")).unwrap().count(), 1);
    }

    #[test]
    fn who_only_answers_writes_nothing_and_ends_nobody() {
        if landlock_version().is_none() {
            crate::say!("not checked: the kernel has no Landlock");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut other = Command::new("sleep").arg("600").spawn().unwrap();
        let (file, number) = (folder.path().join("file"), other.id());
        let script = format!("echo x >{} || kill {number} || echo neither", file.display());
        assert_eq!(said(&shell(Confinement::answering(TIME), &script)), "neither");
        assert!(!file.exists());
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn no_descriptor_but_the_first_three_is_left_open() {
        // Duplicated without the close-on-exec flag, as a shell passes a descriptor on.
        let left = rustix::io::dup(fs::File::open("/").unwrap()).unwrap().into_raw_fd();
        let script = format!("[ -e /proc/self/fd/{left} ] && echo open; echo looked");
        assert_eq!(said(&Command::new("sh").args(["-c", &script]).output().unwrap()), "open\nlooked");
        assert_eq!(said(&shell(Confinement::answering(TIME), &script)), "looked");
    }

    #[test]
    fn limits_are_lowered_and_never_raised() {
        let folder = tempfile::tempdir().unwrap();
        let limits = "ulimit -c; ulimit -t; ulimit -n";
        let output = said(&shell(Confinement::within(folder.path(), 0, TIME), limits));
        let cores = thread::available_parallelism().unwrap().get() as u64;
        let files = getrlimit(Resource::Nofile).current.map_or_else(|| "unlimited".to_owned(), |most| most.to_string());
        assert_eq!(output, format!("0\n{}\n{files}", 20 * cores + MORE_CPU));
        let own = getrlimit(Resource::Stack);
        let lower = lowered(Resource::Stack, u64::MAX - 1, u64::MAX - 1);
        assert!(own.current.is_none_or(|own| lower.current == Some(own)));
    }

    /// Holds for any core limit of this process: if the limit is 0, an unconfined shell prints the same.
    #[test]
    fn no_core_is_left() {
        let nothing = Rlimit { current: Some(0), maximum: Some(0) };
        let folder = tempfile::tempdir().unwrap();
        for confinement in [Confinement::answering(TIME), Confinement::within(folder.path(), 0, TIME)] {
            assert!(confinement.limits().contains(&(Resource::Core, nothing)));
        }
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -S -c; ulimit -H -c"]);
        let raised = || {
            let own = getrlimit(Resource::Core);
            Ok(setrlimit(Resource::Core, Rlimit { current: own.maximum, ..own })?)
        };
        #[expect(unsafe_code, reason = "what a process does between fork and exec is unsafe to give")]
        // SAFETY: system calls alone.
        unsafe {
            command.pre_exec(raised)
        };
        Confinement::answering(TIME).begin(&mut command).unwrap();
        assert_eq!(said(&command.output().unwrap()), "0\n0");
    }

    #[test]
    fn a_file_has_what_is_free_less_a_reserve_or_what_it_is_sized_ahead_to() {
        assert_eq!(longest_file(100 << 30, 1 << 30), 95 << 30);
        assert_eq!(longest_file(1 << 20, 1 << 30), 1 << 30);
        let folder = tempfile::tempdir().unwrap();
        let limits = |ahead| Confinement::within(folder.path(), ahead, TIME).limits();
        let file =
            |limits: Vec<(Resource, Rlimit)>| limits.into_iter().find(|(of, _)| *of == Resource::Fsize).unwrap().1;
        let own = getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX);
        assert_eq!(file(limits(1 << 60)).current, Some(own.min(1 << 60)));
        assert!(file(limits(0)).current.unwrap() <= free(folder.path()).unwrap().max(LEAST_FILE));
        assert_eq!(LEAST_FILE, 1_073_741_824);
    }

    /// Compares with `df`; other processes write to the disk meanwhile.
    #[test]
    fn what_is_free_is_what_df_says() {
        const MOVES: u64 = 4 << 30;
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new("df").args(["-B1", "--output=avail"]).arg(folder.path()).output().unwrap();
        let Some(said) = said(&output).lines().last().and_then(|bytes| bytes.trim().parse::<u64>().ok()) else {
            crate::say!("not checked: this df does not say what is free");
            return;
        };
        let own = free(folder.path()).unwrap();
        assert!(own.abs_diff(said) <= MOVES && (said < MOVES || own > 1), "{own} against {said}");
        assert_eq!(free(Path::new("/nowhere")), None);
    }

    #[test]
    fn a_folder_for_temporary_files_may_be_there_and_has_to_be_possible() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            assert_eq!(temporary(folder.path()).unwrap(), folder.path().join("temporary"));
        }
        assert!(folder.path().join("temporary").is_dir());
        let nowhere = temporary(&folder.path().join("missing")).unwrap_err();
        assert!(nowhere.contains("missing/temporary") && nowhere.contains("No such file"), "{nowhere}");
    }
}
