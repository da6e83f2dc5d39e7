//! The passphrase of an encrypted database. It is in a user's file, so that no command line, preset or store contains it. These contain
//! the file's path, and a digest that distinguishes passphrases.

use super::describe::KEY;
use dbdyno_engine::{EngineError, settings::Settings};
use std::{fs, path::Path};

pub(super) struct Passphrase(String);

impl Passphrase {
    /// Reads the passphrase from the file that the settings name; `None` if they name no file.
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
            return Err(wrong("is empty or not text"));
        }
        Ok(Some(Self(passphrase.to_owned())))
    }

    /// Returns the statement that passes the passphrase to the library.
    pub(super) fn statement(&self) -> String {
        format!("PRAGMA key = '{}'", self.0.replace('\'', "''"))
    }

    /// Returns 64 bits of the passphrase's BLAKE3 hash, which distinguish it from others.
    pub(super) fn digest(&self) -> String {
        let hash = blake3::hash(self.0.as_bytes()).to_hex();
        format!("blake3:{}", &hash[..16])
    }
}
