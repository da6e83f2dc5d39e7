//! New identifiers and seeds, which do not depend on a correct clock.

use std::{
    panic::AssertUnwindSafe,
    sync::Mutex,
    time::{Duration, SystemTime},
};
use uuid::{ContextV7, Timestamp, Uuid};

/// Orders the identifiers of one millisecond.
static CONTEXT: Mutex<AssertUnwindSafe<ContextV7>> = Mutex::new(AssertUnwindSafe(ContextV7::new()));

/// Returns a new UUID of version 7, ordered by creation time. Version 7 has no time before 1970, so an earlier time counts as the first
/// of 1970; the identifier is as unique as any other.
pub fn identifier() -> String {
    identifier_at(SystemTime::now()).to_string()
}

fn identifier_at(now: SystemTime) -> Uuid {
    let since = since_1970(now);
    Uuid::new_v7(Timestamp::from_unix(&CONTEXT, since.as_secs(), since.subsec_nanos()))
}

/// The characters of an identifier that distinguish it from those of other moments: selections accept them in its place.
const SHORT: usize = 13;

/// Shortens each identifier in a text to its beginning, for people.
pub fn shortened(text: &str) -> String {
    let is_of_identifier = |c: char| c.is_ascii_hexdigit() || c == '-';
    let short = |word: &str| {
        let core = word.trim_end_matches(|c| !is_of_identifier(c));
        match core.len() == 36 && Uuid::try_parse(core).is_ok() {
            true => format!("{}{}", &core[..SHORT], &word[core.len()..]),
            false => word.to_owned(),
        }
    };
    text.split_inclusive(|c| !is_of_identifier(c)).map(short).collect()
}

/// Returns a seed that differs from call to call, from 0 to `i64::MAX`, so that every format can hold it.
pub fn clock_seed() -> u64 {
    seed_at(SystemTime::now())
}

fn seed_at(now: SystemTime) -> u64 {
    let distance = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_else(|before| before.duration());
    // For times more than a lifetime away from 1970, the higher bits add nothing.
    (distance.as_nanos() & i64::MAX as u128) as u64
}

fn since_1970(now: SystemTime) -> Duration {
    now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_made_before_1970_too() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1000);
        let (one, other) = (identifier_at(before), identifier_at(before));
        assert_ne!(one, other);
        assert_eq!(one.get_version_num(), 7);
    }

    #[test]
    fn identifiers_in_a_text_are_shortened_and_nothing_else_is() {
        let (one, other) = ("01a21db0-6805-767d-8110-44e3a5d919c7", "01a21db0-6999-767d-8110-44e3a5d919c7");
        assert_eq!(
            shortened(&format!("session={one}|{other} label=a-b")),
            "session=01a21db0-6805|01a21db0-6999 label=a-b"
        );
        assert_eq!(shortened(one), "01a21db0-6805");
        assert_eq!(
            shortened("x\u{e9}=dead-beef tag='deadbeefdeadbeefdeadbeefdeadbeefdead'"),
            "x\u{e9}=dead-beef tag='deadbeefdeadbeefdeadbeefdeadbeefdead'"
        );
    }

    #[test]
    fn identifiers_are_ordered_by_time() {
        let at = |seconds| identifier_at(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let made = [at(1 << 35), at(1 << 35), at(1 << 35), at((1 << 35) + 1)];
        assert!(made.is_sorted(), "{made:?}");
    }

    #[test]
    fn seeds_fit_a_signed_number_whatever_the_clock_says() {
        let second = Duration::from_secs(1);
        for now in [SystemTime::UNIX_EPOCH - second, SystemTime::UNIX_EPOCH + second] {
            assert_eq!(seed_at(now), 1_000_000_000);
        }
        assert!(seed_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40)) <= i64::MAX as u64);
    }
}
