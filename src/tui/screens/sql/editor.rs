//! The editor of the statement, in several lines.

use crate::tui::{keys::KeyPress, widgets::paint::Paint};
use dbdyno_engine::say::is_obeyed;
use ratatui::{
    layout::{Position, Rect},
    style::Style,
    widgets::Widget,
};
use ratatui_textarea::{CursorMove, TextArea, WrapMode};

/// Spaces that replace a tab, in typed and pasted text.
const TAB: &str = "    ";

/// The text with its cursor.
#[derive(Debug)]
pub(super) struct Editor {
    area: TextArea<'static>,
}

impl Editor {
    /// Returns an editor with a text and the cursor at its end.
    pub(super) fn new(text: &str) -> Self {
        let mut area = TextArea::default();
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        // The terminal's own cursor is shown there.
        area.set_cursor_style(Style::new());
        area.set_cursor_line_style(Style::new());
        area.insert_str(shown(text));
        Self { area }
    }

    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Returns the approximate number of rows of the text at a given width.
    pub(super) fn rows(&self, columns: u16) -> u16 {
        let columns = usize::from(columns.max(1));
        let rows = self.area.lines().iter().map(|line| line.chars().count() / columns + 1);
        rows.sum::<usize>().try_into().unwrap_or(u16::MAX)
    }

    /// Handles a key. Returns whether it edited the text or moved the cursor.
    pub(super) fn takes(&mut self, key: KeyPress) -> bool {
        let area = &mut self.area;
        let moved = match key {
            KeyPress::Up => CursorMove::Up,
            KeyPress::Down => CursorMove::Down,
            KeyPress::Left => CursorMove::Back,
            KeyPress::Right => CursorMove::Forward,
            KeyPress::Home | KeyPress::Ctrl('a') => CursorMove::Head,
            KeyPress::End | KeyPress::Ctrl('e') => CursorMove::End,
            KeyPress::PageUp => CursorMove::Top,
            KeyPress::PageDown => CursorMove::Bottom,
            key => {
                match key {
                    KeyPress::Char(c) => area.insert_char(c),
                    KeyPress::Enter => area.insert_newline(),
                    KeyPress::Tab => drop(area.insert_str(TAB)),
                    KeyPress::Backspace => drop(area.delete_char()),
                    KeyPress::Delete | KeyPress::Ctrl('d') => drop(area.delete_next_char()),
                    KeyPress::Ctrl('w') => drop(area.delete_word()),
                    KeyPress::Ctrl('u') => drop(area.delete_line_by_head()),
                    KeyPress::Ctrl('k') => drop(area.delete_line_by_end()),
                    _ => return false,
                }
                return true;
            }
        };
        area.move_cursor(moved);
        true
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.area.insert_str(shown(text));
    }

    /// Moves the cursor to a line and column, from 0.
    pub(super) fn go_to(&mut self, line: usize, column: usize) {
        let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(short(line), short(column)));
    }

    /// Paints the text, and the terminal's cursor if the editor has the focus.
    pub(super) fn draw(&self, paint: &mut Paint<'_>, area: Rect, is_typed_into: bool) {
        (&self.area).render(area, paint.buffer);
        if is_typed_into && !area.is_empty() {
            let (cursor, (top, left)) = (self.area.screen_cursor(), self.area.scroll_offset());
            let short = |at: usize, from: u16, room: u16| (at as u16).saturating_sub(from).min(room - 1);
            let x = area.x + short(cursor.col, left, area.width);
            paint.cursor = Some(Position { x, y: area.y + short(cursor.row, top, area.height) });
        }
    }
}

/// Replaces control characters that a terminal would obey, except line ends.
fn shown(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', TAB);
    text.chars().map(|c| if is_obeyed(c) && c != '\n' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_lines_are_typed_pasted_and_mended() {
        let mut editor = Editor::new("SELECT 1");
        for key in [KeyPress::Enter, KeyPress::Char('x'), KeyPress::Tab, KeyPress::Ctrl('u'), KeyPress::Char('y')] {
            assert!(editor.takes(key));
        }
        assert_eq!(editor.text(), "SELECT 1\ny");
        editor.paste("\u{1b}[2J\r\nz\tz");
        assert_eq!(editor.text(), "SELECT 1\ny [2J\nz    z");
        editor.go_to(0, 6);
        editor.takes(KeyPress::Ctrl('k'));
        assert_eq!(editor.text(), "SELECT\ny [2J\nz    z");
        assert!(!editor.takes(KeyPress::F(5)) && !editor.takes(KeyPress::Esc) && !editor.takes(KeyPress::Ctrl('c')));
    }
}
