use crate::RecordedValue;
use serde::{Deserialize, Serialize};

/// A line of a file of calls: an object with one key. Times named `at` are nanoseconds of the monotonic clock
/// ([`RecordedClock`]).
///
/// Lines of calls are in the order in which the recorder's writer received them: calls of one thread by their end,
/// calls of different threads within fractions of a second of each other. Sort by `start_ns` where the order between
/// threads matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedLine {
    Process(RecordedProcess),
    Open(OpenedConnection),
    Close(ClosedConnection),
    Attach(AttachedDatabase),
    Statement(StatementTemplate),
    #[serde(skip_serializing)]
    Call(RecordedCall),
    Lost(LostCalls),
    SlotLost(LostSlot),
    NoSnapshot(MissingSnapshot),
    End(RecordedEnd),
}

/// The process image whose calls a file has, and its SQLite. The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedProcess {
    /// [`RECORDING_VERSION`](crate::RECORDING_VERSION).
    pub version: u32,
    pub pid: u32,
    /// The parent's process identifier.
    pub parent: u32,
    /// Path of the executable.
    pub program: String,
    pub recorder: RecorderKind,
    pub durations: DurationSource,
    pub sqlite_version: String,
    pub sqlite_source_id: String,
    /// Options without their prefix `SQLITE_`.
    pub compile_options: Vec<String>,
    pub clock: RecordedClock,
    /// Whether the statements are operations of a store of keys and values, and not SQL. They are `get ?`, `put ? ?`,
    /// `delete ?`, `scan ? ?` and `merge ? ?`, which changes a part of a value. The first parameter is the key: a text, or
    /// a blob if it is not UTF-8. The second one of `put` and `merge` is the size of the value in bytes, that of `scan` the
    /// number of keys from the key on. A `get` has the size of the value that it found as a second parameter, if it is
    /// known. Rows are 1 for a `get` that is known to have found a value, changes are 1 for all that write.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys: bool,
}

/// The way in which the recorder came into the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecorderKind {
    /// Through `LD_PRELOAD`, in front of a shared libsqlite3.
    Preload,
    /// As an extension that the program, or its SQLite, loaded.
    Extension,
    /// Not at all: the calls are from another program's record.
    Import,
}

/// The meaning of a call's duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DurationSource {
    /// The sum of the times of its `sqlite3_step`. In calls with many rows, only some steps are measured, and each
    /// represents its neighbours.
    Steps,
    /// From its first step until its end or reset, with the program's own time between the rows.
    Trace,
    /// As the record that was imported defines it; 0 if it has none.
    Import,
}

/// The same moment in both clocks, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedClock {
    /// Since 1970.
    pub realtime_ns: u64,
    pub monotonic_ns: u64,
}

/// A connection that the program opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenedConnection {
    /// Counted from 1 in each file.
    pub connection: u32,
    /// Absolute path of the main database, or what the program gave for it. `""` and `:memory:` are private databases.
    pub path: String,
    /// Flags of `sqlite3_open_v2`. 6 (read, write, create) if the program gave no flags, 0 if they are unknown.
    pub flags: u32,
    /// Name of the database's copy, without a folder. `None`: it was empty or private, or a `no_snapshot` line has the
    /// reason.
    pub database: Option<String>,
    pub at: u64,
}

/// The end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedConnection {
    pub connection: u32,
    pub at: u64,
}

/// A database that a connection attached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttachedDatabase {
    pub connection: u32,
    /// The name that statements use.
    pub schema: String,
    pub path: String,
    /// As in [`OpenedConnection`].
    pub database: Option<String>,
    pub at: u64,
}

/// The text of a statement, before its first call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementTemplate {
    /// Counted from 1 in each file.
    pub id: u32,
    pub sql: String,
}

/// A statement's execution from its first step to its end or reset. In the file it is an array of these fields in this
/// order.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCall {
    pub connection: u32,
    /// The system's identifier of the thread.
    pub thread: u32,
    /// Nanoseconds of the monotonic clock.
    pub start_ns: u64,
    /// See [`DurationSource`].
    pub duration_ns: u64,
    /// Identifier of a [`StatementTemplate`].
    pub statement: u32,
    /// In the order of their indices, from 1 on.
    pub parameters: Vec<RecordedValue>,
    /// Rows that it returned.
    pub rows: u64,
    /// Rows that it changed, by triggers too: the difference of `sqlite3_total_changes`.
    pub changes: u64,
    /// SQLite's primary result code. 0: success, and the answer was read to its end. 100: the last step returned a row,
    /// so the program may have left rows unread. -1: unknown; an extension knows only 100. Others are errors.
    pub result_code: i32,
}

/// A call without its parameters, as a writer takes it. See [`RecordedCall`] for the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallNumbers {
    pub connection: u32,
    pub thread: u32,
    pub start_ns: u64,
    pub duration_ns: u64,
    pub statement: u32,
    pub rows: u64,
    pub changes: u64,
    pub result_code: i32,
}

/// Calls that the file lacks, since the previous line of this kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostCalls {
    pub calls: u64,
    /// The reason, for people.
    #[serde(default)]
    pub why: String,
    pub at: u64,
}

/// A connection whose trace callback the program replaced. Its calls from then on are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostSlot {
    pub connection: u32,
    /// When the recorder noticed it.
    pub at: u64,
}

/// A database that was not copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingSnapshot {
    pub connection: u32,
    /// The reason, for people.
    pub why: String,
}

/// An orderly end. The last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEnd {
    pub at: u64,
    /// Calls of the file.
    pub calls: u64,
    /// Estimated nanoseconds that the recorder's code took in the program's threads.
    pub cost_ns: u64,
    /// Calls that the file lacks: the sum of its `lost` lines.
    pub dropped: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_keys_is_written_as_before_and_read() {
        let text = r#"{"process":{"version":1,"pid":2,"parent":1,"program":"p","recorder":"import","durations":"import",
            "sqlite_version":"v","sqlite_source_id":"","compile_options":[],"clock":{"realtime_ns":0,"monotonic_ns":0}}}"#;
        let text: String = text.split_whitespace().collect();
        let line: RecordedLine = serde_json::from_str(&text).unwrap();
        assert!(matches!(&line, RecordedLine::Process(process) if !process.keys));
        assert_eq!(serde_json::to_string(&line).unwrap(), text);
        let with_keys = text.replace("0}}}", r#"0},"keys":true}}"#);
        let line: RecordedLine = serde_json::from_str(&with_keys).unwrap();
        assert!(matches!(&line, RecordedLine::Process(process) if process.keys));
        assert_eq!(serde_json::to_string(&line).unwrap(), with_keys);
    }
}
