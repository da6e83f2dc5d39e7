//! CSV with a header: `time,connection,sql,parameters`, and `duration`, `rows` and `changes` if they are known. Only `sql` is needed.

use super::ImportedCall;
use dbdyno_recording::RecordedValue;
use serde_json::Value;

/// Nanoseconds of a second.
const SECOND: f64 = 1e9;
/// The columns that are read.
const COLUMNS: [&str; 7] = ["time", "connection", "sql", "parameters", "duration", "rows", "changes"];

/// Whether a text is CSV with a column `sql`.
pub(super) fn is_csv(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    first.contains(',') && first.split(',').any(|column| column.trim().trim_matches('"').eq_ignore_ascii_case("sql"))
}

/// Returns the calls of the rows, times from the first on.
///
/// # Errors
/// The line, and what was expected there.
pub(super) fn calls(text: &str) -> Result<Vec<ImportedCall>, (u64, String)> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = reader.headers().map_err(|error| (1, error.to_string()))?.clone();
    let names: Vec<String> = header.iter().map(str::to_ascii_lowercase).collect();
    if let Some(other) = names.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
        return Err((1, format!("unknown column `{other}`: expected {}", COLUMNS.join(", "))));
    }
    let mut calls = Vec::new();
    let mut first = None;
    for record in reader.records() {
        let record = record.map_err(|error| (error.position().map_or(0, csv::Position::line), error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell =
            |name: &str| names.iter().position(|known| known == name).and_then(|at| record.get(at)).unwrap_or("");
        let at = |reason: String| (line, reason);
        let seconds = |name: &str| -> Result<f64, (u64, String)> {
            let text = cell(name);
            let value = if text.is_empty() { Ok(0.0) } else { text.parse::<f64>() };
            value
                .ok()
                .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
                .ok_or_else(|| at(format!("{name} `{text}`: expected seconds, as in 12.000345")))
        };
        let count = |name: &str| -> Result<u64, (u64, String)> {
            let text = cell(name);
            if text.is_empty() {
                Ok(0)
            } else {
                text.parse().map_err(|_| at(format!("{name} `{text}`: expected a whole number")))
            }
        };
        let time = seconds("time")?;
        let first = *first.get_or_insert(time);
        calls.push(ImportedCall {
            connection: cell("connection").to_owned(),
            start_ns: ((time - first).max(0.0) * SECOND).round() as u64,
            duration_ns: (seconds("duration")? * SECOND).round() as u64,
            sql: cell("sql").trim().trim_end_matches(';').to_owned(),
            parameters: parameters(cell("parameters")).map_err(at)?,
            rows: count("rows")?,
            changes: count("changes")?,
        });
    }
    Ok(calls)
}

/// Returns the values of a list in JSON: `[1, "a", null]`. Nothing is no parameter.
fn parameters(text: &str) -> Result<Vec<RecordedValue>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let expected = || format!("parameters `{text}`: expected a list in JSON, as in [1, \"a\", null]");
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
    fn rows_are_calls_with_their_values() {
        let text = "time,connection,sql,parameters,duration,rows\n\
                    10.5,a,\"SELECT \"\"x\"\", ? FROM t;\",\"[1, 2.5, \"\"é\"\", null, true]\",0.000002,3\n\
                    10.500001,b,BEGIN,,,\n";
        assert!(is_csv(text));
        let calls = calls(text).unwrap();
        assert_eq!((calls[0].start_ns, calls[0].duration_ns, calls[0].rows), (0, 2_000, 3));
        assert_eq!(calls[0].sql, "SELECT \"x\", ? FROM t");
        let values = [
            RecordedValue::Integer(1),
            RecordedValue::Real(2.5),
            RecordedValue::Text("é".to_owned()),
            RecordedValue::Null,
            RecordedValue::Integer(1),
        ];
        assert_eq!(calls[0].parameters, values);
        assert_eq!((calls[1].connection.as_str(), calls[1].start_ns / 100), ("b", 10));
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let error = |text: &str| calls(text).unwrap_err();
        assert_eq!(
            error("time,sql,colour\n"),
            (
                1,
                "unknown column `colour`: expected time, connection, sql, parameters, duration, rows, changes"
                    .to_owned()
            )
        );
        assert_eq!(error("time,sql\n1,SELECT 1\nx,SELECT 2\n").0, 3);
        assert!(error("sql,parameters\nSELECT 1,{}\n").1.contains("expected a list in JSON"));
        assert!(!is_csv("SELECT sql, name FROM sqlite_schema"), "a statement is no header");
    }
}
