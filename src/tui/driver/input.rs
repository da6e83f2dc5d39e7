//! From the terminal's events to the application's.

use super::super::{
    event::{Event, Key},
    view::Hit,
};
use crossterm::event::{Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;

/// Lines that one turn of the wheel scrolls.
const WHEEL: i32 = 3;

/// What the terminal says, in the application's words; none for what means nothing here. `hits`: what was painted where.
pub(super) fn decode(raw: Raw, hits: &[Hit]) -> Option<Event> {
    match raw {
        Raw::Key(key) if key.kind != KeyEventKind::Release => decode_key(key).map(Event::Key),
        Raw::Paste(text) => Some(Event::Paste(text)),
        Raw::Resize(columns, rows) => Some(Event::Resized(columns, rows)),
        Raw::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let at = Position { x: mouse.column, y: mouse.row };
                let hit = hits.iter().rev().find(|hit| hit.area.contains(at));
                hit.map(|hit| Event::Click(hit.target))
            }
            MouseEventKind::ScrollUp => Some(Event::Wheel(-WHEEL)),
            MouseEventKind::ScrollDown => Some(Event::Wheel(WHEEL)),
            _ => None,
        },
        _ => None,
    }
}

fn decode_key(key: KeyEvent) -> Option<Key> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        // What was typed before the terminal was in raw mode has line feeds where Enter was pressed.
        KeyCode::Char('j') if control => Key::Enter,
        KeyCode::Char(c) if control => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        _ => return None,
    })
}
