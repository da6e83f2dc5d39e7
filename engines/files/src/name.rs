//! File names for keys of arbitrary bytes.

use dbdyno_engine::EngineError;

/// The longest name that Linux file systems accept.
pub(crate) const MOST: usize = 255;
/// The name for the empty key. No other key has this name, because in other names two digits follow each `%`.
const EMPTY: &str = "%";

/// Returns the name for a key. Letters, digits, `-` and `_` are unchanged, every other byte becomes `%` and two digits.
pub(crate) fn of(key: &[u8]) -> Result<String, EngineError> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if key.is_empty() {
        return Ok(EMPTY.to_owned());
    }
    let mut name = String::with_capacity(key.len() + 16);
    for &byte in key {
        if is_plain(byte) {
            name.push(char::from(byte));
        } else {
            name.push('%');
            name.push(char::from(DIGITS[usize::from(byte >> 4)]));
            name.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    if name.len() <= MOST {
        return Ok(name);
    }
    let (bytes, length) = (key.len(), name.len());
    Err(EngineError::new(format!(
        "a key of {bytes} bytes: its file's name would have {length}, and file systems allow {MOST} at most (each byte that is not a \
         letter, digit, - or _ takes three)"
    )))
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Returns the key with this name; `None` if no key has this name.
pub(crate) fn key(name: &str) -> Option<Vec<u8>> {
    if name == EMPTY {
        return Some(Vec::new());
    }
    let (mut key, mut rest) = (Vec::with_capacity(name.len()), name.as_bytes());
    while let Some((&first, behind)) = rest.split_first() {
        let (byte, after) = match first {
            b'%' => {
                let (digits, after) = behind.split_at_checked(2)?;
                (u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, after)
            }
            plain => (plain, behind),
        };
        key.push(byte);
        rest = after;
    }
    // Each key has exactly one name.
    (of(&key).ok()? == name).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_name_that_a_file_can_have() {
        let all: Vec<u8> = (0..=84).collect();
        let rest: Vec<u8> = (85..=255).step_by(3).collect();
        for key_bytes in [&b""[..], b".", b"..", b"a/b", b"%", b"%41", b"key_00000042", b"\0\xff", &all, &rest] {
            let name = of(key_bytes).unwrap();
            assert!(name != "." && name != ".." && !name.contains(['/', '\0']), "{name}");
            assert_eq!(key(&name).unwrap(), key_bytes);
        }
        assert_eq!(of(b"key_00000042").unwrap(), "key_00000042");
        assert_eq!(of(b"a.b").unwrap(), "a%2Eb");
        for name in ["a.b", "%4", "%zz", "%2e", "%41", "%%"] {
            assert_eq!(key(name), None, "{name}: no key's, or not its only name");
        }
    }

    #[test]
    fn a_key_whose_name_would_be_too_long_is_refused() {
        assert_eq!(of(&[b'k'; 255]).unwrap().len(), 255);
        assert!(of(&[b'k'; 256]).unwrap_err().to_string().contains("256 bytes"));
        assert_eq!(of(&[0; 85]).unwrap().len(), 255);
        assert!(of(&[0; 86]).is_err());
    }
}
