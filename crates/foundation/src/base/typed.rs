//! Parsing of values that users type.

use dbdyno_engine::describe::parse_bytes;
use std::time::Duration;

/// Parses `90s`, `5m`, `1.5h`, `250ms`; seconds without a unit.
///
/// # Errors
/// The error says what was expected.
pub fn duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("`{text}`: expected a number with ms, s, m or h (90s, 5m, 1h)");
    let digits = text.trim_end_matches(char::is_alphabetic);
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    let seconds = digits.trim().parse::<f64>().map_err(|_| expected())? * factor;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err(format!("`{text}`: expected a time above 0, as in 90s"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Parses bytes, at least one: `64MiB`.
///
/// # Errors
/// The error says what was expected.
pub fn memory(text: &str) -> Result<u64, String> {
    parse_bytes(text).filter(|bytes| *bytes > 0).ok_or_else(|| format!("`{text}`: expected bytes, as in 64MiB or 1GiB"))
}

/// Formats a duration so that [`duration`] reads it, exact to the millisecond.
pub fn written_duration(time: Duration) -> String {
    match time.as_millis() {
        ms if ms % 60_000 == 0 => format!("{}m", ms / 60_000),
        ms if ms % 1_000 == 0 => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        for wrong in ["", "m", "-1s", "0s", "5 weeks", "é"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["5m", "90s", "1500ms", "120m"] {
            assert_eq!(written_duration(duration(text).unwrap()), text);
        }
    }
}
