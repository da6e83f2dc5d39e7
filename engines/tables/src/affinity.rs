//! Column affinity: SQLite's conversion of a value that is stored in a column of a declared type, or compared with one. SQLite passes
//! values to virtual tables unconverted, so this module converts them by SQLite's documented rules.

use dbdyno_engine::sql::{SqlValue, SqlValueRef};

/// The conversion that a column applies to values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Affinity {
    /// Numbers become text.
    Text,
    /// Text that is a number becomes a number; real numbers without a fraction become whole numbers.
    Numeric,
    /// Text that is a number, and whole numbers, become real numbers.
    Real,
    /// Values stay as they are.
    Blob,
}

impl Affinity {
    pub(super) fn from_declared(declared: &str) -> Self {
        let declared = declared.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        if has(&["INT"]) {
            Self::Numeric
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if has(&["BLOB"]) || declared.trim().is_empty() {
            Self::Blob
        } else if has(&["REAL", "FLOA", "DOUB"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }

    /// Returns whether comparisons with the column always use its stored values: SQLite then converts the other side.
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Self::Numeric | Self::Real)
    }

    /// Returns the value that a column stores in place of this one; `None` if it stores the value itself. A real number in a text column
    /// is rejected, because SQLite's versions write different digits for it.
    #[inline]
    pub(super) fn change(self, value: SqlValueRef<'_>) -> Result<Option<SqlValue>, RealInText> {
        Ok(match (self, value) {
            (Self::Numeric, SqlValueRef::Text(text)) => number(text).map(|number| match number {
                SqlValue::Real(real) => whole(real).unwrap_or(SqlValue::Real(real)),
                other => other,
            }),
            (Self::Numeric, SqlValueRef::Real(real)) => whole(real),
            // In such a column SQLite stores a real number without a fraction as a whole number, which has no negative zero.
            (Self::Real, SqlValueRef::Real(0.0)) => Some(SqlValue::Real(0.0)),
            (Self::Real, SqlValueRef::Integer(number)) => Some(SqlValue::Real(number as f64)),
            (Self::Real, SqlValueRef::Text(text)) => number(text).map(|number| match number {
                SqlValue::Integer(number) => SqlValue::Real(number as f64),
                // As above.
                SqlValue::Real(real) => SqlValue::Real(real + 0.0),
                other => other,
            }),
            (Self::Text, SqlValueRef::Integer(number)) => Some(SqlValue::Text(number.to_string())),
            (Self::Text, SqlValueRef::Real(_)) => return Err(RealInText),
            _ => None,
        })
    }

    /// Converts a value without an affinity for a comparison with a column.
    pub(super) fn compared(self, value: SqlValueRef<'_>) -> Result<StoredValue<'_>, RealInText> {
        let changed = match self {
            Self::Numeric | Self::Real if matches!(value, SqlValueRef::Text(_)) => Self::Numeric.change(value),
            Self::Text => self.change(value),
            Self::Numeric | Self::Real | Self::Blob => Ok(None),
        };
        Ok(changed?.map_or(StoredValue::Same(value), StoredValue::Changed))
    }
}

/// A value in the form in which a column stores it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredValue<'v> {
    Same(SqlValueRef<'v>),
    Changed(SqlValue),
}

impl StoredValue<'_> {
    #[inline]
    pub(super) fn borrowed(&self) -> SqlValueRef<'_> {
        match self {
            Self::Same(value) => *value,
            Self::Changed(value) => value.as_ref(),
        }
    }
}

/// A real number would have to become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RealInText;

/// Returns the number that the whole text represents, ignoring surrounding spaces.
fn number(text: &[u8]) -> Option<SqlValue> {
    let text = std::str::from_utf8(text).ok()?.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    // Rust also parses words such as `inf`, which SQLite treats as text.
    if !text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')) {
        return None;
    }
    text.parse().map(SqlValue::Integer).or_else(|_| text.parse().map(SqlValue::Real)).ok()
}

/// Returns the whole number that equals a real number.
fn whole(real: f64) -> Option<SqlValue> {
    let number = real as i64;
    (number as f64 == real && number > i64::MIN && number < i64::MAX).then_some(SqlValue::Integer(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::types;

    /// Returns the value that SQLite itself stores in a column of a type.
    fn stored(connection: &rusqlite::Connection, declared: &str, value: &SqlValue) -> SqlValue {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t(x {declared})")).unwrap();
        let bound = match value {
            SqlValue::Null => types::Value::Null,
            SqlValue::Integer(number) => types::Value::Integer(*number),
            SqlValue::Real(number) => types::Value::Real(*number),
            SqlValue::Text(text) => types::Value::Text(text.clone()),
            SqlValue::Blob(bytes) => types::Value::Blob(bytes.clone()),
        };
        connection.execute("INSERT INTO t VALUES (?1)", [bound]).unwrap();
        connection
            .query_row("SELECT x FROM t", [], |row| {
                Ok(match row.get_ref(0)? {
                    types::ValueRef::Null => SqlValue::Null,
                    types::ValueRef::Integer(number) => SqlValue::Integer(number),
                    types::ValueRef::Real(number) => SqlValue::Real(number),
                    types::ValueRef::Text(bytes) => SqlValue::Text(String::from_utf8(bytes.to_vec()).unwrap()),
                    types::ValueRef::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
                })
            })
            .unwrap()
    }

    #[test]
    fn values_are_changed_as_sqlite_changes_them() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let mut values = vec![SqlValue::Null, SqlValue::Blob(b"12".to_vec())];
        values.extend([0, 7, -1, i64::MAX, i64::MIN, 1 << 53].map(SqlValue::Integer));
        values.extend(
            [
                0.0,
                -0.0,
                -0.5,
                1.0,
                0.1,
                1e15,
                1e14,
                123_456_789.25,
                1e-4,
                1e-5,
                1.5e300,
                -2e20,
                1.0 / 3.0,
                1e18,
                -9.3e18,
                1e16,
                1e17,
                123_456_789_012_345_670.0,
                2.0 / 3.0 * 1e-3,
            ]
            .map(SqlValue::Real),
        );
        let texts = [
            "", "12", " 12 ", "-7.50", "1e3", "0x10", "abc", "12abc", "inf", "nan", ".5", "5.", "1e", "+3", "-0.0",
            "-0",
        ];
        values.extend(texts.map(|text| SqlValue::Text(text.to_owned())));
        values.push(SqlValue::Text("9223372036854775808".to_owned()));
        for declared in
            ["INTEGER", "VARCHAR(100)", "TEXT", "BLOB", "", "REAL", "DOUBLE", "NUMERIC", "DATE", "FLOATING POINT"]
        {
            for value in &values {
                let Ok(changed) = Affinity::from_declared(declared).change(value.as_ref()) else {
                    assert!(matches!(value, SqlValue::Real(_)) && Affinity::from_declared(declared) == Affinity::Text);
                    continue;
                };
                let found = changed.unwrap_or_else(|| value.clone());
                let expected = stored(&connection, declared, value);
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{value:?} in a column of type `{declared}`");
            }
        }
    }
}
