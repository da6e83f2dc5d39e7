//! Sources of suites, presets, claims and themes: the user's folders, or the program itself.

use super::{CatalogError, located::CatalogText};
use dbdyno_engine::names::instead_of;
use dbdyno_foundation::base::input;
use include_dir::{Dir, include_dir};
use std::{collections::BTreeSet, fs, path::PathBuf};

static SUITES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/suites");
static PRESETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/presets");
static THEMES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/themes");
static CLAIMS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/claims");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogFolder {
    Suites,
    Presets,
    Claims,
    Themes,
}

impl CatalogFolder {
    fn name(self) -> &'static str {
        match self {
            Self::Suites => "suites",
            Self::Presets => "presets",
            Self::Claims => "claims",
            Self::Themes => "themes",
        }
    }

    pub(super) fn one(self) -> &'static str {
        match self {
            Self::Suites => "suite",
            Self::Presets => "preset",
            Self::Claims => "claims file",
            Self::Themes => "theme",
        }
    }

    fn built_in(self) -> &'static Dir<'static> {
        match self {
            Self::Suites => &SUITES,
            Self::Presets => &PRESETS,
            Self::Claims => &CLAIMS,
            Self::Themes => &THEMES,
        }
    }
}

/// The folder with the user's `suites/`, `presets/`, `claims/` and `themes/`.
#[derive(Debug, Clone)]
pub struct UserFolders {
    /// The configuration folder.
    pub root: PathBuf,
}

impl UserFolders {
    /// Returns the folder of the user's files of one kind.
    pub fn path(&self, folder: CatalogFolder) -> PathBuf {
        self.root.join(folder.name())
    }
}

/// Returns the names of all files of one kind, sorted, each once.
pub fn names(user: &UserFolders, folder: CatalogFolder) -> Vec<String> {
    let own = fs::read_dir(user.path(folder)).into_iter().flatten().flatten().map(|entry| entry.path());
    let built_in = folder.built_in().files().map(|file| file.path().to_owned());
    own.chain(built_in)
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// Reads a file by its name without `.toml`; a user's file takes precedence over a built-in one.
pub(super) fn find(user: &UserFolders, folder: CatalogFolder, name: &str) -> Result<CatalogText, CatalogError> {
    let missing = || CatalogError::Missing {
        what: folder.one(),
        name: name.to_owned(),
        instead: instead_of(name, names(user, folder)),
        list: folder.name(),
        folder: user.path(folder).display().to_string(),
    };
    if name.is_empty() || name.contains(['/', '\\', '\0']) {
        return Err(missing());
    }
    let file = format!("{name}.toml");
    let own = user.path(folder).join(&file);
    match input::read_text(&own) {
        Ok(text) => return Ok(CatalogText { place: own.display().to_string(), text }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(CatalogError::Unreadable { path: own.display().to_string(), error }),
    }
    let text = folder.built_in().get_file(&file).and_then(|file| file.contents_utf8()).ok_or_else(missing)?;
    Ok(CatalogText { place: format!("built-in {}/{file}", folder.name()), text: text.to_owned() })
}
