/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordedValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    /// Text that is not UTF-8.
    Bytes(Vec<u8>),
    Blob(Vec<u8>),
    /// Bytes of zero, of `sqlite3_bind_zeroblob`.
    ZeroBlob(u64),
    /// A literal of SQL whose value could not be determined, as SQLite printed it.
    Literal(String),
    /// A value above the limit that the user set for the recording.
    Cut {
        is_text: bool,
        bytes: u64,
        hash: u64,
    },
}

/// A borrowed [`RecordedValue`], as a writer takes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecordedValueRef<'v> {
    Null,
    Integer(i64),
    Real(f64),
    /// Text, which may be invalid as UTF-8.
    Text(&'v [u8]),
    Blob(&'v [u8]),
    ZeroBlob(u64),
    Literal(&'v str),
    Cut {
        is_text: bool,
        bytes: u64,
        hash: u64,
    },
}

impl RecordedValue {
    /// Borrows the value.
    pub fn as_value_ref(&self) -> RecordedValueRef<'_> {
        match self {
            Self::Null => RecordedValueRef::Null,
            Self::Integer(value) => RecordedValueRef::Integer(*value),
            Self::Real(value) => RecordedValueRef::Real(*value),
            Self::Text(text) => RecordedValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => RecordedValueRef::Text(bytes),
            Self::Blob(bytes) => RecordedValueRef::Blob(bytes),
            Self::ZeroBlob(bytes) => RecordedValueRef::ZeroBlob(*bytes),
            Self::Literal(text) => RecordedValueRef::Literal(text),
            &Self::Cut { is_text, bytes, hash } => RecordedValueRef::Cut { is_text, bytes, hash },
        }
    }
}
