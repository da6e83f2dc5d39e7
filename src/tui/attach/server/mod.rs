//! The server's side: the terminals that show its screens, one at a time.

mod holder;
mod pty;

use super::{
    Description, Ended,
    frame::{self, Frame, FromServer},
    place::Announced,
};
use holder::Holder;
use pty::Pty;
use rustix::{io::fcntl_dupfd_cloexec, stdio::dup2_stderr};
use std::{
    io::{self, Write, stdin},
    os::unix::net::UnixStream,
    time::Duration,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::timeout,
};

/// How long a terminal is waited for that does not take the last words.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What comes from the terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Happening {
    /// A terminal shows nothing of the screens yet, or no longer. `strange`: it is not of the kind that they are painted for.
    Shown { strange: bool },
    /// There is no terminal any more.
    Lost,
    /// The program is to end.
    End,
}

/// What is to be done with the terminal that is there.
#[derive(Debug)]
enum Order {
    Paint(Vec<u8>),
    Suspend,
    Detach,
    /// What a terminal is told that has no screens any more.
    PartWith(Vec<u8>),
    Describe(Option<String>),
    End(Ended),
}

/// The terminals that show the screens.
#[derive(Debug)]
pub(in crate::tui) struct Terminals {
    orders: UnboundedSender<Order>,
    happenings: UnboundedReceiver<Happening>,
    holder: JoinHandle<()>,
    /// Whether another terminal can come once this one is gone.
    pub(in crate::tui) reachable: bool,
}

impl Terminals {
    /// Makes this process a server. Its first terminal is at the other end of standard input.
    pub(in crate::tui) fn open() -> io::Result<Self> {
        let first = UnixStream::from(fcntl_dupfd_cloexec(stdin(), 3)?);
        let same = first.try_clone()?;
        Self::serving(first).inspect_err(|error| refuse(&same, error))
    }

    fn serving(first: UnixStream) -> io::Result<Self> {
        first.set_nonblocking(true)?;
        let pty = Pty::take()?;
        // Without a place for a socket it is as if there were no other terminals.
        let announced = Announced::here().ok();
        if let Some(announced) = &announced {
            dup2_stderr(&announced.said)?;
        }
        let reachable = announced.is_some();
        let (orders, ordered) = unbounded_channel();
        let (happens, happenings) = unbounded_channel();
        let holder = Holder::new(pty, announced, happens, first)?;
        Ok(Self { orders, happenings, holder: tokio::spawn(holder.run(ordered)), reachable })
    }

    /// What happens next.
    pub(in crate::tui) async fn next(&mut self) -> Happening {
        self.happenings.recv().await.unwrap_or(Happening::End)
    }

    pub(in crate::tui) fn paint(&self, bytes: Vec<u8>) {
        self.order(Order::Paint(bytes));
    }

    /// Has the client stop; the shell goes on.
    pub(in crate::tui) fn suspend(&self) {
        self.order(Order::Suspend);
    }

    /// Gives the terminal back, and goes on without.
    pub(in crate::tui) fn detach(&self) {
        self.order(Order::Detach);
    }

    /// What a terminal is to be told that has no screens any more.
    pub(in crate::tui) fn part_with(&self, farewell: Vec<u8>) {
        self.order(Order::PartWith(farewell));
    }

    /// Says what is measured, for those who ask.
    pub(in crate::tui) fn describe(&self, under_way: Option<String>) {
        self.order(Order::Describe(under_way));
    }

    /// Tells the terminal that is there how it ended.
    pub(in crate::tui) async fn end(self, ended: Ended) {
        self.order(Order::End(ended));
        let _ = timeout(LAST_WORDS, self.holder).await;
    }

    fn order(&self, order: Order) {
        // It lasts as long as this.
        let _ = self.orders.send(order);
    }
}

/// Says why there are no screens, to the terminal that waits for them.
fn refuse(mut first: &UnixStream, error: &io::Error) {
    let reason = format!("no pseudo-terminal could be had ({error}): commands do without, see `dbdyno --help`");
    if let Ok(frame) = frame::encoded(&Frame::Word(FromServer::Refused(reason))) {
        // Nobody else is there to be told.
        let _ = first.write_all(&frame);
    }
}
