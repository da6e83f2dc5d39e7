use std::{io, path::PathBuf};

/// The reason why a recording cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A file cannot be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A line of a file of calls is not what the format allows. Lines count from 1.
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: u64, reason: String },
    /// A file of JSON (a manifest, a database's description) is not what the format allows.
    #[error("{}: {reason}", path.display())]
    Json { path: PathBuf, reason: String },
    /// The recording comes from a dbdyno with another format.
    #[error("{}: the recording has version {found}, and this dbdyno reads version {expected}", path.display())]
    Version { path: PathBuf, found: u64, expected: u32 },
}
