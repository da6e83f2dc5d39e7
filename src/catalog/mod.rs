//! Suites, presets and claims: found, read, checked. They are files; the built-in ones are carried inside the program.

mod claims;
mod files;
mod located;
mod preset;
mod suite;

pub use claims::{Claim, ClaimedComparison, ClaimedRatio, Claims};
pub use files::{Folder, UserFolders, names};
pub use located::CatalogError;
pub use preset::{EngineChoice, Preset};
pub use suite::{Suite, TestInfo, TestPick};

/// The suites, presets and claims that can be used: the user's own before those built in.
#[derive(Debug, Clone)]
pub struct Catalog {
    folders: UserFolders,
}

impl Catalog {
    /// A catalog with the user's folders in front.
    pub fn new(folders: UserFolders) -> Self {
        Self { folders }
    }

    /// Names of all suites.
    pub fn suite_names(&self) -> Vec<String> {
        names(&self.folders, Folder::Suites)
    }

    /// Names of all presets.
    pub fn preset_names(&self) -> Vec<String> {
        names(&self.folders, Folder::Presets)
    }

    /// Names of all claims files.
    pub fn claims_names(&self) -> Vec<String> {
        names(&self.folders, Folder::Claims)
    }

    /// Reads and checks a claims file. A preset that it names and that is not there is left out: nobody is sent to it.
    pub fn claims(&self, name: &str) -> Result<Claims, CatalogError> {
        let source = files::find(&self.folders, Folder::Claims, name)?;
        let mut claims = Claims::parse(name, &source)?;
        let presets = self.preset_names();
        for comparison in &mut claims.comparisons {
            comparison.preset.take_if(|preset| !presets.contains(preset));
        }
        Ok(claims)
    }

    /// Reads and checks a suite.
    pub fn suite(&self, name: &str) -> Result<Suite, CatalogError> {
        let source = files::find(&self.folders, Folder::Suites, name)?;
        Suite::parse(name, &source)
    }

    /// Reads and checks a preset. Whether its engines and options exist is checked by the plan.
    pub fn preset(&self, name: &str) -> Result<Preset, CatalogError> {
        let source = files::find(&self.folders, Folder::Presets, name)?;
        Preset::parse(name, &source)
    }
}
