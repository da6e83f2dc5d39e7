//! The server's pseudo-terminal: its keys, and the size that its screens have. What is painted does not go through it, because
//! nobody would take it away while no terminal is there.

use crate::tui::attach::frame::Size;
use rustix::{
    fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open},
    process::{ioctl_tiocsctty, setsid},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    stdio::dup2_stdin,
    termios::{OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize},
};
use std::io;
use tokio::{io::AsyncWriteExt, net::unix::pipe::Sender};

/// The master's end: like a pipe it takes bytes as fast as they are read.
#[derive(Debug)]
pub(super) struct Pty(Sender);

impl Pty {
    /// Makes one this process's terminal and standard input, in a session of its own: no other terminal can end it.
    pub(super) fn take() -> io::Result<Self> {
        setsid()?;
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let slave =
            open(ptsname(&master, Vec::new())?, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        // A change of size is told to processes whose terminal it is.
        ioctl_tiocsctty(&slave)?;
        dup2_stdin(&slave)?;
        fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
        Ok(Self(Sender::from_owned_fd_unchecked(master)?))
    }

    pub(super) fn resize(&self, Size { columns, rows }: Size) -> io::Result<()> {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(tcsetwinsize(&self.0, size)?)
    }

    /// Types, as fast as it is read.
    pub(super) async fn type_keys(&mut self, keys: &[u8]) -> io::Result<()> {
        self.0.write_all(keys).await
    }
}
