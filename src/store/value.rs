//! How a field of a record becomes a value of DuckDB.

use super::record::Status;
use dbdyno_workload::histogram::bytes_from_base64;
use duckdb::types::{TimeUnit, Value};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

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
        let text = String::deserialize(deserializer)?;
        bytes_from_base64(&text).map(Self).map_err(D::Error::custom)
    }
}

/// A field that is one column.
pub(super) trait Column {
    /// The value stored.
    fn to_value(&self) -> Value;
}

impl<T: Column> Column for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Column::to_value)
    }
}

macro_rules! column {
    ($($type:ty => |$value:ident| $conversion:expr;)*) => {
        $(impl Column for $type {
            fn to_value(&self) -> Value {
                let $value = self;
                $conversion
            }
        })*
    };
}

column! {
    String => |text| Value::Text(text.clone());
    u8 => |number| Value::UTinyInt(*number);
    u32 => |number| Value::UInt(*number);
    u64 => |number| Value::UBigInt(*number);
    f64 => |number| Value::Double(*number);
    bool => |flag| Value::Boolean(*flag);
    Timestamp => |at| Value::Timestamp(TimeUnit::Microsecond, at.as_microsecond());
    Blob => |bytes| Value::Blob(bytes.0.clone());
    Status => |status| Value::Text(status.word().to_owned());
}
