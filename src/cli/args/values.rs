//! Values as they are typed.

use crate::cli::error::CliError;
use dbdyno_engine::describe::parse_bytes;
use std::time::Duration;

/// `90s`, `5m`, `1.5h`, `250ms`; seconds without a unit.
pub(in crate::cli) fn duration(text: &str) -> Result<Duration, String> {
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
        return Err(expected());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// `5%` is 0.05.
pub(in crate::cli) fn percent(text: &str) -> Result<f64, String> {
    let expected = || format!("`{text}`: expected a percentage of 0 or more, as in 5%");
    let number: f64 = text.trim().strip_suffix('%').ok_or_else(expected)?.trim().parse().map_err(|_| expected())?;
    if number.is_finite() && number >= 0.0 { Ok(number / 100.0) } else { Err(expected()) }
}

/// Bytes, at least one: `64MiB`.
pub(in crate::cli) fn memory(text: &str) -> Result<u64, String> {
    parse_bytes(text).filter(|bytes| *bytes > 0).ok_or_else(|| format!("`{text}`: expected bytes, as in 64MiB or 1GiB"))
}

/// A text that is not empty.
pub(in crate::cli) fn filled(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err("expected a text that is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// What `--set OWNER.OPTION=VALUE` says: owner, option and value. `like`: an example.
pub(in crate::cli) fn owner_option<'t>(text: &'t str, like: &str) -> Result<(&'t str, &'t str, &'t str), CliError> {
    let parts = text.split_once('=').and_then(|(path, value)| Some((path.split_once('.')?, value)));
    let ((owner, option), value) =
        parts.ok_or_else(|| CliError::Usage(format!("--set {text}: expected OWNER.OPTION=VALUE, as in {like}")))?;
    Ok((owner.trim(), option.trim(), value.trim()))
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
    fn a_percentage_needs_its_sign() {
        assert_eq!(percent("5%"), Ok(0.05));
        assert_eq!(percent("0 %"), Ok(0.0));
        for wrong in ["5", "0.05", "-1%", "nan%", "inf%", "%", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_option_is_set_by_its_owner() {
        assert_eq!(owner_option("sqlite.cache_size = 5", "x").unwrap(), ("sqlite", "cache_size", "5"));
        for wrong in ["sqlite", "cache_size=5", "sqlite.cache_size"] {
            assert!(owner_option(wrong, "x").is_err(), "{wrong}");
        }
    }
}
