//! Operations of a store of keys and values, as statements of a recording.

use super::{ImportStop, ImportedCall, source::TraceLines, writing::ImportWriter};
use dbdyno_recording::RecordedValueRef;
use std::{borrow::Cow, collections::BTreeMap, io::BufRead};

/// The names of operations that were left out, with their numbers.
pub(super) type LeftOutCounts = BTreeMap<&'static str, u64>;

/// What a line of a trace says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TraceEntry<'l> {
    Operation(TraceOperation<'l>),
    /// The name of an operation that a recording cannot have.
    LeftOut(&'static str),
    /// Something else than an operation.
    Nothing,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TraceOperation<'l> {
    pub(super) verb: KeyVerb,
    /// Who asked for it, in the trace's own words.
    pub(super) client: &'l [u8],
    /// The table or column family of the key.
    pub(super) space: &'l [u8],
    pub(super) key: Cow<'l, [u8]>,
    /// Bytes of the value, or the number of keys of a scan. `None` if it is unknown, or there is none.
    pub(super) number: Option<u32>,
    /// Nanoseconds since any moment that is the same in the whole trace. `None` if only the order is known.
    pub(super) at_ns: Option<u64>,
}

/// What an operation does with its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyVerb {
    Get,
    /// It replaces the value, whether there is one or not.
    Put,
    Delete,
    /// It reads keys in their order, from the key on.
    Scan,
    /// It changes a part of the value, or what it becomes depends on what it was.
    Merge,
}

impl KeyVerb {
    pub(crate) const ALL: [Self; 5] = [Self::Get, Self::Put, Self::Delete, Self::Scan, Self::Merge];

    /// Returns what a statement of a recording of keys does; none if it is of no such recording.
    pub(crate) fn of(statement: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.statement() == statement)
    }

    /// Returns the word with which its statements begin.
    pub(crate) fn name(self) -> &'static str {
        self.statement().split(' ').next().unwrap_or_default()
    }

    /// The statement, with a place for the key and one for what else the operation needs. The size of a value that a get found is a
    /// parameter without a place.
    fn statement(self) -> &'static str {
        match self {
            Self::Get => "get ?",
            Self::Put => "put ? ?",
            Self::Delete => "delete ?",
            Self::Scan => "scan ? ?",
            Self::Merge => "merge ? ?",
        }
    }

    fn writes(self) -> bool {
        matches!(self, Self::Put | Self::Delete | Self::Merge)
    }
}

/// Writes the operations that lines have. Returns what was left out.
///
/// # Errors
/// The line, and what was expected there.
pub(super) fn read(
    mut lines: TraceLines<impl BufRead>,
    entry: fn(&[u8]) -> Result<TraceEntry<'_>, String>,
    to: &mut ImportWriter,
) -> Result<LeftOutCounts, ImportStop> {
    let mut calls = KeyCalls::new(to);
    while let Some((line, text)) = lines.next()? {
        let entry = entry(text).map_err(|reason| ImportStop::Line(line, reason))?;
        calls.take(line, entry)?;
    }
    Ok(calls.left_out)
}

/// Writes operations as calls.
pub(super) struct KeyCalls<'w> {
    to: &'w mut ImportWriter,
    /// The time of the first operation, ns.
    first: Option<u64>,
    /// Operations so far.
    count: u64,
    /// The table or column family of the first operation.
    space: Option<Box<[u8]>>,
    pub(super) left_out: LeftOutCounts,
}

impl<'w> KeyCalls<'w> {
    pub(super) fn new(to: &'w mut ImportWriter) -> Self {
        Self { to, first: None, count: 0, space: None, left_out: LeftOutCounts::new() }
    }

    /// Writes what a line says.
    ///
    /// # Errors
    /// A recording cannot have it, or cannot be written.
    pub(super) fn take(&mut self, line: u64, entry: TraceEntry<'_>) -> Result<(), ImportStop> {
        match entry {
            TraceEntry::Operation(operation) => self.operation(line, operation),
            TraceEntry::LeftOut(name) => {
                *self.left_out.entry(name).or_default() += 1;
                Ok(())
            }
            TraceEntry::Nothing => Ok(()),
        }
    }

    fn operation(&mut self, line: u64, operation: TraceOperation<'_>) -> Result<(), ImportStop> {
        // Without times, the order is all that is known.
        let at = operation.at_ns.unwrap_or(self.count);
        self.count += 1;
        let key = self.key(operation.space, operation.key);
        let number = operation.number.map(|number| RecordedValueRef::Integer(number.into()));
        let has_found = operation.verb == KeyVerb::Get && operation.number.is_some_and(|bytes| bytes > 0);
        let call = ImportedCall {
            line,
            connection: operation.client,
            start_ns: at.saturating_sub(*self.first.get_or_insert(at)),
            duration_ns: 0,
            sql: operation.verb.statement(),
            rows: has_found.into(),
            // Whether a delete found its key is unknown.
            changes: operation.verb.writes().into(),
        };
        self.to.call(&call, [Some(value(&key)), number].into_iter().flatten())
    }

    /// Keys of different tables are different. Those of the first table stay as they are, which is the only one of most traces.
    fn key<'k>(&mut self, space: &[u8], key: Cow<'k, [u8]>) -> Cow<'k, [u8]> {
        let first = self.space.get_or_insert_with(|| space.into());
        if **first == *space { key } else { [space, b":", &key].concat().into() }
    }
}

/// A key as text, or as bytes if it is none.
fn value(key: &[u8]) -> RecordedValueRef<'_> {
    if std::str::from_utf8(key).is_ok() { RecordedValueRef::Text(key) } else { RecordedValueRef::Blob(key) }
}

#[cfg(test)]
mod tests {
    use super::super::{cache, rocksdb, ycsb};

    /// Lines of each format with other bytes in them: an error or an operation, and nothing else.
    #[test]
    fn no_line_is_too_wrong() {
        let lines = [
            "12.5,nz:u:k1,10,84,35,get,0",
            "0x6B31 1 0 100 1533000630000000",
            "INSERT usertable user1 [ field0=a field1= field2=b ]",
            "SCAN usertable user1 25 [ <all fields>]",
        ];
        let mut random = 1_u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        for round in 0..40_000 {
            let mut text = lines[round % lines.len()].as_bytes().to_vec();
            for _ in 0..=next(4) {
                let at = next(text.len());
                match next(3) {
                    0 => text[at] = next(256) as u8,
                    1 => text.truncate(at.max(1)),
                    _ => text.insert(at, b" ,=[]0x9"[next(8)]),
                }
            }
            for is in [cache::is_cache_trace, rocksdb::is_rocksdb_trace, ycsb::is_ycsb_log] {
                is(&text);
            }
            for line in [cache::line, rocksdb::line, ycsb::line] {
                assert!(line(&text).err().is_none_or(|reason| reason.contains("expected")), "{text:?}");
            }
        }
    }
}
