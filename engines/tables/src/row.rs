//! The bytes of a row: its values one after another.
//!
//! A value is a tag, then its bytes. NULL has no bytes. A whole number has the fewest bytes that keep its sign, little-endian; its tag
//! gives their number, 0 for the number 0. A real number has 8 bytes. Text and blobs have their length as in LEB128, then their bytes.

use dbdyno_engine::sql::SqlValueRef;

const NULL: u8 = 0;
/// The tag of a whole number is this plus the number of its bytes.
const INTEGER: u8 = 1;
const LONGEST_INTEGER: u8 = INTEGER + 8;
const REAL: u8 = 10;
const TEXT: u8 = 11;
const BLOB: u8 = 12;

pub(super) fn push(row: &mut Vec<u8>, value: SqlValueRef<'_>) {
    match value {
        SqlValueRef::Null => row.push(NULL),
        SqlValueRef::Integer(number) => {
            let length = integer_length(number);
            row.push(INTEGER + length as u8);
            row.extend_from_slice(&number.to_le_bytes()[..length]);
        }
        SqlValueRef::Real(number) => {
            row.push(REAL);
            row.extend_from_slice(&number.to_le_bytes());
        }
        SqlValueRef::Text(bytes) => push_bytes(row, TEXT, bytes),
        SqlValueRef::Blob(bytes) => push_bytes(row, BLOB, bytes),
    }
}

fn integer_length(number: i64) -> usize {
    if number == 0 {
        return 0;
    }
    let sign_bits = if number < 0 { number.leading_ones() } else { number.leading_zeros() };
    (65 - sign_bits as usize).div_ceil(8)
}

fn push_bytes(row: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    row.push(tag);
    let mut length = bytes.len();
    while length >= 128 {
        row.push((length % 128) as u8 | 128);
        length /= 128;
    }
    row.push(length as u8);
    row.extend_from_slice(bytes);
}

/// Returns the value of a column, from 0; `None` for bytes that are not a row, or a row with fewer columns.
#[inline]
pub(super) fn column(row: &[u8], column: usize) -> Option<SqlValueRef<'_>> {
    RowValues(row).nth(column).flatten()
}

/// An iterator over the values of a row in order. After a `None` it ends: the bytes are not a row.
pub(super) struct RowValues<'r>(pub(super) &'r [u8]);

impl<'r> Iterator for RowValues<'r> {
    type Item = Option<SqlValueRef<'r>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let value = take(&mut self.0);
        if value.is_none() {
            self.0 = &[];
        }
        Some(value)
    }
}

#[inline]
fn take<'r>(rest: &mut &'r [u8]) -> Option<SqlValueRef<'r>> {
    let tag = *rest.split_off_first()?;
    Some(match tag {
        NULL => SqlValueRef::Null,
        INTEGER..=LONGEST_INTEGER => SqlValueRef::Integer(integer(rest.split_off(..usize::from(tag - INTEGER))?)),
        REAL => SqlValueRef::Real(f64::from_le_bytes(rest.split_off(..8)?.try_into().ok()?)),
        TEXT => SqlValueRef::Text(bytes(rest)?),
        BLOB => SqlValueRef::Blob(bytes(rest)?),
        _ => return None,
    })
}

#[inline]
fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|&byte| byte >= 128);
    let mut whole = [if negative { 255 } else { 0 }; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(whole)
}

#[inline]
fn bytes<'r>(rest: &mut &'r [u8]) -> Option<&'r [u8]> {
    let (mut length, mut shift) = (0_usize, 0);
    loop {
        let byte = *rest.split_off_first()?;
        length |= usize::from(byte & 127).checked_shl(shift)?;
        shift += 7;
        if byte < 128 {
            return rest.split_off(..length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_its_values_back() {
        let long = vec![7; 70_000];
        let values = [
            SqlValueRef::Null,
            SqlValueRef::Integer(0),
            SqlValueRef::Integer(-1),
            SqlValueRef::Integer(127),
            SqlValueRef::Integer(128),
            SqlValueRef::Integer(-128),
            SqlValueRef::Integer(-129),
            SqlValueRef::Integer(i64::MAX),
            SqlValueRef::Integer(i64::MIN),
            SqlValueRef::Real(-0.5),
            SqlValueRef::Text(b""),
            SqlValueRef::Text("naïve".as_bytes()),
            SqlValueRef::Blob(&long),
        ];
        let mut row = Vec::new();
        values.iter().for_each(|&value| push(&mut row, value));
        assert_eq!(RowValues(&row).collect::<Option<Vec<_>>>().unwrap(), values);
        assert_eq!(column(&row, 5), Some(values[5]));
        assert_eq!(column(&row, values.len()), None, "there is no such column");
    }

    #[test]
    fn small_numbers_take_few_bytes() {
        let length = |number| {
            let mut row = Vec::new();
            push(&mut row, SqlValueRef::Integer(number));
            row.len()
        };
        assert_eq!([0, 1, -128, 128, 25_000, 500_000].map(length), [1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn bytes_that_are_no_row_are_not_taken_for_one() {
        let mut row = Vec::new();
        push(&mut row, SqlValueRef::Text(b"some text"));
        for cut in 1..row.len() {
            assert_eq!(column(&row[..cut], 0), None, "cut to {cut} bytes");
        }
        assert_eq!(column(&[200, 1, 2, 3], 0), None);
        assert_eq!(column(&[TEXT, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], 0), None);
    }
}
