//! The user's settings: a file next to the folders of suites, presets, claims and themes.

use super::{Catalog, CatalogError, CatalogText};
use dbdyno_foundation::base::input;
use serde::Deserialize;

const FILE: &str = "settings.toml";

/// The user's settings, with defaults for the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserSettings {
    pub terminal: Announcements,
}

/// Messages to the terminal in addition to the screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Announcements {
    /// The terminal's title shows a session's progress.
    pub title: bool,
    /// The progress bar of terminals and desktops.
    pub progress: bool,
    /// A desktop notification when a measurement ends.
    pub notification: bool,
    /// The bell when a measurement ends.
    pub bell: bool,
}

impl Announcements {
    /// No messages.
    pub const NONE: Self = Self { title: false, progress: false, notification: false, bell: false };
}

impl Default for Announcements {
    fn default() -> Self {
        Self { title: true, progress: true, ..Self::NONE }
    }
}

impl Catalog {
    /// Reads and checks the user's settings, which are optional.
    ///
    /// # Errors
    /// The file has an error; the message gives its line and column.
    pub fn settings(&self) -> Result<UserSettings, CatalogError> {
        self.user_file(FILE)?.map_or_else(|| Ok(UserSettings::default()), |text| text.parse())
    }

    /// Reads a file of the user next to the folders of suites and presets; none if there is no such file.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn user_file(&self, name: &str) -> Result<Option<CatalogText>, CatalogError> {
        let path = self.folders.root.join(name);
        let place = path.display().to_string();
        match input::read_text(&path) {
            Ok(text) => Ok(Some(CatalogText { place, text })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CatalogError::Unreadable { path: place, error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_is_as_usual_and_what_is_unknown_is_refused() {
        let read = |text: &str| CatalogText { place: "settings.toml".to_owned(), text: text.to_owned() }.parse();
        assert_eq!(read("").unwrap(), UserSettings::default());
        let set: UserSettings = read("[terminal]\nbell = true\ntitle = false\n").unwrap();
        assert_eq!(set.terminal, Announcements { title: false, progress: true, notification: false, bell: true });
        let wrong = read("[terminal]\nblink = true\n").map(|_: UserSettings| ()).unwrap_err().to_string();
        assert!(wrong.starts_with("settings.toml:2:1: ") && wrong.contains("`notification`"), "{wrong}");
    }
}
