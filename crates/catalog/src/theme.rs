//! Themes: the colours of meanings.

use super::{CatalogError, located::CatalogText};
use serde::Deserialize;
use std::{collections::BTreeMap, str::FromStr};
use toml::Spanned;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// The style of each meaning.
    pub roles: BTreeMap<Role, Ink>,
}

/// The meaning of something on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Plain text.
    Text,
    /// Less important text.
    Dim,
    /// Titles of panes.
    Title,
    Border,
    /// The border and title of the pane with the cursor.
    Focus,
    /// The row under the cursor.
    Cursor,
    /// The tab of the screen in view.
    Tab,
    /// Keys in hints.
    Key,
    /// Chosen, finished, as expected.
    Good,
    /// Wrong, failed.
    Bad,
    /// Worth checking.
    Warn,
    /// The most important figures, bars.
    Accent,
    /// Side A.
    A,
    /// Side B.
    B,
    /// The reference that is drawn in the background.
    Ghost,
    /// The first of several configurations on one picture.
    Series1,
    /// The second one.
    Series2,
    /// The third one.
    Series3,
    /// The fourth one.
    Series4,
    /// The fifth one.
    Series5,
    /// The sixth one.
    Series6,
}

impl Role {
    pub const ALL: [Self; 21] = [
        Self::Text,
        Self::Dim,
        Self::Title,
        Self::Border,
        Self::Focus,
        Self::Cursor,
        Self::Tab,
        Self::Key,
        Self::Good,
        Self::Bad,
        Self::Warn,
        Self::Accent,
        Self::A,
        Self::B,
        Self::Ghost,
        Self::Series1,
        Self::Series2,
        Self::Series3,
        Self::Series4,
        Self::Series5,
        Self::Series6,
    ];
    /// The colours of configurations on one picture.
    const SERIES: [Self; 6] =
        [Self::Series1, Self::Series2, Self::Series3, Self::Series4, Self::Series5, Self::Series6];

    /// Returns the meaning of the configuration at a place, from 0. With more than six, colours repeat.
    pub fn series(at: usize) -> Self {
        Self::SERIES[at % Self::SERIES.len()]
    }

    /// Returns the meaning whose style this one has in a theme that does not name it, as themes of earlier versions.
    fn instead(self) -> Option<Self> {
        match self {
            Self::Series1 => Some(Self::A),
            Self::Series2 => Some(Self::B),
            Self::Series3 => Some(Self::Good),
            Self::Series4 => Some(Self::Warn),
            Self::Series5 => Some(Self::Accent),
            Self::Series6 => Some(Self::Bad),
            _ => None,
        }
    }
}

/// The style of a meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ink {
    /// Colour of the text; none for the terminal's default.
    pub fg: Option<Colour>,
    /// Colour behind it.
    pub bg: Option<Colour>,
    pub bold: bool,
    pub faint: bool,
    pub underline: bool,
    /// Text and background swapped.
    pub reverse: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Colour {
    /// One of the terminal's sixteen colours, 0 to 15, as its user configured them.
    Terminal(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// The sixteen colours by name, in the order of their numbers.
const NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "gray",
    "dark gray",
    "bright red",
    "bright green",
    "bright yellow",
    "bright blue",
    "bright magenta",
    "bright cyan",
    "white",
];

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(number) = NAMES.iter().position(|name| *name == text) {
            return Ok(Self::Terminal(number as u8));
        }
        let wrong = || format!("colour `{text}`: expected #rrggbb or one of {}", NAMES.join(", "));
        let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6).ok_or_else(wrong)?;
        let number = u32::from_str_radix(hex, 16).map_err(|_| wrong())?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self::Rgb(red, green, blue))
    }
}

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    title: String,
    roles: Spanned<BTreeMap<Role, Ink>>,
}

impl Theme {
    /// Reads a theme's file. It must contain every meaning, so that none is invisible by mistake; only those of configurations on a picture
    /// are optional.
    pub(super) fn parse(name: &str, source: &CatalogText) -> Result<Self, CatalogError> {
        let mut file: ThemeFile = source.parse()?;
        let roles = file.roles.as_mut();
        for role in Role::SERIES {
            let instead = role.instead().and_then(|instead| roles.get(&instead).copied());
            if let (false, Some(ink)) = (roles.contains_key(&role), instead) {
                roles.insert(role, ink);
            }
        }
        let roles = file.roles.get_ref();
        if let Some(missing) = Role::ALL.iter().find(|role| !roles.contains_key(role)) {
            let message = format!("roles: missing field `{}`", format!("{missing:?}").to_lowercase());
            return Err(source.wrong(file.roles.span(), message));
        }
        Ok(Self { name: name.to_owned(), title: file.title, roles: file.roles.into_inner() })
    }

    pub fn ink(&self, role: Role) -> Ink {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// Returns the theme without any colour, for NO_COLOR: weight, underline and reversal stay.
    #[must_use]
    pub fn without_colour(mut self) -> Self {
        for ink in self.roles.values_mut() {
            // Text that was visible only by its background must still stand out.
            ink.reverse |= ink.bg.is_some();
            (ink.fg, ink.bg) = (None, None);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_by_name_and_by_number() {
        assert_eq!("bright blue".parse(), Ok(Colour::Terminal(12)));
        assert_eq!("#0a80ff".parse(), Ok(Colour::Rgb(10, 128, 255)));
        assert!("#12345".parse::<Colour>().unwrap_err().contains("expected #rrggbb"));
        assert!("mauve".parse::<Colour>().is_err());
    }
}
