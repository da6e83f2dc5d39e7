//! Output files: checked before any work is done for them, then written whole or not at all.

use super::{
    input,
    leftovers::{self, LeftoverFolder, OUTPUT},
    scratch::Scratch,
};
use rustix::fs::{AtFlags, CWD, linkat};
use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::{
        fd::AsRawFd,
        unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};
use tempfile::{Builder, NamedTempFile, TempPath};

/// Maximum number of links that are followed before they count as a loop, as in Linux.
const MOST_LINKS: usize = 40;
/// Permissions of a new file, before the umask is applied.
const FOR_ALL: u32 = 0o666;

/// A file that must not be overwritten.
#[derive(Debug, Clone)]
pub struct Guarded {
    path: PathBuf,
    /// A description: `the store`.
    what: &'static str,
    /// Whether side files under its name (`FILE.wal`, `FILE-journal`) belong to it.
    family: bool,
}

impl Guarded {
    /// Guards one file. `what`: its description for messages.
    pub fn file(path: impl Into<PathBuf>, what: &'static str) -> Self {
        Self { path: path.into(), what, family: false }
    }

    /// Guards a file and all files next to it whose names are its name followed by anything but a letter or digit.
    pub fn family(path: impl Into<PathBuf>, what: &'static str) -> Self {
        Self { path: path.into(), what, family: true }
    }

    /// Whether a path refers to a guarded file, under any name.
    pub fn covers(&self, path: &Path) -> bool {
        resolve(path).is_ok_and(|path| self.has(&path)) || fs::metadata(path).is_ok_and(|file| self.is(&file))
    }

    /// Whether this path is of the family, by its folder and name.
    fn has(&self, path: &Path) -> bool {
        // A link by its own name and by that of its target, because programs put their files next to either.
        let names = [here(&self.path), resolve(&self.path)];
        names.into_iter().flatten().any(|member| match (member.file_name(), path.file_name()) {
            (Some(member_name), Some(name)) if same_place(member.parent(), path.parent()) => {
                let rest = name.as_encoded_bytes().strip_prefix(member_name.as_encoded_bytes());
                rest.is_some_and(|rest| match rest.first() {
                    None => true,
                    Some(next) => self.family && !next.is_ascii_alphanumeric(),
                })
            }
            _ => false,
        })
    }

    /// Whether an existing file is one of the family under another name.
    fn is(&self, file: &Metadata) -> bool {
        let is = |path: &Path| fs::metadata(path).is_ok_and(|facts| is_same(&facts, file));
        let folders = [here(&self.path), resolve(&self.path)].into_iter().flatten();
        let beside = folders.filter_map(|path| fs::read_dir(path.parent()?).ok()).flatten().flatten();
        is(&self.path) || self.family && beside.map(|entry| entry.path()).any(|path| self.has(&path) && is(&path))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The file must be kept, such as the store.
    #[error("{} is {what}: choose another file", path.display())]
    Refused {
        /// As the user gave it.
        path: PathBuf,
        what: String,
    },
    #[error("{} cannot be written: {error}: choose another file", path.display())]
    Unwritable {
        /// As the user gave it.
        path: PathBuf,
        error: io::Error,
    },
}

/// A file that may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    named: PathBuf,
    target: PathBuf,
}

impl Output {
    /// Resolves a path, following links, and checks that it may be written: it must be a plain file or not exist, and not be guarded
    /// under any name.
    ///
    /// # Errors
    /// What the file is, or the system's error.
    pub fn check(path: &Path, guarded: &[Guarded]) -> Result<Self, OutputError> {
        let unwritable = |error| OutputError::Unwritable { path: path.to_owned(), error };
        let refused = |what: String| OutputError::Refused { path: path.to_owned(), what };
        let found = found(path).map_err(unwritable)?;
        if let Some(odd) = found.as_ref().filter(|facts| !facts.is_file()) {
            return Err(refused(input::word(odd.file_type()).to_owned()));
        }
        let target = resolve(path).map_err(unwritable)?;
        match guarded.iter().find(|guarded| guarded.covers(path)) {
            Some(Guarded { path, what, .. }) => Err(refused(format!("{what} ({})", path.display()))),
            None => Ok(Self { named: path.to_owned(), target }),
        }
    }

    /// Returns the path as the user named it.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// Returns the path that is written: the resolved path, without links.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns a note if the path is a link: the link stays, and its target is written.
    pub fn note(&self) -> Option<String> {
        fs::symlink_metadata(&self.named)
            .is_ok_and(|facts| facts.is_symlink())
            .then(|| format!("{} is a link: its target {} is written", self.named.display(), self.target.display()))
    }

    /// Lets `write` write a temporary file, syncs it, and replaces the target with it. If anything fails, the previous target is still
    /// there, and the temporary file is removed.
    ///
    /// # Errors
    /// The outer error is the system's, the inner one that of `write`.
    pub fn replace<E>(&self, write: impl FnOnce(&Path) -> Result<(), E>) -> io::Result<Result<(), E>> {
        self.complete(write, |temporary| temporary.persist(&self.target).map_err(|error| error.error))
    }

    /// Does the same, but leaves an existing file unchanged and returns an error.
    ///
    /// # Errors
    /// The same errors as [`replace`](Self::replace).
    pub fn create<E>(&self, write: impl FnOnce(&Path) -> Result<(), E>) -> io::Result<Result<(), E>> {
        if self.target.exists() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.complete(write, |temporary| temporary.persist_noclobber(&self.target).map_err(|error| error.error))
    }

    /// Replaces the target with this content.
    ///
    /// # Errors
    /// The system's error.
    pub fn replace_with(&self, content: impl AsRef<[u8]>) -> io::Result<()> {
        self.replace(|temporary| fs::write(temporary, content))?
    }

    fn complete<E>(
        &self,
        write: impl FnOnce(&Path) -> Result<(), E>,
        put: impl FnOnce(TempPath) -> io::Result<()>,
    ) -> io::Result<Result<(), E>> {
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        leftovers::sweep(folder, LeftoverFolder::Target);
        let mut builder = Builder::new();
        let builder = builder.prefix(".dbdyno-").permissions(Permissions::from_mode(FOR_ALL));
        // If the file needs a name before it replaces the target, it gets one in a folder that is swept if this program is killed.
        // Without /proc there is no such folder, and the file is next to its target.
        let naming = || Scratch::create(folder, &OUTPUT).ok();
        let named;
        let temporary = match Nameless::create(folder) {
            Some(nameless) => {
                if let Err(error) = write(&nameless.path) {
                    return Ok(Err(error));
                }
                nameless.file.sync_all()?;
                named = naming();
                let within = named.as_ref().map_or(folder, Scratch::path);
                builder.make_in(within, |name| nameless.link(name)).map(NamedTempFile::into_temp_path)?
            }
            None => {
                named = naming();
                let temporary = builder.tempfile_in(named.as_ref().map_or(folder, Scratch::path))?.into_temp_path();
                if let Err(error) = write(&temporary) {
                    return Ok(Err(error));
                }
                File::open(&temporary)?.sync_all()?;
                temporary
            }
        };
        if let Some(facts) = found(&self.target)? {
            fs::set_permissions(&temporary, facts.permissions())?;
        }
        put(temporary).map(Ok)
    }
}

/// A file without a name while it is written, so that a killed program leaves nothing behind.
struct Nameless {
    file: File,
    /// A path by which it can still be opened.
    path: PathBuf,
}

impl Nameless {
    /// Returns `None` if the file system has no such files, or /proc is missing.
    fn create(folder: &Path) -> Option<Self> {
        let file =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_TMPFILE).mode(FOR_ALL).open(folder).ok()?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        path.exists().then_some(Self { file, path })
    }

    fn link(&self, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, &self.path, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

/// Returns the metadata of a path's target, following links, or `None` if it does not exist yet.
fn found(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(facts) => Ok(Some(facts)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns a path whose folder exists, without links except for its last part.
fn here(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let (Some(folder), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        return Err(io::Error::other("expected the name of a file"));
    };
    Ok(folder.canonicalize()?.join(name))
}

/// Returns a path without links, even if the last link points to nothing yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = here(path)?;
    for _ in 0..MOST_LINKS {
        // An error means that it is not a link.
        let Ok(to) = fs::read_link(&path) else { return Ok(path) };
        path = here(&path.parent().unwrap_or(Path::new("/")).join(to))?;
    }
    Err(io::Error::other("too many links"))
}

/// Whether two folders are the same.
fn same_place(one: Option<&Path>, other: Option<&Path>) -> bool {
    let facts = |folder: Option<&Path>| folder.and_then(|folder| fs::metadata(folder).ok());
    matches!((facts(one), facts(other)), (Some(one), Some(other)) if is_same(&one, &other))
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;

    fn place() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        (folder, move |name: &str| root.join(name))
    }

    #[track_caller]
    fn refused(path: &Path, guarded: &[Guarded]) -> String {
        match Output::check(path, guarded) {
            Err(OutputError::Refused { what, .. }) => what,
            other => panic!("{}: {other:?}", path.display()),
        }
    }

    #[test]
    fn what_is_guarded_is_refused_under_every_name() {
        let (_folder, at) = place();
        fs::write(at("results.duckdb"), "store").unwrap();
        fs::write(at("results.duckdb.wal"), "log").unwrap();
        fs::create_dir(at("sub")).unwrap();
        symlink("results.duckdb", at("link")).unwrap();
        symlink("link", at("link-to-link")).unwrap();
        symlink("results.duckdb.undo", at("link-to-none-yet")).unwrap();
        symlink(".", at("folder-link")).unwrap();
        fs::hard_link(at("results.duckdb"), at("hard")).unwrap();
        fs::hard_link(at("results.duckdb.wal"), at("hard-log")).unwrap();
        let guarded = [Guarded::family(at("results.duckdb"), "the store")];
        for name in [
            "results.duckdb",
            "results.duckdb.wal",
            "results.duckdb.undo",
            "results.duckdb-journal",
            "sub/../results.duckdb",
            "link",
            "link-to-link",
            "link-to-none-yet",
            "folder-link/results.duckdb",
            "hard",
            "hard-log",
        ] {
            assert!(refused(&at(name), &guarded).starts_with("the store ("), "{name}");
        }
        for name in ["results.duckdb2", "results.csv", "sub/results.duckdb"] {
            assert_eq!(Output::check(&at(name), &guarded).unwrap().target(), at(name).as_path());
        }
        let by_link = [Guarded::family(at("link"), "the store")];
        for name in ["link.wal", "results.duckdb.wal", "hard", "hard-log"] {
            refused(&at(name), &by_link);
        }
        let one = [Guarded::file(at("results.duckdb"), "an input")];
        refused(&at("hard"), &one);
        Output::check(&at("results.duckdb.csv"), &one).unwrap();
    }

    #[test]
    fn only_plain_files_are_replaced() {
        let (_folder, at) = place();
        fs::create_dir(at("folder")).unwrap();
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        symlink("/dev/null", at("to-null")).unwrap();
        symlink("loop", at("loop")).unwrap();
        assert_eq!(refused(&at("folder"), &[]), "a folder");
        assert_eq!(refused(&at("pipe"), &[]), "a named pipe");
        assert_eq!(refused(&at("to-null"), &[]), "a device");
        assert!(matches!(Output::check(&at("loop"), &[]), Err(OutputError::Unwritable { .. })));
        assert!(matches!(Output::check(&at("none/file"), &[]), Err(OutputError::Unwritable { .. })));
        assert!(matches!(Output::check(Path::new(""), &[]), Err(OutputError::Unwritable { .. })));
    }

    #[test]
    fn a_link_stays_and_its_target_is_written() {
        let (folder, at) = place();
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("sub/file"), "old").unwrap();
        fs::set_permissions(at("sub/file"), Permissions::from_mode(0o600)).unwrap();
        symlink("sub/file", at("link")).unwrap();
        symlink("sub/new", at("to-new")).unwrap();
        let output = Output::check(&at("link"), &[]).unwrap();
        assert!(output.note().unwrap().contains("link is a link"));
        output.replace_with("new").unwrap();
        Output::check(&at("to-new"), &[]).unwrap().replace_with("made").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(at("sub/file")).unwrap(), "new");
        assert_eq!(fs::metadata(at("sub/file")).unwrap().mode() & 0o777, 0o600, "it is for no one else now");
        assert_eq!(fs::read_to_string(at("sub/new")).unwrap(), "made");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        let (folder, at) = place();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        fs::write(at("file"), "old").unwrap();
        let output = Output::check(&at("file"), &[]).unwrap();
        let failed = output.replace(|temporary| {
            fs::write(temporary, "half").unwrap();
            // Not every file system supports this.
            if Nameless::create(folder.path()).is_some() {
                assert_eq!(names(), 1, "what is being written has no name");
            }
            Err("full")
        });
        assert_eq!(failed.unwrap(), Err("full"));
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "old");
        let exists = output.create(|temporary| fs::write(temporary, "new")).unwrap_err();
        assert_eq!(exists.kind(), io::ErrorKind::AlreadyExists);
        assert!(output.note().is_none());
        Output::check(&at("other"), &[]).unwrap().create(|temporary| fs::write(temporary, "x")).unwrap().unwrap();
        assert_eq!(names(), 2);
    }
}
