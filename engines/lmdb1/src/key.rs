//! The key of an encrypted database: generated for each fresh database, and kept in a file next to it.

use dbdyno_engine::EngineError;
use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

const FILE: &str = "key";
const BYTES: usize = 32;

/// Returns unpredictable random bytes.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], EngineError> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(EngineError::doing("reading random numbers from /dev/urandom"))?;
    Ok(bytes)
}

/// A key of 256 bits.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey([u8; BYTES]);

impl std::fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EncryptionKey(..)")
    }
}

impl EncryptionKey {
    /// Generates a key from the operating system's random numbers.
    pub fn random() -> Result<Self, EngineError> {
        random_bytes().map(Self)
    }

    /// Returns the key of the database in a folder; a fresh database gets a fresh key. The run removes the folder and the key with it,
    /// because the key serves to measure encryption and protects no secret.
    pub fn in_folder(folder: &Path, fresh: bool) -> Result<Self, EngineError> {
        let path = folder.join(FILE);
        if fresh {
            let key = Self::random()?;
            key.write(folder).map_err(EngineError::doing(&format!("writing the key {}", path.display())))?;
            return Ok(key);
        }
        let bytes = fs::read(&path).map_err(EngineError::doing(&format!("reading the key {}", path.display())))?;
        let length = bytes.len();
        bytes
            .try_into()
            .map(Self)
            .map_err(|_| EngineError::new(format!("the key {} has {length} bytes, expected {BYTES}", path.display())))
    }

    /// Writes the key and its file name durably, before a database exists that needs it.
    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(folder.join(FILE))?;
        file.write_all(&self.0)?;
        file.sync_all()?;
        File::open(folder)?.sync_all()
    }

    pub(crate) fn bytes(&self) -> &[u8; BYTES] {
        &self.0
    }
}
