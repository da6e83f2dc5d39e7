use crate::{RECORDING_VERSION, RecordingError};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};

/// What was recorded, where and by which dbdyno: `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordingManifest {
    /// [`RECORDING_VERSION`].
    pub version: u32,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The program's working directory.
    pub directory: String,
    /// RFC 3339.
    pub started_at: String,
    pub dbdyno_version: String,
    /// What the command found out about the machine.
    #[serde(default)]
    pub host: serde_json::Map<String, serde_json::Value>,
}

/// Bytes of a file of JSON that are read.
const JSON_BYTES: u64 = 4 << 20;

impl RecordingManifest {
    /// The name of the file in a recording's folder.
    pub const FILE: &str = "manifest.json";

    /// Writes the manifest of the recording in `folder`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or exists: a folder is of one recording.
    pub fn write(&self, folder: &Path) -> Result<(), RecordingError> {
        write_json(&folder.join(Self::FILE), self)
    }

    /// Reads the manifest of the recording in `folder`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not a manifest, or has another version.
    pub fn read(folder: &Path) -> Result<Self, RecordingError> {
        let path = folder.join(Self::FILE);
        let value: serde_json::Value = read_json(&path)?;
        let found = value.get("version").and_then(serde_json::Value::as_u64).unwrap_or_default();
        if found != u64::from(RECORDING_VERSION) {
            return Err(RecordingError::Version { path, found, expected: RECORDING_VERSION });
        }
        serde_json::from_value(value).map_err(|error| RecordingError::Json { path, reason: error.to_string() })
    }
}

/// Writes a new file of JSON.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordingError> {
    let text = serde_json::to_vec_pretty(value)
        .map_err(|error| RecordingError::Json { path: path.to_owned(), reason: error.to_string() })?;
    let mut file = fs::File::create_new(path).map_err(|source| RecordingError::Io { path: path.to_owned(), source })?;
    std::io::Write::write_all(&mut file, &text).map_err(|source| RecordingError::Io { path: path.to_owned(), source })
}

/// Reads a file of JSON of bounded size.
pub(crate) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RecordingError> {
    use std::io::Read;
    let io = |source| RecordingError::Io { path: path.to_owned(), source };
    let json = |reason| RecordingError::Json { path: path.to_owned(), reason };
    let mut text = Vec::new();
    fs::File::open(path).map_err(io)?.take(JSON_BYTES + 1).read_to_end(&mut text).map_err(io)?;
    if text.len() as u64 > JSON_BYTES {
        return Err(json(format!("the file has more than {JSON_BYTES} bytes")));
    }
    serde_json::from_slice(&text).map_err(|error| json(error.to_string()))
}
