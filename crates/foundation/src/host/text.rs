//! Reading of the small texts in `/proc` and `/sys`.

use std::fs;
use std::path::Path;

/// Returns the file's text without surrounding white space; `None` if it cannot be read or is empty.
///
/// Bytes that are not UTF-8 (a mount point may contain any) become U+FFFD, so that one odd line does not hide the others.
pub(super) fn read(path: impl AsRef<Path>) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    tidy(&String::from_utf8_lossy(&bytes))
}

/// Returns the text without white space and NUL at its ends (device-tree strings end with NUL); `None` if nothing is left.
pub(super) fn tidy(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the value of the first line `key : value`, in the format of `/proc/cpuinfo` and `/proc/meminfo`.
pub(super) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
}

/// Returns the word in brackets, with which the kernel marks the active one of several (`always [madvise] never`).
pub(super) fn bracketed(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    tidy(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_none() {
        assert_eq!(read("/proc/no-such-file"), None);
        assert_eq!(tidy(" \n\0"), None);
        assert_eq!(tidy("Raspberry Pi 4\0"), Some("Raspberry Pi 4".to_owned()));
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "model\t\t: 207\nmodel name\t: Some CPU\nempty:\n";
        assert_eq!(field(text, "model name"), Some("Some CPU"));
        assert_eq!(field(text, "model"), Some("207"));
        assert_eq!(field(text, "empty"), None);
        assert_eq!(field(text, "name"), None);
    }

    #[test]
    fn the_chosen_word() {
        assert_eq!(bracketed("always [madvise] never"), Some("madvise".to_owned()));
        assert_eq!(bracketed("always madvise never"), None);
        assert_eq!(bracketed("[never"), None);
    }
}
