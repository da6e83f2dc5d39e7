//! What a lane does.

use super::{
    lane_file,
    wire::{WireReader, WireWriter},
};
use crate::{
    EngineError,
    sql::{SqlValue, SqlValueRef},
};
use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Write},
    ops::Range,
    path::{Path, PathBuf},
};

/// The first number of an entry.
const CONNECTION: u64 = 1;
const TRANSACTION: u64 = 2;

/// Where a transaction is among the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransactionPlace {
    /// When it began, ns since the beginning of the recording.
    pub at_ns: u64,
    /// Transactions that had written and ended before it began.
    pub after: u64,
    /// Its turn among those that write, from 1; 0: it only reads.
    pub turn: u64,
    /// Its places in the orders [`Early`](crate::suite::ReplayOrder::Early) and [`Late`](crate::suite::ReplayOrder::Late), from 0.
    pub early: u64,
    pub late: u64,
}

/// A statement's execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedCall {
    /// Its place in the list of statements.
    pub statement: usize,
    /// How many rows it reads at most; none: all.
    pub most_rows: Option<u64>,
    /// The places of its values among those of the transaction.
    pub values: Range<usize>,
}

/// A transaction with its calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayedTransaction {
    pub place: TransactionPlace,
    pub calls: Vec<ReplayedCall>,
    pub values: Vec<SqlValue>,
}

/// What comes next in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneEntry {
    /// A connection is opened, and the one before it closed.
    Connection,
    /// A transaction, which was read.
    Transaction,
    /// The lane has ended.
    End,
}

/// Writes a lane's file.
#[derive(Debug)]
pub struct LaneWriter {
    file: BufWriter<File>,
}

impl LaneWriter {
    /// Creates a lane's file.
    ///
    /// # Errors
    /// It exists, or cannot be created.
    pub fn create(folder: &Path, lane: u32) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(File::create_new(lane_file(folder, lane))?) })
    }

    /// Appends that a connection is opened.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn connection(&mut self) -> io::Result<()> {
        self.numbers(&[CONNECTION])
    }

    /// Appends the beginning of a transaction, which is followed by as many calls as `calls` says.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn transaction(&mut self, place: &TransactionPlace, calls: usize) -> io::Result<()> {
        let TransactionPlace { at_ns, after, turn, early, late } = *place;
        self.numbers(&[TRANSACTION, at_ns, after, turn, early, late, calls as u64])
    }

    fn numbers(&mut self, numbers: &[u64]) -> io::Result<()> {
        let mut encoded = Vec::new();
        numbers.iter().for_each(|number| WireWriter(&mut encoded).number(*number));
        self.file.write_all(&encoded)
    }

    /// Appends calls as [`encode_call`] wrote them.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn calls(&mut self, encoded: &[u8]) -> io::Result<()> {
        self.file.write_all(encoded)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A value as a lane's file has it.
#[derive(Debug, Clone, Copy)]
pub enum ReplayedValue<'v> {
    Value(SqlValueRef<'v>),
    /// A blob of this many bytes of zero.
    Zeros(u64),
}

/// Appends a call to `into`, in the form of a lane's file.
pub fn encode_call<'v>(
    into: &mut Vec<u8>,
    statement: usize,
    most_rows: Option<u64>,
    values: impl ExactSizeIterator<Item = ReplayedValue<'v>>,
) {
    let mut call = WireWriter(into);
    call.number(statement as u64);
    call.number(most_rows.map_or(0, |rows| rows.saturating_add(1)));
    call.number(values.len() as u64);
    values.for_each(|value| encode_value(&mut call, value));
}

fn encode_value(call: &mut WireWriter<'_>, value: ReplayedValue<'_>) {
    match value {
        ReplayedValue::Value(SqlValueRef::Null) => call.number(0),
        ReplayedValue::Value(SqlValueRef::Integer(number)) => {
            call.number(1);
            call.signed(number);
        }
        ReplayedValue::Value(SqlValueRef::Real(number)) => {
            call.number(2);
            call.0.extend_from_slice(&number.to_le_bytes());
        }
        ReplayedValue::Value(SqlValueRef::Text(bytes)) => {
            call.number(3);
            call.bytes(bytes);
        }
        ReplayedValue::Value(SqlValueRef::Blob(bytes)) => {
            call.number(4);
            call.bytes(bytes);
        }
        ReplayedValue::Zeros(length) => {
            call.number(5);
            call.number(length);
        }
    }
}

/// Reads a lane's file, an entry at a time.
#[derive(Debug)]
pub struct LaneReader {
    path: PathBuf,
    file: BufReader<File>,
    statements: usize,
}

impl LaneReader {
    /// Opens a lane's file. `statements`: how many statements the list has.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(folder: &Path, lane: u32, statements: usize) -> Result<Self, EngineError> {
        let path = lane_file(folder, lane);
        let file = File::open(&path).map_err(EngineError::doing(&format!("opening {}", path.display())))?;
        Ok(Self { path, file: BufReader::with_capacity(1 << 16, file), statements })
    }

    /// Reads the next entry. `transaction` is where a transaction is put, in the memory that it has.
    ///
    /// # Errors
    /// The file cannot be read, or is not one of this format.
    pub fn next(&mut self, transaction: &mut ReplayedTransaction) -> Result<LaneEntry, EngineError> {
        self.entry(transaction).map_err(|error| EngineError::new(format!("{}: {error}", self.path.display())))
    }

    fn entry(&mut self, transaction: &mut ReplayedTransaction) -> Result<LaneEntry, EngineError> {
        let mut file = WireReader(&mut self.file);
        if file.is_over()? {
            return Ok(LaneEntry::End);
        }
        match file.number()? {
            CONNECTION => return Ok(LaneEntry::Connection),
            TRANSACTION => {}
            other => return Err(EngineError::new(format!("an entry begins with {other}: expected 1 or 2"))),
        }
        transaction.place = TransactionPlace {
            at_ns: file.number()?,
            after: file.number()?,
            turn: file.number()?,
            early: file.number()?,
            late: file.number()?,
        };
        transaction.calls.clear();
        let mut used = 0;
        for _ in 0..file.length()? {
            let statement = file.length()?;
            if statement >= self.statements {
                return Err(EngineError::new(format!("there is no statement {statement}")));
            }
            let most_rows = file.number()?.checked_sub(1);
            let from = used;
            for _ in 0..file.length()? {
                if used == transaction.values.len() {
                    transaction.values.push(SqlValue::Null);
                }
                read_value(&mut file, &mut transaction.values[used])?;
                used += 1;
            }
            transaction.calls.push(ReplayedCall { statement, most_rows, values: from..used });
        }
        Ok(LaneEntry::Transaction)
    }
}

/// Reads a value into the memory of another one.
fn read_value(file: &mut WireReader<&mut BufReader<File>>, into: &mut SqlValue) -> Result<(), EngineError> {
    let reused = match std::mem::replace(into, SqlValue::Null) {
        SqlValue::Text(text) => text.into_bytes(),
        SqlValue::Blob(bytes) => bytes,
        _ => Vec::new(),
    };
    *into = match file.number()? {
        0 => SqlValue::Null,
        1 => SqlValue::Integer(file.signed()?),
        2 => SqlValue::Real(f64::from_le_bytes(file.array()?)),
        3 => SqlValue::Text(file.text(reused)?),
        4 => {
            let mut bytes = reused;
            file.bytes(&mut bytes)?;
            SqlValue::Blob(bytes)
        }
        5 => SqlValue::Blob(vec![0; file.length()?]),
        other => return Err(EngineError::new(format!("a value has the kind {other}: expected 0 to 5"))),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<SqlValue> {
        vec![
            SqlValue::Null,
            SqlValue::Integer(i64::MIN),
            SqlValue::Integer(-1),
            SqlValue::Integer(i64::MAX),
            SqlValue::Real(-0.5),
            SqlValue::Text("é".to_owned()),
            SqlValue::Blob(vec![0, 255]),
        ]
    }

    #[test]
    fn a_lane_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let place = TransactionPlace { at_ns: u64::MAX, after: 300, turn: 1, early: 127, late: 128 };
        let mut lane = LaneWriter::create(folder.path(), 3).unwrap();
        lane.connection().unwrap();
        lane.transaction(&place, 2).unwrap();
        let given = values();
        let mut calls = Vec::new();
        encode_call(&mut calls, 1, Some(0), given.iter().map(|value| ReplayedValue::Value(value.as_ref())));
        encode_call(&mut calls, 0, None, [ReplayedValue::Zeros(3)].into_iter());
        lane.calls(&calls).unwrap();
        lane.finish().unwrap();

        let mut transaction = ReplayedTransaction::default();
        let mut lane = LaneReader::open(folder.path(), 3, 2).unwrap();
        assert_eq!(lane.next(&mut transaction).unwrap(), LaneEntry::Connection);
        assert_eq!(lane.next(&mut transaction).unwrap(), LaneEntry::Transaction);
        assert_eq!(transaction.place, place);
        let expected = [
            ReplayedCall { statement: 1, most_rows: Some(0), values: 0..7 },
            ReplayedCall { statement: 0, most_rows: None, values: 7..8 },
        ];
        assert_eq!(transaction.calls, expected);
        assert_eq!(transaction.values[..7], values());
        assert_eq!(transaction.values[7], SqlValue::Blob(vec![0; 3]));
        assert_eq!(lane.next(&mut transaction).unwrap(), LaneEntry::End);
    }

    #[test]
    fn what_is_no_lane_is_an_error_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        for (number, bytes) in [
            &[3][..],
            &[2, 0, 0, 0, 0, 0, 1, 9, 0, 0],
            &[2, 0, 0, 0],
            &[2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 6],
            &[2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 3, 1, 255],
            &[0x80; 12],
        ]
        .into_iter()
        .enumerate()
        {
            std::fs::write(lane_file(folder.path(), number as u32), bytes).unwrap();
            let mut lane = LaneReader::open(folder.path(), number as u32, 2).unwrap();
            let error = lane.next(&mut ReplayedTransaction::default()).unwrap_err();
            assert!(error.message.contains(&format!("lane-{number}: ")), "{error}");
        }
    }
}
