//! Moments of a selection: days and times as intervals from their first to their last instant. In UTC, as in the store.

use jiff::{
    ToSpan,
    civil::{Date, DateTime},
};

/// A moment that a user types: a day, or a day with a time. `until` is the first instant after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) from: String,
    pub(super) until: String,
}

/// The expected forms of a moment.
pub(super) const EXPECTED: &str = "a day such as 2026-11-14, or a time such as 2026-11-14T09:30 (UTC)";

/// Parses a moment; `None` if the text is not one.
pub(super) fn parse(text: &str) -> Option<Moment> {
    let text = text.trim();
    let (from, length) = match text.parse::<Date>() {
        // A text that also has a time is parsed as a time.
        Ok(day) if !text.contains(['T', ' ', 't']) => (day.to_datetime(jiff::civil::Time::midnight()), 1.day()),
        _ => {
            let time: DateTime = text.parse().ok()?;
            let has_seconds = text.matches(':').count() > 1;
            (time, if has_seconds { 1.second() } else { 1.minute() })
        }
    };
    let written = |time: DateTime| time.strftime("%Y-%m-%d %H:%M:%S").to_string();
    Some(Moment { from: written(from), until: written(from.checked_add(length).ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_24_hours_and_a_time_its_minute_or_second() {
        let of = |text: &str| parse(text).map(|moment| (moment.from, moment.until));
        let pair = |from: &str, until: &str| Some((from.to_owned(), until.to_owned()));
        assert_eq!(of("2026-11-14"), pair("2026-11-14 00:00:00", "2026-11-15 00:00:00"));
        assert_eq!(of(" 2028-02-28 "), pair("2028-02-28 00:00:00", "2028-02-29 00:00:00"));
        assert_eq!(of("2026-12-31T23:59"), pair("2026-12-31 23:59:00", "2027-01-01 00:00:00"));
        assert_eq!(of("2026-11-14 09:30:05"), pair("2026-11-14 09:30:05", "2026-11-14 09:30:06"));
        for wrong in ["", "yesterday", "2026-13-01", "2026-11", "14.11.2026", "12:30"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
