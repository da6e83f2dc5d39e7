//! Rows of CSV, one at a time. A row has a limit, or a quotation mark without its end would take the rest of a file into memory.

use super::ImportStop;
use std::{
    cell::Cell,
    io::{self, ErrorKind, Read},
    rc::Rc,
};

/// The rows below a header.
pub(super) struct CsvRows<R> {
    reader: csv::Reader<BoundedRead<R>>,
    row: csv::ByteRecord,
    left: Rc<Cell<usize>>,
    /// Bytes that a row may have, roughly: the reader is ahead by its buffer.
    limit: usize,
}

/// Reads so many bytes and no more, until someone allows more.
struct BoundedRead<R> {
    input: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for BoundedRead<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let room = to.len().min(self.left.get());
        if room == 0 && !to.is_empty() {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let read = self.input.read(&mut to[..room])?;
        self.left.set(self.left.get() - read);
        Ok(read)
    }
}

impl<R: Read> CsvRows<R> {
    /// Reads the header, and returns its names as they are.
    ///
    /// # Errors
    /// It cannot be read, or is too long.
    pub(super) fn new(input: R, limit: usize) -> Result<(Self, Vec<String>), ImportStop> {
        let left = Rc::new(Cell::new(limit));
        let reader =
            csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(BoundedRead { input, left: left.clone() });
        let mut rows = Self { reader, row: csv::ByteRecord::new(), left, limit };
        let header = rows.reader.byte_headers().cloned().map_err(|error| stopped(&error, 1, limit))?;
        Ok((rows, header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()))
    }

    /// Returns the next row with its line, from 1.
    ///
    /// # Errors
    /// It has more or fewer columns than the header, is too long, or cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &csv::ByteRecord)>, ImportStop> {
        self.left.set(self.limit);
        let line = self.reader.position().line();
        let is_row = self.reader.read_byte_record(&mut self.row).map_err(|error| stopped(&error, line, self.limit))?;
        let line = self.row.position().map_or(line, csv::Position::line);
        Ok(is_row.then_some((line, &self.row)))
    }
}

fn stopped(error: &csv::Error, line: u64, limit: usize) -> ImportStop {
    match error.kind() {
        csv::ErrorKind::Io(error) if error.kind() == ErrorKind::FileTooLarge => {
            ImportStop::Line(line, format!("the row has more than {limit} bytes"))
        }
        csv::ErrorKind::Io(error) => ImportStop::Input(io::Error::new(error.kind(), error.to_string())),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let line = error.position().map_or(line, csv::Position::line);
            ImportStop::Line(line, format!("columns: {len}, expected {expected_len} as in the header"))
        }
        _ => ImportStop::Line(line, error.to_string()),
    }
}
