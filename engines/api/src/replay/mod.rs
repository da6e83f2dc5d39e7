//! The files of a recording that is replayed: the statements, and what each lane does with them.
//!
//! `statements` lists the statements, and `lane-N` is what lane N does, from 0. Both are sequences of numbers and bytes. A number is
//! unsigned, in LEB128: seven bits a byte, the lowest first, with the highest bit set in all but the last byte. A signed number is the
//! zigzag of it: 0, -1, 1, -2 are 0, 1, 2, 3. Bytes are their number and then themselves.
//!
//! `statements` is their number, and for each: the place of its name in [`ReplaySpec::statements`](crate::suite::ReplaySpec), its kind
//! ([`StatementAction`]), and its text as bytes.
//!
//! `lane-N` is a sequence of entries. An entry begins with 1 or 2:
//!
//! - 1: a connection is opened, and the one before it closed.
//! - 2: a transaction. First [`TransactionPlace`]: the time at which it began, the number of writing transactions that had ended before,
//!   its turn among those that write (from 1; 0: it only reads), and its places in the orders `early` and `late`, from 0. Then the number
//!   of calls, and the calls. A call is the number of its statement from 0, the most rows that it reads plus one (0: all), the number of
//!   its values, and the values. A value begins with its kind: 0 NULL, 1 an integer (zigzag), 2 a real number (8 bytes, little-endian),
//!   3 a text (bytes, UTF-8), 4 a blob (bytes), 5 a blob of zeros (its length).

mod lane;
mod statements;
mod wire;

pub use lane::{
    LaneEntry, LaneReader, LaneWriter, ReplayedCall, ReplayedTransaction, ReplayedValue, TransactionPlace, encode_call,
};
pub use statements::{ReplayStatement, StatementAction, read_statements, write_statements};

use std::path::{Path, PathBuf};

/// The path of the list of statements in the folder of a replay.
pub fn statements_file(folder: &Path) -> PathBuf {
    folder.join("statements")
}

/// The path of a lane's file in the folder of a replay.
pub fn lane_file(folder: &Path, lane: u32) -> PathBuf {
    folder.join(format!("lane-{lane}"))
}
