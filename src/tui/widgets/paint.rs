//! The paint operations of every screen. Text passes through [`plain`], so that no text from outside reaches the terminal unescaped.

use crate::tui::{
    keys::{KeyPress, ScreenId},
    widgets::{look::Look, way::way},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::{Color, Style},
    symbols::border,
    widgets::{Block, Clear, Widget},
};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The target of a click; the painted screen gives the area of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A screen's tab.
    Screen(ScreenId),
    /// A hint, which stands for its key.
    Press(KeyPress),
    /// A row of a pane, counted from the first of the list and not from the first shown.
    Spot {
        /// The pane, as its screen counts them.
        pane: usize,
        /// The row, from 0.
        row: usize,
    },
    /// A row of the overlay.
    Overlay(usize),
}

/// A place that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The cells that it takes.
    pub area: Rect,
    /// The meaning of a click there.
    pub target: Target,
}

/// The pane that a click on the name of a view carries; its row is the view's place.
pub(crate) const VIEWS: usize = usize::MAX;

/// The title of a pane with several views.
#[derive(Debug)]
pub(crate) struct ViewTitle<'t> {
    /// The text before the names.
    pub(crate) before: &'t str,
    pub(crate) names: Vec<&'t str>,
    /// The place of the view that is shown.
    pub(crate) current: usize,
    /// The text after the names.
    pub(crate) after: String,
}

impl ViewTitle<'_> {
    /// Returns the columns of the whole title.
    pub(crate) fn width(&self) -> usize {
        // Two columns between the parts, and the marks of the current name.
        let parts = self.names.iter().copied().chain([self.before]).filter(|part| !part.is_empty());
        let widths: Vec<usize> = parts.map(width).collect();
        widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) + 2 + width(&self.after)
    }
}

/// A frame that is being painted.
#[derive(Debug)]
pub(crate) struct Paint<'a> {
    pub(crate) buffer: &'a mut Buffer,
    /// Colours and characters.
    pub(crate) look: &'a Look,
    /// Whether panes have a title but no borders, because the terminal is small.
    pub(crate) bare: bool,
    /// The steps to the painted screen, if it was opened from others.
    pub(crate) way: Vec<String>,
    /// The areas that can be clicked; later ones cover earlier ones.
    pub(crate) hits: Vec<Hit>,
    /// Where the terminal's cursor is shown.
    pub(crate) cursor: Option<Position>,
}

/// A piece of text with its meaning.
pub(crate) type TextPiece<'t> = (std::borrow::Cow<'t, str>, Role);

pub(crate) fn piece<'t>(text: impl Into<std::borrow::Cow<'t, str>>, role: Role) -> TextPiece<'t> {
    (text.into(), role)
}

impl<'a> Paint<'a> {
    /// Begins a frame.
    pub(crate) fn new(buffer: &'a mut Buffer, look: &'a Look) -> Self {
        Self { buffer, look, bare: false, way: Vec::new(), hits: Vec::new(), cursor: None }
    }

    pub(crate) fn style(&self, role: Role) -> Style {
        self.look.style(role)
    }

    /// Paints one line into the first row of an area, cut with `…` at its end; returns the columns taken.
    pub(crate) fn text(&mut self, area: Rect, text: &str, role: Role) -> u16 {
        self.line(area, &[piece(text, role)])
    }

    /// Paints pieces one after the other into the first row of an area.
    pub(crate) fn line(&mut self, area: Rect, pieces: &[TextPiece<'_>]) -> u16 {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return 0;
        }
        let mut left = usize::from(area.width);
        let mut x = area.x;
        for (text, role) in pieces {
            let text = fit(&plain(text), left);
            let (end, _) = self.buffer.set_stringn(x, area.y, &text, left, self.look.style(*role));
            left -= usize::from(end - x);
            x = end;
            if left == 0 {
                break;
            }
        }
        x - area.x
    }

    /// Paints text at the right end of the first row of an area; returns the columns taken.
    pub(crate) fn right(&mut self, area: Rect, text: &str, role: Role) -> u16 {
        let width = (width(&plain(text)) as u16).min(area.width);
        let at = Rect { x: area.right() - width, width, ..area };
        self.text(at, text, role)
    }

    /// Paints wrapped text; returns the rows taken.
    pub(crate) fn wrapped(&mut self, area: Rect, text: &str, role: Role) -> u16 {
        let lines = wrap(&plain(text), usize::from(area.width));
        for (line, row) in lines.iter().zip(rows(area)) {
            self.text(row, line, role);
        }
        (lines.len() as u16).min(area.height)
    }

    /// Paints lines. If not all of them fit, the last row has what `more` says about the number of the others.
    pub(crate) fn lines(&mut self, area: Rect, lines: &[(String, Role)], more: impl Fn(usize) -> String) {
        let fitting = usize::from(area.height);
        let shown = if lines.len() > fitting { fitting.saturating_sub(1) } else { lines.len() };
        let mut places = rows(area);
        for ((text, role), row) in lines.iter().take(shown).zip(places.by_ref()) {
            self.text(row, text, *role);
        }
        if let (true, Some(row)) = (shown < lines.len(), places.next()) {
            self.text(row, &more(lines.len() - shown), Role::Dim);
        }
    }

    /// Paints a bordered pane, or only its title where there is no room for borders, and returns its inside.
    pub(crate) fn pane(&mut self, area: Rect, title: &str, focused: bool) -> Rect {
        if self.bare {
            let role = if focused { Role::Focus } else { Role::Title };
            self.text(Rect { height: area.height.min(1), ..area }, title, role);
            return Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        }
        let role = if focused { Role::Focus } else { Role::Border };
        let block = Block::bordered().border_set(border::PLAIN).border_style(self.style(role));
        let inner = block.inner(area);
        block.render(area, self.buffer);
        if !title.is_empty() && area.width > 4 {
            let text = fit(&format!(" {} ", plain(title)), usize::from(area.width) - 2);
            let role = if focused { Role::Focus } else { Role::Title };
            self.text(Rect { x: area.x + 1, width: area.width - 2, height: 1, ..area }, &text, role);
        }
        inner
    }

    /// Paints a pane whose title has the names of its views; a click on a name carries the pane [`VIEWS`] and its place. Returns the
    /// inside of the pane and the columns of the title.
    pub(crate) fn pane_of_views(&mut self, area: Rect, views: &ViewTitle<'_>, focused: bool) -> (Rect, usize) {
        let mut title = views.before.to_owned();
        let start = area.x + if self.bare { 0 } else { 2 };
        let mut hits = Vec::new();
        for (at, name) in views.names.iter().enumerate() {
            let shown = if at == views.current { format!("‹{name}›") } else { (*name).to_owned() };
            if !title.is_empty() {
                title.push_str("  ");
            }
            let x = start + width(&title) as u16;
            let place = Rect { x, width: width(&shown) as u16, height: 1, ..area }.intersection(area);
            hits.push((place, Target::Spot { pane: VIEWS, row: at }));
            title.push_str(&shown);
        }
        title.push_str(&views.after);
        let inner = self.pane(area, &title, focused);
        for (place, target) in hits {
            self.hit(place, target);
        }
        (inner, width(&title))
    }

    /// Returns the title of a pane as wide as `area`, after the way that led to its screen.
    pub(crate) fn title_after_way(&self, area: Rect, title: impl Into<String>) -> String {
        let steps: Vec<String> = self.way.iter().cloned().chain([title.into()]).collect();
        way(&steps, usize::from(area.width).saturating_sub(4))
    }

    /// Clears an area for something that covers it.
    pub(crate) fn clear(&mut self, area: Rect) {
        Clear.render(area, self.buffer);
    }

    /// Highlights a row as the one under the cursor, over its content. Text with a colour of its own keeps it on a background that the
    /// theme chose. It does not where the terminal's own colours are swapped, because it would be unreadable on some terminals.
    pub(crate) fn highlight(&mut self, row: Rect) {
        let (style, exchanged) = (self.style(Role::Cursor), self.look.theme.ink(Role::Cursor).reverse);
        for position in row.intersection(self.buffer.area).positions() {
            let cell = &mut self.buffer[position];
            let own = cell.fg;
            if exchanged {
                cell.set_style(Style::reset());
            }
            cell.set_style(style);
            if !exchanged && own != Color::Reset {
                cell.set_fg(own);
            }
        }
    }

    /// Makes an area clickable.
    pub(crate) fn hit(&mut self, area: Rect, target: Target) {
        self.hits.push(Hit { area, target });
    }

    /// Paints a bar of eighths of cells in the first row of an area, filled to `share` (0 to 1).
    pub(crate) fn bar(&mut self, area: Rect, share: f64, role: Role) {
        const EIGHTHS: [&str; 9] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];
        let eighths = (share.clamp(0.0, 1.0) * f64::from(area.width) * 8.0).round() as usize;
        let text: String =
            (0..usize::from(area.width)).map(|cell| EIGHTHS[eighths.saturating_sub(cell * 8).min(8)]).collect();
        self.text(area, text.trim_end(), role);
    }

    /// Paints a progress bar: a line that is heavy up to `share` (0 to 1).
    pub(crate) fn gauge(&mut self, area: Rect, share: f64, role: Role) {
        let cells = usize::from(area.width);
        let done = ((share.clamp(0.0, 1.0) * cells as f64).round() as usize).min(cells);
        let (heavy, light) = ("━".repeat(done), "─".repeat(cells - done));
        self.line(area, &[piece(heavy, role), piece(light, Role::Border)]);
    }
}

/// Returns the rows of an area, each one line high.
pub(crate) fn rows(area: Rect) -> impl Iterator<Item = Rect> {
    (area.top()..area.bottom()).map(move |y| Rect { y, height: 1, ..area })
}

/// Returns the columns that text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns text that fits into this many columns, with `…` where it was cut.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut left = columns.saturating_sub(1);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// Returns the beginning of a text that fits into this many columns, without a sign where it was cut.
pub(crate) fn fit_start(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let cut = text.char_indices().find(|(_, c)| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left -= wide.min(left);
        !fits
    });
    cut.map_or(text, |(at, _)| &text[..at]).trim_end()
}

/// Returns the end of a text that fits into this many columns, after `…` where it was cut.
pub(crate) fn fit_end(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let (mut from, mut left) = (text.len(), columns.saturating_sub(1));
    for (at, c) in text.char_indices().rev() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        (from, left) = (at, left - wide);
    }
    let cut = if columns > 0 { "…" } else { "" };
    format!("{cut}{}", &text[from..])
}

/// Returns text padded with spaces to this many columns, or cut.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let missing = columns - text.width();
    text + &" ".repeat(missing)
}

/// Returns text after as many spaces as it takes to fill this many columns, or cut.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    " ".repeat(columns - text.width()) + &text
}

/// Breaks text into lines of this many columns, at spaces if there are any. Further lines of a paragraph keep its indent.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let indent: String = text.chars().take_while(|c| *c == ' ').take(columns / 2).collect();
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        if !line.trim().is_empty() && line.width() + word.trim_end().width() > columns {
            lines.push(std::mem::replace(&mut line, indent.clone()).trim_end().to_owned());
        }
        for c in word.chars() {
            if line.width() + c.width().unwrap_or(0) > columns && c != ' ' {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            }
            line.push(c);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_with_a_sign_and_never_in_the_middle_of_a_wide_character() {
        assert_eq!(fit("verdict", 7), "verdict");
        assert_eq!(fit("verdict", 5), "verd…");
        assert_eq!(fit("数据库", 4), "数…");
        assert_eq!(fit("x", 0), "");
        assert_eq!(fit_end("verdict", 7), "verdict");
        assert_eq!(fit_end("verdict", 5), "…dict");
        assert_eq!(fit_end("数据库", 4), "…库");
        assert_eq!(fit_end("x", 0), "");
        assert_eq!(pad("ab", 4), "ab  ");
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("  indented words go on", 12), ["  indented", "  words go", "  on"]);
        assert_eq!(wrap("abcdefghijkl", 8), ["abcdefgh", "ijkl"]);
        assert_eq!(wrap("", 8), [""]);
    }
}
