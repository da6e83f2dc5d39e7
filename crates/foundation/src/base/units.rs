//! Numbers for people: three significant digits and a unit.

pub use dbdyno_engine::say::{is_printable_ascii, plain};
use std::time::Duration;

/// Formats a duration in ns: `950 ns`, `12.1 ms`.
pub fn duration(ns: f64) -> String {
    scaled(ns, &[("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)])
}

/// Formats a waiting time: `350 ms`, `12 s`, `1m12s`, `2h05m`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 if time > Duration::ZERO => duration(time.as_nanos() as f64),
        0..=59 => format!("{seconds} s"),
        60..=3599 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Formats operations a second: `826 k/s`.
pub fn rate(per_second: f64) -> String {
    scaled(per_second, &[("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9)])
}

/// Formats bytes in powers of 1024: `1.25 MiB`.
pub fn bytes(bytes: u64) -> String {
    let units = [("B", 1.0), ("KiB", 1024.0), ("MiB", 1048576.0), ("GiB", 1073741824.0), ("TiB", 1099511627776.0)];
    scaled(bytes as f64, &units)
}

/// Formats a count with separators: `1,000,000`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with a noun that has a regular plural: `1 run`, `1,024 runs`.
pub fn counted(number: impl TryInto<u64>, word: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {word}{}", count(number), if number == 1 { "" } else { "s" })
}

fn scaled(value: f64, units: &[(&str, f64)]) -> String {
    // The smallest unit in which the rounded number has at most three digits before the point.
    let fits = |factor: f64| value / factor < 999.5;
    let (unit, factor) = units.iter().find(|(_, factor)| fits(*factor)).or(units.last()).copied().unwrap_or(("", 1.0));
    let number = value / factor;
    let whole = factor == 1.0 && (number - number.round()).abs() < 1e-9;
    let decimals = match number {
        number if whole || number >= 99.95 => 0,
        number if number >= 9.995 => 1,
        _ => 2,
    };
    format!("{number:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_shown_and_never_four_before_the_point() {
        assert_eq!(duration(950.0), "950 ns");
        assert_eq!(duration(999.6), "1.00 µs");
        assert_eq!(duration(12_149_000.0), "12.1 ms");
        assert_eq!(duration(2.5e12), "2500 s");
        assert_eq!(clock(Duration::from_millis(350)), "350 ms");
        assert_eq!(clock(Duration::from_secs(72)), "1m12s");
        assert_eq!(clock(Duration::from_secs(7505)), "2h05m");
        assert_eq!(rate(826_400.0), "826 k/s");
        assert_eq!(rate(7.25), "7.25 /s");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1536), "1.50 KiB");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(999), "999");
        assert_eq!([counted(1_u64, "run"), counted(1_024_u64, "run")], ["1 run", "1,024 runs"]);
        assert_eq!(count(12_345_678), "12,345,678");
    }
}
