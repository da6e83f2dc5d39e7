use crate::{RECORDING_VERSION, ReaderLimits, RecordedEnd, RecordedLine, RecordedProcess, RecordingError};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, ErrorKind, Read},
    path::{Path, PathBuf},
};
use zstd::stream::read::Decoder;

/// How a file of calls ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEnding {
    /// With an `end` line: the program ended in order.
    Orderly(RecordedEnd),
    /// Between two blocks: the program was killed, or is still running. `calls`: the number of calls so far.
    NoEnd { calls: u64 },
    /// Within a block: the file was truncated. `calls`: the number of calls before.
    CutOff { calls: u64 },
}

/// Reads a file of calls line by line. It holds one line and zstd's window, whatever the file's size. After an error it
/// ends.
pub struct CallsReader<R: Read = File> {
    path: PathBuf,
    input: BufReader<Decoder<'static, BufReader<R>>>,
    limits: ReaderLimits,
    text: Vec<u8>,
    /// Lines so far.
    line: u64,
    calls: u64,
    connections: u32,
    statements: u32,
    process: Option<RecordedProcess>,
    end: Option<RecordedEnd>,
    ending: Option<FileEnding>,
    failed: bool,
}

impl CallsReader<File> {
    /// Opens a file of calls with the default limits.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened. A file that is not a recording fails at its first line.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let file = File::open(path).map_err(|source| RecordingError::Io { path: path.to_owned(), source })?;
        Self::new(path, file, ReaderLimits::default())
    }
}

impl<R: Read> CallsReader<R> {
    /// Returns a reader of `input`, which errors call `path`.
    ///
    /// # Errors
    ///
    /// Fails if zstd cannot begin, or refuses the limit of its window.
    pub fn new(path: &Path, input: R, limits: ReaderLimits) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io { path: path.to_owned(), source };
        let mut decoder = Decoder::new(input).map_err(io)?;
        decoder.window_log_max(limits.window_log).map_err(io)?;
        Ok(Self {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 17, decoder),
            limits,
            text: Vec::new(),
            line: 0,
            calls: 0,
            connections: 0,
            statements: 0,
            process: None,
            end: None,
            ending: None,
            failed: false,
        })
    }

    /// Returns the process, once its line was read: the first.
    pub fn process(&self) -> Option<&RecordedProcess> {
        self.process.as_ref()
    }

    /// Returns the calls that were read so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns how the file ends, after the last line was read.
    pub fn ending(&self) -> Option<FileEnding> {
        self.ending
    }

    fn error(&self, reason: impl Into<String>) -> RecordingError {
        RecordingError::Line { path: self.path.clone(), line: self.line, reason: reason.into() }
    }

    /// Reads the next line into `text`, without its newline. Returns whether there is one.
    fn fill(&mut self) -> Result<bool, RecordingError> {
        self.text.clear();
        self.line += 1;
        loop {
            let room = match self.input.fill_buf() {
                Ok(room) => room,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    self.ending = Some(FileEnding::CutOff { calls: self.calls });
                    return Ok(false);
                }
                Err(error) => return Err(self.unreadable(&error)),
            };
            if room.is_empty() {
                return self.finish();
            }
            let newline = room.iter().position(|byte| *byte == b'\n');
            let taken = newline.unwrap_or(room.len());
            self.text.extend_from_slice(&room[..taken]);
            self.input.consume(taken + usize::from(newline.is_some()));
            if self.text.len() > self.limit() {
                return Err(self.error(format!("the line has more than {} bytes", self.limit())));
            }
            if newline.is_some() {
                return Ok(true);
            }
        }
    }

    /// zstd reports damage as an error of I/O, which lacks the line.
    fn unreadable(&self, error: &io::Error) -> RecordingError {
        self.error(format!("the block is damaged or unreadable: {error}"))
    }

    /// The limit for the current line, from its beginning.
    fn limit(&self) -> usize {
        let is_long = [b"{\"call\":".as_slice(), b"{\"statement\":"].iter().any(|key| self.text.starts_with(key));
        if is_long { self.limits.call_bytes } else { self.limits.line_bytes }
    }

    /// Notes the end of the input.
    fn finish(&mut self) -> Result<bool, RecordingError> {
        if !self.text.is_empty() {
            return Err(self.error("the last line has no end, although its block is complete"));
        }
        let no_end = FileEnding::NoEnd { calls: self.calls };
        self.ending = Some(self.end.map_or(no_end, FileEnding::Orderly));
        Ok(false)
    }

    fn parse(&mut self) -> Result<RecordedLine, RecordingError> {
        if self.line == 1 {
            self.check_version()?;
        }
        let line = serde_json::from_slice(&self.text).map_err(|error| self.error(error.to_string()))?;
        self.check(&line).map_err(|reason| self.error(reason))?;
        Ok(line)
    }

    /// A later version may have other fields, so its number is checked before them.
    fn check_version(&self) -> Result<(), RecordingError> {
        #[derive(serde::Deserialize)]
        struct FirstLine {
            process: ProcessVersion,
        }
        #[derive(serde::Deserialize)]
        struct ProcessVersion {
            version: u64,
        }
        let first: FirstLine = serde_json::from_slice(&self.text)
            .map_err(|error| self.error(format!("the first line is not that of a recorded process: {error}")))?;
        let found = first.process.version;
        if found != u64::from(RECORDING_VERSION) {
            return Err(RecordingError::Version { path: self.path.clone(), found, expected: RECORDING_VERSION });
        }
        Ok(())
    }

    /// Checks that a line fits those before it, and counts it.
    fn check(&mut self, line: &RecordedLine) -> Result<(), String> {
        if self.end.is_some() {
            return Err("there is a line after the end".to_owned());
        }
        match line {
            RecordedLine::Process(_) if self.line > 1 => Err("there is a second process".to_owned()),
            RecordedLine::Process(process) => {
                self.process = Some(process.clone());
                Ok(())
            }
            RecordedLine::Open(open) => next(&mut self.connections, open.connection, self.limits.connections),
            RecordedLine::Statement(statement) => next(&mut self.statements, statement.id, self.limits.statements),
            RecordedLine::Call(call) => {
                self.calls += 1;
                known("statement", call.statement, self.statements)?;
                known("connection", call.connection, self.connections)
            }
            RecordedLine::Close(close) => known("connection", close.connection, self.connections),
            RecordedLine::Attach(attach) => known("connection", attach.connection, self.connections),
            RecordedLine::SlotLost(lost) => known("connection", lost.connection, self.connections),
            RecordedLine::NoSnapshot(missing) => known("connection", missing.connection, self.connections),
            RecordedLine::Lost(_) => Ok(()),
            RecordedLine::End(end) => {
                self.end = Some(*end);
                Ok(())
            }
        }
    }
}

/// Identifiers count from 1, so that a reader of any file knows which exist without a list.
fn next(count: &mut u32, id: u32, limit: u32) -> Result<(), String> {
    if id != *count + 1 {
        return Err(format!("identifier {id} follows {count}"));
    }
    if id > limit {
        return Err(format!("identifier {id} is above the limit of {limit}"));
    }
    *count = id;
    Ok(())
}

fn known(what: &str, id: u32, count: u32) -> Result<(), String> {
    if (1..=count).contains(&id) { Ok(()) } else { Err(format!("{what} {id} is unknown: there are {count} so far")) }
}

impl<R: Read> Iterator for CallsReader<R> {
    type Item = Result<RecordedLine, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.ending.is_some() {
            return None;
        }
        let line = match self.fill() {
            Ok(false) => return None,
            Ok(true) => self.parse(),
            Err(error) => Err(error),
        };
        self.failed = line.is_err();
        Some(line)
    }
}
