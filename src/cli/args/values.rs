//! Values as they are typed.

use crate::cli::error::CliError;
use clap::builder::TypedValueParser;
use std::ops::RangeInclusive;

/// A whole number within bounds, which are part of the message for any other text.
pub(in crate::cli) fn whole<T>(bounds: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Into<u64> + TryFrom<u64> + Send + Sync + 'static,
{
    let (least, most): (u64, u64) = ((*bounds.start()).into(), (*bounds.end()).into());
    move |text: &str| {
        let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
    }
}

/// `5%` is 0.05.
pub(in crate::cli) fn percent(text: &str) -> Result<f64, String> {
    let expected = || format!("`{text}`: expected a percentage of 0 or more, as in 5%");
    let number: f64 = text.trim().strip_suffix('%').ok_or_else(expected)?.trim().parse().map_err(|_| expected())?;
    if number.is_finite() && number >= 0.0 { Ok(number / 100.0) } else { Err(expected()) }
}

/// A text that is not empty.
pub(in crate::cli) fn filled(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err("expected a text that is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// A name that a user gives a machine.
pub(in crate::cli) fn machine_name(text: &str) -> Result<String, String> {
    let name = filled(text)?;
    match name.chars().any(char::is_control) {
        true => Err("expected a name of one line, as in bench-1".to_owned()),
        false => Ok(name),
    }
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
    use clap::Command;
    use std::ffi::OsStr;

    #[test]
    fn a_whole_number_outside_its_bounds_is_refused_with_them() {
        let read = |text: &str| whole(1..=10_000_u32).parse_ref(&Command::new("dbdyno"), None, OsStr::new(text));
        assert_eq!(read("1").unwrap(), 1);
        assert_eq!(read("10000").unwrap(), 10_000);
        for wrong in ["0", "10001", "-1", "1.5", "all", ""] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("expected a whole number from 1 to 10000"), "{wrong}: {error}");
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
