//! The passphrase of an encrypted database. It is in a file of the user's, so that it is in no command line, no preset and no store:
//! there is the file's path, and a digest that tells one passphrase from another.

use super::describe::KEY;
use dbdyno_engine::{EngineError, settings::Settings};
use std::{fs, path::Path};

pub(super) struct Passphrase(String);

impl Passphrase {
    /// That of the file that the settings name; none where they name no file.
    pub(super) fn of(settings: &Settings) -> Result<Option<Self>, EngineError> {
        let path = settings.text(KEY)?;
        if path.is_empty() {
            return Ok(None);
        }
        let wrong =
            |what: &str| EngineError::new(format!("option `{KEY}`: {path} {what}, expected a file with a passphrase"));
        let text = fs::read_to_string(Path::new(path)).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
        let passphrase = text.trim_end_matches(['\r', '\n']);
        if passphrase.is_empty() || passphrase.contains('\0') {
            return Err(wrong("is empty or no text"));
        }
        Ok(Some(Self(passphrase.to_owned())))
    }

    /// The statement that gives it to the library.
    pub(super) fn statement(&self) -> String {
        format!("PRAGMA key = '{}'", self.0.replace('\'', "''"))
    }

    /// What tells it from another: 64 bits of its BLAKE3.
    pub(super) fn digest(&self) -> String {
        let hash = blake3::hash(self.0.as_bytes()).to_hex();
        format!("blake3:{}", &hash[..16])
    }
}
