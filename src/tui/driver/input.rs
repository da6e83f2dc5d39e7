//! Decodes the terminal's events into messages of the application.
//!
//! A separate thread reads the terminal, because crossterm blocks the thread that calls it.

use crate::tui::{app::Message, keys::KeyPress, widgets::Hit};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;
use std::thread;
use tokio::sync::mpsc::{Receiver, channel};

/// Events that wait to be taken, at most; more wait in the terminal.
const WAITING: usize = 64;

/// Lines that one turn of the wheel scrolls.
const WHEEL: i32 = 3;

/// Listens to the terminal. The thread ends with the program.
pub(super) fn listen() -> Receiver<Event> {
    let (sender, receiver) = channel(WAITING);
    thread::spawn(move || {
        while let Ok(event) = event::read() {
            // A closed receiver means that the program ends.
            if sender.blocking_send(event).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Returns the message for a terminal event; none if the event means nothing here. `hits`: the painted areas that can be clicked.
pub(super) fn decode(raw: Event, hits: &[Hit]) -> Option<Message> {
    match raw {
        Event::Key(key) if key.kind != KeyEventKind::Release => decode_key(key).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(columns, rows) => Some(Message::Resized(columns, rows)),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let at = Position { x: mouse.column, y: mouse.row };
                let hit = hits.iter().rev().find(|hit| hit.area.contains(at));
                hit.map(|hit| Message::Click(hit.target))
            }
            MouseEventKind::ScrollUp => Some(Message::Wheel(-WHEEL)),
            MouseEventKind::ScrollDown => Some(Message::Wheel(WHEEL)),
            _ => None,
        },
        _ => None,
    }
}

fn decode_key(key: KeyEvent) -> Option<KeyPress> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        // Input that was typed before raw mode has line feeds in place of Enter.
        KeyCode::Char('j') if control => KeyPress::Enter,
        KeyCode::Char(c) if control => KeyPress::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) => KeyPress::Char(c),
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Esc => KeyPress::Esc,
        KeyCode::Tab => KeyPress::Tab,
        KeyCode::BackTab => KeyPress::BackTab,
        KeyCode::Up => KeyPress::Up,
        KeyCode::Down => KeyPress::Down,
        KeyCode::Left => KeyPress::Left,
        KeyCode::Right => KeyPress::Right,
        KeyCode::PageUp => KeyPress::PageUp,
        KeyCode::PageDown => KeyPress::PageDown,
        KeyCode::Home => KeyPress::Home,
        KeyCode::End => KeyPress::End,
        KeyCode::Backspace => KeyPress::Backspace,
        KeyCode::Delete => KeyPress::Delete,
        KeyCode::F(number) => KeyPress::F(number),
        _ => return None,
    })
}
