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
//!
//! Of a recording of keys, `keys-T-N` is what thread N of test T does, from 0. It is a sequence of [operations](KeyOperation): the place of
//! its work in that of the actor, when it began (ns), its number (bytes of the value that it writes, or rows that it reads), and the key as
//! bytes. The value of the n-th operation of a file, from 0, is drawn by SplitMix64, seeded with the digest of the key as bytes and n as a
//! word: ten characters a number, of six bits each from the lowest on, which count in `0-9A-Za-z+/`.

mod keys;
mod lane;
mod statements;
mod wire;

pub use keys::{KeyOperation, KeysReader, KeysWriter};
pub use lane::{
    LaneEntry, LaneReader, LaneWriter, ReplayedCall, ReplayedTransaction, ReplayedValue, TransactionPlace, encode_call,
};
pub use statements::{ReplayStatement, StatementAction, read_statements, write_statements};

use std::path::{Path, PathBuf};

/// The path of the list of statements in the folder of a replay.
pub fn statements_file(folder: &Path) -> PathBuf {
    folder.join("statements")
}

/// The path of the operations of a test's thread in the folder of a replay.
pub fn keys_file(folder: &Path, test: u32, thread: u32) -> PathBuf {
    folder.join(format!("keys-{test}-{thread}"))
}

/// The path of a lane's file in the folder of a replay.
pub fn lane_file(folder: &Path, lane: u32) -> PathBuf {
    folder.join(format!("lane-{lane}"))
}
