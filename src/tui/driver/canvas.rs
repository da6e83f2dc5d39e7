//! The buffer to paint on: it keeps the bytes of a frame until the frame is complete, and then hands them over to be shown.

use crossterm::{
    Command, queue,
    terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate},
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend};
use std::{
    cell::RefCell,
    io::{self, Write},
    mem,
    rc::Rc,
};

/// Bytes that are not handed over yet.
#[derive(Debug, Clone, Default)]
struct PendingBytes(Rc<RefCell<Vec<u8>>>);

impl Write for PendingBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The screen as it was last painted.
#[derive(Debug)]
pub(super) struct Canvas {
    pending: PendingBytes,
    terminal: Terminal<CrosstermBackend<PendingBytes>>,
}

impl Canvas {
    /// Returns an empty canvas, as large as the terminal on standard input.
    pub(super) fn blank() -> io::Result<Self> {
        let mut pending = PendingBytes::default();
        // ratatui's own `clear` asks the terminal where its cursor is, which not every terminal answers.
        queue!(pending, Clear(ClearType::All))?;
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(pending.clone()))?, pending })
    }

    pub(super) fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Paints what has changed.
    pub(super) fn draw(&mut self, paint: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.queue(BeginSynchronizedUpdate)?;
        self.terminal.draw(paint)?;
        self.queue(EndSynchronizedUpdate)
    }

    /// Adds a command that is not part of the picture.
    pub(super) fn queue(&mut self, command: impl Command) -> io::Result<()> {
        queue!(self.pending, command)
    }

    /// Takes the bytes that make the terminal show this canvas.
    pub(super) fn take(&mut self) -> Vec<u8> {
        mem::take(&mut *self.pending.0.borrow_mut())
    }
}
