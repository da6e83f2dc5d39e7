//! CSV with a header: `time,connection,sql,parameters`, and `duration`, `rows` and `changes` if they are known. Only `sql` is needed.

use super::{
    ImportStop, ImportedCall,
    numbers::{seconds, shown},
    rows::CsvRows,
    source::first_lines,
    writing::ImportWriter,
};
use dbdyno_recording::{ReaderLimits, RecordedValue};
use serde_json::Value;
use std::io::Read;

/// The columns that are read.
const COLUMNS: [&str; 7] = ["time", "connection", "sql", "parameters", "duration", "rows", "changes"];

/// Whether a file that begins so is CSV with a column `sql`. A statement may have commas too, but between more than single words.
pub(super) fn is_csv(head: &[u8]) -> bool {
    let are_words = |columns: &[String]| !columns.iter().any(|column| column.contains(char::is_whitespace));
    header(head).is_some_and(|columns| are_words(&columns) && columns.iter().any(|column| column == "sql"))
}

/// Returns the names of the columns that a file's first line may have, in lower case.
pub(super) fn header(head: &[u8]) -> Option<Vec<String>> {
    let first = std::str::from_utf8(first_lines(head).next()?).ok()?;
    let columns = || first.split(',').map(|column| column.trim().trim_matches('"').trim().to_ascii_lowercase());
    first.contains(',').then(|| columns().collect())
}

/// Writes the calls of the rows, times from the first on.
///
/// # Errors
/// The line, and what was expected there.
pub(super) fn read(input: impl Read, to: &mut ImportWriter) -> Result<(), ImportStop> {
    let (mut rows, header) = CsvRows::new(input, ReaderLimits::default().call_bytes)?;
    let columns = CsvColumns::of(&header).map_err(|reason| ImportStop::Line(1, reason))?;
    let mut first = None;
    while let Some((line, row)) = rows.next()? {
        let (mut call, parameters) = columns.call(row).map_err(|reason| ImportStop::Line(line, reason))?;
        call.line = line;
        call.start_ns = call.start_ns.saturating_sub(*first.get_or_insert(call.start_ns));
        to.call(&call, parameters.iter().map(RecordedValue::as_value_ref))?;
    }
    Ok(())
}

/// The places of the columns, in the order of [`COLUMNS`].
struct CsvColumns([Option<usize>; COLUMNS.len()]);

impl CsvColumns {
    fn of(header: &[String]) -> Result<Self, String> {
        let names: Vec<String> = header.iter().map(|name| name.to_ascii_lowercase()).collect();
        if let Some(other) = names.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
            return Err(format!("unknown column `{other}`: expected {}", COLUMNS.join(", ")));
        }
        Ok(Self(COLUMNS.map(|column| names.iter().position(|name| name == column))))
    }

    /// Returns the call of a row, with the time that the row has.
    fn call<'r>(&self, row: &'r csv::ByteRecord) -> Result<(ImportedCall<'r>, Vec<RecordedValue>), String> {
        let mut cells = [""; COLUMNS.len()];
        for ((cell, place), column) in cells.iter_mut().zip(self.0).zip(COLUMNS) {
            let bytes = place.and_then(|place| row.get(place)).unwrap_or_default();
            *cell = std::str::from_utf8(bytes).map_err(|_| format!("{column}: expected UTF-8"))?;
        }
        let [time, connection, sql, list, duration, rows, changes] = cells;
        let call = ImportedCall {
            line: 0,
            connection: connection.as_bytes(),
            start_ns: time_of("time", time)?,
            duration_ns: time_of("duration", duration)?,
            sql: sql.trim().trim_end_matches(';'),
            rows: count("rows", rows)?,
            changes: count("changes", changes)?,
        };
        Ok((call, parameters(list)?))
    }
}

/// Returns nanoseconds. Nothing is zero.
fn time_of(name: &str, text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    seconds(text).ok_or_else(|| format!("{name} `{}`: expected seconds, as in 12.000345", shown(text.as_bytes())))
}

fn count(name: &str, text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| format!("{name} `{}`: expected a whole number", shown(text.as_bytes())))
}

/// Returns the values of a list in JSON: `[1, "a", null]`. Nothing is no parameter.
fn parameters(text: &str) -> Result<Vec<RecordedValue>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let expected = || {
        let shown = shown(text.as_bytes());
        format!("parameters `{shown}`: expected a list in JSON, as in [1, \"a\", null]")
    };
    let Ok(Value::Array(values)) = serde_json::from_str(text) else { return Err(expected()) };
    let value = |value: Value| match value {
        Value::Null => Ok(RecordedValue::Null),
        Value::Bool(truth) => Ok(RecordedValue::Integer(truth.into())),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Ok(RecordedValue::Integer(whole)),
            None => number.as_f64().map(RecordedValue::Real).ok_or_else(expected),
        },
        Value::String(text) => Ok(RecordedValue::Text(text)),
        Value::Array(_) | Value::Object(_) => Err(expected()),
    };
    values.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_with_commas_is_no_header() {
        assert!(is_csv(b"time, connection, \"SQL\"\n"));
        assert!(!is_csv(b"SELECT a, sql, c FROM t;\n"));
        assert!(!is_csv(b"SELECT\n"));
    }

    #[test]
    fn rows_are_calls_with_their_values() {
        let text = "time,connection,sql,parameters,duration,rows\n\
                    10.5,a,\"SELECT \"\"x\"\", ? FROM t;\",\"[1, 2.5, \"\"é\"\", null, true]\",0.000002,3\n\
                    10.500001,b,BEGIN,,,\n";
        assert!(is_csv(text.as_bytes()));
        let (mut rows, header) = CsvRows::new(text.as_bytes(), 1_000).unwrap();
        let columns = CsvColumns::of(&header).unwrap();
        let (_, row) = rows.next().unwrap().unwrap();
        let (call, parameters) = columns.call(row).unwrap();
        assert_eq!((call.start_ns, call.duration_ns, call.rows), (10_500_000_000, 2_000, 3));
        assert_eq!(call.sql, "SELECT \"x\", ? FROM t");
        let values = [
            RecordedValue::Integer(1),
            RecordedValue::Real(2.5),
            RecordedValue::Text("é".to_owned()),
            RecordedValue::Null,
            RecordedValue::Integer(1),
        ];
        assert_eq!(parameters, values);
        let (_, row) = rows.next().unwrap().unwrap();
        let (call, _) = columns.call(row).unwrap();
        assert_eq!((call.connection, call.start_ns), (b"b".as_slice(), 10_500_001_000));
        assert!(rows.next().unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        assert_eq!(
            CsvColumns::of(&["time".to_owned(), "sql".to_owned(), "colour".to_owned()]).err().unwrap(),
            "unknown column `colour`: expected time, connection, sql, parameters, duration, rows, changes"
        );
        assert!(parameters("{}").unwrap_err().contains("expected a list in JSON"));
        let (mut rows, _) = CsvRows::new(b"time,sql\n1,SELECT 1\nSELECT 2\n".as_slice(), 1_000).unwrap();
        assert!(rows.next().is_ok());
        let reason = "columns: 1, expected 2 as in the header";
        assert!(matches!(rows.next(), Err(ImportStop::Line(3, found)) if found == reason));
        assert!(!is_csv(b"SELECT sql, name FROM sqlite_schema"), "a statement is no header");
    }

    #[test]
    fn a_quotation_mark_without_an_end_does_not_read_the_whole_file() {
        let endless = b"sql,time\n\"SELECT ".as_slice().chain(std::io::repeat(b'x'));
        let (mut rows, _) = CsvRows::new(endless, 100_000).unwrap();
        assert!(
            matches!(rows.next(), Err(ImportStop::Line(2, found)) if found == "the row has more than 100000 bytes")
        );
    }
}
