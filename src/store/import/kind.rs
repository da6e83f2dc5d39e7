//! What a file is, told by its content.

use super::{super::manifest::MANIFEST, ImportError};
use crate::base::input;
use std::{fmt, io::Read, path::Path};

/// What can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// A store of dbdyno.
    Store,
    /// A folder that `dbdyno copy --to-parquet` wrote.
    Parquet,
    /// A listing as comma-separated values.
    Csv,
    /// A listing as JSON.
    Json,
    /// A LumoSQL benchmark database.
    LumoSql,
}

impl fmt::Display for ImportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Store => "store of dbdyno",
            Self::Parquet => "folder of Parquet",
            Self::Csv => "CSV listing",
            Self::Json => "JSON listing",
            Self::LumoSql => "LumoSQL benchmark database",
        })
    }
}

impl ImportKind {
    /// What this file or folder is.
    pub fn detect(path: &Path) -> Result<Self, ImportError> {
        let unknown = |found: String| ImportError::Unknown { path: path.to_owned(), found };
        if path.is_dir() {
            let found = || unknown(format!("a folder without {MANIFEST}"));
            return path.join(MANIFEST).is_file().then_some(Self::Parquet).ok_or_else(found);
        }
        let unreadable =
            |error: std::io::Error| ImportError::Unreadable { path: path.to_owned(), message: error.to_string() };
        let mut head = Vec::new();
        input::open(path).and_then(|file| file.take(4096).read_to_end(&mut head)).map_err(unreadable)?;
        Self::of_head(&head).map_err(|found| unknown(found.to_owned()))
    }

    /// What a file that begins with these bytes is, or what else it looks like.
    fn of_head(head: &[u8]) -> Result<Self, &'static str> {
        if head.starts_with(b"SQLite format 3\0") {
            return Ok(Self::LumoSql);
        }
        if head.get(8..12) == Some(b"DUCK") {
            return Ok(Self::Store);
        }
        if head.starts_with(b"PAR1") {
            return Err("a single Parquet file");
        }
        // The last character may be cut in two.
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or("")
            }
            Err(_) => return Err("binary data of an unknown kind"),
        };
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let first_line = text.lines().next().unwrap_or("");
        match text.chars().next() {
            None => Err("an empty file"),
            Some('[') => Ok(Self::Json),
            Some(_) if first_line.contains(',') && !text.contains('\0') => Ok(Self::Csv),
            Some(_) => Err("text of an unknown kind"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_first_bytes() {
        assert_eq!(ImportKind::of_head(b"SQLite format 3\0..."), Ok(ImportKind::LumoSql));
        assert_eq!(ImportKind::of_head(b"12345678DUCK..."), Ok(ImportKind::Store));
        assert_eq!(ImportKind::of_head(b"\n[{\"run_id\""), Ok(ImportKind::Json));
        assert_eq!(ImportKind::of_head("run_id,größe\n1,2".as_bytes()), Ok(ImportKind::Csv));
        assert_eq!(ImportKind::of_head(&"run_id,ö".as_bytes()[..8]), Ok(ImportKind::Csv), "a character cut in two");
        for wrong in [&b""[..], b"PAR1", b"hello", b"\xff\xfe\0\0", b"{}"] {
            assert!(ImportKind::of_head(wrong).is_err(), "{wrong:?}");
        }
    }
}
