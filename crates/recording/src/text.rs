//! Values as JSON and back.

use crate::{RecordedCall, RecordedValue, RecordedValueRef};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Unexpected, Visitor},
};
use std::fmt;

/// Texts above this length may be written as base64, which is shorter if many of their characters need an escape of six
/// bytes.
const LONG_TEXT: usize = 1 << 20;

/// Appends a value as JSON.
pub(crate) fn append(line: &mut Vec<u8>, value: RecordedValueRef<'_>) {
    match value {
        RecordedValueRef::Null => line.extend_from_slice(b"null"),
        RecordedValueRef::Integer(value) => append_json(line, &value),
        RecordedValueRef::Real(value) => append_real(line, value),
        RecordedValueRef::Text(bytes) => append_text(line, bytes),
        RecordedValueRef::Blob(bytes) => append_base64(line, "b", bytes),
        RecordedValueRef::ZeroBlob(bytes) => append_tagged(line, "z", &bytes),
        RecordedValueRef::Literal(text) => append_tagged(line, "l", &text),
        RecordedValueRef::Cut { is_text, bytes, hash } => {
            append_tagged(line, "cut", &(if is_text { "text" } else { "blob" }, bytes, hash));
        }
    }
}

/// Appends what serde_json makes of a value. Writing to memory does not fail, and neither do numbers, strings and
/// tuples of them.
pub(crate) fn append_json(line: &mut Vec<u8>, value: &impl serde::Serialize) {
    let before = line.len();
    if serde_json::to_writer(&mut *line, value).is_err() {
        line.truncate(before);
        line.extend_from_slice(b"null");
    }
}

fn append_tagged(line: &mut Vec<u8>, tag: &str, value: &impl serde::Serialize) {
    line.extend_from_slice(b"{\"");
    line.extend_from_slice(tag.as_bytes());
    line.extend_from_slice(b"\":");
    append_json(line, value);
    line.push(b'}');
}

fn append_real(line: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        append_json(line, &value);
    } else if value.is_nan() {
        append_tagged(line, "r", &"nan");
    } else {
        append_tagged(line, "r", &if value > 0.0 { "inf" } else { "-inf" });
    }
}

fn append_text(line: &mut Vec<u8>, bytes: &[u8]) {
    let escapes = || bytes.iter().filter(|byte| **byte < 0x20).count();
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() < LONG_TEXT || escapes() < bytes.len() / 4 => append_json(line, &text),
        _ => append_base64(line, "t", bytes),
    }
}

fn append_base64(line: &mut Vec<u8>, tag: &str, bytes: &[u8]) {
    line.extend_from_slice(b"{\"");
    line.extend_from_slice(tag.as_bytes());
    line.extend_from_slice(b"\":\"");
    let at = line.len();
    line.resize(at + bytes.len().div_ceil(3) * 4, 0);
    // The room is exact, so that the result has the same length.
    let written = BASE64_STANDARD.encode_slice(bytes, &mut line[at..]).unwrap_or_default();
    line.truncate(at + written);
    line.extend_from_slice(b"\"}");
}

impl<'de> Deserialize<'de> for RecordedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RecordedValueVisitor)
    }
}

struct RecordedValueVisitor;

impl<'de> Visitor<'de> for RecordedValueVisitor {
    type Value = RecordedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a parameter: null, a number, a text, or an object with one of b, t, r, z, l and cut")
    }

    fn visit_unit<E>(self) -> Result<RecordedValue, E> {
        Ok(RecordedValue::Null)
    }

    fn visit_i64<E>(self, value: i64) -> Result<RecordedValue, E> {
        Ok(RecordedValue::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<RecordedValue, E> {
        i64::try_from(value)
            .map(RecordedValue::Integer)
            .map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &"an integer of 64 bits"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<RecordedValue, E> {
        Ok(RecordedValue::Real(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<RecordedValue, E> {
        Ok(RecordedValue::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RecordedValue, A::Error> {
        let tag: String = map.next_key()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let value = tagged(&tag, &mut map)?;
        match map.next_key::<String>()? {
            None => Ok(value),
            Some(_) => Err(A::Error::invalid_length(2, &self)),
        }
    }
}

fn tagged<'de, A: MapAccess<'de>>(tag: &str, map: &mut A) -> Result<RecordedValue, A::Error> {
    match tag {
        "b" => decoded(map).map(RecordedValue::Blob),
        "t" => decoded(map).map(text_of_bytes),
        "z" => map.next_value().map(RecordedValue::ZeroBlob),
        "l" => map.next_value().map(RecordedValue::Literal),
        "r" => real(&map.next_value::<String>()?).map(RecordedValue::Real),
        "cut" => cut(map.next_value()?),
        _ => Err(A::Error::unknown_field(tag, &["b", "t", "r", "z", "l", "cut"])),
    }
}

fn decoded<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Vec<u8>, A::Error> {
    let text: std::borrow::Cow<'de, str> = map.next_value()?;
    BASE64_STANDARD.decode(text.as_bytes()).map_err(A::Error::custom)
}

fn text_of_bytes(bytes: Vec<u8>) -> RecordedValue {
    String::from_utf8(bytes).map_or_else(|error| RecordedValue::Bytes(error.into_bytes()), RecordedValue::Text)
}

fn real<E: Error>(name: &str) -> Result<f64, E> {
    match name {
        "inf" => Ok(f64::INFINITY),
        "-inf" => Ok(f64::NEG_INFINITY),
        "nan" => Ok(f64::NAN),
        other => Err(E::invalid_value(Unexpected::Str(other), &"inf, -inf or nan")),
    }
}

fn cut<E: Error>((kind, bytes, hash): (String, u64, u64)) -> Result<RecordedValue, E> {
    let is_text = match kind.as_str() {
        "text" => true,
        "blob" => false,
        other => return Err(E::invalid_value(Unexpected::Str(other), &"text or blob")),
    };
    Ok(RecordedValue::Cut { is_text, bytes, hash })
}

/// Parameters of a call.
struct Parameters;

/// Twice what SQLite allows by default. A value takes more memory than JSON, so the number has a limit.
const MOST_PARAMETERS: usize = 1 << 16;

impl<'de> Visitor<'de> for Parameters {
    type Value = Vec<RecordedValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MOST_PARAMETERS} parameters")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            if values.len() == MOST_PARAMETERS {
                return Err(A::Error::invalid_length(values.len() + 1, &self));
            }
            values.push(value);
        }
        Ok(values)
    }
}

impl<'de> DeserializeSeed<'de> for Parameters {
    type Value = Vec<RecordedValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

struct CallVisitor;

impl<'de> Visitor<'de> for CallVisitor {
    type Value = RecordedCall;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a call: an array of nine")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RecordedCall, A::Error> {
        fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(seq: &mut A, at: usize) -> Result<T, A::Error> {
            seq.next_element()?.ok_or_else(|| A::Error::invalid_length(at, &CallVisitor))
        }
        let call = RecordedCall {
            connection: next(&mut seq, 0)?,
            thread: next(&mut seq, 1)?,
            start_ns: next(&mut seq, 2)?,
            duration_ns: next(&mut seq, 3)?,
            statement: next(&mut seq, 4)?,
            parameters: seq.next_element_seed(Parameters)?.ok_or_else(|| A::Error::invalid_length(5, &self))?,
            rows: next(&mut seq, 6)?,
            changes: next(&mut seq, 7)?,
            result_code: next(&mut seq, 8)?,
        };
        match seq.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(call),
            Some(_) => Err(A::Error::invalid_length(10, &self)),
        }
    }
}

impl<'de> Deserialize<'de> for RecordedCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(CallVisitor)
    }
}
