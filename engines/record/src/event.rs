//! Calls as bytes in a ring.

use crate::bindings::{BoundKind, BoundParameters};
use dbdyno_recording::{CallNumbers, RecordedValueRef};

/// A call in the ring itself.
pub(crate) const CALL: u32 = 1;
/// A call that is too long for the ring: the address and length of its bytes, which the writing thread frees.
pub(crate) const LONG_CALL: u32 = 2;

const NUMBERS: usize = 48;

/// Returns the bytes that a call takes.
pub(crate) fn call_bytes(parameters: &BoundParameters) -> usize {
    NUMBERS + parameters.iter().map(|parameter| 9 + parameter.bytes().len()).sum::<usize>()
}

/// Writes a call into room of exactly [`call_bytes`].
pub(crate) fn encode(room: &mut [u8], call: &CallNumbers, parameters: &BoundParameters) {
    let mut room = RoomCursor { room, at: 0 };
    room.put(&call.start_ns.to_ne_bytes());
    room.put(&call.duration_ns.to_ne_bytes());
    room.put(&call.rows.to_ne_bytes());
    room.put(&call.changes.to_ne_bytes());
    room.put(&call.connection.to_ne_bytes());
    room.put(&call.statement.to_ne_bytes());
    room.put(&call.result_code.to_ne_bytes());
    room.put(&(parameters.len() as u32).to_ne_bytes());
    for parameter in parameters.iter() {
        room.put(&[parameter.kind as u8]);
        room.put(&parameter.number.to_ne_bytes());
        room.put(parameter.bytes());
    }
}

struct RoomCursor<'r> {
    room: &'r mut [u8],
    at: usize,
}

impl RoomCursor<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.room[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }
}

/// Reads a call back. `thread` comes from its ring.
pub(crate) fn decode(bytes: &[u8], thread: u32) -> Option<(CallNumbers, EncodedParameters<'_>)> {
    let mut rest = EncodedParameters { rest: bytes, left: 0 };
    let start_ns = rest.number()?;
    let duration_ns = rest.number()?;
    let rows = rest.number()?;
    let changes = rest.number()?;
    let connection = u32::from_ne_bytes(rest.array()?);
    let statement = u32::from_ne_bytes(rest.array()?);
    let result_code = i32::from_ne_bytes(rest.array()?);
    rest.left = u32::from_ne_bytes(rest.array()?);
    let call = CallNumbers { connection, thread, start_ns, duration_ns, statement, rows, changes, result_code };
    Some((call, rest))
}

/// The parameters of a call in the ring.
pub(crate) struct EncodedParameters<'b> {
    rest: &'b [u8],
    left: u32,
}

impl<'b> EncodedParameters<'b> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*array)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_ne_bytes)
    }

    fn bytes(&mut self, length: u64) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(bytes)
    }
}

impl<'b> Iterator for EncodedParameters<'b> {
    type Item = RecordedValueRef<'b>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let [kind] = self.array()?;
        let number = self.number()?;
        Some(match BoundKind::from_byte(kind)? {
            BoundKind::Null => RecordedValueRef::Null,
            BoundKind::Integer => RecordedValueRef::Integer(number.cast_signed()),
            BoundKind::Real => RecordedValueRef::Real(f64::from_bits(number)),
            BoundKind::Text => RecordedValueRef::Text(self.bytes(number)?),
            BoundKind::Blob => RecordedValueRef::Blob(self.bytes(number)?),
            BoundKind::ZeroBlob => RecordedValueRef::ZeroBlob(number),
            BoundKind::Literal => RecordedValueRef::Literal(std::str::from_utf8(self.bytes(number)?).unwrap_or("?")),
            BoundKind::CutText => RecordedValueRef::Cut { is_text: true, bytes: number, hash: self.number()? },
            BoundKind::CutBlob => RecordedValueRef::Cut { is_text: false, bytes: number, hash: self.number()? },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_as_it_was_written() {
        let mut parameters = BoundParameters::default();
        parameters.set_number(1, BoundKind::Integer, (-3_i64).cast_unsigned());
        parameters.set_number(2, BoundKind::Real, 1.5_f64.to_bits());
        parameters.set_bytes(3, BoundKind::Text, b"a\0b", usize::MAX);
        parameters.set_bytes(5, BoundKind::Blob, &[0xff], usize::MAX);
        parameters.set_bytes(6, BoundKind::Blob, &[0xff; 9], 8);
        parameters.set_number(7, BoundKind::ZeroBlob, 70);
        let call = CallNumbers {
            connection: 1,
            thread: 2,
            start_ns: 3,
            duration_ns: 4,
            statement: 5,
            rows: 6,
            changes: 7,
            result_code: -1,
        };
        let mut room = vec![0; call_bytes(&parameters)];
        encode(&mut room, &call, &parameters);
        let (found, values) = decode(&room, 2).unwrap();
        assert_eq!(found, call);
        let values: Vec<_> = values.collect();
        let [first @ .., RecordedValueRef::Cut { is_text: false, bytes: 9, hash }, RecordedValueRef::ZeroBlob(70)] =
            &values[..]
        else {
            panic!("{values:?}")
        };
        assert_ne!(*hash, 0);
        let expected = [
            RecordedValueRef::Integer(-3),
            RecordedValueRef::Real(1.5),
            RecordedValueRef::Text(b"a\0b"),
            RecordedValueRef::Null,
            RecordedValueRef::Blob(&[0xff]),
        ];
        assert_eq!(*first, expected);
    }
}
