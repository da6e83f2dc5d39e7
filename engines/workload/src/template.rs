//! Keys and values rendered from a suite's formats.

use crate::{rng::SplitMix64, zipf::fnv1a};
use dbdyno_engine::suite::{Bytes, Counted, Form, Template, Variable};

/// Appends a format to `buffer`, with its variables filled in. Allocates only if the buffer grows.
#[inline]
pub(crate) fn render(template: &Template, buffer: &mut Vec<u8>, key: u64, operation: u64, rng: &mut SplitMix64) {
    let (parts, suffix) = template.parts();
    for (text, variable) in parts {
        buffer.extend_from_slice(text.as_bytes());
        match *variable {
            Variable::Number(counted, form) => {
                let number = match counted {
                    Counted::Key => key,
                    Counted::Operation => operation,
                    Counted::Hash => fnv1a(key),
                };
                match form {
                    Form::Digits(digits) => push_padded(buffer, number, digits),
                    Form::Bytes(bytes) => buffer.extend_from_slice(&number.to_be_bytes()[8 - bytes.min(8)..]),
                }
            }
            Variable::Random(bytes) => push_random(buffer, bytes, rng),
            Variable::Scattered(bytes) => push_random(buffer, bytes, &mut SplitMix64::stream(0, key)),
        }
    }
    buffer.extend_from_slice(suffix.as_bytes());
}

/// Appends random bytes, taken from as many random numbers as needed, lowest byte first. If the length is random, it is drawn first.
fn push_random(buffer: &mut Vec<u8>, Bytes { least, most }: Bytes, rng: &mut SplitMix64) {
    let more = if least < most { rng.below((most - least) as u64 + 1) as usize } else { 0 };
    let end = buffer.len() + least + more;
    while buffer.len() < end {
        let bytes = rng.next_u64().to_le_bytes();
        buffer.extend_from_slice(&bytes[..bytes.len().min(end - buffer.len())]);
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
