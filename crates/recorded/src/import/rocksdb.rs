//! What `trace_analyzer -convert_to_human_readable_trace` of RocksDB writes (`tools/trace_analyzer_tool.cc`, `WriteTraceSequence`):
//! `KEY TYPE FAMILY SIZE TIME`, with the key as `0x` and hexadecimal digits, the number of the column family, the bytes of the value, and
//! microseconds. A range delete has the key of its end behind that of its beginning, since 2026.

use super::{
    keys::{KeyVerb, TraceEntry, TraceOperation},
    numbers::{shown, whole},
    source::first_lines,
};

/// What `TYPE` says: `TraceOperationType` in `tools/trace_analyzer_tool.h`.
const TYPES: [RocksDbType; 10] = [
    RocksDbType::Verb(KeyVerb::Get),
    RocksDbType::Verb(KeyVerb::Put),
    RocksDbType::Verb(KeyVerb::Delete),
    // A single delete.
    RocksDbType::Verb(KeyVerb::Delete),
    RocksDbType::LeftOut("range delete"),
    RocksDbType::Verb(KeyVerb::Merge),
    // A seek. How many keys were read from there on is in no trace.
    RocksDbType::Verb(KeyVerb::Scan),
    RocksDbType::LeftOut("backward seek"),
    // One key of a multi-get.
    RocksDbType::Verb(KeyVerb::Get),
    // A put of several columns.
    RocksDbType::Verb(KeyVerb::Put),
];

#[derive(Debug, Clone, Copy)]
enum RocksDbType {
    Verb(KeyVerb),
    LeftOut(&'static str),
}

/// Whether a file that begins so is a trace of RocksDB.
pub(super) fn is_rocksdb_trace(head: &[u8]) -> bool {
    let Some(first) = first_lines(head).next() else { return false };
    let words: Vec<&[u8]> = first.split(|byte| *byte == b' ').take(7).collect();
    let is_number = |word: &&[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let has_key = first.starts_with(b"0x") && words.len() > 3;
    // Without keys, so that the error can say so.
    has_key || (words.len() == 4 && words.iter().all(is_number))
}

/// Returns what a line says.
///
/// # Errors
/// What was expected.
pub(super) fn line(line: &[u8]) -> Result<TraceEntry<'_>, String> {
    let mut from_end = line.rsplitn(5, |byte| *byte == b' ');
    let expected = || format!("`{}`: expected KEY TYPE FAMILY SIZE TIME", shown(line));
    let [Some(time), Some(size), Some(family), Some(kind)] = std::array::from_fn(|_| from_end.next()) else {
        return Err(expected());
    };
    let Some(keys) = from_end.next() else {
        return Err(format!("{}. trace_analyzer with -no_key leaves the keys out", expected()));
    };
    let number = whole("type", kind)?;
    let kind = TYPES.get(number as usize).ok_or_else(|| format!("type {number}: expected 0 to {}", TYPES.len() - 1))?;
    whole("column family", family)?;
    let bytes = whole("value size", size)?;
    let at_ns = nanoseconds(time)?;
    match *kind {
        RocksDbType::LeftOut(name) => Ok(TraceEntry::LeftOut(name)),
        RocksDbType::Verb(verb) => Ok(TraceEntry::Operation(TraceOperation {
            verb,
            client: b"",
            space: family,
            key: bytes_of(keys)?.into(),
            number: match verb {
                KeyVerb::Put | KeyVerb::Merge => Some(bytes),
                KeyVerb::Scan => Some(1),
                // The tool writes 0, whatever was found.
                KeyVerb::Get => Some(bytes).filter(|bytes| *bytes > 0),
                KeyVerb::Delete => None,
            },
            at_ns: Some(at_ns),
        })),
    }
}

fn nanoseconds(text: &[u8]) -> Result<u64, String> {
    let microseconds: Option<u64> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    let nanoseconds = microseconds.and_then(|microseconds| microseconds.checked_mul(1_000));
    nanoseconds.ok_or_else(|| format!("time `{}`: expected microseconds", shown(text)))
}

/// The bytes that `0x` and hexadecimal digits are.
fn bytes_of(text: &[u8]) -> Result<Vec<u8>, String> {
    let expected = || format!("key `{}`: expected 0x and two hexadecimal digits for each byte", shown(text));
    let digits = text.strip_prefix(b"0x").filter(|digits| digits.len() % 2 == 0).ok_or_else(expected)?;
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.chunks_exact(2).map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8));
    pairs.collect::<Option<Vec<u8>>>().ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_known() {
        let found = |kind: u32| match line(format!("0x61 {kind} 2 9 1533000630000001").as_bytes()) {
            Ok(TraceEntry::Operation(one)) => {
                assert_eq!((one.space, one.at_ns), (b"2".as_slice(), Some(1_533_000_630_000_001_000)));
                assert_eq!(*one.key, *b"a");
                Ok((one.verb, one.number))
            }
            Ok(TraceEntry::LeftOut(name)) => Err(name.to_owned()),
            other => panic!("{kind}: {other:?}"),
        };
        assert_eq!(found(0), Ok((KeyVerb::Get, Some(9))));
        assert_eq!(found(1), Ok((KeyVerb::Put, Some(9))));
        assert_eq!(found(2), Ok((KeyVerb::Delete, None)));
        assert_eq!(found(3), Ok((KeyVerb::Delete, None)));
        assert_eq!(found(4), Err("range delete".to_owned()));
        assert_eq!(found(5), Ok((KeyVerb::Merge, Some(9))));
        assert_eq!(found(6), Ok((KeyVerb::Scan, Some(1))));
        assert_eq!(found(7), Err("backward seek".to_owned()));
        assert_eq!(found(8), Ok((KeyVerb::Get, Some(9))));
        assert_eq!(found(9), Ok((KeyVerb::Put, Some(9))));
        assert_eq!(line(b"0x61 0x7A 4 0 0 1"), Ok(TraceEntry::LeftOut("range delete")), "with the key of its end");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, reason) in [
            ("0x61 1 0", "`0x61 1 0`: expected KEY TYPE FAMILY SIZE TIME"),
            ("1 0 9 1533000630", "`1 0 9 1533000630`: expected KEY TYPE FAMILY SIZE TIME. trace_analyzer with -no_key"),
            ("0x61 10 0 9 1", "type 10: expected 0 to 9"),
            ("0x61 -1 0 9 1", "type `-1`: expected a whole number"),
            ("0x61 1 0 -9 1", "value size `-9`: expected a whole number"),
            ("0x61 1 0 9 18446744073709551615", "time `18446744073709551615`: expected microseconds"),
            ("0x6 1 0 9 1", "key `0x6`: expected 0x and two hexadecimal digits for each byte"),
            ("0x6g 1 0 9 1", "key `0x6g`: expected 0x"),
            ("0x61 0x62 1 0 9 1", "key `0x61 0x62`: expected 0x"),
        ] {
            let found = line(text.as_bytes()).unwrap_err();
            assert!(found.starts_with(reason), "{text}: {found}");
            assert!(is_rocksdb_trace(text.as_bytes()) || text == "0x61 1 0", "{text}: recognised nevertheless");
        }
        assert_eq!(bytes_of(b"0x"), Ok(Vec::new()), "a key may be empty");
    }
}
