//! A row of an answer as a struct: each field is the column of its name, with its type in Rust. A value that does not fit is an error
//! that names the column.

use duckdb::{
    Row,
    types::{TimeUnit, ValueRef},
};
use jiff::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor, value::Error},
    forward_to_deserialize_any,
};

/// Reads a row; `columns` are the names of its columns. A tuple is read in the order of the columns.
pub(super) fn read<'de, T: Deserialize<'de>>(row: &'de Row<'_>, columns: &'de [String]) -> Result<T, Error> {
    T::deserialize(RowDeserializer { row, columns, at: 0 })
}

#[derive(Clone, Copy)]
struct RowDeserializer<'de, 'stmt> {
    row: &'de Row<'stmt>,
    columns: &'de [String],
    at: usize,
}

impl<'de> RowDeserializer<'de, '_> {
    fn value<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let at = self.at;
        self.at += 1;
        let in_column = |error: &dyn std::fmt::Display| {
            let name = self.columns.get(at).map_or("?", String::as_str);
            de::Error::custom(format!("column `{name}`: {error}"))
        };
        let value = self.row.get_ref(at).map_err(|error| in_column(&error))?;
        seed.deserialize(ValueDeserializer(value)).map_err(|error| in_column(&error))
    }
}

impl<'de> Deserializer<'de> for RowDeserializer<'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for RowDeserializer<'de, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.columns.get(self.at) else { return Ok(None) };
        seed.deserialize(name.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        self.value(seed)
    }
}

impl<'de> SeqAccess<'de> for RowDeserializer<'de, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.at < self.columns.len() { self.value(seed).map(Some) } else { Ok(None) }
    }
}

struct ValueDeserializer<'de>(ValueRef<'de>);

impl<'de> Deserializer<'de> for ValueDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let of_another_type =
            |value: &ValueRef<'_>| de::Error::custom(format!("unsupported type {:?}", value.data_type()));
        match self.0 {
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::Boolean(flag) => visitor.visit_bool(flag),
            ValueRef::TinyInt(number) => visitor.visit_i8(number),
            ValueRef::SmallInt(number) => visitor.visit_i16(number),
            ValueRef::Int(number) => visitor.visit_i32(number),
            ValueRef::BigInt(number) => visitor.visit_i64(number),
            // Sums of integers.
            ValueRef::HugeInt(number) => match u64::try_from(number) {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => visitor.visit_i128(number),
            },
            ValueRef::UTinyInt(number) => visitor.visit_u8(number),
            ValueRef::USmallInt(number) => visitor.visit_u16(number),
            ValueRef::UInt(number) => visitor.visit_u32(number),
            ValueRef::UBigInt(number) => visitor.visit_u64(number),
            ValueRef::Float(number) => visitor.visit_f32(number),
            ValueRef::Double(number) => visitor.visit_f64(number),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => visitor.visit_borrowed_str(text),
                Err(_) => Err(de::Error::custom("the text is not UTF-8")),
            },
            ValueRef::Blob(bytes) => visitor.visit_borrowed_bytes(bytes),
            // The same text as in JSON.
            ValueRef::Timestamp(TimeUnit::Microsecond, at) => match Timestamp::from_microsecond(at) {
                Ok(at) => visitor.visit_string(at.to_string()),
                Err(error) => Err(de::Error::custom(error)),
            },
            other => Err(of_another_type(&other)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(word) => {
                    let word: de::value::StrDeserializer<'_, Error> = word.into_deserializer();
                    word.deserialize_enum(name, variants, visitor)
                }
                Err(_) => Err(de::Error::custom("the text is not UTF-8")),
            },
            other => Err(de::Error::custom(format!("expected a word, found {:?}", other.data_type()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::{super::rows, *};
    use duckdb::Connection;

    #[derive(Debug, PartialEq, Deserialize)]
    struct ReadRow {
        test: u32,
        name: Option<String>,
        wall_ns: u64,
        share: f64,
        at: Timestamp,
    }

    const ROW: &str = "SELECT 3 AS test, NULL::VARCHAR AS name, sum(v)::HUGEINT AS wall_ns, 0.5::DOUBLE AS share,
        TIMESTAMP '2026-11-21 09:30:00.25' AS at FROM (VALUES (1), (2)) t(v)";

    #[test]
    fn columns_become_fields_of_their_types() {
        let connection = Connection::open_in_memory().unwrap();
        let read: Vec<ReadRow> = rows(&connection, ROW, &[]).unwrap();
        let expected =
            ReadRow { test: 3, name: None, wall_ns: 3, share: 0.5, at: "2026-11-21T09:30:00.25Z".parse().unwrap() };
        assert_eq!(read, [expected]);
        let pairs: Vec<(String, i64)> = rows(&connection, "SELECT 'a', -1 UNION ALL SELECT 'b', 2", &[]).unwrap();
        assert_eq!(pairs, [("a".to_owned(), -1), ("b".to_owned(), 2)]);
    }

    #[test]
    fn what_does_not_fit_is_an_error_that_names_the_column() {
        let connection = Connection::open_in_memory().unwrap();
        for (wrong, column) in [
            (ROW.replace("sum(v)::HUGEINT", "-1"), "wall_ns"),
            (ROW.replace("sum(v)::HUGEINT", "'many'"), "wall_ns"),
            (ROW.replace("sum(v)::HUGEINT", "NULL::UBIGINT"), "wall_ns"),
        ] {
            let error = rows::<ReadRow>(&connection, &wrong, &[]).unwrap_err().to_string();
            assert!(error.contains(&format!("column `{column}`")), "{error}");
        }
    }
}
