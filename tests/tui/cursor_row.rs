//! The row under the cursor is readable in every built-in theme, whatever colours the terminal has.

use super::Journey;
use dbdyno::{
    catalog::{Catalog, Colour, Ink, Role, Theme, UserFolders},
    tui::keys::KeyPress,
};
use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};

/// Every role that text in a row can have. Borders and ghosts are lines, and no row contains tabs.
const TEXTS: [Role; 10] =
    [Role::Dim, Role::Title, Role::Focus, Role::Key, Role::Good, Role::Bad, Role::Warn, Role::Accent, Role::A, Role::B];
/// The minimum contrast that WCAG requires of text.
const LEAST: f64 = 4.5;

fn themes() -> Vec<Theme> {
    let catalog = Catalog::new(UserFolders { root: "there is none".into() });
    let themes: Vec<Theme> = catalog.theme_names().iter().map(|name| catalog.theme(name).unwrap()).collect();
    assert!(themes.len() >= 4);
    themes
}

/// The relative luminance of a colour, as defined by WCAG 2.
fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |part: u8| match f64::from(part) / 255.0 {
        part if part <= 0.04045 => part / 12.92,
        part => ((part + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

fn contrast(one: Colour, other: Colour) -> f64 {
    let light = |colour| match colour {
        Colour::Rgb(red, green, blue) => luminance([red, green, blue]),
        Colour::Terminal(_) => panic!("nobody knows what a terminal has for its sixteen colours"),
    };
    let (one, other) = (light(one), light(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_in_the_row_under_the_cursor_stands_out_in_every_theme() {
    for theme in themes() {
        let cursor = theme.ink(Role::Cursor);
        let (Some(text), Some(behind)) = (cursor.fg, cursor.bg) else {
            // A theme without colours for this row swaps the terminal's two colours.
            assert!(cursor.reverse && cursor.fg.is_none() && cursor.bg.is_none(), "{}", theme.name);
            continue;
        };
        assert!(contrast(text, behind) >= LEAST, "{}: plain text", theme.name);
        for role in TEXTS {
            let Ink { fg: Some(colour), .. } = theme.ink(role) else { continue };
            let found = contrast(colour, behind);
            assert!(found >= LEAST, "{}: {role:?} has {found:.2}", theme.name);
        }
    }
    let known = contrast(Colour::Rgb(0, 0, 0), Colour::Rgb(255, 255, 255));
    assert!((known - 21.0).abs() < 1e-9, "black on white has 21: {known}");
}

/// The cells of the row under the cursor on Bench, in a theme. The row shows an engine that is not chosen, and its version.
fn row(theme: &str) -> Vec<Cell> {
    let mut journey = Journey::begin(80, 24);
    journey.setup.look.theme = journey.setup.catalog.theme(theme).unwrap();
    journey.key(KeyPress::Down).key(KeyPress::Down).key(KeyPress::Down);
    let buffer = journey.painted();
    let row = journey.screen().lines().position(|line| line.contains("[ ] ")).unwrap();
    let begin = 80 * row + 21;
    buffer.content[begin..begin + 20].to_vec()
}

#[test]
fn the_row_keeps_the_colours_of_its_meanings_on_a_colour_of_the_theme() {
    for theme in ["dark", "light", "colour-blind"] {
        let cells = row(theme);
        assert!(cells.iter().all(|cell| cell.fg != Color::Reset && matches!(cell.bg, Color::Rgb(..))), "{theme}");
        let theme = Catalog::new(UserFolders { root: "there is none".into() }).theme(theme).unwrap();
        let Some(Colour::Rgb(red, green, blue)) = theme.ink(Role::Cursor).fg else { panic!("{theme:?}") };
        assert_eq!(cells[0].fg, Color::Rgb(red, green, blue), "{}: plain text has the colour of the row", theme.name);
        assert!(cells.iter().any(|cell| cell.fg != cells[0].fg), "{}: the version is not as the name", theme.name);
    }
}

#[test]
fn with_sixteen_colours_the_row_has_the_terminals_own_two_exchanged() {
    for cell in row("sixteen") {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        assert!(cell.modifier.contains(Modifier::REVERSED) && !cell.modifier.contains(Modifier::DIM));
    }
}
