//! Numbers of traces, from bytes that may be anything.

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// The most characters of a wrong text that an error shows.
const SHOWN: usize = 40;

/// Returns seconds such as `12.000345` as nanoseconds. `None` if they are no number, negative, or above 584 years.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if are_digits(whole) && are_digits(fraction) && fraction.len() <= 9 && text.len() > fraction.len() + 1 {
        let whole: u64 = whole.parse().ok()?;
        let fraction: u64 = format!("{fraction:0<9}").parse().ok()?;
        return whole.checked_mul(SECOND)?.checked_add(fraction);
    }
    // Such as `1.2e-5`, with the precision that a double has.
    let nanoseconds = (text.parse::<f64>().ok()? * SECOND as f64).round();
    (0.0..u64::MAX as f64).contains(&nanoseconds).then_some(nanoseconds as u64)
}

/// Returns a whole number of at most 32 bits: no value, and no list of keys, is longer.
///
/// # Errors
/// What was expected. `name` is that of the number.
pub(super) fn whole(name: &str, text: &[u8]) -> Result<u32, String> {
    let number = std::str::from_utf8(text).ok().filter(|text| !text.starts_with('+'));
    let number = number.and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("{name} `{}`: expected a whole number up to {}", shown(text), u32::MAX))
}

/// Returns the beginning of a text for an error.
pub(super) fn shown(text: &[u8]) -> String {
    // A character has at most four bytes.
    let start = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
    match start.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &start[..at]),
        None => start.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact_and_bounded() {
        for (text, expected) in [
            ("0", Some(0)),
            ("12.000345", Some(12_000_345_000)),
            ("1585706400.123456789", Some(1_585_706_400_123_456_789)),
            ("1.", Some(1_000_000_000)),
            ("0.1234567894", Some(123_456_789)),
            ("1e-6", Some(1_000)),
            ("", None),
            (".", None),
            ("-1", None),
            ("nan", None),
            ("1e30", None),
            ("99999999999", None),
            ("soon", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_shown_and_shortened() {
        assert_eq!(whole("size", b"4294967295"), Ok(4_294_967_295));
        for wrong in ["", "-1", "+1", "1.5", " 1", "4294967296", "99999999999999999999999", "1\u{0}"] {
            assert!(whole("size", wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert_eq!(whole("size", b"-3"), Err("size `-3`: expected a whole number up to 4294967295".to_owned()));
        assert!(shown(&vec![0xff; 1 << 20]).len() < 200);
    }
}
