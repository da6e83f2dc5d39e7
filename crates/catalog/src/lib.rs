//! Suites, presets, claims and themes: finding, reading and checking them. They are files; the built-in ones are embedded in the program.

pub mod bench;
mod claims;
mod difference;
pub mod engines;
mod files;
mod located;
mod settings;
mod suite;
mod theme;
mod workload;

pub use claims::{Claim, ClaimedComparison, ClaimedRatio, Claims};
pub use difference::Difference;
pub use files::{CatalogFolder, UserFolders, names};
pub use located::CatalogError;
pub use settings::{Announcements, UserSettings};
pub use suite::{
    GAPS, MOST_RATE, MOST_SECONDS, MOST_SPEED, OFFERED_RATE, Pace, PrintedAs, RECORDING_NAMES, SCRIPT_NAMES, SECONDS,
    SPEED, Suite, TestInfo, TestPick, WARM_UP, is_script,
};
pub use theme::{Colour, Ink, Role, Theme};
pub use workload::{FIELDS, Field, Workload, tier_options};

use self::engines::Registry;
use dbdyno_foundation::base::output::{Guarded, Output};
pub use located::CatalogText;
use std::path::{Path, PathBuf};

/// The available suites, presets and claims; the user's take precedence over the built-in ones.
#[derive(Debug, Clone)]
pub struct Catalog {
    folders: UserFolders,
}

impl Catalog {
    /// Creates a catalog in which the user's folders take precedence.
    pub fn new(folders: UserFolders) -> Self {
        Self { folders }
    }

    pub fn suite_names(&self) -> Vec<String> {
        names(&self.folders, CatalogFolder::Suites)
    }

    /// Whether the user's folder has a suite of this name, which then takes precedence over a built-in one.
    pub fn has_own_suite(&self, name: &str) -> bool {
        self.own_path(CatalogFolder::Suites, name).exists()
    }

    pub fn preset_names(&self) -> Vec<String> {
        names(&self.folders, CatalogFolder::Presets)
    }

    pub fn claims_names(&self) -> Vec<String> {
        names(&self.folders, CatalogFolder::Claims)
    }

    /// Reads and checks a claims file. Removes the name of a preset that does not exist, so that users are not referred to it.
    ///
    /// # Errors
    /// There is no such file, or it has an error; the message gives its line and column.
    pub fn claims(&self, name: &str) -> Result<Claims, CatalogError> {
        let source = files::find(&self.folders, CatalogFolder::Claims, name)?;
        let mut claims = Claims::parse(name, &source)?;
        let presets = self.preset_names();
        for comparison in &mut claims.comparisons {
            comparison.preset.take_if(|preset| !presets.contains(preset));
        }
        Ok(claims)
    }

    /// Reads and checks a suite.
    ///
    /// # Errors
    /// There is no such file, or it has an error; the message gives its line and column.
    pub fn suite(&self, name: &str) -> Result<Suite, CatalogError> {
        let source = files::find(&self.folders, CatalogFolder::Suites, name)?;
        Suite::parse(name, &source)
    }

    /// Checks the text of a suite that is not a file in a folder; `place` names it in errors.
    ///
    /// # Errors
    /// The text has an error; the message gives its line and column.
    pub fn suite_of(name: &str, place: &str, text: String) -> Result<Suite, CatalogError> {
        Suite::parse(name, &CatalogText { place: place.to_owned(), text })
    }

    /// Returns the text of a preset's file.
    pub fn preset_source(&self, name: &str) -> Result<CatalogText, CatalogError> {
        files::find(&self.folders, CatalogFolder::Presets, name)
    }

    pub fn theme_names(&self) -> Vec<String> {
        names(&self.folders, CatalogFolder::Themes)
    }

    /// Reads and checks a theme.
    ///
    /// # Errors
    /// There is no such file, or it has an error; the message gives its line and column.
    pub fn theme(&self, name: &str) -> Result<Theme, CatalogError> {
        let source = files::find(&self.folders, CatalogFolder::Themes, name)?;
        Theme::parse(name, &source)
    }

    /// Returns the suite of a described workload, whose file it writes into the user's folder if it is not there yet, and the file's path.
    ///
    /// # Errors
    /// A message for the user: the file was changed, or cannot be written.
    pub fn described(&self, workload: &Workload, registry: &Registry) -> Result<(String, PathBuf), String> {
        let name = workload.name();
        let (text, path) = (workload.suite(&name, registry), self.own_path(CatalogFolder::Suites, &name));
        match std::fs::read_to_string(&path) {
            Ok(there) if there == text => Ok((name, path)),
            Ok(_) => Err(format!(
                "{} is not what this line describes any more: it was changed, or another version of dbdyno or other engines made it. Run it \
                 as it is with --suite {name}, or remove it",
                path.display()
            )),
            Err(_) => self.create(CatalogFolder::Suites, &name, &text).map(|path| (name, path)),
        }
    }

    fn own_path(&self, folder: CatalogFolder, name: &str) -> PathBuf {
        self.folders.path(folder).join(format!("{name}.toml"))
    }

    /// Writes a new file of this name into the user's folder, and returns its path. An existing file stays unchanged.
    ///
    /// # Errors
    /// A message for the user: the name is taken or invalid, or the system's error.
    pub fn create(&self, folder: CatalogFolder, name: &str, text: &str) -> Result<PathBuf, String> {
        let one = folder.one();
        if !suite::is_plain_word(name) {
            return Err(format!("`{name}`: expected a name of letters, digits, - and _"));
        }
        let path = self.own_path(folder, name);
        if path.exists() {
            return Err(format!("{} already exists, and is left unchanged: choose another name", path.display()));
        }
        // A user's file takes precedence over a built-in one: requests for the built-in one would return this file.
        if names(&self.folders, folder).iter().any(|taken| taken == name) {
            return Err(format!("there is a built-in {one} `{name}`: choose another name"));
        }
        let failed = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
        std::fs::create_dir_all(self.folders.path(folder)).map_err(failed)?;
        let output = Output::check(&path, &[]).map_err(|error| error.to_string())?;
        output.create(|temporary| std::fs::write(temporary, text)).map_err(failed)?.map_err(failed)?;
        Ok(path)
    }

    /// Whether a path is that of a file of this kind and name in the user's folder.
    pub fn is_own(&self, folder: CatalogFolder, name: &str, path: &Path) -> bool {
        std::fs::canonicalize(self.own_path(folder, name))
            .is_ok_and(|own| std::fs::canonicalize(path).is_ok_and(|path| path == own))
    }

    /// Returns the user's folder for files of this kind.
    pub fn folder(&self, folder: CatalogFolder) -> PathBuf {
        self.folders.path(folder)
    }

    /// Returns the path of a user's file next to the folders, whether it exists or not.
    pub fn own_file(&self, name: &str) -> PathBuf {
        self.folders.root.join(name)
    }

    /// Writes a preset's file into the user's folder, and returns the path. Returns `None` if a file of that name exists and `replace` is
    /// false. `guarded`: files that it must not overwrite.
    pub fn save_preset(
        &self,
        name: &str,
        text: &str,
        replace: bool,
        guarded: &[Guarded],
    ) -> Result<Option<PathBuf>, String> {
        let folder = self.folders.path(CatalogFolder::Presets);
        let path = folder.join(format!("{name}.toml"));
        if path.exists() && !replace {
            return Ok(None);
        }
        let failed = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let output = Output::check(&path, guarded).map_err(|error| error.to_string())?;
        output.replace_with(text).map_err(failed)?;
        Ok(Some(path))
    }
}
