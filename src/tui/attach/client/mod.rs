//! The client: what is in the user's terminal. It carries bytes between the terminal and the server, and holds nothing else.

mod keyboard;
mod settings;
mod signals;
mod terminal;
mod watchdog;

pub use watchdog::watch_terminal;

use super::{
    Description, Ended,
    frame::{self, Abilities, Frame, FromClient, FromServer, Size},
};
use rustix::process::{Signal, getpid, kill_process};
use signals::{Signalled, Signals};
use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io::{self, Write, stdout},
    os::{fd::OwnedFd, unix::net::UnixStream as Stream},
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};
use terminal::Guard;
use tokio::{
    io::AsyncWriteExt,
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    runtime::Runtime,
    sync::mpsc::{Receiver, Sender, channel},
    time::timeout,
};

/// How long a server may take to say what goes on in it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Frames that wait to be shown, at most; the server keeps the others.
const WAITING: usize = 4;
/// Bytes of the last words that are told.
const MOST_LAST_WORDS: usize = 4096;

/// How a terminal came to show no screens any more.
#[derive(Debug)]
pub enum Outcome {
    /// The server has ended.
    Ended(Ended),
    /// The server goes on: the terminal is gone, or the user wanted it back.
    Left(Ways),
    /// The server was killed, or crashed: what it said last.
    Died(String),
    /// The server shows nothing, for this reason.
    Refused(String),
}

/// How a terminal was left by screens that go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// The terminal is gone.
    HungUp,
    /// Another terminal has them.
    TakenOver,
    /// The user asked for it.
    Detached,
}

/// Starts a server: this program with these arguments.
///
/// # Errors
/// What the system said.
pub fn start(arguments: impl Iterator<Item = OsString>) -> io::Result<Stream> {
    let (own, servers) = Stream::pair()?;
    Command::new(env::current_exe()?)
        .args(arguments)
        .stdin(OwnedFd::from(servers))
        // It holds nothing of this terminal.
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(own)
}

/// Shows a server's screens in this terminal for as long as both last.
///
/// # Errors
/// What the terminal said.
pub fn show(server: Stream) -> io::Result<Outcome> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(async { Client::take(server).await?.run().await });
    // A key may still be waited for.
    runtime.shutdown_background();
    outcome
}

/// Asks a server what goes on in it; none where it does not say.
pub(super) fn describe(server: Stream) -> Option<Description> {
    let asked = async {
        let mut server = connected(server)?;
        server.write_all(&frame::encoded(&Frame::Word(FromClient::Describe))?).await?;
        frame::read::<FromServer>(&mut server).await
    };
    match runtime().ok()?.block_on(async { timeout(PATIENCE, asked).await }) {
        Ok(Ok(Some(Frame::Word(FromServer::Described(description))))) => Some(description),
        _ => None,
    }
}

fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn connected(server: Stream) -> io::Result<UnixStream> {
    server.set_nonblocking(true)?;
    UnixStream::from_std(server)
}

/// What this terminal can show, by its environment.
fn abilities() -> Abilities {
    let said = |name| env::var(name).unwrap_or_default();
    Abilities { kind: format!("{} {}", said("TERM"), said("COLORTERM")), colourless: !said("NO_COLOR").is_empty() }
}

fn size() -> io::Result<Size> {
    crossterm::terminal::size().map(|(columns, rows)| Size { columns, rows })
}

struct Client {
    signals: Signals,
    guard: Guard,
    keys: Receiver<Vec<u8>>,
    frames: Receiver<Frame<FromServer>>,
    server: OwnedWriteHalf,
}

impl Client {
    async fn take(server: Stream) -> io::Result<Self> {
        // Before the terminal is taken over: a signal that comes in between leaves it in order too.
        let signals = Signals::new()?;
        let (reader, server) = connected(server)?.into_split();
        let (sender, frames) = channel(WAITING);
        let guard = Guard::take()?;
        tokio::spawn(hear(reader, sender));
        let mut client = Self { signals, guard, keys: keyboard::listen(), frames, server };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        client.tell(FromClient::Attach { version, size: size()?, abilities: abilities() }).await;
        Ok(client)
    }

    async fn run(mut self) -> io::Result<Outcome> {
        match self.carry().await {
            // The other end was closed.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => Ok(Outcome::Left(Ways::HungUp)),
            outcome => outcome,
        }
    }

    async fn carry(&mut self) -> io::Result<Outcome> {
        // Once it shows its screens, a server does not end without a word.
        let died = |last_words: Option<LastWords>| Outcome::Died(last_words.map(LastWords::read).unwrap_or_default());
        let mut welcomed = None;
        loop {
            tokio::select! {
                biased;
                signalled = self.signals.next() => match signalled {
                    Signalled::End => self.tell(FromClient::End).await,
                    Signalled::HangUp => return Ok(Outcome::Left(Ways::HungUp)),
                    Signalled::Stop => self.suspend().await?,
                    Signalled::Resume => self.resumed().await?,
                    Signalled::Resize => self.tell(FromClient::Resized(size()?)).await,
                },
                frame = self.frames.recv() => match frame {
                    Some(Frame::Bytes(painted)) => print(&painted)?,
                    Some(Frame::Word(FromServer::Welcome { last_words })) => {
                        welcomed = Some(last_words.map(LastWords::hold));
                    }
                    Some(Frame::Word(FromServer::Suspend)) => self.suspend().await?,
                    Some(Frame::Word(FromServer::Detached)) => return Ok(Outcome::Left(Ways::Detached)),
                    Some(Frame::Word(FromServer::TakenOver)) => return Ok(Outcome::Left(Ways::TakenOver)),
                    Some(Frame::Word(FromServer::Ended(ended))) => {
                        self.outlast().await;
                        return Ok(Outcome::Ended(ended));
                    }
                    Some(Frame::Word(FromServer::Refused(reason))) => return Ok(Outcome::Refused(reason)),
                    Some(Frame::Word(FromServer::Described(_))) => {}
                    None => {
                        let early = || Outcome::Refused("dbdyno ended before its screens could be shown".to_owned());
                        return Ok(welcomed.map_or_else(early, died));
                    }
                },
                keys = self.keys.recv() => match keys {
                    Some(keys) => self.send(Frame::Bytes(keys)).await,
                    None => return Ok(Outcome::Left(Ways::HungUp)),
                },
            }
        }
    }

    /// Gives the terminal back and stops; the shell goes on, and so does the server.
    async fn suspend(&mut self) -> io::Result<()> {
        self.guard.give_back();
        // It cannot fail: the process is our own.
        let _ = kill_process(getpid(), Signal::STOP);
        self.resumed().await
    }

    /// The shell has put us into the foreground again.
    async fn resumed(&mut self) -> io::Result<()> {
        self.guard.take_again()?;
        self.tell(FromClient::Resumed(size()?)).await;
        Ok(())
    }

    /// Waits until the server is gone, so that nothing of the program is left when its command has ended.
    async fn outlast(&mut self) {
        while timeout(PATIENCE, self.frames.recv()).await.is_ok_and(|frame| frame.is_some()) {}
    }

    async fn tell(&mut self, word: FromClient) {
        self.send(Frame::Word(word)).await;
    }

    async fn send(&mut self, frame: Frame<FromClient>) {
        // A server that is gone is noticed where it is heard.
        if let Ok(bytes) = frame::encoded(&frame) {
            let _ = self.server.write_all(&bytes).await;
        }
    }
}

async fn hear(mut server: OwnedReadHalf, sender: Sender<Frame<FromServer>>) {
    while let Ok(Some(frame)) = frame::read(&mut server).await {
        if sender.send(frame).await.is_err() {
            return;
        }
    }
}

fn print(painted: &[u8]) -> io::Result<()> {
    let mut terminal = stdout().lock();
    terminal.write_all(painted)?;
    terminal.flush()
}

/// Where a server says why it ends, where it ends without a word.
struct LastWords {
    file: PathBuf,
    /// Locked, so that no other program sweeps it before it is read.
    _held: Option<File>,
}

impl LastWords {
    fn hold(file: PathBuf) -> Self {
        let held = File::open(&file).ok().filter(|file| file.try_lock_shared().is_ok());
        Self { file, _held: held }
    }

    /// The end of what was said. The file has done its service then.
    fn read(self) -> String {
        let said = fs::read(&self.file).unwrap_or_default();
        let _ = fs::remove_file(&self.file);
        String::from_utf8_lossy(&said[said.len().saturating_sub(MOST_LAST_WORDS)..]).into_owned()
    }
}
