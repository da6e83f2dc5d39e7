//! Where servers are found: each has a socket named by its process, in a folder of the user's.

use super::{Description, client};
use dbdyno_foundation::base::{
    leftovers::{self, SCREENS, SOCKET, reached, sockets_of_host},
    own_folders::{in_a_meeting_place, meeting_places, own_folder},
    scratch::gate,
};
use rustix::{net::sockopt::socket_peercred, process::geteuid};
use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io,
    os::{
        fd::AsFd,
        unix::{
            fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
    thread,
};

/// A server that can be returned to.
#[derive(Debug)]
pub struct Server {
    /// Its process.
    pub name: String,
    /// What goes on in it.
    pub description: Description,
    folder: PathBuf,
    file: String,
}

/// A server's own socket. It is gone with this.
#[derive(Debug)]
pub(super) struct Announced {
    pub(super) listener: UnixListener,
    /// Where the server's standard error goes.
    pub(super) said: File,
    pub(super) last_words: PathBuf,
    socket: PathBuf,
}

/// Removes the sockets of servers that were killed, with what they said last; how many.
pub fn sweep() -> usize {
    meeting_places().iter().map(|folder| leftovers::sweep(folder, leftovers::Place::Sockets)).sum()
}

impl Announced {
    /// Makes this process one that can be returned to.
    ///
    /// # Errors
    /// Why no folder can be used for it.
    pub(super) fn here() -> io::Result<Self> {
        let file = format!("{}{}", sockets_of_host(), std::process::id());
        in_a_meeting_place(|folder| Self::in_folder(folder, &file))
    }

    fn in_folder(path: &Path, file: &str) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let folder = own_folder(path)?;
        let socket = path.join(format!("{file}{SOCKET}"));
        let last_words = path.join(format!("{file}{}", SCREENS.ending()));
        // Others take what is not locked, and a socket that does not listen yet, for those of a process that was killed.
        let _gate = gate(path);
        // Of a process that had the same number and was killed.
        for stale in [&socket, &last_words] {
            let _ = fs::remove_file(stale);
        }
        let said = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&last_words)?;
        // Shared with the client, which reads it. A file system without locks has only the socket.
        let _ = said.try_lock_shared();
        let bound = UnixListener::bind(reached(&folder, &format!("{file}{SOCKET}"))).and_then(|listener| {
            fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        let listener = bound.inspect_err(|_| drop(fs::remove_file(&last_words)))?;
        Ok(Self { listener, said, last_words, socket })
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // What a panic says is still to be read; both are removed then by those who look for servers.
        if thread::panicking() {
            return;
        }
        // Those that are gone already are what is wanted.
        let _ = fs::remove_file(&self.socket);
        let _ = fs::remove_file(&self.last_words);
    }
}

/// Whether the other end of a stream is this user's.
pub(super) fn is_own(stream: impl AsFd) -> bool {
    socket_peercred(stream).is_ok_and(|peer| peer.uid == geteuid())
}

/// The servers of this user on this host, by their names. What is left of one that was killed is removed.
pub fn servers() -> Vec<Server> {
    sweep();
    let prefix = sockets_of_host();
    let mut found = Vec::new();
    for folder in meeting_places() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = file.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(SOCKET)) else { continue };
            let server = Server {
                name: name.to_owned(),
                description: Description::default(),
                folder: folder.clone(),
                file: file.clone(),
            };
            // One that is not ours, or gone, is swept once nothing of it is to be read any more.
            if let Ok(stream) = server.connect() {
                found.extend(client::describe(stream).map(|description| Server { description, ..server }));
            }
        }
    }
    found.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
    found
}

impl Server {
    /// A connection to it.
    ///
    /// # Errors
    /// It is gone, or another user's.
    pub fn connect(&self) -> io::Result<UnixStream> {
        let stream = UnixStream::connect(reached(&own_folder(&self.folder)?, &self.file))?;
        if is_own(&stream) { Ok(stream) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::{fs::Uid, thread::set_thread_res_uid};
    use std::os::unix::fs::chown;

    #[test]
    fn a_socket_lies_as_deep_as_it_likes_and_goes_with_its_server() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a".repeat(120)).join("b".repeat(120));
        let announced = Announced::in_folder(&deep, "host-screens-1").unwrap();
        assert!(UnixStream::connect(reached(&own_folder(&deep).unwrap(), "host-screens-1.socket")).is_ok());
        let mode = fs::metadata(deep.join("host-screens-1.socket")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(announced);
        assert_eq!(fs::read_dir(&deep).unwrap().count(), 0);
    }

    /// Does something as a user that is not this one; none where only an administrator could.
    fn as_another<T: Send>(act: impl FnOnce() -> T + Send) -> Option<T> {
        if !geteuid().is_root() {
            dbdyno_engine::say!("not checked: only an administrator can be another user");
            return None;
        }
        let another = Uid::from_raw(ANOTHER);
        let acting = || {
            // Of this thread alone.
            set_thread_res_uid(another, another, another).unwrap();
            act()
        };
        thread::scope(|scope| Some(scope.spawn(acting).join().unwrap()))
    }

    const ANOTHER: u32 = 65_534;

    #[test]
    fn another_users_end_of_a_stream_is_not_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let open_to = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        open_to(folder.path(), 0o777);
        let listener = UnixListener::bind(at("ours")).unwrap();
        open_to(&at("ours"), 0o666);
        let ours = UnixStream::connect(at("ours")).unwrap();
        assert!(is_own(&ours) && is_own(listener.accept().unwrap().0));
        let Some(theirs) = as_another(|| UnixStream::connect(at("ours"))) else { return };
        theirs.unwrap();
        assert!(!is_own(listener.accept().unwrap().0), "another user who came");
        let _listener = as_another(|| UnixListener::bind(at("theirs"))).unwrap().unwrap();
        assert!(!is_own(UnixStream::connect(at("theirs")).unwrap()), "another user who listens");
        let server = |file: &str| Server {
            name: "1".to_owned(),
            description: Description::default(),
            folder: folder.path().to_owned(),
            file: file.to_owned(),
        };
        assert!(server("ours").connect().is_ok());
        assert_eq!(server("theirs").connect().unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        chown(folder.path(), Some(ANOTHER), None).unwrap();
        assert_eq!(server("ours").connect().unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        let refused = Announced::in_folder(folder.path(), "host-screens-1").unwrap_err();
        assert!(refused.to_string().ends_with("is another user's"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was made in it");
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_used() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("target")).unwrap();
        std::os::unix::fs::symlink(root.path().join("target"), root.path().join("link")).unwrap();
        assert!(Announced::in_folder(&root.path().join("link"), "host-screens-1").is_err());
        assert_eq!(fs::read_dir(root.path().join("target")).unwrap().count(), 0);
    }
}
