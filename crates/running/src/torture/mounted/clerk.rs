//! Reads the worker's events, and records each commit before the worker may continue.

use super::{backing::Backing, flusher::Flusher};
use dbdyno_engine::protocol::Event;
use fuser::ReplyWrite;
use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc::Receiver},
};

/// A message from the events' file.
pub(super) enum ClerkMessage {
    /// The worker waits for the reply.
    Bytes { bytes: Vec<u8>, reply: ReplyWrite },
    /// No process has the file open any more.
    End,
}

/// Records commits and passes events on. It never touches the mount itself: a thread of the server that waits for a reply from the server
/// keeps the process from ending.
pub(super) struct Clerk {
    pub(super) backing: Arc<Mutex<Backing>>,
    pub(super) flusher: Flusher,
    /// An incomplete line.
    line: Vec<u8>,
}

impl Clerk {
    pub(super) fn new(backing: Arc<Mutex<Backing>>, flusher: Flusher) -> Self {
        Self { backing, flusher, line: Vec::new() }
    }

    /// Passes on the events until they end.
    ///
    /// # Errors
    /// No process reads the events.
    pub(super) fn serve(mut self, said: &Receiver<ClerkMessage>, mut out: impl Write) -> io::Result<()> {
        while let Ok(ClerkMessage::Bytes { bytes, reply }) = said.recv() {
            self.line.extend_from_slice(&bytes);
            while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                let line = self.noted(line);
                out.write_all(&line)?;
                out.flush()?;
            }
            reply.written(bytes.len() as u32);
        }
        Ok(())
    }

    /// Records an event, and returns the line to pass on.
    fn noted(&mut self, line: Vec<u8>) -> Vec<u8> {
        let Ok(Event::Committed { commits, .. }) = serde_json::from_slice(&line) else { return line };
        match self.note(commits) {
            Ok(()) => line,
            Err(error) => {
                self.backing().tape().give_up();
                failure(&format!("cannot record writes: {error}"))
            }
        }
    }

    /// Has the kernel write the pages of mappings, so that images can include them, and then records the commit.
    fn note(&mut self, commits: u64) -> io::Result<()> {
        if self.backing().tape().is_over() {
            return Ok(());
        }
        let mapped = self.backing().perhaps_mapped();
        self.flusher.flush(&mapped)?;
        self.backing().tape().acknowledged(commits)
    }

    fn backing(&self) -> MutexGuard<'_, Backing> {
        self.backing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failure(message: &str) -> Vec<u8> {
    let event = Event::Failed { test: None, message: message.to_owned(), database_usable: false };
    let mut line = serde_json::to_vec(&event).unwrap_or_default();
    line.push(b'\n');
    line
}
