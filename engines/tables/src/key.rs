//! Keys whose byte order is SQLite's order of values: NULL, numbers, text, blobs.
//!
//! A row's key is its rowid, 8 bytes big-endian with the sign bit flipped. An index entry's key is the value, then the
//! rowid. A value is a tag and
//!
//! - NULL: nothing;
//! - a number: the greatest 64-bit real number that is not greater than it, in 8 bytes whose order is the numeric order. Then 2 bytes with
//!   the difference to a whole number beyond 2^53. Whole and real numbers of equal value have equal keys;
//! - text and blobs: the bytes, with 255 after each 0 byte, then two 0 bytes.
//!
//! No value's bytes are a prefix of another's. The key does not record whether a number is whole or real: the entry's own value does.

use dbdyno_engine::sql::SqlValueRef;
use std::cmp::Ordering;

const NULL: u8 = 1;
/// The tag of numbers; every value but NULL sorts at or after it.
pub(super) const NUMBER: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;

const WHOLE: &[u8] = b"i";
const REAL: &[u8] = b"r";
const NEGATIVE_ZERO: &[u8] = b"z";

/// Bytes of a rowid.
pub(super) const ROWID: usize = 8;
const SIGN: u64 = 1 << 63;

/// Returns a row's key.
pub(super) fn of_rowid(rowid: i64) -> [u8; ROWID] {
    ((rowid as u64) ^ SIGN).to_be_bytes()
}

/// Returns the rowid from a row's key, or from the end of an index entry's key.
pub(super) fn rowid(key: &[u8]) -> Option<i64> {
    key.last_chunk::<ROWID>().map(|bytes| (u64::from_be_bytes(*bytes) ^ SIGN) as i64)
}

pub(super) fn push(key: &mut Vec<u8>, value: SqlValueRef<'_>) {
    match value {
        SqlValueRef::Null => key.push(NULL),
        SqlValueRef::Integer(number) => {
            let (below, missing) = real_below(number);
            push_number(key, below, missing);
        }
        SqlValueRef::Real(number) => push_number(key, number, 0),
        SqlValueRef::Text(bytes) => push_bytes(key, TEXT, bytes),
        SqlValueRef::Blob(bytes) => push_bytes(key, BLOB, bytes),
    }
}

/// Fills `key` with the key of an index entry, and returns the entry's value.
pub(super) fn entry(key: &mut Vec<u8>, value: SqlValueRef<'_>, rowid: i64) -> &'static [u8] {
    key.clear();
    push(key, value);
    key.extend_from_slice(&of_rowid(rowid));
    match value {
        SqlValueRef::Integer(_) => WHOLE,
        SqlValueRef::Real(number) if number == 0.0 && number.is_sign_negative() => NEGATIVE_ZERO,
        SqlValueRef::Real(_) => REAL,
        SqlValueRef::Null | SqlValueRef::Text(_) | SqlValueRef::Blob(_) => &[],
    }
}

/// Passes the value of an index entry to `show`; returns `None` for bytes that are not an entry.
pub(super) fn with_value<R>(key: &[u8], kind: &[u8], show: impl FnOnce(SqlValueRef<'_>) -> R) -> Option<R> {
    let (&tag, rest) = key.get(..key.len().checked_sub(ROWID)?)?.split_first()?;
    match tag {
        NULL => Some(show(SqlValueRef::Null)),
        NUMBER => number(rest, kind).map(show),
        TEXT | BLOB => {
            let escaped = rest.strip_suffix(&[0, 0])?;
            let plain: Vec<u8>;
            let bytes = if escaped.contains(&0) {
                plain = unescape(escaped);
                &plain
            } else {
                escaped
            };
            Some(show(if tag == TEXT { SqlValueRef::Text(bytes) } else { SqlValueRef::Blob(bytes) }))
        }
        _ => None,
    }
}

fn number(bytes: &[u8], kind: &[u8]) -> Option<SqlValueRef<'static>> {
    let (sorted, missing) = bytes.split_first_chunk::<8>()?;
    let below = from_sorted(u64::from_be_bytes(*sorted));
    let missing = u16::from_be_bytes(missing.try_into().ok()?);
    Some(match kind {
        WHOLE => SqlValueRef::Integer((below as i128 + i128::from(missing)) as i64),
        REAL => SqlValueRef::Real(below),
        NEGATIVE_ZERO => SqlValueRef::Real(-0.0),
        _ => return None,
    })
}

/// Returns the greatest real number that is not greater than a whole number, and the difference, which is below 1024.
fn real_below(number: i64) -> (f64, u16) {
    let near = number as f64;
    let below = if near as i128 > i128::from(number) { near.next_down() } else { near };
    (below, (i128::from(number) - below as i128) as u16)
}

fn push_number(key: &mut Vec<u8>, number: f64, missing: u16) {
    key.push(NUMBER);
    key.extend_from_slice(&to_sorted(number).to_be_bytes());
    key.extend_from_slice(&missing.to_be_bytes());
}

fn to_sorted(number: f64) -> u64 {
    // Adding zero turns negative zero into positive zero: they are equal.
    let bits = (number + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn from_sorted(sorted: u64) -> f64 {
    f64::from_bits(if sorted & SIGN == 0 { !sorted } else { sorted & !SIGN })
}

fn push_bytes(key: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    key.push(tag);
    for &byte in bytes {
        key.push(byte);
        if byte == 0 {
            key.push(255);
        }
    }
    key.extend_from_slice(&[0, 0]);
}

fn unescape(escaped: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(byte);
        if byte == 0 {
            bytes.next();
        }
    }
    plain
}

/// Compares values in SQLite's order.
pub(super) fn compare(a: SqlValueRef<'_>, b: SqlValueRef<'_>) -> Ordering {
    use SqlValueRef::{Blob, Integer, Real, Text};
    match (a, b) {
        (Integer(a), Integer(b)) => a.cmp(&b),
        (Text(a), Text(b)) | (Blob(a), Blob(b)) => a.cmp(b),
        (Integer(_) | Real(_), Integer(_) | Real(_)) => numeric(a).cmp(&numeric(b)),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: SqlValueRef<'_>) -> u8 {
    match value {
        SqlValueRef::Null => NULL,
        SqlValueRef::Integer(_) | SqlValueRef::Real(_) => NUMBER,
        SqlValueRef::Text(_) => TEXT,
        SqlValueRef::Blob(_) => BLOB,
    }
}

/// Returns a pair that sorts as the number does.
fn numeric(value: SqlValueRef<'_>) -> (u64, u16) {
    match value {
        SqlValueRef::Integer(number) => {
            let (below, missing) = real_below(number);
            (to_sorted(below), missing)
        }
        SqlValueRef::Real(number) => (to_sorted(number), 0),
        SqlValueRef::Null | SqlValueRef::Text(_) | SqlValueRef::Blob(_) => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: i64 = 1 << 53;

    /// Values in SQLite's order, each greater than the previous one.
    const SORTED: &[SqlValueRef<'static>] = &[
        SqlValueRef::Null,
        SqlValueRef::Real(f64::NEG_INFINITY),
        SqlValueRef::Real(-1e300),
        SqlValueRef::Integer(i64::MIN),
        SqlValueRef::Integer(i64::MIN + 1),
        SqlValueRef::Integer(-BIG - 1),
        SqlValueRef::Real(-(BIG as f64)),
        SqlValueRef::Integer(-1),
        SqlValueRef::Real(-0.5),
        SqlValueRef::Integer(0),
        SqlValueRef::Real(f64::MIN_POSITIVE),
        SqlValueRef::Real(0.5),
        SqlValueRef::Integer(1),
        SqlValueRef::Integer(BIG),
        SqlValueRef::Integer(BIG + 1),
        SqlValueRef::Real(BIG as f64 + 2.0),
        SqlValueRef::Integer(BIG + 3),
        SqlValueRef::Integer(i64::MAX - 1),
        SqlValueRef::Integer(i64::MAX),
        SqlValueRef::Real(9_223_372_036_854_775_808.0),
        SqlValueRef::Real(f64::INFINITY),
        SqlValueRef::Text(b""),
        SqlValueRef::Text(b"\0"),
        SqlValueRef::Text(b"\0\0"),
        SqlValueRef::Text(b"\0\xff"),
        SqlValueRef::Text(b"\x01"),
        SqlValueRef::Text(b"a"),
        SqlValueRef::Text(b"a\0b"),
        SqlValueRef::Text(b"ab"),
        SqlValueRef::Text(b"b"),
        SqlValueRef::Blob(b""),
        SqlValueRef::Blob(b"\0"),
        SqlValueRef::Blob(b"a"),
        SqlValueRef::Blob(b"\xff\xff"),
    ];

    fn entry_of(value: SqlValueRef<'_>, rowid: i64) -> (Vec<u8>, &'static [u8]) {
        let mut key = b"left over".to_vec();
        let kind = entry(&mut key, value, rowid);
        (key, kind)
    }

    #[test]
    fn entries_sort_as_values_do_and_equal_values_by_rowid() {
        for (place, &low) in SORTED.iter().enumerate() {
            for &high in &SORTED[place + 1..] {
                assert!(entry_of(low, i64::MAX).0 < entry_of(high, i64::MIN).0, "{low:?} < {high:?}");
                assert_eq!(compare(low, high), Ordering::Less, "{low:?} {high:?}");
                assert_eq!(compare(high, low), Ordering::Greater, "{low:?} {high:?}");
            }
            assert!(entry_of(low, -1).0 < entry_of(low, 0).0 && entry_of(low, 0).0 < entry_of(low, 1).0);
            assert_eq!(compare(low, low), Ordering::Equal);
        }
    }

    #[test]
    fn whole_and_real_numbers_of_equal_value_have_one_key() {
        let pairs =
            [(0, 0.0), (0, -0.0), (1, 1.0), (-7, -7.0), (BIG + 2, BIG as f64 + 2.0), (i64::MIN, -(2_f64.powi(63)))];
        for (whole, real) in pairs {
            assert_eq!(entry_of(SqlValueRef::Integer(whole), 5).0, entry_of(SqlValueRef::Real(real), 5).0, "{whole}");
            assert_eq!(compare(SqlValueRef::Integer(whole), SqlValueRef::Real(real)), Ordering::Equal);
        }
    }

    #[test]
    fn an_entry_gives_its_value_and_rowid_back() {
        for &value in SORTED.iter().chain(&[SqlValueRef::Real(-0.0), SqlValueRef::Real(1.0)]) {
            for id in [i64::MIN, -1, 0, 1, i64::MAX] {
                let (key, kind) = entry_of(value, id);
                assert_eq!(rowid(&key), Some(id));
                let same = with_value(&key, kind, |found| format!("{found:?}") == format!("{value:?}"));
                assert_eq!(same, Some(true), "{value:?}");
            }
        }
        assert_eq!(with_value(b"short", b"", |_| ()), None);
    }
}
