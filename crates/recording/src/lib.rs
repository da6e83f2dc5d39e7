//! Recordings of what running programs ask of SQLite. `engines/record` writes them, in the program's own process. The
//! command reads them.
//!
//! A recording is a folder ([`RecordingFolder`]):
//!
//! - `manifest.json` ([`RecordingManifest`]) describes the command. It exists before the program starts.
//! - `calls-PID-N.jsonl.zst` has the calls of one process image ([`CallsReader`], [`CallsWriter`]). It is JSON Lines in
//!   blocks, and each block is a complete zstd frame. The file is only appended to, so a kill loses at most the last
//!   block, and `zstdcat` reads the rest.
//! - `database-N.sqlite` is a database as it was when the recording first saw it, and `database-N.json`
//!   ([`RecordedDatabase`]) describes it. Without the second file the copy is incomplete.
//!
//! Other files of the folder belong to the recorders, which use them to agree on numbers.

mod error;
mod folder;
mod limits;
mod line;
mod manifest;
mod reader;
mod text;
mod value;
mod writer;

pub use error::RecordingError;
pub use folder::{CALLS_ENDING, RecordedDatabase, RecordingFolder, calls_file, database_file, description_file};
pub use limits::ReaderLimits;
pub use line::{
    AttachedDatabase, CallNumbers, ClosedConnection, DurationSource, LostCalls, LostSlot, MissingSnapshot,
    OpenedConnection, RecordedCall, RecordedClock, RecordedEnd, RecordedLine, RecordedProcess, RecorderKind,
    StatementTemplate,
};
pub use manifest::RecordingManifest;
pub use reader::{CallsReader, FileEnding};
pub use value::{RecordedValue, RecordedValueRef};
pub use writer::CallsWriter;

/// The version of the format: in the manifest, and in the first line of each file of calls.
pub const RECORDING_VERSION: u32 = 1;
