//! Keys and values rendered from a suite's formats.

use crate::{rng::SplitMix64, zipf::fnv1a};
use dbdyno_engine::suite::{
    Bytes, Length, NumberForm, NumberSource, Template, UUID_EPOCH_MS, UuidForm, UuidVersion, Variable,
};

/// Appends a format to `buffer`, with its variables filled in. Allocates only if the buffer grows.
#[inline]
pub(crate) fn render(template: &Template, buffer: &mut Vec<u8>, key: u64, operation: u64, rng: &mut SplitMix64) {
    let (parts, suffix) = template.parts();
    for (text, variable) in parts {
        buffer.extend_from_slice(text.as_bytes());
        match variable {
            Variable::Number(counted, form) => {
                let number = match counted {
                    NumberSource::Key => key,
                    NumberSource::Operation => operation,
                    NumberSource::Hash => fnv1a(key),
                };
                match form {
                    NumberForm::Digits(digits) => push_padded(buffer, number, *digits),
                    NumberForm::Bytes(bytes) => buffer.extend_from_slice(&number.to_be_bytes()[8 - (*bytes).min(8)..]),
                }
            }
            Variable::Random(bytes) => push_random(buffer, bytes, rng),
            Variable::Scattered(bytes) => push_random(buffer, bytes, &mut SplitMix64::stream(0, key)),
            Variable::Uuid(version, form) => push_uuid(buffer, uuid(*version, key), *form),
        }
    }
    buffer.extend_from_slice(suffix.as_bytes());
}

/// Appends random bytes, taken from as many random numbers as needed, lowest byte first. What is random about the length is drawn before:
/// which of several lengths, then the number of bytes. The repeated part copies the bytes from its beginning on.
fn push_random(buffer: &mut Vec<u8>, bytes: &Bytes, rng: &mut SplitMix64) {
    let count = drawn_length(bytes, rng);
    let fresh = count - count * usize::from(bytes.repeated) / 100;
    let begin = buffer.len();
    let end = begin + fresh;
    while buffer.len() < end {
        let word = rng.next_u64().to_le_bytes();
        buffer.extend_from_slice(&word[..word.len().min(end - buffer.len())]);
    }
    if fresh == 0 {
        buffer.resize(begin + count, b'x');
    }
    while buffer.len() < begin + count {
        let more = (begin + count - buffer.len()).min(fresh);
        buffer.extend_from_within(begin..begin + more);
    }
}

#[inline]
fn drawn_length(bytes: &Bytes, rng: &mut SplitMix64) -> usize {
    let Length { least, most, .. } = match bytes.lengths.as_slice() {
        [only] => *only,
        several => {
            let drawn = rng.below(bytes.weights);
            let mut before = 0;
            let is_drawn = |length: &&Length| {
                before += length.weight;
                drawn < before
            };
            *several.iter().find(is_drawn).unwrap_or(&several[0])
        }
    };
    least + if least < most { rng.below((most - least) as u64 + 1) as usize } else { 0 }
}

/// Returns the UUID of a record: RFC 9562, with all that is random scattered from the index.
fn uuid(version: UuidVersion, key: u64) -> u128 {
    let mut stream = SplitMix64::stream(0, key);
    let (high, low) = (stream.next_u64(), stream.next_u64());
    let (high, version) = match version {
        UuidVersion::Four => (high, 4),
        UuidVersion::Seven => (UUID_EPOCH_MS.wrapping_add(key) << 16 | high & 0xFFFF, 7),
    };
    let high = high & !0xF000 | version << 12;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    u128::from(high) << 64 | u128::from(low)
}

fn push_uuid(buffer: &mut Vec<u8>, uuid: u128, form: UuidForm) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bytes = uuid.to_be_bytes();
    match form {
        UuidForm::Bytes => buffer.extend_from_slice(&bytes),
        UuidForm::Text => {
            for (at, byte) in bytes.into_iter().enumerate() {
                if matches!(at, 4 | 6 | 8 | 10) {
                    buffer.push(b'-');
                }
                buffer.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
        }
    }
}

#[inline]
fn push_padded(buffer: &mut Vec<u8>, mut number: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    while number > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    buffer.extend_from_slice(&digits[start.min(digits.len() - width.min(digits.len()))..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(format: &str, key: u64, operation: u64) -> String {
        let before = "what was there before ";
        let mut buffer = before.as_bytes().to_vec();
        render(&format.parse().unwrap(), &mut buffer, key, operation, &mut SplitMix64::new(1));
        String::from_utf8(buffer).unwrap().strip_prefix(before).unwrap().to_owned()
    }

    #[test]
    fn numbers_are_padded_as_c_does() {
        assert_eq!(rendered("key_{key:08}", 42, 7), "key_00000042");
        assert_eq!(rendered("key_{key:8}", 123_456_789, 7), "key_123456789", "a wider number is never cut");
        assert_eq!(rendered("{op}", 42, 0), "0");
        assert_eq!(rendered("updated_value_{op:08}", 42, 7), "updated_value_00000007");
        assert_eq!(rendered("{key:20}", u64::MAX, 0), u64::MAX.to_string());
        assert_eq!(rendered("constant", 1, 2), "constant");
        assert_eq!(rendered("user{hash}", 0, 2), "user6284781860667377211");
    }

    #[test]
    fn random_bytes_are_as_many_as_asked_for() {
        let (mut buffer, mut rng) = (Vec::new(), SplitMix64::new(1_234_567));
        render(&"{random:11}".parse().unwrap(), &mut buffer, 0, 0, &mut rng);
        let expected = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973].map(u64::to_le_bytes).concat();
        assert_eq!(buffer, expected[..11]);
    }

    #[test]
    fn a_number_of_bytes_that_is_drawn_is_within_its_bounds_and_takes_each_value() {
        let (format, mut rng) = ("{random:8-12}".parse().unwrap(), SplitMix64::new(7));
        let mut seen = [0; 5];
        for _ in 0..1_000 {
            let mut buffer = Vec::new();
            render(&format, &mut buffer, 0, 0, &mut rng);
            seen[buffer.len() - 8] += 1;
        }
        assert!(seen.iter().all(|count| (140..260).contains(count)), "{seen:?}");
    }

    #[test]
    fn one_of_several_lengths_is_drawn_by_its_weight() {
        let (format, mut rng) = ("{random:10*9/100-109}".parse().unwrap(), SplitMix64::new(7));
        let mut short = 0;
        for _ in 0..1_000 {
            let mut buffer = Vec::new();
            render(&format, &mut buffer, 0, 0, &mut rng);
            assert!(buffer.len() == 10 || (100..110).contains(&buffer.len()), "{}", buffer.len());
            short += u32::from(buffer.len() == 10);
        }
        assert!((870..930).contains(&short), "{short} of 1000, expected 900");
    }

    #[test]
    fn the_repeated_part_adds_nothing_new() {
        let of = |format: &str| {
            let mut buffer = Vec::new();
            render(&format.parse().unwrap(), &mut buffer, 0, 0, &mut SplitMix64::new(1));
            buffer
        };
        let half = of("{random:1000,50%}");
        assert!(half.len() == 1_000 && half[..500] == half[500..], "the second half is the first again");
        assert_eq!(half[..500], of("{random:500}")[..]);
        let most = of("{random:10,80%}");
        assert!(most.len() == 10 && most.chunks(2).all(|pair| *pair == most[..2]), "{most:?}");
        assert_eq!(of("{random:5,100%}"), b"xxxxx");
    }

    #[test]
    fn uuids_are_valid_and_those_of_version_7_rise_with_the_record() {
        let of = |format: &str, key| rendered(format, key, 0);
        for (format, version) in [("{uuid4}", '4'), ("{uuid7}", '7')] {
            let text = of(format, 7);
            let dashes: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
            assert_eq!((text.len(), dashes), (36, vec![8, 13, 18, 23]), "{text}");
            assert_eq!(text.chars().nth(14), Some(version), "{text}");
            assert!("89ab".contains(text.chars().nth(19).unwrap()), "{text}");
        }
        assert!(of("{uuid7}", 1).starts_with("019b76da-a801-7"), "2026-01-01T00:00:00.001Z: {}", of("{uuid7}", 1));
        let rising: Vec<String> = (0..1_000).map(|key| of("{uuid7}", key)).collect();
        assert!(rising.is_sorted());
        assert!(!(0..10).map(|key| of("{uuid4}", key)).collect::<Vec<_>>().is_sorted());
    }

    #[test]
    fn binary_numbers_have_their_highest_byte_first() {
        let (mut buffer, mut rng) = (Vec::new(), SplitMix64::new(1));
        render(&"{key:u4}\u{18}{op:u2}".parse().unwrap(), &mut buffer, 0x01_0203_0405, 258, &mut rng);
        assert_eq!(buffer, [2, 3, 4, 5, 24, 1, 2], "the lowest bytes");
    }

    #[test]
    fn scattered_bytes_are_the_same_for_the_same_record() {
        let rendered = |key| {
            let (mut buffer, mut rng) = (Vec::new(), SplitMix64::new(key));
            render(&"{scattered:24}".parse().unwrap(), &mut buffer, key, 0, &mut rng);
            buffer
        };
        assert_eq!(rendered(7), rendered(7));
        assert_ne!(rendered(7), rendered(8));
        let mut stream = SplitMix64::stream(0, 7);
        let expected: Vec<u8> = (0..3).flat_map(|_| stream.next_u64().to_le_bytes()).collect();
        assert_eq!(rendered(7), expected, "the numbers of stream 7 of seed 0");
    }

    /// Expected values from tests/tables/shared/make.py, which engines in other languages must match as well.
    #[test]
    fn formats_are_those_of_every_language() {
        #[derive(serde::Deserialize)]
        struct Answers {
            formats: Vec<Answer>,
        }
        #[derive(serde::Deserialize)]
        struct Answer {
            format: String,
            key: u64,
            op: u64,
            seed: u64,
            rendered: String,
        }
        let answers = include_str!("../../../tests/tables/shared/answers.json");
        let answers: Answers = serde_json::from_str(answers).unwrap();
        assert!(answers.formats.len() > 20);
        for Answer { format, key, op, seed, rendered } in answers.formats {
            let mut buffer = Vec::new();
            render(&format.parse().unwrap(), &mut buffer, key, op, &mut SplitMix64::new(seed));
            let found: String = buffer.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, rendered, "{format} of {key} and {op}");
        }
    }

    #[test]
    fn the_published_lengths_are_met() {
        let value = "value_{key:08}_with_some_additional_data_to_make_it_realistic";
        assert_eq!(rendered(value, 0, 0).len(), 61);
        assert_eq!(rendered("key_{key:08}", 0, 0).len(), 12);
    }
}
