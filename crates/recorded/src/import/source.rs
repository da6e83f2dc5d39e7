//! Files of traces: unpacked, and line by line.

use super::ImportStop;
use dbdyno_foundation::base::input;
use dbdyno_recording::ReaderLimits;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::Path,
};

/// Bytes from a file's beginning by which its format is recognised.
const HEAD: u64 = 1 << 16;
/// Bytes that are read at once.
const BUFFER: usize = 1 << 17;
/// Binary logarithm of the bytes that zstd may refer back to: what the program `zstd -d` accepts without options.
const WINDOW_LOG: u32 = 27;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A file, unpacked.
pub(super) struct TraceSource {
    /// Its first 64 KiB, without a byte order mark.
    pub(super) head: Vec<u8>,
    rest: Box<dyn BufRead>,
}

impl TraceSource {
    /// Returns all of it.
    pub(super) fn whole(self) -> impl BufRead {
        Cursor::new(self.head).chain(self.rest)
    }
}

/// Opens a file, which may be compressed with zstd.
///
/// # Errors
/// It cannot be read, or is compressed with gzip.
pub(super) fn open(path: &Path) -> io::Result<TraceSource> {
    let mut rest = unpacked(input::open(path)?)?;
    let mut head = Vec::new();
    rest.by_ref().take(HEAD).read_to_end(&mut head)?;
    if head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(TraceSource { head, rest })
}

fn unpacked(file: File) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::with_capacity(BUFFER, file);
    match *file.fill_buf()? {
        [0x1f, 0x8b, ..] => Err(io::Error::other("it is compressed with gzip: unpack it with `gunzip` first")),
        // A frame, or one to be skipped, with which parallel compressors begin.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
            decoder.window_log_max(WINDOW_LOG)?;
            Ok(Box::new(BufReader::with_capacity(BUFFER, decoder)))
        }
        _ => Ok(Box::new(file)),
    }
}

/// Returns the lines of a file's beginning. The last one may be cut.
pub(super) fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty())
}

/// The lines of a trace, one at a time. Empty ones are left out.
pub(super) struct TraceLines<R> {
    input: R,
    text: Vec<u8>,
    number: u64,
    /// Bytes that a line may have.
    limit: usize,
}

impl<R: BufRead> TraceLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, text: Vec::new(), number: 0, limit: ReaderLimits::default().line_bytes }
    }

    /// Returns the next line with its number, from 1, without its end.
    ///
    /// # Errors
    /// The line is too long, or cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &[u8])>, ImportStop> {
        loop {
            self.text.clear();
            // One byte more than the longest line with its newline, so that a longer one is noticed.
            let most = self.limit as u64 + 2;
            let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.text).map_err(ImportStop::Input)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let ends = [b"\r\n".as_slice(), b"\n"];
            let end = ends.iter().find(|end| self.text.ends_with(end)).map_or(0, |end| end.len());
            self.text.truncate(self.text.len() - end);
            if self.text.len() > self.limit {
                let reason = format!("the line has more than {} bytes", self.limit);
                return Err(ImportStop::Line(self.number, reason));
            }
            if !self.text.trim_ascii().is_empty() {
                return Ok(Some((self.number, &self.text)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers_and_a_limit() {
        let mut lines = TraceLines { limit: 5, ..TraceLines::new(b"abcde\r\n\n \nab\nabcdef\nab".as_slice()) };
        assert!(matches!(lines.next(), Ok(Some((1, b"abcde")))));
        assert!(matches!(lines.next(), Ok(Some((4, b"ab")))));
        assert!(matches!(lines.next(), Err(ImportStop::Line(5, reason)) if reason == "the line has more than 5 bytes"));
        let mut lines = TraceLines::new(b"ab".as_slice());
        assert!(matches!(lines.next(), Ok(Some((1, b"ab")))), "the last newline may be missing");
        assert!(matches!(lines.next(), Ok(None)));
    }
}
