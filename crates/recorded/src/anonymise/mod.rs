//! Recordings with other texts and bytes in them, to be passed on.

mod cipher;
mod database;

use self::cipher::TextMask;
use dbdyno_recording::{
    CALLS_ENDING, CallsReader, CallsWriter, RecordedLine, RecordedValue, RecordingError, RecordingFolder,
    RecordingManifest, database_file, description_file,
};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bytes of lines from which a block is written.
const BLOCK: usize = 1 << 20;
/// The level of zstd.
const LEVEL: i32 = 3;

/// What was replaced in a recording, and what was not.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Anonymised {
    /// Texts and bytes of parameters.
    pub parameters: u64,
    /// Texts and bytes within statements.
    pub literals: u64,
    pub databases: usize,
    /// What the new databases lack.
    pub lacking: Vec<String>,
}

/// The reason why no anonymous recording was written.
#[derive(Debug, thiserror::Error)]
pub enum AnonymiseError {
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
}

/// Writes a recording with other texts and bytes to a new folder: as long, equal for equal ones, and with equal beginnings for equal
/// beginnings. Numbers, dates, times, names of tables and columns, and paths stay.
///
/// # Errors
/// The recording cannot be read, or the folder exists or cannot be written.
pub fn anonymise(from: &Path, to: &Path) -> Result<Anonymised, AnonymiseError> {
    let mut manifest = RecordingManifest::read(from)?;
    let files = RecordingFolder::open(from)?;
    let cipher = Arc::new(TextMask::default());
    // Arguments of the program may be anything.
    manifest.command.iter_mut().skip(1).for_each(|argument| *argument = cipher.text(argument));
    fs::create_dir(to).map_err(|source| AnonymiseError::Io { path: to.to_owned(), source })?;
    let copied = manifest.write(to).map_err(AnonymiseError::from).and_then(|()| copy(from, to, &files, &cipher));
    if copied.is_err() {
        // Half of a copy would be taken for a whole one.
        let _ = fs::remove_dir_all(to);
    }
    copied
}

/// Copies the calls and the databases of a recording.
fn copy(from: &Path, to: &Path, files: &RecordingFolder, cipher: &Arc<TextMask>) -> Result<Anonymised, AnonymiseError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| AnonymiseError::Io { path, source }
    };
    let mut done = Anonymised::default();
    for path in files.calls() {
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(CALLS_ENDING));
        let Some(name) = name else { continue };
        let written = to.join(name);
        calls(path, &written, cipher, &mut done).map_err(|error| match error {
            CallsError::Recording(error) => error.into(),
            CallsError::Io(source) => io(&written)(source),
        })?;
    }
    for (number, description) in files.databases() {
        let name = database_file(*number);
        let (from, to_database) = (from.join(&name), to.join(&name));
        let lacking = database::anonymise(&from, &to_database, cipher)
            .map_err(|source| AnonymiseError::Database { path: from, source })?;
        done.lacking.extend(lacking);
        description.write(&to.join(description_file(*number)))?;
        done.databases += 1;
    }
    Ok(done)
}

enum CallsError {
    Recording(RecordingError),
    Io(std::io::Error),
}

impl From<std::io::Error> for CallsError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

fn calls(from: &Path, to: &Path, cipher: &TextMask, done: &mut Anonymised) -> Result<(), CallsError> {
    let mut file = File::create_new(to)?;
    let mut writer = CallsWriter::new(LEVEL)?;
    for line in CallsReader::open(from).map_err(CallsError::Recording)? {
        let mut line = line.map_err(CallsError::Recording)?;
        match &mut line {
            RecordedLine::Statement(statement) => {
                let (sql, replaced) = cipher.sql(&statement.sql);
                statement.sql = sql;
                done.literals += replaced;
            }
            RecordedLine::Call(call) => {
                done.parameters +=
                    call.parameters.iter_mut().map(|value| u64::from(replace(value, cipher))).sum::<u64>();
            }
            _ => {}
        }
        writer.line(&line);
        if writer.block_bytes() >= BLOCK {
            file.write_all(writer.finish_block()?)?;
        }
    }
    file.write_all(writer.finish_block()?)?;
    Ok(())
}

/// Replaces a value if it is a text or bytes. Returns whether it is.
fn replace(value: &mut RecordedValue, cipher: &TextMask) -> bool {
    match value {
        RecordedValue::Text(text) => *text = cipher.text(text),
        RecordedValue::Bytes(bytes) | RecordedValue::Blob(bytes) => *bytes = cipher.bytes(bytes),
        RecordedValue::Literal(sql) => *sql = cipher.sql(sql).0,
        RecordedValue::Cut { hash, .. } => *hash = 0,
        RecordedValue::Null | RecordedValue::Integer(_) | RecordedValue::Real(_) | RecordedValue::ZeroBlob(_) => {
            return false;
        }
    }
    true
}
