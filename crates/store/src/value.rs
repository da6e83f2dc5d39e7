//! Conversion of a record's fields to values of DuckDB.

use super::record::{FailureKind, Status};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_workload::histogram::bytes_from_base64;
use duckdb::types::{TimeUnit, Value};
use jiff::Timestamp;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use std::fmt;

/// Bytes; base64 in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob(pub Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlobVisitor;

        impl Visitor<'_> for BlobVisitor {
            type Value = Blob;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes, or base64")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Blob, E> {
                bytes_from_base64(text).map(Blob).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(BlobVisitor)
    }
}

/// A field in its stored form: one column, or several.
pub(super) trait StoredField {
    fn columns(field: &'static str) -> Vec<&'static str>;

    fn to_values(&self) -> Vec<Value>;
}

impl StoredField for Figures {
    fn columns(_: &'static str) -> Vec<&'static str> {
        Metric::stored().map(Metric::name).collect()
    }

    fn to_values(&self) -> Vec<Value> {
        Metric::stored().map(|metric| self.get(metric).to_value()).collect()
    }
}

impl<T: StoredColumn> StoredField for T {
    fn columns(field: &'static str) -> Vec<&'static str> {
        vec![field]
    }

    fn to_values(&self) -> Vec<Value> {
        vec![self.to_value()]
    }
}

/// A field that is stored in one column.
pub(super) trait StoredColumn {
    fn to_value(&self) -> Value;
}

impl<T: StoredColumn> StoredColumn for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, StoredColumn::to_value)
    }
}

macro_rules! column {
    ($($type:ty => |$value:ident| $conversion:expr;)*) => {
        $(impl StoredColumn for $type {
            fn to_value(&self) -> Value {
                let $value = self;
                $conversion
            }
        })*
    };
}

column! {
    String => |text| Value::Text(text.clone());
    Tier => |tier| tier.number().map_or(Value::Null, Value::UTinyInt);
    u32 => |number| Value::UInt(*number);
    u64 => |number| Value::UBigInt(*number);
    f64 => |number| Value::Double(*number);
    bool => |flag| Value::Boolean(*flag);
    Timestamp => |at| Value::Timestamp(TimeUnit::Microsecond, at.as_microsecond());
    Blob => |bytes| Value::Blob(bytes.0.clone());
    Status => |status| Value::Text(status.word().to_owned());
    FailureKind => |kind| Value::Text(kind.word().to_owned());
}
