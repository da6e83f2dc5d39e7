//! A theme and a character set, as ratatui takes them.

use dbdyno_catalog::{Colour, Ink, Role, Theme};
use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

/// The theme and the characters to paint with.
#[derive(Debug, Clone)]
pub struct Look {
    pub theme: Theme,
    /// Whether only ASCII is painted.
    pub ascii: bool,
    /// Whether themes may have colours; not under NO_COLOR.
    pub colour: bool,
}

impl Look {
    /// Returns the same look with another theme.
    pub(crate) fn with_theme(&self, theme: &Theme) -> Self {
        let theme = theme.clone();
        Self { theme: if self.colour { theme } else { theme.without_colour() }, ..*self }
    }

    /// Returns the style that the theme gives a meaning.
    pub(crate) fn style(&self, role: Role) -> Style {
        style(self.theme.ink(role))
    }

    /// Turns the painted characters into ASCII, if that is requested. Each character is one cell before and after, so nothing moves.
    pub(crate) fn finish(&self, buffer: &mut Buffer) {
        if !self.ascii {
            return;
        }
        for cell in &mut buffer.content {
            let symbol = cell.symbol();
            if !symbol.is_ascii() {
                let ascii = symbol.chars().next().map_or(' ', ascii);
                cell.set_char(ascii);
            }
        }
    }
}

fn style(ink: Ink) -> Style {
    let mut modifier = Modifier::empty();
    for (wanted, what) in [
        (ink.bold, Modifier::BOLD),
        (ink.faint, Modifier::DIM),
        (ink.underline, Modifier::UNDERLINED),
        (ink.reverse, Modifier::REVERSED),
    ] {
        modifier.set(what, wanted);
    }
    let style = Style::new().add_modifier(modifier);
    let style = ink.fg.map_or(style, |colour| style.fg(color(colour)));
    ink.bg.map_or(style, |colour| style.bg(color(colour)))
}

fn color(colour: Colour) -> Color {
    const TERMINAL: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match colour {
        Colour::Terminal(number) => TERMINAL[usize::from(number) % TERMINAL.len()],
        Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

/// Returns the most similar ASCII character.
fn ascii(c: char) -> char {
    match c {
        '─' | '━' | '╸' | '╺' | '┄' | '–' | '┈' | '╌' => '-',
        '│' | '┃' | '▏' | '▎' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╰' | '╯' => '+',
        '█' | '▉' | '▊' | '▇' | '▆' => '#',
        '▋' | '▌' | '▍' | '▅' | '▄' | '▀' => '=',
        '▃' | '▂' => '-',
        '▁' | '·' | '…' | '•' => '.',
        '▓' => '%',
        '▒' => '+',
        '░' => ':',
        '╱' => '/',
        '▸' | '▶' | '→' | '›' | '»' => '>',
        '◂' | '◀' | '←' | '‹' | '«' => '<',
        '▲' | '↑' => '^',
        '▼' | '↓' => 'v',
        '◆' | '●' | '◉' | '■' => '*',
        '○' | '◇' | '□' => 'o',
        '✓' => 'y',
        '✗' | '×' => 'x',
        'µ' => 'u',
        '±' => '~',
        '≥' => '>',
        '≤' => '<',
        '⏸' => '"',
        '‘' | '’' => '\'',
        // Braille dots draw lines in charts.
        '\u{2800}' => ' ',
        '\u{2801}'..='\u{28ff}' => '*',
        _ => '?',
    }
}
