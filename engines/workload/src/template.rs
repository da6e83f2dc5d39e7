//! Keys and values as a suite's formats describe them.

use dbdyno_engine::suite::{Template, Variable};

/// Adds a format with its number filled in to `buffer`. Allocates only when the buffer grows.
#[inline]
pub(crate) fn render(template: &Template, buffer: &mut Vec<u8>, key: u64, operation: u64) {
    let (prefix, number, suffix) = template.parts();
    buffer.extend_from_slice(prefix.as_bytes());
    if let Some((variable, width)) = number {
        let number = match variable {
            Variable::Key => key,
            Variable::Operation => operation,
        };
        push_padded(buffer, number, width);
    }
    buffer.extend_from_slice(suffix.as_bytes());
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
        render(&format.parse().unwrap(), &mut buffer, key, operation);
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
    }

    #[test]
    fn the_published_lengths_are_met() {
        let value = "value_{key:08}_with_some_additional_data_to_make_it_realistic";
        assert_eq!(rendered(value, 0, 0).len(), 61);
        assert_eq!(rendered("key_{key:08}", 0, 0).len(), 12);
    }
}
