//! Holds the pseudo-terminal, and serves whoever comes to the socket: the last one that wants the screens has them.

use super::{Description, Happening, Order, Pty};
use crate::tui::attach::{
    frame::{self, Abilities, Frame, FromClient, FromServer, Size},
    place::{Announced, is_own},
};
use std::{
    future::pending,
    io,
    os::unix::net::UnixStream as Stream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    io::AsyncWriteExt,
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::{sleep, timeout},
};

/// How long somebody who connects may take to say what is wanted.
const GREETING: Duration = Duration::from_secs(5);
/// How long after a connection that could not be taken the next one is.
const RECOVERY: Duration = Duration::from_secs(1);
/// Frames that wait for a slow terminal; it misses those that come beyond, and is painted anew when it has caught up.
const WAITING: usize = 16;

/// What comes from connections.
#[derive(Debug)]
enum Incoming {
    Arrived(UnixStream, FromClient),
    /// The client of this number says something, or nothing more.
    Says(u64, Option<Frame<FromClient>>),
    /// The client of this number has been sent all.
    CaughtUp(u64),
}

#[derive(Debug)]
pub(super) struct Holder {
    pty: Pty,
    listener: Option<UnixListener>,
    /// Removed with this.
    announced: Option<Announced>,
    client: Option<Client>,
    /// What the first terminal was, for which the screens are painted.
    painted_for: Option<Abilities>,
    /// What a terminal is told that has no screens any more.
    farewell: Vec<u8>,
    under_way: Option<String>,
    clients: u64,
    happenings: UnboundedSender<Happening>,
    sender: UnboundedSender<Incoming>,
    incoming: UnboundedReceiver<Incoming>,
}

/// The client that has the screens.
#[derive(Debug)]
struct Client {
    number: u64,
    outgoing: UnboundedSender<Frame<FromServer>>,
    waiting: Arc<AtomicUsize>,
    /// Whether it missed something.
    behind: bool,
    reading: JoinHandle<()>,
    writing: JoinHandle<()>,
}

impl Holder {
    pub(super) fn new(
        pty: Pty,
        announced: Option<Announced>,
        happenings: UnboundedSender<Happening>,
        first: Stream,
    ) -> io::Result<Self> {
        let (sender, incoming) = unbounded_channel();
        tokio::spawn(greet(UnixStream::from_std(first)?, sender.clone()));
        let listener = announced.as_ref().map(|announced| announced.listener.try_clone()).transpose()?;
        let listener = listener.map(UnixListener::from_std).transpose()?;
        Ok(Self {
            pty,
            listener,
            announced,
            client: None,
            painted_for: None,
            farewell: Vec::new(),
            under_way: None,
            clients: 0,
            happenings,
            sender,
            incoming,
        })
    }

    pub(super) async fn run(mut self, mut orders: UnboundedReceiver<Order>) {
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(Order::Paint(bytes)) => self.paint(bytes),
                    Some(Order::Suspend) => self.part(FromServer::Suspend),
                    Some(Order::Detach) => {
                        self.part(FromServer::Detached);
                        self.lose();
                    }
                    Some(Order::PartWith(farewell)) => self.farewell = farewell,
                    Some(Order::Describe(under_way)) => self.under_way = under_way,
                    Some(Order::End(ended)) => {
                        self.part(FromServer::Ended(ended));
                        return self.finish().await;
                    }
                    None => return,
                },
                Some(incoming) = self.incoming.recv() => self.take(incoming).await,
                accepted = accept(self.listener.as_ref()) => match accepted {
                    Ok(stream) => drop(tokio::spawn(greet(stream, self.sender.clone()))),
                    Err(_) => sleep(RECOVERY).await,
                },
            }
        }
    }

    async fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Arrived(stream, FromClient::Attach { version, size, abilities }) => {
                self.arrived(stream, &version, size, abilities);
            }
            Incoming::Arrived(stream, FromClient::Describe) => {
                let description = Description { under_way: self.under_way.clone(), attached: self.client.is_some() };
                tokio::spawn(answer(stream, FromServer::Described(description)));
            }
            // Whoever begins otherwise is none of ours.
            Incoming::Arrived(..) => {}
            Incoming::Says(number, said) if self.is_client(number) => self.heard(said).await,
            Incoming::CaughtUp(number) if self.is_client(number) => {
                if let Some(client) = self.client.as_mut().filter(|client| client.behind) {
                    client.behind = false;
                    self.happens(Happening::Shown { strange: false });
                }
            }
            // Of one whose screens were taken over.
            Incoming::Says(..) | Incoming::CaughtUp(_) => {}
        }
    }

    fn arrived(&mut self, stream: UnixStream, version: &str, size: Size, abilities: Abilities) {
        if version != env!("CARGO_PKG_VERSION") {
            let reason =
                format!("it is dbdyno {}, and this is {version}: attach with that one", env!("CARGO_PKG_VERSION"));
            tokio::spawn(answer(stream, FromServer::Refused(reason)));
            return;
        }
        self.part(FromServer::TakenOver);
        if let Some(former) = self.client.take() {
            former.reading.abort();
        }
        let strange = *self.painted_for.get_or_insert_with(|| abilities.clone()) != abilities;
        self.clients += 1;
        self.client = Some(Client::new(self.clients, stream, self.sender.clone()));
        self.say(FromServer::Welcome {
            last_words: self.announced.as_ref().map(|announced| announced.last_words.clone()),
        });
        self.shown(size, strange);
    }

    async fn heard(&mut self, said: Option<Frame<FromClient>>) {
        match said {
            Some(Frame::Bytes(keys)) => {
                // The pseudo-terminal is as alive as this process.
                let _ = self.pty.type_keys(&keys).await;
            }
            Some(Frame::Word(FromClient::Resized(size))) => drop(self.pty.resize(size)),
            Some(Frame::Word(FromClient::Resumed(size))) => self.shown(size, false),
            Some(Frame::Word(FromClient::End)) => self.happens(Happening::End),
            Some(Frame::Word(FromClient::Attach { .. } | FromClient::Describe)) | None => self.lose(),
        }
    }

    fn shown(&self, size: Size, strange: bool) {
        // The kernel tells of a size that changes, and of none that does not: the screens are painted anew in either case.
        let _ = self.pty.resize(size);
        self.happens(Happening::Shown { strange });
    }

    /// The client is gone, or goes.
    fn lose(&mut self) {
        if let Some(client) = self.client.take() {
            client.reading.abort();
            self.happens(Happening::Lost);
        }
    }

    fn paint(&mut self, bytes: Vec<u8>) {
        let Some(client) = &mut self.client else { return };
        client.behind |= client.waiting.load(Relaxed) >= WAITING;
        if !client.behind {
            client.send(Frame::Bytes(bytes));
        }
    }

    fn say(&self, word: FromServer) {
        if let Some(client) = &self.client {
            client.send(Frame::Word(word));
        }
    }

    /// Says why the client has the screens no longer.
    fn part(&self, word: FromServer) {
        if let Some(client) = &self.client {
            client.send(Frame::Bytes(self.farewell.clone()));
            client.send(Frame::Word(word));
        }
    }

    /// Waits until the client has all that was said.
    async fn finish(&mut self) {
        // Nobody is to come while this one is served.
        self.listener = None;
        self.announced = None;
        if let Some(client) = self.client.take() {
            drop(client.outgoing);
            let _ = client.writing.await;
        }
    }

    fn is_client(&self, number: u64) -> bool {
        self.client.as_ref().is_some_and(|client| client.number == number)
    }

    fn happens(&self, happening: Happening) {
        // Nobody listens at the end.
        let _ = self.happenings.send(happening);
    }
}

impl Client {
    fn new(number: u64, stream: UnixStream, incoming: UnboundedSender<Incoming>) -> Self {
        let (reader, writer) = stream.into_split();
        let (outgoing, frames) = unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let writing = tokio::spawn(send_all(number, writer, frames, Arc::clone(&waiting), incoming.clone()));
        let reading = tokio::spawn(hear_all(number, reader, incoming));
        Self { number, outgoing, waiting, behind: false, reading, writing }
    }

    fn send(&self, frame: Frame<FromServer>) {
        self.waiting.fetch_add(1, Relaxed);
        // A client that is gone is noticed where it is heard.
        let _ = self.outgoing.send(frame);
    }
}

/// Takes somebody's first words, if it is the user.
async fn greet(mut stream: UnixStream, incoming: UnboundedSender<Incoming>) {
    if is_own(&stream)
        && let Ok(Ok(Some(Frame::Word(word)))) = timeout(GREETING, frame::read(&mut stream)).await
    {
        // The holder is gone at the end.
        let _ = incoming.send(Incoming::Arrived(stream, word));
    }
}

/// Says one thing to somebody who gets nothing more.
async fn answer(mut stream: UnixStream, word: FromServer) {
    if let Ok(bytes) = frame::encoded(&Frame::Word(word)) {
        // Somebody who is gone needs no answer.
        let _ = timeout(GREETING, stream.write_all(&bytes)).await;
    }
}

async fn hear_all(number: u64, mut reader: OwnedReadHalf, incoming: UnboundedSender<Incoming>) {
    loop {
        let said = frame::read(&mut reader).await.ok().flatten();
        let over = said.is_none();
        if incoming.send(Incoming::Says(number, said)).is_err() || over {
            return;
        }
    }
}

async fn send_all(
    number: u64,
    mut writer: OwnedWriteHalf,
    mut frames: UnboundedReceiver<Frame<FromServer>>,
    waiting: Arc<AtomicUsize>,
    incoming: UnboundedSender<Incoming>,
) {
    while let Some(frame) = frames.recv().await {
        // One that is too long to be sent is missing on the screen, no more.
        let bytes = frame::encoded(&frame).unwrap_or_default();
        if writer.write_all(&bytes).await.is_err() {
            return;
        }
        if waiting.fetch_sub(1, Relaxed) == 1 {
            let _ = incoming.send(Incoming::CaughtUp(number));
        }
    }
}

/// The next connection; where none can come, none does.
async fn accept(listener: Option<&UnixListener>) -> io::Result<UnixStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => pending().await,
    }
}
