//! Files that are read. Opening a path never blocks, whatever it refers to.

use std::{
    fs::{self, File, FileType, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::Path,
};

/// Opens a plain file to read, following links.
///
/// # Errors
/// The system's error, or the kind of the file if it is not plain: opening a named pipe would wait for a writer, and a device may never
/// end.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a device may already have effects.
    check(path)?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    // The file may have been replaced meanwhile.
    plain(file.metadata()?.file_type())?;
    Ok(file)
}

/// Checks that there is a plain file, without opening it.
///
/// # Errors
/// The system's error, or the kind of the file if it is not plain.
pub fn check(path: &Path) -> io::Result<()> {
    plain(fs::metadata(path)?.file_type())
}

/// Returns an error if something other than a plain file is there; `None` if it is plain, missing, or cannot be inspected.
pub fn odd(path: &Path) -> Option<io::Error> {
    fs::metadata(path).ok().and_then(|facts| plain(facts.file_type()).err())
}

/// Reads the whole of a plain file as text.
///
/// # Errors
/// The same errors as [`open`], or bytes that are not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Copies the bytes of a plain file to another one, which is created or truncated. Returns the number of bytes.
///
/// # Errors
/// The same errors as [`open`], or the system's error.
pub fn copy(from: &Path, to: &Path) -> io::Result<u64> {
    io::copy(&mut open(from)?, &mut File::create(to)?)
}

fn plain(kind: FileType) -> io::Result<()> {
    if kind.is_file() { Ok(()) } else { Err(io::Error::other(format!("it is {}, expected a file", word(kind)))) }
}

/// Returns the kind of something that is not a plain file.
pub fn word(kind: FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_symlink() => "a link",
        _ => "a device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::{fs::symlink, net::UnixListener};

    #[test]
    fn only_plain_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink("file", at("link")).unwrap();
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        symlink("pipe", at("to-pipe")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        assert_eq!(read_text(&at("file")).unwrap(), "text");
        assert_eq!(read_text(&at("link")).unwrap(), "text");
        let refused = |path: &Path| open(path).unwrap_err().to_string();
        assert_eq!(refused(&at("pipe")), "it is a named pipe, expected a file");
        assert_eq!(refused(&at("to-pipe")), "it is a named pipe, expected a file");
        assert_eq!(refused(&at("socket")), "it is a socket, expected a file");
        assert_eq!(refused(folder.path()), "it is a folder, expected a file");
        assert_eq!(refused(Path::new("/dev/null")), "it is a device, expected a file");
        assert_eq!(open(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
