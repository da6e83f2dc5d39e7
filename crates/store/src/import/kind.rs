//! The kind of a file, detected by its content.

use super::{super::manifest::MANIFEST, ImportError};
use dbdyno_foundation::base::input;
use std::{fmt, io::Read, path::Path};

/// The kinds of files that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// A dbdyno store.
    Store,
    /// A folder that `dbdyno copy --to-parquet` wrote.
    Parquet,
    /// A listing as comma-separated values.
    Csv,
    /// A listing as JSON.
    Json,
    /// A listing as one file of Parquet.
    ParquetListing,
    /// A LumoSQL benchmark database.
    LumoSql,
    /// The text that LumoSQL's own tool writes from such a database with `-export`.
    LumoSqlText,
}

impl fmt::Display for ImportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Store => "dbdyno store",
            Self::Parquet => "Parquet folder",
            Self::Csv => "CSV listing",
            Self::Json => "JSON listing",
            Self::ParquetListing => "Parquet listing",
            Self::LumoSql => "LumoSQL benchmark database",
            Self::LumoSqlText => "LumoSQL text export",
        })
    }
}

impl ImportKind {
    /// Detects the kind of this file or folder.
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

    /// Detects the kind of a file that begins with these bytes, or says what else it looks like.
    fn of_head(head: &[u8]) -> Result<Self, &'static str> {
        if head.starts_with(b"SQLite format 3\0") {
            return Ok(Self::LumoSql);
        }
        if head.get(8..12) == Some(b"DUCK") {
            return Ok(Self::Store);
        }
        if head.starts_with(b"PAR1") {
            return Ok(Self::ParquetListing);
        }
        // The head may end in the middle of a character.
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
            Some(_) if is_lumosql_text(first_line) => Ok(Self::LumoSqlText),
            Some(_) if first_line.contains(',') && !text.contains('\0') => Ok(Self::Csv),
            Some(_) => Err("text of an unknown kind"),
        }
    }
}

/// Whether a file with this first line is a text export, by the rule of LumoSQL's own `-import`.
fn is_lumosql_text(first_line: &str) -> bool {
    let mut words = ["LumoSQL", "benchmark", "data"].into_iter();
    words.try_fold(first_line, |line, word| line.split_once(word).map(|(_, after)| after)).is_some()
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
        assert_eq!(ImportKind::of_head(b"PAR1\x15\0"), Ok(ImportKind::ParquetListing));
        let text = b"# LumoSQL benchmark data version 0.0\n0123 17\ntitle a, b\n";
        assert_eq!(ImportKind::of_head(text), Ok(ImportKind::LumoSqlText));
        assert_eq!(ImportKind::of_head(b"data,benchmark,LumoSQL\n"), Ok(ImportKind::Csv));
        for wrong in [&b""[..], b"hello", b"\xff\xfe\0\0", b"{}"] {
            assert!(ImportKind::of_head(wrong).is_err(), "{wrong:?}");
        }
    }
}
