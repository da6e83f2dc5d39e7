//! The manifest of a folder of Parquet: `dbdyno.json`, with the size and the BLAKE3 checksum of every other file.
//!
//! A copy is imported only if its files are exactly those listed, byte for byte. In the manifest itself every name must be known, so that
//! a damaged name is refused too. The remaining values, the program and the command that made the copy, are not imported.

use super::{SCHEMA_VERSION, StoreError, import::ImportError, schema::OLDEST_VERSION};
use dbdyno_foundation::base::input;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The file in a folder of Parquet that describes the folder.
pub(super) const MANIFEST: &str = "dbdyno.json";
/// The value of the manifest's field `format`.
const FORMAT: &str = "dbdyno-parquet";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: String,
    schema_version: i64,
    /// The version of the program that made the copy; of no effect.
    #[serde(default)]
    dbdyno: String,
    /// The command that made the copy; of no effect.
    #[serde(default)]
    command: String,
    /// Every file but this one, by its path in the folder.
    #[serde(default)]
    files: BTreeMap<String, Contents>,
}

/// The expected contents of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    bytes: u64,
    blake3: String,
}

/// Writes the manifest of a folder that is otherwise complete. `command`: the command that made the folder.
pub(super) fn write(folder: &Path, command: &str) -> io::Result<()> {
    let contents = |name: &String| Ok((name.clone(), contents(&folder.join(name))?));
    let files = files(folder)?.iter().map(contents).collect::<io::Result<_>>()?;
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        schema_version: SCHEMA_VERSION,
        dbdyno: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
        files,
    };
    fs::write(folder.join(MANIFEST), serde_json::to_string_pretty(&manifest)? + "\n")
}

/// Checks a folder against its manifest, and returns every file but the manifest, by its path in the folder.
///
/// # Errors
/// The error names the file that is damaged, missing, or not listed, or reports a manifest that is damaged, or of a dbdyno that is newer
/// The error names the file that is damaged, missing, or not listed. It may also report a manifest that is damaged, or of a dbdyno that
/// is newer or too old.
pub(super) fn check(folder: &Path) -> Result<Vec<String>, ImportError> {
    let path = folder.join(MANIFEST);
    let broken =
        |path: PathBuf, message: &dyn std::fmt::Display| ImportError::Broken { path, message: message.to_string() };
    let text = input::read_text(&path).map_err(|error| broken(path.clone(), &error))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| broken(path.clone(), &error))?;
    if manifest.format != FORMAT {
        return Err(broken(path, &format!("expected the format `{FORMAT}`, found `{}`", manifest.format)));
    }
    if manifest.schema_version > SCHEMA_VERSION {
        let (path, found) = (folder.to_owned(), manifest.schema_version);
        return Err(ImportError::Newer { path, found, known: SCHEMA_VERSION });
    }
    if manifest.schema_version < OLDEST_VERSION {
        let (path, found) = (folder.to_owned(), manifest.schema_version);
        return Err(ImportError::Source(StoreError::Outdated { path, found }));
    }
    let files = files(folder).map_err(|error| broken(folder.to_owned(), &error))?;
    let mut listed = manifest.files;
    for name in &files {
        let path = folder.join(name);
        let expected =
            listed.remove(name).ok_or_else(|| broken(path.clone(), &format!("{MANIFEST} does not list it")))?;
        let found = contents(&path).map_err(|error| broken(path.clone(), &error))?;
        if found != expected {
            let message = format!(
                "it was changed after it was written: expected {} bytes with the BLAKE3 checksum {}, found {} with {}",
                expected.bytes, expected.blake3, found.bytes, found.blake3
            );
            return Err(broken(path, &message));
        }
    }
    match listed.into_keys().next() {
        Some(name) => Err(broken(folder.join(name), &format!("it is missing, although {MANIFEST} lists it"))),
        None => Ok(files),
    }
}

fn contents(path: &Path) -> io::Result<Contents> {
    let mut hasher = blake3::Hasher::new();
    let bytes = io::copy(&mut input::open(path)?, &mut hasher)?;
    Ok(Contents { bytes, blake3: hasher.finalize().to_hex().to_string() })
}

/// Returns every file of a folder but its manifest, by its path in it with `/` between the parts. Links are refused, because their
/// targets are not part of the copy.
fn files(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let wrong = |what: &str| io::Error::other(format!("{}: {what}", entry.path().display()));
            let name = entry.file_name().into_string().map_err(|_| wrong("its name is not UTF-8"))?;
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            match entry.file_type()? {
                kind if kind.is_dir() => folders.push(path),
                kind if kind.is_file() && path == MANIFEST => {}
                kind if kind.is_file() => found.push(path),
                kind => return Err(wrong(&format!("it is {}, expected a file", input::word(kind)))),
            }
        }
    }
    Ok(found)
}
